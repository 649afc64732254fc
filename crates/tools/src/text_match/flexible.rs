//! Finds equal lines, whatever white space they begin and end with.

use super::TextEdit;
use super::indent::{IndentStyle, IndentTranslation, indent};
use super::lines::{lines, span};
use std::cell::LazyCell;

pub(crate) fn find(text: &str, old: &str, new: &str) -> Vec<TextEdit> {
    let wanted: Vec<&str> = old.lines().collect();
    if wanted.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let lines = lines(text);
    let styles = LazyCell::new(|| (IndentStyle::of([old, new]), IndentStyle::of([text])));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(window) = lines.get(at..at + wanted.len()) {
        if window.iter().zip(&wanted).all(|(line, wanted)| line.text.trim() == wanted.trim()) {
            let (span, new) = span(window, old, new);
            let both = wanted.iter().zip(window).filter(|(wanted, _)| !wanted.trim().is_empty());
            let pairs = both.map(|(wanted, line)| (indent(wanted), indent(line.text)));
            let (model, file) = *styles;
            found.push(TextEdit { span, with: IndentTranslation::new(pairs, model, file).apply(new) });
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    found
}
