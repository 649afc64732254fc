//! Where things are kept.

use anyhow::Context as _;
use std::path::{Component, Path, PathBuf};

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

/// `path` as the disk knows it: whole, and without `..` or links as far as it is there. What is decided by where a
/// directory lies must not depend on how it was written.
pub(crate) fn real(path: &Path) -> std::io::Result<PathBuf> {
    let mut real = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => {
                real.push(part);
                // What is not there yet has no links.
                real = real.canonicalize().unwrap_or(real);
            }
        }
    }
    Ok(real)
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
    }

    #[test]
    fn a_path_is_told_as_the_disk_knows_it() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("work/deep")).unwrap();
        std::os::unix::fs::symlink(root.join("work/deep"), root.join("link")).unwrap();
        for (written, expected) in [
            ("work/../data", "data"),
            ("work/missing/../../data", "data"),
            ("link/../data", "work/data"),
            ("./new/data", "new/data"),
        ] {
            assert_eq!(real(&root.join(written)).unwrap(), root.join(expected), "{written}");
        }
    }
}
