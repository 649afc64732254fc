//! The beginning of a text that only goes on: line after line, perhaps in colour, nothing drawn over.

use pollux_session::sequence_len;

/// Add the ruly beginning of `text` to `lines`, without its colours and with `\n` where a terminal has `\r\n`. How long it
/// is, in bytes.
pub(super) fn take_plain_lines(text: &str, lines: &mut String) -> usize {
    let mut rest = text;
    loop {
        let special = rest.find(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t'));
        let Some(at) = special else {
            lines.push_str(rest);
            return text.len();
        };
        lines.push_str(&rest[..at]);
        rest = &rest[at..];
        match harmless_sequence(rest) {
            Some(len) => rest = &rest[len..],
            None => return text.len() - rest.len(),
        }
    }
}

/// The length of what `text` begins with if a terminal draws nothing for it and stays where it is.
fn harmless_sequence(text: &str) -> Option<usize> {
    let letter = text.chars().next()?;
    match letter {
        '\r' => {
            let returns = text.len() - text.trim_start_matches('\r').len();
            text[returns..].starts_with('\n').then_some(returns)
        }
        '\x1b' => {
            let len = sequence_len(text)?;
            let sequence = &text[..len];
            let is_colour = sequence.starts_with("\x1b[") && sequence.ends_with('m');
            // A title, a link: strings that are not drawn.
            (is_colour || sequence.starts_with("\x1b]")).then_some(len)
        }
        '\x08' | '\x0b' | '\x0c' => None,
        _ => Some(letter.len_utf8()),
    }
}
