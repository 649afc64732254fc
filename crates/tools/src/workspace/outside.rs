//! Places outside the workspace, for tools that only look: the directory is named to a person, and what they allow is opened
//! below that directory's own handle. What is Pollux's own is never read.

use super::obeyed_places::{ResolvedPlaces, destination_of, is_in};
use super::{RootKind, Workspace, WorkspacePath, WorkspaceRoot};
use crate::error::{FileOperation, ToolError};
use cap_std::fs::Dir;
use pollux_session::SessionId;
use rustix::fs::{CWD, Mode, OFlags, openat};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// What a person reads of a file that Pollux keeps.
const OWN_FILES: &str = "what Pollux keeps of its sessions";
/// Directories of the kernel's, in which files are processes and devices.
const KERNEL: [&str; 3] = ["/proc", "/dev", "/sys"];

/// Places that hold what Pollux itself keeps and obeys: sessions, settings, rules, sign-ins and tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnPlaces {
    obeyed: ResolvedPlaces,
    /// Real paths, with everything below them.
    storage: Vec<PathBuf>,
}

impl OwnPlaces {
    /// True if `path`, a real one, is such a place or lies in one.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.storage.iter().any(|place| is_in(path, place)) || self.obeyed.find(path).is_some()
    }

    /// True if `directory`, a real one, has such a place somewhere below.
    fn lie_below(&self, directory: &Path) -> bool {
        self.storage.iter().any(|place| is_in(place, directory)) || self.obeyed.find_below(directory).is_some()
    }
}

/// A directory outside the workspace that a call looks into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideDirectory {
    /// Its real path.
    pub(crate) path: PathBuf,
    /// True if it may be allowed for longer than a call: it is not so wide that it holds a person's whole home, the workspace
    /// or what is Pollux's own.
    pub(crate) can_be_granted: bool,
}

impl Workspace {
    /// Where `asked` leads, for a tool that only looks. What lies outside the workspace has an
    /// [`Workspace::outside_directory`]: a person has to allow it before anything is read. Before a call runs, its session is not
    /// known: then files of any session are found.
    pub(crate) fn find_to_read(&mut self, asked: &str, session: Option<SessionId>) -> Result<WorkspacePath, ToolError> {
        match self.find(asked) {
            Err(ToolError::Outside { .. }) => {}
            found => return found,
        }
        if !self.open_session_files(asked, session)? {
            self.open_outside(asked)?;
        }
        self.find(asked)
    }

    /// True if `place` lies outside the workspace.
    pub(crate) fn is_outside(&self, place: &WorkspacePath) -> bool {
        matches!(self.roots[place.root].kind, RootKind::Outside { .. })
    }

    /// The directory outside the workspace that `place` is in, if it is.
    pub(crate) fn outside_directory(&self, place: &WorkspacePath) -> Option<OutsideDirectory> {
        let root = &self.roots[place.root];
        let RootKind::Outside { can_be_granted } = root.kind else { return None };
        Some(OutsideDirectory { path: root.path.clone(), can_be_granted })
    }

    /// What a walk that begins at `place` has to keep out of.
    pub(crate) fn own_places_for(&self, place: &WorkspacePath) -> OwnPlaces {
        match self.roots[place.root].kind {
            RootKind::Outside { .. } => self.own_places(),
            // What Pollux obeys may be read there: changing it asks.
            RootKind::Workspace => OwnPlaces { storage: self.storage().to_vec(), ..OwnPlaces::default() },
            RootKind::Outputs => OwnPlaces::default(),
        }
    }

    /// Make a directory outside the workspace a root: the one that `asked` leads to, or the one that its file is in.
    fn open_outside(&mut self, asked: &str) -> Result<(), ToolError> {
        let (found, missing) = self.real_path(Path::new(asked))?;
        let own = self.own_places();
        if own.hold(&found) {
            let is_kernels = KERNEL.iter().any(|place| found.starts_with(place));
            let whose = if is_kernels { "the kernel's" } else { "Pollux's own" };
            let message = format!("`{asked}` is {whose} and not in the workspace, so it is never read");
            return Err(ToolError::failed("path_not_in_workspace", message));
        }
        if !missing.as_os_str().is_empty() {
            let message = format!("`{asked}` does not exist, and would be outside the workspace");
            return Err(ToolError::failed("file_not_found", message));
        }
        let refused = |source| ToolError::Io { path: asked.to_owned(), doing: FileOperation::Read, source };
        let is_directory = found.symlink_metadata().map_err(refused)?.is_dir();
        let directory = if is_directory { &found } else { found.parent().unwrap_or(&found) };
        let home = self.access.obeyed.home.as_deref().map(destination_of);
        let is_wide = self.root_paths().chain(home.as_deref()).any(|place| is_in(place, directory));
        let can_be_granted = !is_wide && !own.lie_below(directory);
        let dir = Dir::from_std_file(open_real_directory(directory).map_err(refused)?.into());
        let kind = RootKind::Outside { can_be_granted };
        self.roots.push(WorkspaceRoot { path: directory.to_owned(), dir, kind });
        Ok(())
    }

    fn own_places(&self) -> OwnPlaces {
        let storage = self.all_storage().chain(KERNEL.map(PathBuf::from));
        OwnPlaces { obeyed: self.obeyed().clone(), storage: storage.collect() }
    }

    /// Where sessions are kept: real paths, whether a workspace lies in one or not.
    fn all_storage(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let storage = self.access.obeyed.storage.iter().map(PathBuf::as_path);
        storage.chain(self.access.session_files.as_deref().and_then(Path::parent)).map(destination_of)
    }

    /// The same, without a place in which the workspace itself lies.
    fn storage(&self) -> &[PathBuf] {
        let is_around = |place: &Path| self.root_paths().any(|root| root.starts_with(place));
        self.storage.get_or_init(|| self.all_storage().filter(|place| !is_around(place)).collect())
    }

    /// What is kept at `path`, a real one, if that is Pollux's own: sessions are not for the model of another one.
    pub(crate) fn find_own_file(&self, path: &Path) -> Option<&'static str> {
        self.storage().iter().any(|place| is_in(path, place)).then_some(OWN_FILES)
    }

    /// True if something of that kind lies in `directory`, a real path.
    pub(crate) fn has_own_files_below(&self, directory: &Path) -> bool {
        self.storage().iter().any(|place| is_in(place, directory))
    }
}

/// Open the directory at `path`, an absolute one without links. A link on the way has taken the place of what was shown.
fn open_real_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Directories on the way need not be readable.
    let on_the_way = flags | OFlags::PATH;
    let mut parts = path.components().peekable();
    let mut at = openat(CWD, "/", on_the_way, Mode::empty())?;
    parts.next();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { on_the_way } else { flags };
        at = openat(&at, part.as_os_str(), flags, Mode::empty())?;
    }
    // The root itself was opened without the right to list it.
    if path.parent().is_none() { Ok(openat(&at, ".", flags, Mode::empty())?) } else { Ok(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_opened_only_where_no_link_leads_to_it() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a", real.join("way")).unwrap();
        std::os::unix::fs::symlink("b", real.join("a/last")).unwrap();
        assert!(open_real_directory(&real.join("a/b")).is_ok());
        assert!(open_real_directory(Path::new("/")).is_ok());
        assert!(open_real_directory(&real.join("way/b")).is_err());
        assert!(open_real_directory(&real.join("a/last")).is_err());
    }
}
