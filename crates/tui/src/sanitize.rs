//! Text from elsewhere as a terminal may show it: harmless (see [`clean`]), with nothing far off the edge of the screen.

use pollux_session::hides;
pub use pollux_session::{clean, one_line};
use std::fmt::Write as _;

/// `text` with long gaps inside its lines counted instead of drawn, so that nothing hides off the edge of the screen.
/// For commands: code may be indented, a command rarely is.
pub(crate) fn count_gaps(text: &str) -> String {
    let mut counted = String::with_capacity(text.len());
    let mut gap = String::new();
    for ch in text.chars() {
        if ch != '\n' && ch.is_whitespace() {
            gap.push(ch);
            continue;
        }
        close_gap(&mut counted, &mut gap);
        counted.push(ch);
    }
    close_gap(&mut counted, &mut gap);
    counted
}

/// JSON with everything that could act on a terminal escaped once more. It means what it meant: outside of strings JSON
/// holds no such character.
pub(crate) fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for ch in json.chars() {
        if hides(ch) {
            for unit in ch.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(ch);
        }
    }
    escaped
}

/// The longest gap that is drawn as it is.
const GAP_DRAWN: usize = 8;

fn close_gap(text: &mut String, gap: &mut String) {
    let width = gap.chars().count();
    if width > GAP_DRAWN {
        let _ = write!(text, " ⟨{width} spaces⟩ ");
    } else {
        text.push_str(gap);
    }
    gap.clear();
}

#[cfg(test)]
mod tests;
