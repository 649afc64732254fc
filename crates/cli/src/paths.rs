//! Where things are kept.

use anyhow::Context as _;
use std::path::PathBuf;

/// The directory for what outlives the process: `$XDG_STATE_HOME/pollux`, else `~/.local/state/pollux`.
pub(crate) fn state_dir(env: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<PathBuf> {
    if let Some(state) = absolute(env("XDG_STATE_HOME")) {
        return Ok(state.join("pollux"));
    }
    let home = absolute(env("HOME"))
        .or_else(std::env::home_dir)
        .context("no home directory: set HOME or XDG_STATE_HOME, or use --data-dir")?;
    Ok(home.join(".local/state/pollux"))
}

fn absolute(path: Option<String>) -> Option<PathBuf> {
    path.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn with(vars: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn xdg_wins_over_home_and_relative_paths_do_not_count() {
        let both = with(&[("XDG_STATE_HOME", "/state"), ("HOME", "/home/me")]);
        assert_eq!(state_dir(&both).unwrap(), Path::new("/state/pollux"));
        let relative = with(&[("XDG_STATE_HOME", "state"), ("HOME", "/home/me")]);
        assert_eq!(state_dir(&relative).unwrap(), Path::new("/home/me/.local/state/pollux"));
    }
}
