//! A child's environment, built up from nothing: what is not listed here, keys and tokens above all, is not passed on.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

#[cfg(test)]
mod tests;

/// The variables that a child inherits.
const INHERITED: [&str; 9] = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"];

/// The variables that a child is given: nothing may wait for a key press or draw in colour, and programs can tell who
/// runs them.
const GIVEN: [(&str, &str); 11] = [
    ("GEMINI_CLI", "1"),
    // Without this, `git commit --amend` and the like wait in an editor; with it they take the message that is there.
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("MANPAGER", "cat"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("POLLUX", "1"),
    // What a program in the background says first is often what is waited for.
    ("PYTHONUNBUFFERED", "1"),
    ("SYSTEMD_PAGER", "cat"),
    ("TERM", "dumb"),
];

/// The search path when ours has nothing that a child may have.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The variables of our environment that a child gets besides the harmless ones.
#[derive(Clone, Copy, Default)]
pub(crate) struct EnvironmentRules<'a> {
    /// Variables a person said to pass.
    pub(crate) passed: &'a [String],
    /// Directories whose programs the child must not find by name: the workspace and the included ones, where their
    /// programs are not trusted.
    pub(crate) off_path: &'a [PathBuf],
}

/// The environment of a child of a process whose environment is `ours`.
pub(crate) fn build(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    rules: EnvironmentRules<'_>,
) -> BTreeMap<OsString, OsString> {
    let mut child: BTreeMap<_, _> = ours.into_iter().filter(|(name, _)| is_inherited(name, rules.passed)).collect();
    child.extend(GIVEN.map(|(name, value)| (name.into(), value.into())));
    clean_path(&mut child, rules.off_path);
    child
}

/// The environment of a child in a terminal of its own, where it may draw as it likes.
pub(crate) fn build_for_terminal(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    rules: EnvironmentRules<'_>,
) -> BTreeMap<OsString, OsString> {
    let mut child = build(ours, rules);
    child.insert("TERM".into(), "xterm-256color".into());
    child.remove(OsStr::new("NO_COLOR"));
    child
}

/// Give a child a search path that is the same wherever it runs.
pub(super) fn clean_path(child: &mut BTreeMap<OsString, OsString>, off_path: &[PathBuf]) {
    let directories = search_directories(child.get(OsStr::new("PATH")).map(OsString::as_os_str), off_path);
    // None of them has a colon in it: they were split at colons.
    let joined = std::env::join_paths(directories).unwrap_or_else(|_| DEFAULT_PATH.into());
    child.insert("PATH".into(), joined);
}

/// The directories of a search path, in order. Relative and empty entries would mean another directory in every place;
/// those inside of `off_path`, whatever they are called there, hold programs that nobody vouches for.
pub(crate) fn search_directories(search_path: Option<&OsStr>, off_path: &[PathBuf]) -> Vec<PathBuf> {
    let is_off = |directory: &Path| off_path.iter().any(|off| directory.starts_with(off));
    let is_kept = |directory: &PathBuf| {
        let real = directory.canonicalize();
        let is_inside = is_off(directory) || real.is_ok_and(|real| is_off(&real));
        // Where a way with `..` ends depends on links that may change.
        directory.is_absolute() && !is_inside && (off_path.is_empty() || !has_parent_steps(directory))
    };
    let kept: Vec<PathBuf> = search_path.map(std::env::split_paths).into_iter().flatten().filter(is_kept).collect();
    if kept.is_empty() { std::env::split_paths(DEFAULT_PATH).collect() } else { kept }
}

fn has_parent_steps(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

fn is_inherited(name: &OsStr, passed: &[String]) -> bool {
    name.to_str().is_some_and(|name| {
        INHERITED.contains(&name) || name.starts_with("LC_") || passed.iter().any(|passed| passed == name)
    })
}
