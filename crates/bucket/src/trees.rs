//! Directories on this machine: what is in one, and how one is put back.

use crate::error::BucketError;
use crate::restore_roots::{RestoreRoot, is_secret};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use ignore::{Walk, WalkBuilder};
use pollux_files::{IgnoreFiles, IgnoreRules};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// The largest file that is carried.
pub(crate) const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The most that is carried of one workspace.
const TREE_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The most files of one workspace.
const TREE_FILES: usize = 50_000;
/// The most files that are named among those that stayed behind.
const TOLD: usize = 20;
/// Lies in a directory while it is being put back: one that a crash left half done is not taken for a live one.
const MARKER: &str = ".pollux-restoring";

/// The files of a directory.
#[derive(Debug, Default)]
pub(crate) struct DirectoryTree {
    pub(crate) files: Vec<TreeFile>,
    pub(crate) left_out: Vec<String>,
}

/// A file.
#[derive(Clone, Debug)]
pub(crate) struct TreeFile {
    /// Relative, with forward slashes.
    pub(crate) path: String,
    pub(crate) absolute: PathBuf,
    pub(crate) mode: u32,
    pub(crate) stamp: FileStamp,
}

/// Changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
}

/// Goes through `root` as its ignore files have it. `excluded` are directories of our own.
fn walk(root: &Path, excluded: &[PathBuf]) -> Walk {
    let own = excluded.to_vec();
    let mut walk = WalkBuilder::new(root);
    let files = IgnoreFiles { gemini: true, ignore: true, git: true, git_exclude: true, ..IgnoreFiles::default() };
    let rules = IgnoreRules::new(root, files);
    walk.standard_filters(false).sort_by_file_name(std::cmp::Ord::cmp);
    walk.filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_own = entry.file_name() == ".git" || own.iter().any(|own| entry.path() == own);
        !is_own && !rules.is_ignored(entry.path(), is_directory)
    });
    walk.build()
}

/// True if anything in `root` would be replicated.
pub(crate) fn has_files(root: &Path, excluded: &[PathBuf]) -> bool {
    walk(root, excluded).flatten().any(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
}

/// The files in `root`.
pub(crate) fn look(root: &Path, excluded: &[PathBuf]) -> DirectoryTree {
    let mut tree = DirectoryTree::default();
    let mut bytes = 0;
    for entry in walk(root, excluded) {
        let Ok(entry) = entry else { continue };
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let Ok(relative) = entry.path().strip_prefix(root) else { continue };
        if relative == Path::new(MARKER) {
            continue;
        }
        let Some(path) = relative.to_str() else {
            tree.leave(format!("{}: its name is not text", relative.display()));
            continue;
        };
        let Ok(metadata) = entry.metadata() else { continue };
        if is_secret(relative) {
            tree.leave(format!("{path}: it may hold secrets"));
        } else if !kind.is_file() {
            tree.leave(format!("{path}: it is a link or a device"));
        } else if metadata.len() > FILE_BYTES {
            tree.leave(format!("{path}: larger than {} MiB", FILE_BYTES >> 20));
        } else if tree.files.len() >= TREE_FILES || bytes + metadata.len() > TREE_BYTES {
            tree.leave(format!("{path}: the workspace has more than {TREE_FILES} files or {} GiB", TREE_BYTES >> 30));
        } else {
            bytes += metadata.len();
            let stamp = FileStamp {
                len: metadata.len(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
                inode: metadata.ino(),
            };
            let (path, absolute) = (path.to_owned(), entry.path().to_owned());
            tree.files.push(TreeFile { path, absolute, mode: metadata.mode() & 0o777, stamp });
        }
    }
    tree
}

impl DirectoryTree {
    fn leave(&mut self, what: String) {
        if self.left_out.len() < TOLD {
            self.left_out.push(what);
        }
    }
}

/// True if nothing lives on `ground`: it is missing, empty, or this machine was putting it back when a process died.
pub(crate) fn is_free(ground: &RestoreRoot) -> bool {
    is_empty(&ground.path) || ground.note.exists()
}

/// True if `root` is missing or empty.
pub(crate) fn is_empty(root: &Path) -> bool {
    match std::fs::read_dir(root) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(mut listing) => listing.next().is_none(),
    }
}

/// True if putting `root` back was begun and did not come to its end.
pub(crate) fn is_half_restored(root: &Path) -> bool {
    root.join(MARKER).exists()
}

/// A directory that is being put back. Nothing is written beside it, whatever a path says.
pub(crate) struct RestoreSite {
    root: Dir,
    ground: RestoreRoot,
}

impl RestoreSite {
    /// Begin on `ground`, which is made if it is missing.
    pub(crate) fn begin(ground: &RestoreRoot) -> Result<RestoreSite, BucketError> {
        let path = &ground.path;
        let failed = || BucketError::disk(format!("the workspace {} cannot be restored", path.display()));
        if let Some(notes) = ground.note.parent() {
            std::fs::create_dir_all(notes).map_err(failed())?;
        }
        std::fs::write(&ground.note, path.as_os_str().as_encoded_bytes()).map_err(failed())?;
        std::fs::create_dir_all(path).map_err(failed())?;
        let root = Dir::open_ambient_dir(path, ambient_authority()).map_err(failed())?;
        root.write(MARKER, b"this directory is being restored from a bucket\n").map_err(failed())?;
        Ok(RestoreSite { root, ground: ground.clone() })
    }

    /// Write one file.
    pub(crate) fn write(&self, path: &str, mode: u32, bytes: &[u8]) -> Result<(), BucketError> {
        let failed = || BucketError::disk(format!("{path} in {} cannot be restored", self.ground.path.display()));
        let relative = Path::new(path);
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if !plain || path.is_empty() {
            return Err(failed()(io::Error::other("its name leads out of the workspace")));
        }
        if let Some(parent) = relative.parent().filter(|parent| *parent != Path::new("")) {
            self.root.create_dir_all(parent).map_err(failed())?;
        }
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true).mode(mode & 0o777);
        let mut file = self.root.open_with(relative, &options).map_err(failed())?;
        file.write_all(bytes).map_err(failed())
    }

    /// Everything is back.
    pub(crate) fn finish(self) -> Result<(), BucketError> {
        let failed = || BucketError::disk(format!("the workspace {} cannot be restored", self.ground.path.display()));
        self.root.remove_file(MARKER).map_err(failed())?;
        std::fs::remove_file(&self.ground.note).map_err(failed())
    }
}

#[cfg(test)]
mod tests;
