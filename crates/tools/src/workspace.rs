//! The directory a session works in, those a person has added to it, and nothing outside them.
//!
//! A path is first found: followed to where it really leads, which is what people are shown. It is then opened
//! beneath the workspace's own handle, which refuses to leave it whatever has happened to the path meanwhile.

mod draft;
mod file_access;
mod git_directories;
mod git_hooks;
mod ignored;
mod kept_files;
mod obeyed_places;
mod outside;
mod protected_file;
mod protected_places;
mod repository_files;
mod secret_names;
mod seen_texts;
mod session_files;
mod stale_drafts;

pub(crate) use draft::FileDraft;
pub(crate) use file_access::FileAccess;
pub(crate) use git_directories::{PlannedPaths, is_git_directory, is_kept_by_git};
pub use kept_files::KeptFiles;
pub use obeyed_places::ObeyedPlaces;
pub(crate) use outside::OutsideDirectory;
pub(crate) use protected_file::ProtectedFile;
pub(crate) use protected_places::completions_of;
pub(crate) use repository_files::REPOSITORY_DIRECTORIES;
pub use secret_names::{find_secret, secret_name};
pub(crate) use secret_names::{hides_secret_names, is_secret_anywhere, is_secret_directory, secret_patterns};
pub(crate) use stale_drafts::{is_draft, remove_stale_drafts as sweep_drafts};

use crate::error::{FileOperation, ToolError};
use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt};
use obeyed_places::{ResolvedPlaces, follow_links};
use protected_file::opened_path;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// An open workspace.
pub(crate) struct Workspace {
    /// The workspace itself, then the directories that were added, then what a call was opened for. There is always one.
    roots: Vec<WorkspaceRoot>,
    access: Arc<FileAccess>,
    /// Where the files lie that Pollux obeys; looked up when somebody asks.
    obeyed: OnceLock<ResolvedPlaces>,
    /// Where sessions are kept; looked up in the same way.
    storage: OnceLock<Vec<PathBuf>>,
}

/// A directory that paths may lie in.
struct WorkspaceRoot {
    /// Its real path.
    path: PathBuf,
    dir: Dir,
    kind: RootKind,
}

/// Why paths may lie in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootKind {
    /// It is the workspace, or was added to it.
    Workspace,
    /// It has the files of the session, for tools that only look.
    Outputs,
    /// It lies outside the workspace, for a tool that only looks.
    Outside { can_be_granted: bool },
}

/// A path inside a workspace, free of `..` and symbolic links. It need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkspacePath {
    /// Which root it lies in.
    root: usize,
    /// Relative to the root; empty for the root itself.
    relative: PathBuf,
    pub(crate) absolute: PathBuf,
    /// The links by which it was found, each by its real place: what is said of one of them is said of the path.
    links: Vec<PathBuf>,
}

impl WorkspacePath {
    /// The path as a person would write it: relative in the workspace, absolute in a directory that was added.
    pub(crate) fn name(&self) -> String {
        match (self.root, self.relative.as_os_str().is_empty()) {
            (0, true) => ".".into(),
            (0, false) => self.relative.to_string_lossy().into_owned(),
            _ => self.absolute.to_string_lossy().into_owned(),
        }
    }

    /// True if it is the workspace itself.
    pub(crate) fn is_workspace(&self) -> bool {
        self.root == 0 && self.relative.as_os_str().is_empty()
    }

    /// The path relative to its root.
    pub(crate) fn relative(&self) -> &Path {
        &self.relative
    }

    /// The path in a form that can be opened.
    fn to_open(&self) -> &Path {
        if self.relative.as_os_str().is_empty() { Path::new(".") } else { &self.relative }
    }
}

impl Workspace {
    /// Where `asked` leads: relative to the workspace, or absolute and inside it.
    pub(crate) fn find(&self, asked: &str) -> Result<WorkspacePath, ToolError> {
        self.find_path(Path::new(asked))
    }

