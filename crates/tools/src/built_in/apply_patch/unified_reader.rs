//! Reads a unified diff, with or without the heads that git writes. The numbers of lines need not be right.

use super::parsed_patch::{FilePatch, FilePatchChange, FinalNewline, HunkLine, PatchHunk};
use super::reader::{PatchLines, is_heading, read_hunks, unreadable};
use crate::error::ToolError;

const NOWHERE: &str = "/dev/null";

/// What the head of a file says.
#[derive(Default)]
struct FileHead {
    /// The two names in `diff --git a/x b/x`, if they are one.
    git: Option<String>,
    from: Option<String>,
    to: Option<String>,
    is_new: bool,
    is_deleted: bool,
}

/// Read the files of a unified diff, from the first line of one.
pub(super) fn read(lines: &mut PatchLines<'_>) -> Result<Vec<FilePatch>, ToolError> {
    let mut files = Vec::new();
    while lines.peek().is_some_and(|line| !is_heading(line)) {
        if lines.starts_unified(lines.at) {
            files.push(read_file(lines)?);
        } else {
            // What a mail or a commit says around it.
            lines.at += 1;
        }
    }
    Ok(files)
}

fn read_file(lines: &mut PatchLines<'_>) -> Result<FilePatch, ToolError> {
    let mut head = FileHead::default();
    if let Some(names) = lines.peek().and_then(|line| line.strip_prefix("diff --git ")) {
        head.git = read_equal_names(names);
        lines.at += 1;
        while lines.peek().is_some_and(|line| !line.starts_with("diff --git ") && !line.starts_with("--- ")) {
            let line = lines.next().unwrap_or_default();
            if let Some(path) = line.strip_prefix("rename from ") {
                head.from = Some(path.to_owned());
            } else if let Some(path) = line.strip_prefix("rename to ") {
                head.to = Some(path.to_owned());
            } else if line.starts_with("new file mode") {
                head.is_new = true;
            } else if line.starts_with("deleted file mode") {
                head.is_deleted = true;
            } else if line.starts_with("copy from")
                || line.starts_with("Binary files")
                || line.starts_with("GIT binary")
            {
                return Err(lines.error("is about a copy or a binary file; do that with run_shell_command"));
            }
        }
    }
    if lines.peek().is_some_and(|line| line.starts_with("--- "))
        && lines.lines.get(lines.at + 1).is_some_and(|line| line.starts_with("+++ "))
    {
        let old = name_of(lines.next().unwrap_or_default());
        let new = name_of(lines.next().unwrap_or_default());
        let (old, new) = without_prefixes(old, new);
        head.is_new |= old == NOWHERE;
        head.is_deleted |= new == NOWHERE;
        if old != NOWHERE {
            head.from = head.from.or(Some(old.to_owned()));
        }
        if new != NOWHERE {
            head.to = head.to.or(Some(new.to_owned()));
        }
    }
    let ends = |lines: &PatchLines<'_>, hunk: Option<&PatchHunk>| {
        let begins_file = || lines.starts_unified(lines.at) && !is_replaced_line(lines, hunk);
        lines.peek().is_some_and(is_heading) || begins_file() || is_signature(lines)
    };
    let hunks = read_hunks(lines, ends)?;
    into_file(head, hunks)
}

fn into_file(head: FileHead, hunks: Vec<PatchHunk>) -> Result<FilePatch, ToolError> {
    let FileHead { git, from, to, is_new, is_deleted } = head;
    let unnamed = || unreadable("a file of the diff has no name; write `--- a/PATH` and `+++ b/PATH` before its hunks");
    if is_deleted {
        return Ok(FilePatch { path: from.or(git).ok_or_else(unnamed)?, change: FilePatchChange::Delete });
    }
    if is_new {
        let path = to.or(git).ok_or_else(unnamed)?;
        return Ok(FilePatch { path, change: FilePatchChange::Add(content_of(&hunks)) });
    }
    let path = from.or_else(|| git.clone()).ok_or_else(unnamed)?;
    let move_to = to.filter(|to| *to != path);
    if hunks.is_empty() && move_to.is_none() {
        return Err(unreadable(&format!("nothing of `{path}` changes")));
    }
    Ok(FilePatch { path, change: FilePatchChange::Update { move_to, hunks } })
}

/// What the hunks of a new file hold.
fn content_of(hunks: &[PatchHunk]) -> String {
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(HunkLine::after);
    let mut content: String = lines.flat_map(|line| [line, "\n"]).collect();
    if hunks.last().is_some_and(|hunk| hunk.final_newline == FinalNewline::Absent) {
        content.pop();
    }
    content
}

/// The name behind `--- ` or `+++ `, without the time that may follow it.
fn name_of(line: &str) -> &str {
    line.get(4..).unwrap_or_default().split('\t').next().unwrap_or_default().trim()
}

/// Two names without the `a/` and `b/` that git puts before them.
fn without_prefixes<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let strip = |name: &'a str, prefix| if name == NOWHERE { Some(name) } else { name.strip_prefix(prefix) };
    match (strip(old, "a/"), strip(new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// The path in `a/x b/x`.
fn read_equal_names(names: &str) -> Option<String> {
    let (old, new) = names.split_at_checked(names.len() / 2)?;
    let (old, new) = (old.strip_prefix("a/")?, new.strip_prefix(" b/")?);
    (old == new).then(|| old.to_owned())
}

/// Whether what looks like the names of a file is the end of `hunk`: a removed `-- x` and an added `++ y`, if these two lines are all
/// that the head of the hunk still announces. Models miscount, so names as git writes them are names whatever was announced.
fn is_replaced_line(lines: &PatchLines<'_>, hunk: Option<&PatchHunk>) -> bool {
    let line = |at: usize| lines.lines.get(at).copied().unwrap_or_default();
    let (from, to) = (name_of(line(lines.at)), name_of(line(lines.at + 1)));
    let is_git = |name: &str, prefix| name == NOWHERE || name.starts_with(prefix);
    let are_names = from == to || (is_git(from, "a/") && is_git(to, "b/"));
    line(lines.at).starts_with("--- ") && !are_names && hunk.is_some_and(PatchHunk::announces_one_replaced_line)
}

/// Whether the end of a mail follows: `-- ` and a version.
fn is_signature(lines: &PatchLines<'_>) -> bool {
    lines.peek() == Some("-- ")
        && lines.lines[lines.at + 1..].iter().filter(|line| !line.trim().is_empty()).count() <= 1
}
