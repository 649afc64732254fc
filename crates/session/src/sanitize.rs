//! Text from elsewhere, made harmless: nothing in it moves the cursor, reorders or hides. What could is shown, not
//! dropped, so that a person sees that it was there.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with every control, bidi, zero-width and tag character made visible. Line breaks and tabs stay.
pub fn clean(text: &str) -> Cow<'_, str> {
    let Some(first) = first_suspect(text) else { return Cow::Borrowed(text) };
    let (good, rest) = text.split_at(first);
    let mut cleaned = String::with_capacity(text.len() + 16);
    cleaned.push_str(good);
    let mut before = good.chars().next_back();
    for ch in rest.chars() {
        match ch {
            '\n' | '\t' => cleaned.push(ch),
            _ if is_joiner(ch) && before.is_some_and(|before| !before.is_ascii() && !hides(before)) => cleaned.push(ch),
            _ if hides(ch) => show(&mut cleaned, ch),
            _ => cleaned.push(ch),
        }
        before = Some(ch);
    }
    Cow::Owned(cleaned)
}

/// `text` on one line, for names and labels: line breaks and tabs become visible too, and no more than `limit`
/// characters are kept, with a `…` where it was cut.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    for (count, ch) in text.trim().chars().enumerate() {
        if count == limit {
            line.push('…');
            break;
        }
        match ch {
            '\n' => line.push('⏎'),
            '\t' => line.push(' '),
            _ => line.push(ch),
        }
    }
    clean(&line).into_owned()
}

fn first_suspect(text: &str) -> Option<usize> {
    text.char_indices().find(|(_, ch)| hides(*ch)).map(|(at, _)| at)
}

/// Zero-width (non-)joiners spell words in several scripts and join emoji, so they stay after such a character.
fn is_joiner(ch: char) -> bool {
    matches!(ch, '\u{200C}' | '\u{200D}')
}

/// True if a terminal would act on `ch` or draw nothing for it.
pub fn hides(ch: char) -> bool {
    match ch {
        '\n' | '\t' => false,
        // C0 with ESC, DEL, and C1 with the eight-bit CSI, OSC and DCS.
        _ if ch.is_control() => true,
        // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Mongolian separators.
        '\u{00AD}'
        | '\u{034F}'
        | '\u{061C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{3164}'
        | '\u{FFA0}' => true,
        // Zero-width, bidi marks, line and paragraph separators, bidi embeddings, overrides and isolates.
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        // A blank that is no space, variation selectors but the emoji one, byte order mark, annotations.
        '\u{2800}' | '\u{FE00}'..='\u{FE0E}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFB}' => true,
        // Shorthand format controls, musical controls, tags and the other variation selectors.
        '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' => true,
        _ => false,
    }
}

/// Draw a character that hides: C0 and DEL by their control pictures, everything else by number.
fn show(text: &mut String, ch: char) {
    let code = u32::from(ch);
    let picture = match code {
        0..=0x1F => char::from_u32(0x2400 + code),
        0x7F => Some('␡'),
        _ => None,
    };
    match picture {
        Some(picture) => text.push(picture),
        None => {
            let _ = write!(text, "⟨U+{code:04X}⟩");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hides;

    /// Default_Ignorable_Code_Point of Unicode 17.
    const IGNORABLE: [(u32, u32); 18] = [
        (0x00AD, 0x00AD),
        (0x034F, 0x034F),
        (0x061C, 0x061C),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180D),
        (0x180E, 0x180F),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0000, 0xE0FFF),
    ];

    #[test]
    fn whatever_is_drawn_as_nothing_hides() {
        // The variation selector that every second emoji ends with says nothing else.
        let shown = IGNORABLE.into_iter().flat_map(|(first, last)| first..=last).filter(|code| *code != 0xFE0F);
        for code in shown {
            assert!(hides(char::from_u32(code).unwrap()), "U+{code:04X}");
        }
    }
}
