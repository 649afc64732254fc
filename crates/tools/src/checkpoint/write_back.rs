//! Files put back, one by one, beneath the workspace's own path. No link is ever followed on the way, and what is no longer as it was
//! compared stays as it is.

use super::tree_change::{LINK, PROGRAM};
use crate::file_exchange::{
    ExchangeDraft, ExpectedFile, FileExchangeOutcome, FileOwnership, remove_expected, write_new,
};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, statat, symlinkat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// The flags with which a directory is opened: itself, never what a link of its name leads to.
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// One version of a file, with all that it holds: what is there now, or what is put there.
#[derive(Clone, Debug)]
pub(super) struct WholeVersion {
    pub(super) mode: String,
    pub(super) bytes: Vec<u8>,
}

impl WholeVersion {
    fn expected(&self) -> ExpectedFile<'_> {
        if self.mode == LINK { ExpectedFile::Link(&self.bytes) } else { ExpectedFile::Content(&self.bytes) }
    }
}

/// Remove the file or link at `path`, which is `now`, and the directories that are empty then.
pub(super) fn remove(workspace: &Path, path: &Path, now: &WholeVersion) -> io::Result<FileExchangeOutcome> {
    let (parent, name) = match open_parent(workspace, path, MissingDirectory::Fails) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileExchangeOutcome::Done),
        opened => opened?,
    };
    if matches!(statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW), Err(Errno::NOENT)) {
        return Ok(FileExchangeOutcome::Done);
    }
    let removed = remove_expected(&parent, name, now.expected())?;
    for directory in path.ancestors().skip(1).filter(|directory| !directory.as_os_str().is_empty()) {
        let Ok((parent, name)) = open_parent(workspace, directory, MissingDirectory::Fails) else { break };
        // One that is not empty stays, and so do those above it.
        if unlinkat(&parent, name, AtFlags::REMOVEDIR).is_err() {
            break;
        }
    }
    Ok(removed)
}

/// Put a file or link at `path`, whole or not at all, in the place of what is there `now`. That keeps its owner and its
/// permissions; what comes back has the permissions `private`, where they were narrower than usual.
pub(super) fn write(
    workspace: &Path,
    path: &Path,
    now: Option<&WholeVersion>,
    then: &WholeVersion,
    private: Option<u32>,
) -> io::Result<FileExchangeOutcome> {
    let (parent, name) = open_parent(workspace, path, MissingDirectory::IsMade)?;
    let draft = ExchangeDraft::make(parent, name, |parent, draft| {
        if then.mode == LINK {
            return Ok(symlinkat(OsStr::from_bytes(&then.bytes), parent, draft)?);
        }
        let is_program = then.mode == PROGRAM;
        let usual = Mode::from_raw_mode(if is_program { 0o777 } else { 0o666 });
        write_new(parent, draft, usual, ownership(parent, name, is_program, private), &then.bytes)
    })?;
    match now {
        Some(now) => draft.replace(now.expected()),
        None => draft.place_new(),
    }
}

/// The owner and the permissions for what takes the place of the file `name`; `None` for the usual ones.
fn ownership(parent: &OwnedFd, name: &OsStr, is_program: bool, private: Option<u32>) -> Option<FileOwnership> {
    let with_run = |mode: u32| mode & 0o666 | if is_program { (mode & 0o444) >> 2 } else { 0 };
    match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(now) if rustix::fs::FileType::from_raw_mode(now.st_mode).is_file() => {
            Some(FileOwnership { user: now.st_uid, group: now.st_gid, mode: with_run(now.st_mode) })
        }
        Ok(_) | Err(_) => Some(FileOwnership {
            user: rustix::process::geteuid().as_raw(),
            group: rustix::process::getegid().as_raw(),
            mode: with_run(private?),
        }),
    }
}

/// The treatment of a directory that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingDirectory {
    Fails,
    IsMade,
}

/// The directory that `path` is in, and its name there.
fn open_parent<'a>(workspace: &Path, path: &'a Path, missing: MissingDirectory) -> io::Result<(OwnedFd, &'a OsStr)> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
    let mut at = openat(CWD, workspace, DIRECTORY, Mode::empty())?;
    for part in path.parent().into_iter().flat_map(Path::components) {
        let Component::Normal(part) = part else {
            return Err(io::Error::other("its path leads out of the workspace"));
        };
        if part.eq_ignore_ascii_case(".git") {
            return Err(io::Error::other("it is a file of version control"));
        }
        at = match openat(&at, part, DIRECTORY, Mode::empty()) {
            Err(Errno::NOENT) if missing == MissingDirectory::IsMade => {
                match mkdirat(&at, part, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => openat(&at, part, DIRECTORY, Mode::empty())?,
                    Err(error) => return Err(error.into()),
                }
            }
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let what = format!("`{}` is no directory, or a symbolic link", part.to_string_lossy());
                return Err(io::Error::other(what));
            }
            opened => opened?,
        };
    }
    Ok((at, name))
}
