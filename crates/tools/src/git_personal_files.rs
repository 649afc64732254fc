//! The files in which git keeps what a person has set for all their repositories.

use crate::process_environment::ProcessEnvironment;
use std::path::PathBuf;

#[cfg(test)]
mod tests;

/// The machine's and the person's own configuration.
pub(crate) fn personal_configurations() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = home().into_iter().map(|home| home.join(".gitconfig")).collect();
    files.extend(settings_directories().into_iter().map(|directory| directory.join("config")));
    files.push("/etc/gitconfig".into());
    files
}

/// Names that are ignored, and attributes.
pub(crate) fn personal_patterns() -> Vec<PathBuf> {
    let of = |directory: PathBuf| ["ignore", "attributes"].map(|name| directory.join(name));
    settings_directories().into_iter().flat_map(of).collect()
}

/// A path as a configuration may write it.
pub(crate) fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Which of the two counts depends on what the environment of a git says.
fn settings_directories() -> Vec<PathBuf> {
    let usual = home().map(|home| home.join(".config/git"));
    let named = variable("XDG_CONFIG_HOME").map(|named| named.join("git"));
    let named = named.filter(|named| Some(named) != usual.as_ref());
    usual.into_iter().chain(named).collect()
}

fn home() -> Option<PathBuf> {
    variable("HOME")
}

fn variable(name: &str) -> Option<PathBuf> {
    ProcessEnvironment::original().get_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
