//! Where a `git push` goes by the name of a remote. The hooks of a repository on this machine run there, and the workspace can bring
//! both the repository and the configuration that names it.

use super::known_options::KnownOptions;
use super::repository::{RepositoryPaths, find_repository};
use super::{PlanObjection, ResolvedWord};
use crate::git_keys::{GitKey, keys_of};
use pollux_files::read_text;
use std::io;
use std::path::Path;

/// The longest configuration that is read.
const MAX_BYTES: u64 = 1024 * 1024;
/// How addresses of other machines begin.
const ELSEWHERE: [&str; 6] = ["git://", "git+ssh://", "http://", "https://", "ssh+git://", "ssh://"];
/// Where old versions of git kept remotes, one in each file.
const OLD_REMOTES: [&str; 2] = ["branches", "remotes"];

/// Options of `git push` that say nothing about where it goes.
#[rustfmt::skip]
const PUSH: KnownOptions = KnownOptions {
    letters: "46dfnquv",
    valued_letters: "o",
    names: &[
        "all", "atomic", "branches", "delete", "dry-run", "follow-tags", "force", "force-if-includes", "force-with-lease", "mirror",
        "no-verify", "porcelain", "progress", "prune", "quiet", "set-upstream", "tags", "verbose",
    ],
    valued_names: &["force-with-lease", "push-option"],
};
/// What a configuration may say of a remote apart from its addresses: it leads nowhere else.
#[rustfmt::skip]
const REMOTE_KEYS: [&str; 12] = [
    "fetch", "followremotehead", "gh-resolved", "mirror", "partialclonefilter", "promisor", "prune", "prunetags", "push",
    "skipdefaultupdate", "skipfetchall", "tagopt",
];
/// What it may say of a push: nothing that pushes other repositories as well, or runs a program.
const PUSH_KEYS: [&str; 5] = ["autosetupremote", "default", "followtags", "negotiate", "useforceifincludes"];

/// Whether no remote to which a push in `directory` may go is a repository on this machine. `words` stand behind `push`.
pub(super) fn check_remotes(directory: &Path, words: &[ResolvedWord]) -> Result<(), PlanObjection> {
    let Some(RepositoryPaths { git_dir, common_dir, .. }) = find_repository(directory)? else { return Ok(()) };
    let mut keys = Vec::new();
    for file in [common_dir.join("config"), git_dir.join("config.worktree")] {
        let unclear =
            || PlanObjection::new(format!("where it goes cannot be told: {} is not understood", file.display()));
        match read_text(&file, MAX_BYTES) {
            Ok(text) => keys.extend(keys_of(&text).map_err(|_| unclear())?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return Err(unclear()),
        }
    }
    let is_address = |key: &GitKey| key.section == "remote" && ["url", "pushurl"].contains(&key.name.as_str());
    let has_address =
        |remote: &str| keys.iter().any(|key| is_address(key) && key.subsection.as_deref() == Some(remote));
    // Unless the command is understood and names one, it may go to any.
    let texts: Option<Vec<&str>> = words.iter().map(ResolvedWord::text).collect();
    let call = texts.as_deref().and_then(|texts| PUSH.read(texts));
    let named = call.and_then(|call| call.operands.first().copied()).filter(|remote| has_address(remote));
    for key in &keys {
        let remote = key.subsection.as_deref();
        let is_meant = || named.is_none() || remote == named;
        let goes_to = match (key.section.as_str(), remote, key.name.as_str()) {
            ("remote", Some(_), "url" | "pushurl") => is_meant().then_some(key.value.as_str()),
            ("remote", None, "pushdefault") | ("branch", Some(_), "pushremote" | "remote") => {
                Some(key.value.as_str()).filter(|value| named.is_none() && !has_address(value))
            }
            ("remote", Some(_), name) if !REMOTE_KEYS.contains(&name) => is_meant().then_some(""),
            ("url", address, _) => Some(address.unwrap_or(&key.value)),
            ("push", _, name) if PUSH_KEYS.contains(&name) => None,
            ("include" | "includeif" | "push" | "remotes", _, _)
            | ("remote", None, _)
            | ("submodule", None, "recurse") => Some(""),
            _ => None,
        };
        match goes_to {
            Some("") => {
                let why = format!("where it goes cannot be told: the configuration sets {}.{}", key.section, key.name);
                return Err(PlanObjection::new(why));
            }
            Some(target) if is_here(target) => {
                return Err(PlanObjection::new(format!("the hooks of the repository in {target} may run")));
            }
            Some(_) | None => {}
        }
    }
    let old = OLD_REMOTES.map(|kind| common_dir.join(kind));
    let has_old = |name: &str| old.iter().any(|kind| kind.join(name).is_file());
    match words
        .iter()
        .filter_map(ResolvedWord::text)
        .chain(["origin"])
        .find(|name| !name.starts_with(['-', '/']) && has_old(name))
    {
        Some(name) => Err(PlanObjection::new(format!("where the remote {name} leads cannot be told"))),
        None => Ok(()),
    }
}

/// Whether git takes `address` for a place on this machine, or it is not known to be another one.
fn is_here(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    if lower.contains("://") || lower.contains("::") {
        return !ELSEWHERE.iter().any(|start| lower.starts_with(start)) || lower.contains("::");
    }
    // `host:path`, in which no slash stands before the colon.
    let host = address.split_once(':').map(|(host, _)| host);
    host.is_none_or(|host| host.is_empty() || host.contains(['/', '\\', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_told_from_others() {
        for here in
            ["./x", "../x", "/srv/x", "x", "file:///x", "FILE:///x", "a/b:c", ":x", "ext::sh -c x", "fi\"le:///x", ""]
        {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in ["https://example.org/x", "git@github.com:a/b.git", "SSH://host/x", "host:x", "git://h/x"] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }
}
