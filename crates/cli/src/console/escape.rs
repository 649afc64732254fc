//! Log lines that cannot be forged: whatever comes from outside and is logged, in a message or a field, stays on the line it
//! is logged on. This is the one place that all of it passes.

use std::fmt;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

/// `text` with every character that could begin a line, move the cursor or turn the direction of writing spelled out.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                escaped.extend(character.escape_default());
            }
            character if character.is_control() => escaped.extend(character.escape_default()),
            character => escaped.push(character),
        }
    }
    escaped
}

/// The message, then `name=value` for each field, escaped.
pub(super) fn fields() -> impl for<'writer> FormatFields<'writer> + 'static {
    debug_fn(|writer: &mut Writer<'_>, field: &tracing::field::Field, value: &dyn fmt::Debug| {
        let value = escape(&format!("{value:?}"));
        match field.name() {
            "message" => writer.write_str(&value),
            name => write!(writer, "{name}={value}"),
        }
    })
    .delimited(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_begins_a_line_of_its_own() {
        for (text, escaped) in [
            ("plain, ünï: 日本 \"quoted\"", "plain, ünï: 日本 \"quoted\""),
            ("a\nWARN forged", r"a\nWARN forged"),
            ("a\r\x1b[2Kb", r"a\r\u{1b}[2Kb"),
            ("\u{85}\u{2028}\u{202E}\u{7f}\0", r"\u{85}\u{2028}\u{202e}\u{7f}\u{0}"),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }
}
