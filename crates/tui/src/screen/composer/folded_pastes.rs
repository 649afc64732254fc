//! Long pasted text, folded: in the text stands one character for it, so that the cursor passes it and a key deletes it
//! as one. What is sent is the whole.

use pollux_session::plural;

/// More lines than this are folded.
const LINES_SHOWN: usize = 5;
/// More characters than this are folded.
const CHARACTERS_SHOWN: usize = 500;

/// The most bytes that are folded in all; what is pasted beyond is cut, and says so.
const LARGEST: usize = 16 << 20;

/// The pasted texts that are folded, each with the character that stands for it.
#[derive(Debug, Default)]
pub(super) struct FoldedPastes {
    folded: Vec<FoldedPaste>,
}

#[derive(Debug)]
struct FoldedPaste {
    label: String,
    text: String,
}

/// Whether a text is folded because it is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongPaste {
    Folded,
    Shown,
}

impl FoldedPastes {
    /// What to put into the text for `text`. Line breaks become those of the composer.
    pub(super) fn take(&mut self, mut text: String, long: LongPaste) -> String {
        if text.contains('\r') {
            text = text.replace("\r\n", "\n").replace('\r', "\n");
        }
        // A character that means a folded text here cannot mean itself as well, so it is folded too.
        let folds = long == LongPaste::Folded && is_long(&text) || text.contains(is_stand_in);
        if !folds {
            return text;
        }
        let kept = text.floor_char_boundary(LARGEST.saturating_sub(self.size()));
        let cut = if kept < text.len() { ", cut" } else { "" };
        text.truncate(kept);
        match self.next_stand_in() {
            Some(stand_in) => {
                let label = format!("[Pasted text: {}{cut} #{}]", size(&text), self.folded.len() + 1);
                self.folded.push(FoldedPaste { label, text });
                stand_in.to_string()
            }
            None => text.replace(is_stand_in, "\u{FFFD}"),
        }
    }

    /// What is drawn for a folded text.
    pub(super) fn label(&self, stand_in: char) -> Option<&str> {
        self.paste_at(stand_in).map(|folded| folded.label.as_str())
    }

    /// `text` with everything in it that is folded.
    pub(super) fn unfold(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, stand_in)) = rest.char_indices().find(|(_, ch)| is_stand_in(*ch)) {
            whole.push_str(&rest[..at]);
            whole.push_str(self.paste_at(stand_in).map_or("", |folded| &folded.text));
            rest = &rest[at + stand_in.len_utf8()..];
        }
        whole.push_str(rest);
        whole
    }

    /// Forget what is folded but in `text`, and give that anew.
    pub(super) fn retain_used(&mut self, text: String) -> String {
        let whole = text.contains(is_stand_in).then(|| self.unfold(&text));
        self.folded.clear();
        whole.map_or(text, |whole| self.take(whole, LongPaste::Folded))
    }

    fn size(&self) -> usize {
        self.folded.iter().map(|folded| folded.text.len()).sum()
    }

    fn paste_at(&self, stand_in: char) -> Option<&FoldedPaste> {
        let number = u32::from(stand_in).checked_sub(FIRST)?;
        self.folded.get(usize::try_from(number).ok()?)
    }

    fn next_stand_in(&self) -> Option<char> {
        let number = u32::try_from(self.folded.len()).ok()?;
        char::from_u32(FIRST.checked_add(number)?).filter(|ch| is_stand_in(*ch))
    }
}

/// The last private-use plane: nobody types it.
const FIRST: u32 = 0x10_0000;

/// Whether a character stands for a folded text.
pub(super) fn is_stand_in(ch: char) -> bool {
    ('\u{100000}'..='\u{10FFFD}').contains(&ch)
}

fn is_long(text: &str) -> bool {
    text.lines().nth(LINES_SHOWN).is_some() || text.chars().nth(CHARACTERS_SHOWN).is_some()
}

fn size(text: &str) -> String {
    match text.lines().count() {
        0 | 1 => plural(text.chars().count(), "character"),
        lines => plural(lines, "line"),
    }
}
