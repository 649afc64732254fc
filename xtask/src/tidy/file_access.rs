//! The places that open files and read environment variables. A file of a workspace may be a pipe that makes whoever
//! opens it wait, and the process's own environment has only harmless variables, so product code does both in one place
//! each. A place that has a reason to do it by itself is a line here that a reviewer reads.

use super::TidyFault;
use crate::repo::SourceFile;

/// Calls that open a file by its path and may wait, and what to use instead.
const OPENING: &[&str] = &["fs::read(", "fs::read_to_string(", "File::open("];
/// Calls that read the process's own environment block.
const ASKING: &[&str] = &["env::var(", "env::var_os(", "env::vars(", "env::vars_os("];

/// Files that do it, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/cli/src/clean_start.rs", "the first start reads the environment that it hides"),
    ("crates/cli/src/clean_start/handover.rs", "the second start reads where the environment is handed over"),
    ("crates/model/src/gemini/adc/key_file.rs", "a key of the person's own, which a shell may give by a pipe"),
    ("crates/model/src/llama/worker.rs", "a file of the kernel's"),
    ("crates/model/src/script.rs", "a script that the person names; what is no file is refused before"),
    ("crates/policy/src/saved_grants.rs", "a directory of our own is made durable"),
    ("crates/server/src/card/signing.rs", "a key that the person names, which a shell may give by a pipe"),
    ("crates/server/src/discovery/process_start.rs", "a file of the kernel's"),
    ("crates/server/src/gate/descendants/process.rs", "a file of the kernel's"),
    ("crates/server/src/gate/descendants/verdict.rs", "a file of the kernel's"),
    ("crates/server/src/gate/token.rs", "a token that the person names, which a shell may give by a pipe"),
    ("crates/server/src/gate/uid/proc_net.rs", "a file of the kernel's"),
    ("crates/store/src/blobs.rs", "our own store"),
    ("crates/store/src/dirs.rs", "a directory of our own is made durable"),
    ("crates/store/src/lock.rs", "our own store"),
    ("crates/tools/src/checkpoint/index.rs", "our own store of checkpoints"),
    ("crates/tools/src/checkpoint/shadow_repository.rs", "our own store of checkpoints"),
    ("crates/tools/src/mcp/sign_in/token_store.rs", "a directory of our own is made durable"),
    ("crates/tools/src/process/call_cgroup.rs", "files of the kernel's"),
    ("crates/tools/src/process/confinement.rs", "a file of the kernel's"),
    ("crates/tools/src/process/leftovers.rs", "files of the kernel's"),
    ("crates/tools/src/process/process_list.rs", "a file of the kernel's"),
    ("crates/tools/src/process/supervisor/descriptors.rs", "the null device"),
    ("crates/tools/src/process/supervisor/run_pipeline.rs", "the null device"),
    ("crates/tools/src/process_environment.rs", "tests have no other environment than that of the process"),
    ("crates/tui/src/screen/run/set_up.rs", "which terminal it is stays in the process's own environment"),
];

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let mut faults: Vec<TidyFault> =
        sources.iter().filter(|source| is_product(source)).flat_map(source_faults).collect();
    let unused = EXCEPTIONS.iter().filter(|(path, _)| {
        let found = sources.iter().find(|source| source.path == *path);
        // A check of a few sources, in a test, says nothing about the others.
        found.is_some_and(|source| lines(source).next().is_none())
    });
    faults.extend(
        unused.map(|(path, _)| TidyFault::file(path, "take it out of xtask/src/tidy/file_access.rs: it needs no line")),
    );
    faults
}

fn source_faults(source: &SourceFile) -> Vec<TidyFault> {
    if EXCEPTIONS.iter().any(|(path, _)| *path == source.path) {
        return Vec::new();
    }
    lines(source).map(|(line, what)| TidyFault::line(&source.path, line, what)).collect()
}

/// The lines of product code that do it, from 1, with what to do instead.
fn lines(source: &SourceFile) -> impl Iterator<Item = (usize, &'static str)> {
    let product = source.text.lines().take_while(|line| *line != "mod tests {");
    product.enumerate().filter_map(|(at, line)| {
        let has = |calls: &[&str]| calls.iter().any(|call| line.contains(call));
        let what = match () {
            () if has(OPENING) => "open it with pollux_files: a pipe of this name would make us wait for ever",
            () if has(ASKING) => "ask pollux_tools::ProcessEnvironment: the process's own environment is almost empty",
            () => return None,
        };
        Some((at + 1, what))
    })
}

/// True if it is code that ships.
pub(super) fn is_product(source: &SourceFile) -> bool {
    let is_test = source.path.contains("/tests/") || source.path.ends_with("/tests.rs");
    let ships = source.path.starts_with("crates/") && !source.path.starts_with("crates/testkit/");
    source.is(&["rs"]) && source.path.contains("/src/") && ships && !is_test
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn opening_a_file_or_reading_the_environment_by_oneself_is_a_fault() {
        let sources = [
            source("crates/x/src/a.rs", "//! A.\nlet text = std::fs::read_to_string(path)?;\n"),
            source("crates/x/src/b.rs", "//! B.\nlet key = std::env::var(\"KEY\");\n"),
            source("crates/x/src/c.rs", "//! C.\nmod tests {\nlet file = File::open(path);\n"),
            source("crates/x/src/c/tests.rs", "let file = File::open(path);\n"),
            source("crates/x/tests/d.rs", "//! D.\nlet file = File::open(path);\n"),
            source("crates/store/src/lock.rs", "//! A lock.\nlet file = File::open(path);\n"),
        ];
        let open = "open it with pollux_files: a pipe of this name would make us wait for ever";
        let ask = "ask pollux_tools::ProcessEnvironment: the process's own environment is almost empty";
        let wanted = [TidyFault::line("crates/x/src/a.rs", 2, open), TidyFault::line("crates/x/src/b.rs", 2, ask)];
        assert_eq!(check(&sources), wanted);
    }

    #[test]
    fn an_exception_that_nobody_needs_is_a_fault() {
        let sources = [source("crates/store/src/lock.rs", "//! A lock.\n")];
        let what = "take it out of xtask/src/tidy/file_access.rs: it needs no line";
        assert_eq!(check(&sources), [TidyFault::file("crates/store/src/lock.rs", what)]);
    }

    #[test]
    fn exceptions_are_sorted_and_say_why() {
        assert!(EXCEPTIONS.is_sorted_by_key(|(path, _)| *path));
        assert!(EXCEPTIONS.iter().all(|(_, why)| !why.is_empty()));
    }
}
