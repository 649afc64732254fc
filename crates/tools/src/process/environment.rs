//! A child's environment, built up from nothing: what is not listed here, keys and tokens above all, is not passed on.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

#[cfg(test)]
mod tests;

/// What a child inherits.
const INHERITED: [&str; 9] = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"];

/// What a child is given: nothing may wait for a key press or draw in colour, and programs can tell who runs them.
const GIVEN: [(&str, &str); 9] = [
    ("GEMINI_CLI", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("MANPAGER", "cat"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("POLLUX", "1"),
    ("SYSTEMD_PAGER", "cat"),
    ("TERM", "dumb"),
];

/// The search path when ours has none.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The environment of a child of a process whose environment is `ours`, with the variables a person said to pass.
pub(crate) fn build(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    passed: &[String],
) -> BTreeMap<OsString, OsString> {
    let mut child = BTreeMap::from([("PATH".into(), DEFAULT_PATH.into())]);
    child.extend(ours.into_iter().filter(|(name, _)| is_inherited(name, passed)));
    child.extend(GIVEN.map(|(name, value)| (name.into(), value.into())));
    child
}

/// The same for a child in a terminal of its own, where it may draw as it likes.
pub(crate) fn build_for_terminal(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    passed: &[String],
) -> BTreeMap<OsString, OsString> {
    let mut child = build(ours, passed);
    child.insert("TERM".into(), "xterm-256color".into());
    child.remove(OsStr::new("NO_COLOR"));
    child
}

fn is_inherited(name: &OsStr, passed: &[String]) -> bool {
    name.to_str().is_some_and(|name| {
        INHERITED.contains(&name) || name.starts_with("LC_") || passed.iter().any(|passed| passed == name)
    })
}
