//! Every Rust file opens with a `//!` that says what it is for. A `tests.rs` says it by its name.

use super::TidyFault;
use crate::repo::SourceFile;

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let headless = sources.iter().filter(|source| {
        let head = source.text.lines().next().and_then(|line| line.strip_prefix("//!"));
        let says_it_by_name = source.path.ends_with("/tests.rs");
        source.is(&["rs"]) && !says_it_by_name && !head.is_some_and(|head| head.contains(char::is_alphabetic))
    });
    headless
        .map(|source| TidyFault::line(&source.path, 1, "begin with a `//!` line that says what the file is for"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_file_without_a_head_or_with_an_empty_one_is_a_fault() {
        let sources = [
            source("bare.rs", "use std::fmt;\n"),
            source("empty.rs", "//! .\nfn main() {}\n"),
            source("good.rs", "//! Numbers.\n"),
            source("good/tests.rs", "use super::*;\n"),
            source("README.md", "no head needed\n"),
        ];
        let what = "begin with a `//!` line that says what the file is for";
        assert_eq!(check(&sources), [TidyFault::line("bare.rs", 1, what), TidyFault::line("empty.rs", 1, what)]);
    }
}
