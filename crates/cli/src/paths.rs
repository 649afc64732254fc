//! Where things are kept.

use anyhow::Context as _;
use std::path::{Path, PathBuf};

/// The directory for what outlives the process: `$XDG_STATE_HOME/pollux`, else `~/.local/state/pollux`.
pub(crate) fn state_dir(env: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<PathBuf> {
    if let Some(state) = absolute(env("XDG_STATE_HOME")) {
        return Ok(state.join("pollux"));
    }
    let home = absolute(env("HOME"))
        .or_else(|| etcetera::home_dir().ok())
        .context("no home directory: set HOME or XDG_STATE_HOME, or use --data-dir")?;
    Ok(home.join(".local/state/pollux"))
}

/// The directory for what ends with the process: `$XDG_RUNTIME_DIR/pollux`, else a part of the state directory.
pub(crate) fn runtime_dir(state: &Path, env: &dyn Fn(&str) -> Option<String>) -> PathBuf {
    absolute(env("XDG_RUNTIME_DIR")).map_or_else(|| state.join("run"), |runtime| runtime.join("pollux"))
}

fn absolute(path: Option<String>) -> Option<PathBuf> {
    path.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn xdg_wins_over_home_and_relative_paths_do_not_count() {
        let both = with(&[("XDG_STATE_HOME", "/state"), ("HOME", "/home/me")]);
        assert_eq!(state_dir(&both).unwrap(), Path::new("/state/pollux"));
        let relative = with(&[("XDG_STATE_HOME", "state"), ("HOME", "/home/me")]);
        assert_eq!(state_dir(&relative).unwrap(), Path::new("/home/me/.local/state/pollux"));
        assert_eq!(runtime_dir(Path::new("/s"), &with(&[("XDG_RUNTIME_DIR", "/run/user/1")])), Path::new("/run/user/1/pollux"));
        assert_eq!(runtime_dir(Path::new("/s"), &with(&[])), Path::new("/s/run"));
    }
}
