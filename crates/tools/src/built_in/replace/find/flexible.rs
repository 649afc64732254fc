//! Finds equal lines, whatever white space they begin and end with.

use super::TextEdit;
use super::indent::{indent, reindent};
use super::lines::{lines, span};

pub(super) fn find(text: &str, old: &str, new: &str) -> Vec<TextEdit> {
    let wanted: Vec<&str> = old.lines().map(str::trim).collect();
    let Some(anchor) = wanted.iter().position(|line| !line.is_empty()) else { return Vec::new() };
    let from = indent(old.lines().nth(anchor).unwrap_or_default());
    let lines = lines(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(window) = lines.get(at..at + wanted.len()) {
        if window.iter().zip(&wanted).all(|(line, wanted)| line.text.trim() == *wanted) {
            let (span, new) = span(window, old, new);
            found.push(TextEdit { span, with: reindent(new, from, indent(window[anchor].text)) });
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    found
}
