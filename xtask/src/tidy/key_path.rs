//! docs/ARCHITECTURE.md lists the path of one key from the terminal to the disk. What it lists exists, and it stays short: who
//! follows it holds all of it in their head.

use super::TidyFault;
use crate::repo::SourceFile;
use std::collections::BTreeSet;

const DOCUMENT: &str = "docs/ARCHITECTURE.md";
const HEADING: &str = "## The path of one key";
/// The most files on it.
const MOST_FILES: usize = 15;

/// A function on the path.
struct KeyStep<'a> {
    line: usize,
    path: &'a str,
    function: &'a str,
}

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let Some(document) = sources.iter().find(|source| source.path == DOCUMENT) else { return Vec::new() };
    let steps = steps(&document.text);
    if steps.is_empty() {
        return vec![TidyFault::file(
            DOCUMENT,
            format!("has no section {HEADING:?} with a list of files and functions"),
        )];
    }
    let mut faults: Vec<TidyFault> = steps.iter().filter_map(|step| missing(step, sources)).collect();
    let files = files(&steps);
    if files > MOST_FILES {
        let what = format!("{files} files are on the path of one key, more than {MOST_FILES}: shorten the path");
        faults.push(TidyFault::file(DOCUMENT, what));
    }
    faults
}

/// The number of files on the path.
pub(super) fn count_files(sources: &[SourceFile]) -> usize {
    let document = sources.iter().find(|source| source.path == DOCUMENT);
    document.map_or(0, |document| files(&steps(&document.text)))
}

fn files(steps: &[KeyStep<'_>]) -> usize {
    BTreeSet::from_iter(steps.iter().map(|step| step.path)).len()
}

/// The fault of a step: its file is not there, or has no such function.
fn missing(step: &KeyStep<'_>, sources: &[SourceFile]) -> Option<TidyFault> {
    let KeyStep { line, path, function } = step;
    let what = match sources.iter().find(|source| source.path == *path) {
        None => format!("there is no file {path}"),
        Some(source) if !has_function(&source.text, function) => format!("{path} has no function `{function}`"),
        Some(_) => return None,
    };
    Some(TidyFault::line(DOCUMENT, *line, format!("{what}: list the path as it is now")))
}

fn has_function(text: &str, function: &str) -> bool {
    let begins = format!("fn {function}");
    text.match_indices(&begins).any(|(at, _)| text[at + begins.len()..].starts_with(['(', '<']))
}

/// The steps, each written as ``1. `path` `function`: …``.
fn steps(document: &str) -> Vec<KeyStep<'_>> {
    let lines = (1..).zip(document.lines()).skip_while(|(_, text)| *text != HEADING).skip(1);
    let section = lines.take_while(|(_, text)| !text.starts_with("## "));
    let numbered = section.filter(|(_, text)| text.starts_with(|first: char| first.is_ascii_digit()));
    numbered.map(|(line, text)| KeyStep::read(line, text)).collect()
}

impl<'a> KeyStep<'a> {
    fn read(line: usize, text: &'a str) -> KeyStep<'a> {
        let mut spans = text.split('`').skip(1).step_by(2);
        KeyStep { line, path: spans.next().unwrap_or_default(), function: spans.next().unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn document(steps: &str) -> SourceFile {
        source(
            DOCUMENT,
            &format!("# Architecture\n\n{HEADING}\n\nWhat Enter does.\n\n{steps}\n## Invariants\n\n1. `x`\n"),
        )
    }

    #[test]
    fn every_step_is_a_function_of_a_file_that_exists() {
        let code =
            source("crates/a/src/lib.rs", "impl A {\n    fn keyed(&self) {}\n    async fn send<T>(t: T) {}\n}\n");
        let good = document("1. `crates/a/src/lib.rs` `keyed`: in.\n2. `crates/a/src/lib.rs` `send`: out.\n");
        assert_eq!(check(&[good, code.clone()]), []);
        let bad = document("1. `crates/a/src/lib.rs` `key`: in.\n2. `crates/b/src/lib.rs` `send`: out.\n");
        assert_eq!(
            check(&[bad, code]),
            [
                TidyFault::line(DOCUMENT, 7, "crates/a/src/lib.rs has no function `key`: list the path as it is now"),
                TidyFault::line(DOCUMENT, 8, "there is no file crates/b/src/lib.rs: list the path as it is now"),
            ]
        );
    }

    #[test]
    fn a_path_that_is_long_or_not_listed_is_a_fault() {
        let path = |at: usize| format!("crates/a/src/file_{at}.rs");
        let long: String = (0..=MOST_FILES).map(|at| format!("{at}. `{}` `go`: on.\n", path(at))).collect();
        let files = (0..=MOST_FILES).map(|at| source(&path(at), "fn go() {}\n"));
        let sources: Vec<SourceFile> = files.chain([document(&long)]).collect();
        let what = "16 files are on the path of one key, more than 15: shorten the path";
        assert_eq!(check(&sources), [TidyFault::file(DOCUMENT, what)]);
        assert_eq!(count_files(&sources), 16);
        let what = "has no section \"## The path of one key\" with a list of files and functions";
        assert_eq!(check(&[source(DOCUMENT, "# Architecture\n")]), [TidyFault::file(DOCUMENT, what)]);
    }
}
