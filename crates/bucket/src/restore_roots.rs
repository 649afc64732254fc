//! Where workspaces of a bucket may lie on this machine. Whoever can write to the bucket names their paths, so none is
//! put where a program would take it for its own settings, and none that holds a person's secrets is carried away.

use crate::bucket::sha256;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Directories of secrets: nothing below one is carried.
const SECRETS: [&str; 3] = [".ssh", ".aws", ".gnupg"];
/// The beginning of the names of files that hold secrets.
const SECRET_FILES: &[u8] = b".env";

/// The directories that matter, links followed.
#[derive(Clone, Debug)]
pub(crate) struct RestoreRoots {
    served: PathBuf,
    home: Option<PathBuf>,
    own: Vec<PathBuf>,
    restoring: PathBuf,
}

/// A directory that a workspace may be put back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RestoreRoot {
    /// Links followed.
    pub(crate) path: PathBuf,
    /// Lies in the data directory while it is being put back: one that a crash left half done is gone on with. A mark
    /// inside the workspace could come from anybody.
    pub(crate) note: PathBuf,
}

impl RestoreRoots {
    /// The workspace that is served, the person's home, our own directories, and where to note what is being put back.
    pub(crate) fn new(served: &Path, home: Option<&Path>, own: &[PathBuf], restoring: &Path) -> RestoreRoots {
        // These are the person's own, so any way to write them counts. One that cannot be followed is taken as written.
        let followed = |path: &Path| {
            let written = || std::path::absolute(path).and_then(|path| follow(&path));
            path.canonicalize().or_else(|_| written()).unwrap_or_else(|_| path.to_owned())
        };
        RestoreRoots {
            served: followed(served),
            home: home.map(followed),
            own: own.iter().map(|own| followed(own)).collect(),
            restoring: restoring.to_owned(),
        }
    }

    /// Where `workspace` may be put back: at or below the served one, or where no name begins with a dot. Otherwise why
    /// not.
    pub(crate) fn to_restore(&self, workspace: &Path) -> Result<RestoreRoot, String> {
        let path = follow(workspace).map_err(|error| error.to_string())?;
        self.is_apart(&path)?;
        let in_served = path.starts_with(&self.served) && self.is_apart(&self.served).is_ok();
        if !in_served && (has_dots(workspace) || has_dots(&path)) {
            return Err("a name in its path begins with a dot and it is not in the served workspace".into());
        }
        let note = self.restoring.join(sha256(path.as_os_str().as_bytes()));
        Ok(RestoreRoot { path, note })
    }

    /// Check that `workspace` may be replicated; an error says why not.
    pub(crate) fn to_carry(&self, workspace: &Path) -> Result<(), String> {
        let path = follow(workspace).map_err(|error| error.to_string())?;
        if path.components().any(|part| is_for_secrets(part.as_os_str())) {
            return Err("it lies where secrets are kept".into());
        }
        self.is_apart(&path)
    }

    /// Our own directories.
    pub(crate) fn own(&self) -> &[PathBuf] {
        &self.own
    }

    /// Check that `path` holds neither the home nor a directory of our own, and lies in none of our own.
    fn is_apart(&self, path: &Path) -> Result<(), String> {
        if let Some(private) = self.home.iter().chain(&self.own).find(|private| private.starts_with(path)) {
            return Err(format!("it is or holds {}", private.display()));
        }
        // The person may serve a workspace that lies in one of our own directories.
        let chosen = |own: &Path| self.served.starts_with(own) && path.starts_with(&self.served);
        match self.own.iter().find(|own| path.starts_with(own) && !chosen(own)) {
            Some(own) => Err(format!("it lies in {}", own.display())),
            None => Ok(()),
        }
    }
}

/// True if a part of `path` is the name of something that holds secrets.
pub(crate) fn is_secret(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str();
        is_for_secrets(name) || name.as_bytes().starts_with(SECRET_FILES)
    })
}

fn is_for_secrets(name: &OsStr) -> bool {
    SECRETS.iter().any(|secret| name == OsStr::new(secret))
}

/// True if a name in `path` begins with a dot.
fn has_dots(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().as_bytes().starts_with(b"."))
}

/// `path` with the links of what exists of it followed.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if !path.is_absolute() || !plain {
        return Err(io::Error::other("it is no plain absolute path"));
    }
    for existing in path.ancestors() {
        match existing.symlink_metadata() {
            Ok(_) => {
                let rest = path.strip_prefix(existing).map_err(io::Error::other)?;
                let canonical = existing.canonicalize()?;
                return Ok(if rest.as_os_str().is_empty() { canonical } else { canonical.join(rest) });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(io::ErrorKind::NotFound))
}

#[cfg(test)]
mod tests;
