//! Nothing that only one machine has: no absolute paths of a checkout, no registry hosts.

use super::TidyFault;
use crate::repo::SourceFile;

/// Top directories of the machines this is built on. In pieces, so that this file does not find itself.
const DIRECTORIES: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/")];

/// Hosts that packages come from. Which one is used is the business of each machine's own configuration.
const HOSTS: &[&str] = &[
    concat!("registry.np", "mjs.org"),
    concat!("py", "pi.org"),
    concat!("crates", ".io"),
    concat!("deb.deb", "ian.org"),
];

/// Written by cargo, which names its registry in every entry.
const LOCK: &str = "Cargo.lock";

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let written = sources.iter().filter(|source| source.path != LOCK);
    written
        .flat_map(|source| {
            source.text.lines().enumerate().filter_map(|(index, line)| {
                let found = absolute_path(line).or_else(|| HOSTS.iter().find(|host| line.contains(**host)).copied())?;
                let what =
                    format!("`{found}` belongs to one machine; use a relative path or leave it to configuration");
                Some(TidyFault::line(&source.path, index + 1, what))
            })
        })
        .collect()
}

/// A listed directory that begins a path, not one in the middle of another.
fn absolute_path(line: &str) -> Option<&'static str> {
    let begins = |at: usize| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '}' | '>' | '*'))
    };
    DIRECTORIES.iter().copied().find(|directory| line.match_indices(directory).any(|(at, _)| begins(at)))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn paths_and_hosts_of_one_machine_are_faults() {
        let [directory, host] = [DIRECTORIES[0], HOSTS[2]];
        let text = format!("see \"{directory}main\"\nfetched from https://{host}/x\n");
        let what =
            |found| format!("`{found}` belongs to one machine; use a relative path or leave it to configuration");
        assert_eq!(
            check(&[source("a.md", &text)]),
            [TidyFault::line("a.md", 1, what(directory)), TidyFault::line("a.md", 2, what(host))]
        );
    }

    #[test]
    fn the_same_words_inside_other_paths_are_not() {
        let text = format!("/tmp{d}x {{dir}}{d}y ./target{d}\n", d = DIRECTORIES[0]);
        assert_eq!(check(&[source("a.md", &text), source("Cargo.lock", HOSTS[2])]), []);
    }
}
