//! A call's output as a terminal would show it, near enough for people who watch it as plain text.
//!
//! Output in the log is a terminal's stream as it came: colours, cursor movement, lines drawn over and over.

use std::borrow::Cow;

/// A sequence longer than this is none: something that is no terminal's stream must not hide what follows.
pub const MAX_SEQUENCE: usize = 4 * 1024;

/// The sequence that erases the line the cursor is on.
pub const ERASE_LINE: &str = "\x1b[2K";

/// True if `sequence` moves the cursor to the beginning of its line, as a carriage return does. Spinners use it.
pub fn returns_to_line_start(sequence: &str) -> bool {
    matches!(sequence, "\x1b[G" | "\x1b[0G" | "\x1b[1G")
}

/// `text` without escape sequences and control characters. Line breaks and tabs stay, `\r\n` becomes `\n`, and a line that
/// was drawn over (`\r` or `ESC[1G`, as progress bars and spinners do) is what it was drawn last.
///
/// Every piece can be made plain by itself, as long as it does not end inside a sequence: a piece that begins with `\r`
/// begins a new line, since the line it draws over is in the piece before.
pub fn plain(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_special) else { return Cow::Borrowed(text) };
    let (good, mut rest) = text.split_at(first);
    let mut plain = String::with_capacity(text.len());
    plain.push_str(good);
    let mut line = good.rfind('\n').map_or(0, |at| at + 1);
    while let Some(letter) = rest.chars().next() {
        let mut taken = letter.len_utf8();
        match letter {
            '\n' => {
                plain.push('\n');
                line = plain.len();
            }
            '\x1b' => {
                taken = sequence_len(rest).unwrap_or(rest.len());
                match &rest[..taken] {
                    ERASE_LINE => plain.truncate(line),
                    sequence if returns_to_line_start(sequence) && !plain.is_empty() => {
                        line = carriage_return(&mut plain, line, &rest[taken..]);
                    }
                    _ => {}
                }
            }
            '\r' => {
                taken = rest.len() - rest.trim_start_matches('\r').len();
                line = carriage_return(&mut plain, line, &rest[taken..]);
            }
            '\t' => plain.push('\t'),
            _ if letter.is_control() => {}
            _ => plain.push(letter),
        }
        rest = &rest[taken..];
    }
    Cow::Owned(plain)
}

/// Go back to the beginning of the line that begins at `line`; where it begins now. What was on it stays unless something
/// is drawn over it.
fn carriage_return(plain: &mut String, line: usize, rest: &str) -> usize {
    if rest.is_empty() || rest.starts_with('\n') {
        return line;
    }
    if line == 0 && plain.is_empty() {
        plain.push('\n');
        return 1;
    }
    plain.truncate(line);
    line
}

/// The length of the escape sequence that `text` begins with; `None` when `text` ends before it does. Something that
/// begins like a sequence and cannot be one has the length of its first character.
pub fn sequence_len(text: &str) -> Option<usize> {
    let bytes = &text.as_bytes()[..text.len().min(MAX_SEQUENCE)];
    let len = match bytes.get(1) {
        None => None,
        Some(b'[') => closing(bytes, 2, 0x20..=0x3f),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string_end(bytes),
        Some(0x20..=0x2f) => closing(bytes, 2, 0x20..=0x2f),
        Some(0x30..=0x7e) => Some(2),
        Some(_) => Some(1),
    };
    // Too long to be one: only its first character goes.
    if len.is_none() && text.len() >= MAX_SEQUENCE { Some(1) } else { len }
}

/// The end of a sequence whose bytes are of `inner` and whose last one is not; a control character breaks it off.
fn closing(bytes: &[u8], from: usize, inner: std::ops::RangeInclusive<u8>) -> Option<usize> {
    let at = from + bytes[from..].iter().position(|byte| !inner.contains(byte))?;
    Some(if (0x30..=0x7e).contains(&bytes[at]) { at + 1 } else { at })
}

/// The end of a sequence that holds a string: the bell, or an escape, which takes its backslash along.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let at = 2 + bytes[2..].iter().position(|byte| matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b))?;
    match (bytes[at], bytes.get(at + 1)) {
        (0x1b, None) => None,
        (0x1b, Some(b'\\')) => Some(at + 2),
        (0x1b, Some(_)) => Some(at),
        _ => Some(at + 1),
    }
}

fn is_special(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
}

#[cfg(test)]
mod tests;
