//! Decodes keys from the bytes that a terminal sends. Only those that a line needs: keys that would move inside it are
//! passed over.

use unicode_width::UnicodeWidthChar;

#[cfg(test)]
mod tests;

/// One thing a person does to the line they type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineKey {
    /// Text at its end.
    Text(String),
    /// The last character goes.
    Backspace,
    /// The last word goes.
    EraseWord,
    /// All of it goes.
    EraseLine,
    /// It is finished.
    Enter,
    /// Ctrl+D.
    End,
}

/// Take the last character away, with the marks that stand on it.
pub(crate) fn erase_letter(line: &mut String) {
    while line.pop().is_some_and(|ch| ch.width() == Some(0)) {}
}

/// Take the last word away.
pub(crate) fn erase_word(line: &mut String) {
    let kept = line.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
    line.truncate(line.ceil_char_boundary(kept));
}

/// Bytes that are not understood yet: a character or a sequence of which the rest is still to come.
#[derive(Debug, Default)]
pub(crate) struct KeyDecoder {
    rest: Vec<u8>,
}

/// The longest sequence that is waited for; what is longer is no key.
const MAX_SEQUENCE: usize = 32;

impl KeyDecoder {
    /// The keys that are complete with `bytes`.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Vec<LineKey> {
        self.rest.extend_from_slice(bytes);
        let mut keys = Vec::new();
        let mut at = 0;
        while let Some((key, length)) = decode_key(&self.rest[at..]) {
            at += length;
            match (key, keys.last_mut()) {
                (Some(LineKey::Text(text)), Some(LineKey::Text(before))) => before.push_str(&text),
                (Some(key), _) => keys.push(key),
                (None, _) => {}
            }
        }
        self.rest.drain(..at);
        keys
    }
}

/// The first key and how many bytes it takes; nothing when more bytes are needed.
fn decode_key(bytes: &[u8]) -> Option<(Option<LineKey>, usize)> {
    let key = match *bytes.first()? {
        b'\n' | b'\r' => LineKey::Enter,
        0x7f | 0x08 => LineKey::Backspace,
        0x17 => LineKey::EraseWord,
        0x15 => LineKey::EraseLine,
        0x04 => LineKey::End,
        0x1b => return skip_escape_sequence(bytes),
        b'\t' => LineKey::Text(" ".into()),
        0..=0x1f => return Some((None, 1)),
        _ => return decode_character(bytes),
    };
    Some((Some(key), 1))
}

/// An escape sequence, which is passed over whole.
fn skip_escape_sequence(bytes: &[u8]) -> Option<(Option<LineKey>, usize)> {
    let length = match bytes.get(1)? {
        b'[' => {
            3 + bytes
                .get(2..)?
                .iter()
                .position(|byte| (0x40..=0x7e).contains(byte))
                .or_else(|| unterminated_length(bytes))?
        }
        b'O' => 3,
        _ => 2,
    };
    (length <= bytes.len()).then_some((None, length))
}

/// A sequence without an end is given up.
fn unterminated_length(bytes: &[u8]) -> Option<usize> {
    bytes.len().checked_sub(3).filter(|length| *length >= MAX_SEQUENCE)
}

fn decode_character(bytes: &[u8]) -> Option<(Option<LineKey>, usize)> {
    let length = match bytes.first()? {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    };
    let taken = bytes.get(..length)?;
    let text = match std::str::from_utf8(taken) {
        Ok(text) => text.to_owned(),
        // What is no text is said to be none, one byte at a time.
        Err(_) => return Some((Some(LineKey::Text("\u{fffd}".into())), 1)),
    };
    Some((Some(LineKey::Text(text)), length))
}
