//! No file above 600 lines without its tests: a longer one holds more than one idea.

use super::TidyFault;
use crate::repo::SourceFile;

const LIMIT: usize = 600;

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let long = sources.iter().filter(|source| source.is(&["rs", "ts"]) && !is_test(&source.path));
    long.filter_map(|source| {
        let lines = lines_without_tests(&source.text);
        (lines > LIMIT).then(|| {
            TidyFault::file(
                &source.path,
                format!("{lines} lines without tests, the limit is {LIMIT}; split it by idea"),
            )
        })
    })
    .collect()
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|part| part == "tests")
}

/// Lines up to the test module at the end of the file, if it has one.
fn lines_without_tests(text: &str) -> usize {
    let lines = Vec::from_iter(text.lines());
    let tests = lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{'));
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_long_file_is_named_with_its_length() {
        let sources = [source("crates/x/src/long.rs", &"line\n".repeat(601)), source("a.rs", &"line\n".repeat(600))];
        assert_eq!(
            check(&sources),
            [TidyFault::file("crates/x/src/long.rs", "601 lines without tests, the limit is 600; split it by idea")]
        );
    }

    #[test]
    fn tests_do_not_count() {
        let inline = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "line\n".repeat(500), "line\n".repeat(500));
        let sources = [
            source("crates/x/src/inline.rs", &inline),
            source("crates/x/tests/all.rs", &"line\n".repeat(900)),
            source("crates/x/src/x/tests.rs", &"line\n".repeat(900)),
        ];
        assert_eq!(check(&sources), []);
    }
}
