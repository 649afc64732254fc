//! Where a `git push` goes by the name of a remote. The hooks of a repository on this machine run there, and the workspace can bring
//! both the repository and the configuration that names it.

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

/// Whether no remote to which a push in `directory` may go is a repository on this machine.
pub(super) fn check_remotes(directory: &Path, words: &[ResolvedWord]) -> Result<(), PlanObjection> {
    let Some(RepositoryPaths { git_dir, common_dir, .. }) = find_repository(directory)? else { return Ok(()) };
    let is_word = |name: &str| words.iter().any(|word| word.text() == Some(name));
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
    let is_remote = |key: &&GitKey| key.section == "remote" && ["url", "pushurl"].contains(&key.name.as_str());
    let remote_of = |key: &GitKey| key.subsection.clone().unwrap_or_default();
    let is_named = keys.iter().filter(is_remote).any(|key| is_word(&remote_of(key)));
    for key in &keys {
        let target = match key.section.as_str() {
            "remote" if is_remote(&key) && (!is_named || is_word(&remote_of(key))) => &key.value,
            "url" => key.subsection.as_ref().unwrap_or(&key.value),
            "include" | "includeif" => {
                return Err(PlanObjection::new(
                    "where it goes cannot be told: the configuration includes another file",
                ));
            }
            _ => continue,
        };
        if is_here(target) {
            return Err(PlanObjection::new(format!("the hooks of the repository in {target} may run")));
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
