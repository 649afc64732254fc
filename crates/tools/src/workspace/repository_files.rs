//! The files in which version control keeps content: everything that was ever committed, files with protected names
//! included, and what it was told of passwords. It has many places for that, and more with each version, so only what
//! is known to be harmless is not protected.

/// Where programs for version control keep what was committed.
pub(crate) const REPOSITORY_DIRECTORIES: [&str; 5] = [".bzr", ".git", ".hg", ".jj", ".svn"];

/// Words for people that follow "holds".
pub(super) const COMMITTED_FILES: &str = "committed files, also those with protected names";

/// The files in `.git` that hold no content: where branches point to, and what a person wrote there themselves.
const HARMLESS_FILES: [&str; 3] = ["description", "head", "packed-refs"];
const HARMLESS_DIRECTORIES: [&str; 3] = ["hooks", "info", "refs"];

/// The files that git keeps directly in a repository, with content or addresses with passwords. In one that is not
/// called `.git` there may also be work trees, with files of any other name.
pub(super) const KEPT_BY_GIT: [&str; 22] = [
    "auto_merge",
    "bisect_log",
    "commit_editmsg",
    "config.worktree",
    "fetch_head",
    "index",
    "lfs",
    "logs",
    "lost-found",
    "merge_msg",
    "modules",
    "notes_editmsg",
    "notes_merge_worktree",
    "objects",
    "orig_head",
    "rebase-apply",
    "rebase-merge",
    "rr-cache",
    "sequencer",
    "squash_msg",
    "tag_editmsg",
    "worktrees",
];

/// The content of the file of this path, given its parts in lower case, if version control keeps it.
pub(super) fn kept_by_version_control(parts: &[&str]) -> Option<&'static str> {
    let is_kept = |at: usize| {
        let below = &parts[at + 1..];
        match (parts[at], below) {
            (_, []) => false,
            (".git", [file]) => !HARMLESS_FILES.contains(file) && !HARMLESS_DIRECTORIES.contains(file),
            (".git", [directory, ..]) => !HARMLESS_DIRECTORIES.contains(directory),
            (name, _) if REPOSITORY_DIRECTORIES.contains(&name) => true,
            (name, [first, ..]) => name.ends_with(".git") && KEPT_BY_GIT.contains(first),
        }
    };
    let is_found = (0..parts.len()).any(is_kept) || has_name_of_object(parts);
    is_found.then_some(COMMITTED_FILES)
}

/// True if a path is named as git names its objects: a repository without a work tree may have any name.
fn has_name_of_object(parts: &[&str]) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match parts {
        [.., objects, start, rest] if *objects == "objects" && start.len() == 2 => {
            is_hex(start) && is_hex(rest) && matches!(rest.len(), 38 | 62)
        }
        [.., objects, pack, file] => *objects == "objects" && *pack == "pack" && file.starts_with("pack-"),
        _ => false,
    }
}
