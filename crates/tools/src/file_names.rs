//! The files of a workspace by name, for a person who is about to mention one.

use ignore::WalkBuilder;
use pollux_files::{IgnoreFiles, IgnoreRules};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most names; a person narrows them down by typing.
const MOST: usize = 50_000;

/// The time limit of a list.
const LISTING_TIMEOUT: Duration = Duration::from_secs(2);

/// The files and directories below `workspace` that no ignore file leaves out, relative to it, directories with a slash
/// at their end. What is beyond a limit of time or number is left out.
pub fn list_names_below(workspace: &Path) -> Vec<String> {
    let until = Instant::now() + LISTING_TIMEOUT;
    let mut builder = WalkBuilder::new(workspace);
    let files =
        IgnoreFiles { gemini: true, ignore: true, git: true, git_exclude: true, git_global: true, parents: true };
    let rules = IgnoreRules::new(workspace, files);
    builder.standard_filters(false).filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.file_name() != ".git" && !rules.is_ignored(entry.path(), is_directory)
    });
    let mut names = Vec::new();
    // What cannot be read cannot be mentioned either.
    for entry in builder.build().filter_map(Result::ok).skip(1) {
        if names.len() == MOST || Instant::now() > until {
            break;
        }
        let relative = entry.path().strip_prefix(workspace).ok().and_then(Path::to_str);
        let Some(relative) = relative else { continue };
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        names.push(if is_dir { format!("{relative}/") } else { relative.to_owned() });
    }
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::list_names_below;
    use std::fs;

    #[test]
    fn names_are_relative_and_ignored_ones_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        for (name, text) in [
            (".gitignore", "target\n"),
            (".geminiignore", "secret\n"),
            ("src/a b.rs", ""),
            ("src/deep/c.rs", ""),
            ("target", ""),
            ("secret", ""),
            (".git/HEAD", ""),
        ] {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let names = list_names_below(dir.path());
        assert_eq!(names, [".geminiignore", ".gitignore", "src/", "src/a b.rs", "src/deep/", "src/deep/c.rs"]);
        assert_eq!(list_names_below(&dir.path().join("missing")), [""; 0]);
    }
}
