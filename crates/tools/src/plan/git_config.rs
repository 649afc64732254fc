//! A git configuration file, read only to see whether it makes git run something. What is not known to be harmless in a
//! repository is objected to.

use super::PlanObjection;
use crate::git_keys::{GitKey, keys_of};
use pollux_files::read_whole;
use std::io;
use std::path::Path;

/// The longest configuration that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigScope {
    /// The repository's, for commands that only look: it came with the workspace.
    Repository,
    /// The person's or the machine's: what runs programs behind git's back still asks.
    Person,
}

/// Sections of a repository's configuration that commands which only look never obey, or that they are told to ignore.
#[rustfmt::skip]
const HARMLESS_SECTIONS: [&str; 28] = [
    "advice", "alias", "branch", "color", "column", "commit", "credential", "fetch", "gc", "gitflow", "gui", "http", "i18n",
    "init", "lfs", "log", "maintenance", "merge", "pack", "pull", "push", "rebase", "receive", "remote", "rerere", "status",
    "submodule", "tag",
];

/// Keys of `core` that name no program and no place outside the repository, or that are overruled on the command line.
#[rustfmt::skip]
const HARMLESS_CORE: [&str; 28] = [
    "abbrev", "autocrlf", "bare", "checkstat", "commitgraph", "compression", "editor", "eol", "filemode", "fsmonitor",
    "hidedotfiles", "hookspath", "ignorecase", "logallrefupdates", "longpaths", "multipackindex", "pager", "precomposeunicode",
    "preloadindex", "protecthfs", "protectntfs", "quotepath", "safecrlf", "sharedrepository", "symlinks", "trustctime",
    "untrackedcache", "whitespace",
];

/// Keys of `diff` that only change what a difference looks like.
#[rustfmt::skip]
const HARMLESS_DIFF: [&str; 12] = [
    "algorithm", "colormoved", "colormovedws", "context", "indentheuristic", "interhunkcontext", "mnemonicprefix", "noprefix",
    "renamelimit", "renames", "submodule", "wserrorhighlight",
];

/// Keys of a driver, `diff.NAME`, that run nothing.
const HARMLESS_DRIVER: [&str; 4] = ["binary", "funcname", "wordregex", "xfuncname"];

/// Keys of `extensions` that change only how objects are kept.
const HARMLESS_EXTENSIONS: [&str; 4] = ["noop", "partialclone", "preciousobjects", "worktreeconfig"];

/// The result of a configuration that was not objected to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigSummary {
    /// The file of ignored names that it points to.
    pub(super) ignore_file: Option<String>,
    /// True if an address of another repository may hold a password.
    pub(super) has_secret_address: bool,
}

/// Object to what `file` sets, if it is there.
pub(super) fn check_config(file: &Path, scope: ConfigScope) -> Result<ConfigSummary, PlanObjection> {
    let object = |why: &str| PlanObjection::new(format!("{}: {why}", file.display()));
    let bytes = match read_whole(file, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ConfigSummary::default()),
        Err(error) => return Err(object(&error.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|_| object("it is no text"))?;
    let mut summary = ConfigSummary::default();
    for key in keys_of(&text).map_err(|why| object(&why))? {
        let harmless = match scope {
            ConfigScope::Repository => is_harmless(&key),
            ConfigScope::Person => !runs_programs(&key),
        };
        if !harmless {
            let middle = key.subsection.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
            return Err(object(&format!("it sets {}.{middle}{}", key.section, key.name)));
        }
        summary.has_secret_address |= has_secret_address(&key);
        if key.section == "core" && key.subsection.is_none() && key.name == "excludesfile" {
            summary.ignore_file = Some(key.value);
        }
    }
    Ok(summary)
}

/// Whether `key` sets an address, or the beginning of one, that may hold a password or a token. The name of a user alone is
/// none for ssh, and often one for the web.
fn has_secret_address(key: &GitKey) -> bool {
    let address = match (key.section.as_str(), &key.subsection) {
        ("remote", Some(_)) if matches!(key.name.as_str(), "url" | "pushurl") => key.written.as_str(),
        ("url", Some(beginning)) => beginning,
        _ => return false,
    };
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let user = rest.split('/').next().unwrap_or(rest).rsplit_once('@').map(|(user, _)| user);
    let is_ssh = scheme.trim_start_matches('"').ends_with("ssh");
    rest.contains(['?', '\\']) || user.is_some_and(|user| !is_ssh || user.contains(':'))
}

fn is_harmless(key: &GitKey) -> bool {
    let name = key.name.as_str();
    match (key.section.as_str(), &key.subsection) {
        // With another version git does not take the directory for a repository.
        ("core", None) if name == "repositoryformatversion" => matches!(key.value.as_str(), "0" | "1"),
        ("core", None) => HARMLESS_CORE.contains(&name),
        ("user", _) => true,
        // What is missing here git would fetch, and it is told not to.
        ("remote", Some(_)) => !matches!(name, "promisor" | "partialclonefilter"),
        // An order by signatures runs a program to see them.
        ("branch" | "tag", None) => name != "sort",
        // A driver of its own is a program.
        ("merge", Some(_)) => name != "driver",
        ("diff", None) => HARMLESS_DIFF.contains(&name),
        ("diff", Some(_)) => HARMLESS_DRIVER.contains(&name),
        ("extensions", None) => HARMLESS_EXTENSIONS.contains(&name),
        (section, _) => HARMLESS_SECTIONS.contains(&section),
    }
}

fn runs_programs(key: &GitKey) -> bool {
    match key.section.as_str() {
        "filter" | "include" | "includeif" => true,
        "diff" => matches!(key.name.as_str(), "textconv" | "command" | "external"),
        _ => false,
    }
}