    /// Find a path that may be no text.
    pub(crate) fn find_path(&self, asked_path: &Path) -> Result<WorkspacePath, ToolError> {
        let asked = &*asked_path.to_string_lossy();
        if asked.contains('\0') {
            return Err(ToolError::BadArguments("a path cannot contain a NUL character".into()));
        }
        let (found, missing) = self.real_path(asked_path)?;
        let outside = || ToolError::Outside { path: asked.into(), root: self.describe_roots() };
        let inside = |root: &WorkspaceRoot| found.strip_prefix(&root.path).ok().map(Path::to_owned);
        let mut roots = self.roots.iter().enumerate();
        let (root, relative) = roots.find_map(|(at, root)| Some((at, inside(root)?))).ok_or_else(outside)?;
        if missing.components().any(|part| part == Component::ParentDir) {
            let problem = format!("`{asked}` goes through a directory that does not exist; write it without `..`");
            return Err(ToolError::BadArguments(problem));
        }
        let absolute = join_rest(&found, &missing);
        let links = self.links_on_the_way(asked_path, &absolute);
        let place = WorkspacePath { root, relative: join_rest(&relative, &missing), absolute, links };
        if let Some(part) = missing.components().next()
            && let Ok(target) = found.join(part).read_link()
        {
            return Err(match self.find_path(&found.join(target)) {
                Err(ToolError::Outside { .. }) => outside(),
                _ => ToolError::Dangling { path: asked.into() },
            });
        }
        Ok(place)
    }

    /// The links by which `asked` leads to `found`.
    fn links_on_the_way(&self, asked: &Path, found: &Path) -> Vec<PathBuf> {
        let whole = self.roots[0].path.join(asked);
        if whole == found { Vec::new() } else { follow_links(&whole).0 }
    }

    /// The real path of the part of `asked` that exists, and the part that does not.
    fn real_path(&self, asked: &Path) -> Result<(PathBuf, PathBuf), ToolError> {
        let whole = self.roots[0].path.join(asked);
        let mut missing = Vec::new();
        let mut parts: Vec<Component<'_>> = whole.components().collect();
        loop {
            let existing: PathBuf = parts.iter().collect();
            match existing.canonicalize() {
                Ok(real) => return Ok((real, missing.iter().rev().collect())),
                Err(error) => match (error.kind(), parts.pop()) {
                    (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, Some(part)) => missing.push(part),
                    _ => {
                        let path = asked.to_string_lossy().into_owned();
                        return Err(ToolError::Io { path, doing: FileOperation::Read, source: error });
                    }
                },
            }
        }
    }

    /// The metadata at `place`, without opening it.
    pub(crate) fn read_metadata(&self, place: &WorkspacePath, doing: FileOperation) -> Result<Metadata, ToolError> {
        self.dir_of(place).metadata(place.to_open()).map_err(|error| self.explain_error(place, doing, error))
    }

    /// The bytes of a regular file of at most `limit` bytes.
    pub(crate) fn read(&self, place: &WorkspacePath, limit: u64, doing: FileOperation) -> Result<Vec<u8>, ToolError> {
        Ok(self.read_with_secret(place, limit, doing)?.0)
    }

