//! The one way to print an error with its causes. `{error:#}` prints every cause, also one that the error has named in its
//! own sentence, so a person reads "No such file or directory" twice.

use super::TidyFault;
use super::file_access::is_product;
use crate::repo::SourceFile;

/// The end of a format that prints an error with its causes.
const ALTERNATE: &str = "error:#}";

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    sources.iter().filter(|source| is_product(source)).flat_map(faults).collect()
}

fn faults(source: &SourceFile) -> impl Iterator<Item = TidyFault> {
    let printed = source.text.lines().enumerate().filter(|(_, line)| line.contains(ALTERNATE));
    let what = "print it with pollux_session::describe_error_chain: this tells a cause twice";
    printed.map(move |(at, _)| TidyFault::line(&source.path, at + 1, what))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn an_error_that_is_printed_with_its_causes_is_a_fault() {
        let print = format!("//! A.\nformat!(\"{{{ALTERNATE}\");\nformat!(\"{{error}}\");\n");
        let sources = [source("crates/x/src/a.rs", &print), source("xtask/src/b.rs", &print)];
        let what = "print it with pollux_session::describe_error_chain: this tells a cause twice";
        assert_eq!(check(&sources), [TidyFault::line("crates/x/src/a.rs", 2, what)]);
    }
}
