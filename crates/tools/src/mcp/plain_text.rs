//! Text from a server, made safe to show: a name or a description must not move a cursor, hide, or run backwards.

#[cfg(test)]
mod tests;

/// `text` without control and invisible characters, cut after `limit` characters. Lines stay lines.
pub(super) fn to_plain(text: &str, limit: usize) -> String {
    cut(text.chars().filter(|c| matches!(c, '\n' | '\t') || is_visible(*c)), limit)
}

/// As [`to_plain`], on one line.
pub(super) fn to_plain_line(text: &str, limit: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(words.chars().filter(|c| is_visible(*c)), limit)
}

/// True if `text` has nothing that [`to_plain_line`] would change.
pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(is_visible)
}

fn cut(chars: impl Iterator<Item = char>, limit: usize) -> String {
    let mut chars = chars.peekable();
    let mut kept: String = chars.by_ref().take(limit).collect();
    if chars.peek().is_some() {
        kept.push_str(" [cut]");
    }
    kept
}

/// Control characters, and those that hide text or change its direction, are not.
fn is_visible(c: char) -> bool {
    let hidden = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    !c.is_control() && !hidden
}