    /// Read a file, with the secret that it is by the name it was really opened by.
    pub(crate) fn read_with_secret(
        &self,
        place: &WorkspacePath,
        limit: u64,
        doing: FileOperation,
    ) -> Result<(Vec<u8>, Option<ProtectedFile>), ToolError> {
        let (file, len) = self.open_file(place, doing)?;
        let secret = self.secret_in(place, &file);
        let mut bytes = Vec::new();
        // One byte more, to notice a file that grows or does not tell its length.
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| self.explain_error(place, doing, error))?;
        let len = len.max(bytes.len() as u64);
        if len > limit {
            Err(ToolError::TooLarge { path: place.name(), len, limit, doing })
        } else {
            Ok((bytes, secret))
        }
    }

    /// A regular file, open for reading, and its length.
    pub(crate) fn open_file(
        &self,
        place: &WorkspacePath,
        doing: FileOperation,
    ) -> Result<(std::fs::File, u64), ToolError> {
        let refused = |error| self.explain_error(place, doing, error);
        // As `pollux_files` opens: a FIFO would otherwise wait for its other end.
        let without_waiting = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits().cast_signed();
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(without_waiting);
        let file = self.dir_of(place).open_with(place.to_open(), &options).map_err(refused)?;
        let path = place.name();
        // Outside the workspace the path was real when it was shown: a link that is there now leads elsewhere.
        let is_elsewhere = |opened: PathBuf| opened != place.absolute;
        if self.outside_directory(place).is_some() && opened_path(file.as_fd()).is_none_or(is_elsewhere) {
            return Err(ToolError::NotFound { path });
        }
        let metadata = file.metadata().map_err(refused)?;
        if metadata.is_dir() {
            return Err(ToolError::IsDirectory { path });
        }
        if !metadata.is_file() {
            return Err(ToolError::NotRegular { path, doing });
        }
        Ok((file.into_std(), metadata.len()))
    }

    /// The place of a path that a walk through the root of `start` came by; `None` for one outside it.
    pub(crate) fn place_of(&self, start: &WorkspacePath, walked: &Path) -> Option<WorkspacePath> {
        let relative = walked.strip_prefix(self.root_of(start)).ok()?;
        let (relative, absolute) = (relative.to_owned(), walked.to_owned());
        Some(WorkspacePath { root: start.root, relative, absolute, links: Vec::new() })
    }

    /// True if what `asked` names is itself a symbolic link.
    pub(crate) fn is_link(&self, asked: &str) -> bool {
        self.own_path().join(asked).symlink_metadata().is_ok_and(|found| found.is_symlink())
    }

    /// The directories that a file at `place` needs and that do not exist, the outermost first.
    pub(crate) fn missing_directories(&self, place: &WorkspacePath) -> Vec<WorkspacePath> {
        let above = place.relative.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
        let missing = above.take_while(|path| self.dir_of(place).symlink_metadata(path).is_err());
        let mut missing: Vec<WorkspacePath> = missing
            .map(|path| WorkspacePath {
                root: place.root,
                relative: path.to_owned(),
                absolute: self.root_of(place).join(path),
                links: Vec::new(),
            })
            .collect();
        missing.reverse();
        missing
    }

    /// Remove those of `directories` that are empty, the last first. One that is not stays.
    pub(crate) fn remove_empty_directories(&self, directories: &[WorkspacePath]) {
        for directory in directories.iter().rev() {
            // Somebody may have put something into it.
            let _ = self.dir_of(directory).remove_dir(&directory.relative);
        }
    }

    /// The roots themselves, the workspace first.
    pub(crate) fn root_places(&self) -> Vec<WorkspacePath> {
        let place = |(root, at): (usize, &WorkspaceRoot)| WorkspacePath {
            root,
            relative: PathBuf::new(),
            absolute: at.path.clone(),
            links: Vec::new(),
        };
        self.roots.iter().enumerate().map(place).collect()
    }

    /// The real path of the workspace itself.
    pub(crate) fn own_path(&self) -> &Path {
        &self.roots[0].path
    }

    /// The real paths of the workspace and of the directories that were added.
    pub(crate) fn root_paths(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|root| root.path.as_path())
    }

    /// The real path of the root that `place` is in.
    pub(crate) fn root_of(&self, place: &WorkspacePath) -> &Path {
        &self.roots[place.root].path
    }

    fn dir_of(&self, place: &WorkspacePath) -> &Dir {
        &self.roots[place.root].dir
    }

    /// The roots, for messages.
    fn describe_roots(&self) -> String {
        let [workspace, more @ ..] = self.roots.as_slice() else { return String::new() };
        let more = more.iter().map(|root| format!(" and {}", root.path.display()));
        std::iter::once(workspace.path.display().to_string()).chain(more).collect()
    }

    /// The directory at `place`.
    pub(crate) fn directory(&self, place: &WorkspacePath, doing: FileOperation) -> Result<Dir, ToolError> {
        self.dir_of(place).open_dir(place.to_open()).map_err(|error| self.explain_error(place, doing, error))
    }

    /// The directory `place` is in, made if it is missing, and its name there. The path was real when it was found, so a link in
    /// it now is somebody's change, and leads elsewhere than what was shown.
    fn parent<'a>(&self, place: &'a WorkspacePath) -> Result<(Dir, &'a OsStr), ToolError> {
        let name = place.relative.file_name().ok_or_else(|| ToolError::IsDirectory { path: place.name() })?;
        let refused = |error| self.explain_error(place, FileOperation::Write, error);
        let mut parent = self.dir_of(place).try_clone().map_err(refused)?;
        for part in place.relative.parent().into_iter().flat_map(Path::components) {
            parent = open_or_make_directory(&parent, part.as_os_str()).map_err(refused)?;
        }
        Ok((parent, name))
    }

    fn explain_error(&self, place: &WorkspacePath, doing: FileOperation, source: io::Error) -> ToolError {
        let path = place.name();
        match source.kind() {
            io::ErrorKind::NotFound => ToolError::NotFound { path },
            io::ErrorKind::NotADirectory => ToolError::NotDirectory { path },
            // cap-std's own refusal to leave the workspace is the one without a number from the system.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => {
                ToolError::Outside { path, root: self.describe_roots() }
            }
            _ => ToolError::Io { path, doing, source },
        }
    }
}

/// `base` with `rest` behind it, which may be empty: `join("")` would add a slash.
fn join_rest(base: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { base.into() } else { base.join(rest) }
}

/// The directory `name` in `parent`, made if it is missing. A link to one is none.
fn open_or_make_directory(parent: &Dir, name: &OsStr) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || Ok(Dir::from_std_file(openat(parent, name, flags, Mode::empty())?.into()));
    match open() {
        Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => {
            match parent.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
            open()
        }
        opened => opened,
    }
}
