//! Finds equal words and signs, whatever white space is between them, line breaks included.

use super::TextEdit;
use super::indent::{IndentStyle, IndentTranslation, indent};
use regex::Regex;
use std::cell::LazyCell;

/// The most tokens that are looked for: a longer text is found by its lines or not at all.
const MAX_TOKENS: usize = 2_000;

pub(crate) fn find(text: &str, old: &str, new: &str) -> Vec<TextEdit> {
    let Some(pattern) = pattern(old) else { return Vec::new() };
    let from = indent(old.trim_start_matches(['\r', '\n']));
    // What is around the tokens is not looked for, so it is not replaced either.
    let new = if old.ends_with('\n') { new.trim_end_matches(['\r', '\n']) } else { new };
    let styles = LazyCell::new(|| (IndentStyle::of([old, new]), IndentStyle::of([text])));
    let found = pattern.find_iter(text).filter_map(|matched| {
        let line = text[..matched.start()].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line..matched.start()];
        let after = text[matched.end()..].lines().next().unwrap_or_default();
        // Whole lines are no part of longer ones.
        if (old.starts_with('\n') && !before.trim().is_empty()) || (old.ends_with('\n') && !after.trim().is_empty()) {
            return None;
        }
        if before.trim().is_empty() {
            let (model, file) = *styles;
            let with = IndentTranslation::new([(from, before)], model, file).apply(new);
            Some(TextEdit { span: line..matched.end(), with })
        } else {
            Some(TextEdit { span: matched.range(), with: new.trim_start().to_owned() })
        }
    });
    found.collect()
}

/// Matches the tokens of `text` in a row; `None` when there are none, or too many.
fn pattern(text: &str) -> Option<Regex> {
    let tokens = tokens(text);
    let (first, last) = (tokens.first()?, tokens.last()?);
    if tokens.len() > MAX_TOKENS {
        return None;
    }
    let mut pattern = String::new();
    if first.starts_with(is_word) {
        pattern.push_str(r"\b");
    }
    let mut before: Option<&str> = None;
    for token in &tokens {
        match before {
            None => {}
            // Two words must not become one.
            Some(before) if before.ends_with(is_word) && token.starts_with(is_word) => pattern.push_str(r"\s+"),
            Some(_) => pattern.push_str(r"\s*"),
        }
        pattern.push_str(&regex::escape(token));
        before = Some(token);
    }
    if last.ends_with(is_word) {
        pattern.push_str(r"\b");
    }
    Regex::new(&pattern).ok()
}

/// Words, and every other sign by itself.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
