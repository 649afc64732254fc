//! One file of a change that names several: what a patch does to it. All of them are shown, allowed and changed as one.

use crate::ask::FileDiff;
use crate::code_span::longest_backquote_run;
use crate::describe::plural;
use crate::sanitize::one_line;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A file that a patch changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchedFile {
    /// What happens to the file.
    #[serde(flatten)]
    pub change: PatchedFileChange,
    /// The file and its content. A file that moves is named as it will be; one that is deleted will hold nothing.
    #[serde(flatten)]
    pub diff: FileDiff,
    /// How the patch names the file, where that is not one of its paths: a link leads there. Rules hold for these names, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum PatchedFileChange {
    /// It is new.
    Add,
    /// Some of its lines change.
    Edit,
    /// It gets another path; some of its lines may change as well.
    Move {
        /// The path it has now, as a person would write it.
        from_name: String,
        /// The absolute path it has now.
        from_path: String,
    },
    /// It goes away.
    Delete,
}

impl PatchedFile {
    /// The file for people, with what happens to it besides a change of lines: `new.rs (moved from old.rs)`.
    pub fn title(&self) -> String {
        let name = one_line(&self.diff.name, usize::MAX);
        match &self.change {
            PatchedFileChange::Add => format!("{name} (new)"),
            PatchedFileChange::Edit => name,
            PatchedFileChange::Move { from_name, .. } => {
                format!("{name} (moved from {})", one_line(from_name, usize::MAX))
            }
            PatchedFileChange::Delete => format!("{name} (deleted)"),
        }
    }

    /// True if a person may change what it will hold before they allow the patch.
    pub fn is_editable(&self) -> bool {
        self.change != PatchedFileChange::Delete
    }

    /// The change of its lines, if any change.
    pub fn changed_content(&self) -> Option<&FileDiff> {
        (self.diff.changed_lines() != (0, 0)).then_some(&self.diff)
    }

    /// The change as that of one file, called by its title.
    pub fn titled_diff(&self) -> FileDiff {
        FileDiff { name: self.title(), ..self.diff.clone() }
    }

    /// The absolute paths that it touches.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let from = match &self.change {
            PatchedFileChange::Move { from_path, .. } => Some(from_path.as_str()),
            PatchedFileChange::Add | PatchedFileChange::Edit | PatchedFileChange::Delete => None,
        };
        from.into_iter().chain([self.diff.path.as_str()])
    }
}

/// The files of a patch, a line each, with how many lines change: `- a.rs +3 -1`.
pub fn list_patched_files(files: &[PatchedFile]) -> String {
    let mut text = String::new();
    for file in files {
        let (added, removed) = file.diff.changed_lines();
        let _ = writeln!(text, "- {} +{added} -{removed}", file.title());
    }
    text
}

/// All changes of a patch as one unified diff.
pub fn whole_diff(files: &[PatchedFile]) -> String {
    let mut text = String::new();
    for file in files {
        if let PatchedFileChange::Move { from_name, .. } = &file.change {
            let line = |name: &str| one_line(name, usize::MAX);
            let _ = writeln!(text, "rename from {}\nrename to {}", line(from_name), line(&file.diff.name));
        }
        text.push_str(&file.diff.patch);
    }
    text
}

/// All of a patch in words and one unified diff, for clients that know no changes of several files: markdown with a code block.
pub fn describe_patch(files: &[PatchedFile]) -> String {
    let mut text = format!("Change {}:\n{}", plural(files.len(), "file"), list_patched_files(files));
    let whole = whole_diff(files);
    if !whole.is_empty() {
        let fence = "`".repeat(longest_backquote_run(&whole).max(2) + 1);
        let _ = write!(text, "\n{fence}diff\n{}\n{fence}\n", whole.trim_end_matches('\n'));
    }
    text
}

/// The beginnings of the lines of a patch that name a file.
const NAMING_LINES: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"];
/// How many files are named where there is one line for all.
const MAX_NAMED: usize = 3;

/// The files that a patch says it changes, on one line. Nothing is known of them yet; `None` where it names none.
pub(crate) fn summarize_patch(patch: &str) -> Option<String> {
    let named =
        |line: &str| NAMING_LINES.iter().find_map(|start| line.strip_prefix(start)).map(str::trim).map(str::to_owned);
    let names: Vec<String> = patch.lines().filter_map(named).collect();
    let first = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        1..=MAX_NAMED => Some(first),
        many => Some(format!("{first} and {} more", many - MAX_NAMED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn diff(name: &str, patch: &str) -> FileDiff {
        FileDiff { name: name.into(), path: format!("/w/{name}"), old: None, new: String::new(), patch: patch.into() }
    }

    #[test]
    fn a_file_is_one_flat_object() {
        let change = PatchedFileChange::Move { from_name: "a".into(), from_path: "/w/a".into() };
        let file = PatchedFile { change, diff: diff("b", ""), written: vec![] };
        let told = json!({"change": "move", "from_name": "a", "from_path": "/w/a", "name": "b", "path": "/w/b",
            "old": null, "new": "", "patch": ""});
        assert_eq!(json!(file), told);
        assert_eq!(serde_json::from_value::<PatchedFile>(told).unwrap(), file);
        assert_eq!(file.paths().collect::<Vec<_>>(), ["/w/a", "/w/b"]);
        let deleted = PatchedFile { change: PatchedFileChange::Delete, diff: diff("c", ""), written: vec![] };
        assert_eq!(serde_json::from_value::<PatchedFile>(json!(deleted)).unwrap(), deleted);
    }

    #[test]
    fn the_whole_patch_is_one_code_block_whose_fence_nothing_in_it_closes() {
        let files = [
            PatchedFile {
                change: PatchedFileChange::Edit,
                diff: diff("a", "@@ -1 +1 @@\n-x\n+```\n"),
                written: vec![],
            },
            PatchedFile { change: PatchedFileChange::Delete, diff: diff("b", "@@ -1 +0,0 @@\n-y\n"), written: vec![] },
        ];
        let wanted = "Change 2 files:\n- a +1 -1\n- b (deleted) +0 -1\n\n````diff\n@@ -1 +1 @@\n-x\n+```\n@@ -1 +0,0 @@\n\
                      -y\n````\n";
        assert_eq!(describe_patch(&files), wanted);
        let moved = PatchedFileChange::Move { from_name: "a".into(), from_path: "/w/a".into() };
        let moved = [PatchedFile { change: moved, diff: diff("b", ""), written: vec![] }];
        let wanted = "Change 1 file:\n- b (moved from a) +0 -0\n\n```diff\nrename from a\nrename to b\n```\n";
        assert_eq!(describe_patch(&moved), wanted);
    }

    #[test]
    fn a_patch_is_named_by_its_files() {
        let summary = summarize_patch;
        assert_eq!(summary("*** Update File: a\n*** Move to: b\n*** Add File: c").as_deref(), Some("a, c"));
        assert_eq!(summary("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b").as_deref(), Some("x"));
        let many: String = (1..=5).map(|number| format!("*** Delete File: {number}\n")).collect();
        assert_eq!(summary(&many).as_deref(), Some("1, 2, 3 and 2 more"));
        assert_eq!(summary("what?"), None);
    }
}
