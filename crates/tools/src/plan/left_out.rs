//! Files with protected names in a directory that is searched: those that the search can be told to leave out.
//!
//! Searches know files by the last part of their path alone. So only a name is left out that is protected wherever it is
//! found, and a directory in which everything is.

use super::PlanObjection;
use crate::workspace::{is_secret_anywhere, is_secret_directory};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The most paths that are named to the model.
const MAX_SHOWN: usize = 20;

/// What a search is told to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOutNames {
    /// Names of files.
    pub(super) files: BTreeSet<String>,
    /// Names of directories.
    pub(super) directories: BTreeSet<String>,
    /// Every path that is left out, and what it holds.
    paths: BTreeMap<PathBuf, &'static str>,
}

impl LeftOutNames {
    /// Leave out the file at `path`, below the directory `root`, which holds `what`. An error if other files would be left
    /// out with it, or if its name is none that can be shown and passed on.
    pub(super) fn add(&mut self, root: &Path, path: &Path, what: &'static str) -> Result<(), PlanObjection> {
        let parts: Vec<&str> = path
            .strip_prefix(root)
            .unwrap_or(path)
            .iter()
            .map(|part| part.to_str().filter(|part| !part.contains(char::is_control)))
            .collect::<Option<_>>()
            .ok_or_else(|| object(path, what))?;
        let Some((name, above)) = parts.split_last() else { return Err(object(path, what)) };
        if let Some(depth) = above.iter().position(|part| is_secret_directory(part)) {
            self.directories.insert(above[depth].to_owned());
            let directory: PathBuf = parts[..=depth].iter().collect();
            self.paths.insert(root.join(directory), what);
        } else if is_secret_anywhere(name) {
            self.files.insert((*name).to_owned());
            self.paths.insert(path.to_owned(), what);
        } else {
            return Err(object(path, what));
        }
        Ok(())
    }

    /// Leave out what `other` leaves out, too.
    pub(super) fn extend(&mut self, other: &LeftOutNames) {
        self.files.extend(other.files.iter().cloned());
        self.directories.extend(other.directories.iter().cloned());
        self.paths.extend(other.paths.iter().map(|(path, what)| (path.clone(), *what)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Nothing may be left out.
    pub(super) fn object(&self) -> Result<(), PlanObjection> {
        self.paths.first_key_value().map_or(Ok(()), |(path, what)| Err(object(path, what)))
    }

    /// A sentence for the model; `None` if nothing is left out. Paths in `workspace` are shown as they are called there.
    pub(super) fn describe(&self, workspace: &Path) -> Option<String> {
        let shown = self.paths.keys().take(MAX_SHOWN);
        let shown: Vec<String> =
            shown.map(|path| path.strip_prefix(workspace).unwrap_or(path).to_string_lossy().into_owned()).collect();
        let more = match self.paths.len().saturating_sub(MAX_SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!shown.is_empty())
            .then(|| format!("[Not searched, because their names are protected: {}{more}]", shown.join(", ")))
    }
}

/// That a search would read the file at `path`.
fn object(path: &Path, what: &str) -> PlanObjection {
    PlanObjection::of_secret(format!("{} is protected: it holds {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn left_out(paths: &[&str]) -> Result<LeftOutNames, String> {
        let mut names = LeftOutNames::default();
        for path in paths {
            names.add(Path::new("/ws/d"), &Path::new("/ws/d").join(path), "x").map_err(|objection| objection.why)?;
        }
        Ok(names)
    }

    #[test]
    fn what_is_protected_everywhere_is_left_out_by_its_name() {
        let names = left_out(&[".env", "a/.env", "a/Id_Rsa", ".aws/config", "a/.ssh/b/c"]).unwrap();
        assert_eq!(Vec::from_iter(&names.files), [".env", "Id_Rsa"]);
        assert_eq!(Vec::from_iter(&names.directories), [".aws", ".ssh"]);
        let told = "[Not searched, because their names are protected: d/.aws, d/.env, d/a/.env, d/a/.ssh, d/a/Id_Rsa]";
        assert_eq!(names.describe(Path::new("/ws")).as_deref(), Some(told));
        assert_eq!(names.object().unwrap_err().why, "/ws/d/.aws is protected: it holds x");
        assert_eq!(LeftOutNames::default().describe(Path::new("/ws")), None);
    }

    #[test]
    fn what_is_protected_by_where_it_lies_is_not() {
        for path in ["auth.json", ".docker/config.json", ".config/gh/hosts.yml", "x.git/config", "a\nb.env"] {
            assert!(left_out(&[path]).is_err(), "{path}");
        }
    }

    #[test]
    fn few_paths_are_shown() {
        let paths: Vec<String> = (0..25).map(|at| format!("{at:02}.pem")).collect();
        let names = left_out(&paths.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        assert!(names.describe(Path::new("/ws/d")).unwrap().ends_with(", 19.pem and 5 more]"));
    }
}
