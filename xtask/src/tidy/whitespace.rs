//! No trailing blanks, no tabs, one newline at the end. What a test quotes may end in blanks: a captured screen or
//! table is compared to the letter.

use super::TidyFault;
use crate::repo::SourceFile;

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    sources.iter().filter(|source| source.is(&["rs", "md", "toml"])).flat_map(faults).collect()
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

fn faults(source: &SourceFile) -> Vec<TidyFault> {
    let mut faults = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        if line.ends_with([' ', '\t']) && !is_test(&source.path) {
            faults.push(TidyFault::line(&source.path, index + 1, "blanks at the end of the line"));
        } else if line.contains('\t') {
            faults.push(TidyFault::line(&source.path, index + 1, "a tab; use spaces, or `\\t` in a string"));
        }
    }
    if !source.text.is_empty() && (!source.text.ends_with('\n') || source.text.ends_with("\n\n")) {
        faults.push(TidyFault::file(&source.path, "end the file with exactly one newline"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn stray_blanks_are_faults() {
        assert_eq!(
            check(&[
                source("a.md", "fine\ntrailing \n\ttab\n\n"),
                source("b.txt", "\tnot looked at "),
                source("b/tests.rs", "> \n")
            ]),
            [
                TidyFault::line("a.md", 2, "blanks at the end of the line"),
                TidyFault::line("a.md", 3, "a tab; use spaces, or `\\t` in a string"),
                TidyFault::file("a.md", "end the file with exactly one newline"),
            ]
        );
    }
}
