//! Files put back, one by one, beneath the workspace's own handle. No link is ever followed on the way.

use super::tree_change::{LINK, PROGRAM};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, mkdirat, openat, renameat, statat, symlinkat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers the drafts of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The flags with which a directory is opened: itself, never what a link of its name leads to.
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Remove the file or link at `path`, and the directories that are empty then.
pub(super) fn remove(workspace: &Path, path: &Path) -> io::Result<()> {
    let (parent, name) = match open_parent(workspace, path, MissingDirectory::Fails) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    match unlinkat(&parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    for directory in path.ancestors().skip(1).filter(|directory| !directory.as_os_str().is_empty()) {
        let Ok((parent, name)) = open_parent(workspace, directory, MissingDirectory::Fails) else { break };
        // One that is not empty stays, and so do those above it.
        if unlinkat(&parent, name, AtFlags::REMOVEDIR).is_err() {
            break;
        }
    }
    Ok(())
}

/// Put a file or link at `path`, whole or not at all. What is there keeps its permissions.
pub(super) fn write(workspace: &Path, path: &Path, mode: &str, bytes: &[u8]) -> io::Result<()> {
    let (parent, name) = open_parent(workspace, path, MissingDirectory::IsMade)?;
    let draft = format!(".pollux-restore-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let written = if mode == LINK {
        symlinkat(OsStr::from_bytes(bytes), &parent, &draft).map_err(io::Error::from)
    } else {
        write_draft(&parent, &draft, name, mode == PROGRAM, bytes)
    };
    let placed = written.and_then(|()| renameat(&parent, &draft, &parent, name).map_err(io::Error::from));
    if placed.is_err() {
        // Nothing refers to it; if it cannot be removed there is nobody to tell.
        let _ = unlinkat(&parent, &draft, AtFlags::empty());
    }
    placed
}

fn write_draft(parent: &OwnedFd, draft: &str, name: &OsStr, is_program: bool, bytes: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let usual = Mode::from_raw_mode(if is_program { 0o777 } else { 0o666 });
    let mut file = File::from(openat(parent, draft, flags, usual)?);
    if let Ok(current) = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
        && rustix::fs::FileType::from_raw_mode(current.st_mode).is_file()
    {
        let kept = current.st_mode & 0o666;
        let run = if is_program { (kept & 0o444) >> 2 } else { 0 };
        fchmod(&file, Mode::from_raw_mode(kept | run))?;
    }
    file.write_all(bytes)?;
    file.sync_all()
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
