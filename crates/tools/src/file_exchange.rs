//! Puts a new file in the place of an old one, or takes one away, only where it is the one that is expected.
//!
//! Between a look at a file and a rename over it a person may save it. So the two are exchanged in one step, and what has come out
//! is looked at: if it is something else, it goes back.

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, openat, readlinkat, renameat, renameat_with,
    statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
mod tests;

/// Numbers the drafts of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The file that is expected at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExpectedFile<'a> {
    /// A regular file that holds this.
    Content(&'a [u8]),
    /// A symbolic link to this.
    Link(&'a [u8]),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileExchangeOutcome {
    Done,
    /// Something else is there, and stays.
    Changed {
        /// The name, beside it, of what was saved before that and could not go back to its place.
        kept: Option<String>,
    },
}

impl ExpectedFile<'_> {
    /// Whether it is what `name` is in `parent`.
    fn is_at(self, parent: &OwnedFd, name: &OsStr) -> io::Result<bool> {
        match self.compare(parent, name) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => Ok(false),
            // A link where a file is expected.
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Ok(false),
            compared => compared,
        }
    }

    fn compare(self, parent: &OwnedFd, name: &OsStr) -> io::Result<bool> {
        match self {
            ExpectedFile::Link(target) => Ok(readlinkat(parent, name, Vec::new())?.as_bytes() == target),
            ExpectedFile::Content(content) => {
                // A FIFO would otherwise wait for its other end.
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
                let file = File::from(openat(parent, name, flags, Mode::empty())?);
                let len = content.len() as u64;
                let about = file.metadata()?;
                if !about.is_file() || about.len() != len {
                    return Ok(false);
                }
                let mut now = Vec::with_capacity(content.len());
                file.take(len + 1).read_to_end(&mut now)?;
                Ok(now == content)
            }
        }
    }
}

/// Something new beside a place, until it takes it. Dropped, it disappears.
pub(crate) struct ExchangeDraft {
    parent: OwnedFd,
    name: OsString,
    draft: OsString,
}

impl ExchangeDraft {
    /// A draft for `name` in `parent`, which `make` makes under the name that it is given.
    pub(crate) fn make(
        parent: OwnedFd,
        name: &OsStr,
        make: impl FnOnce(&OwnedFd, &OsStr) -> io::Result<()>,
    ) -> io::Result<ExchangeDraft> {
        let draft = ExchangeDraft { parent, name: name.to_owned(), draft: draft_name() };
        make(&draft.parent, &draft.draft)?;
        Ok(draft)
    }

    /// Put it in the place of what is `expected` there, durably.
    pub(crate) fn replace(mut self, expected: ExpectedFile<'_>) -> io::Result<FileExchangeOutcome> {
        let (parent, name, draft) = (&self.parent, self.name.as_os_str(), self.draft.as_os_str());
        if !expected.is_at(parent, name)? {
            return Ok(FileExchangeOutcome::Changed { kept: None });
        }
        let own = inode(parent, draft)?;
        match renameat_with(parent, draft, parent, name, RenameFlags::EXCHANGE) {
            Err(Errno::NOENT) => return Ok(FileExchangeOutcome::Changed { kept: None }),
            // Not every file system can do it; what is there was looked at just before.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                renameat(parent, draft, parent, name)?;
                return self.finish();
            }
            exchanged => exchanged?,
        }
        if expected.is_at(parent, draft).unwrap_or(false) {
            return self.finish();
        }
        // A save fell between the look and the exchange.
        let exchange = || renameat_with(parent, draft, parent, name, RenameFlags::EXCHANGE);
        if exchange().is_ok() {
            if inode(parent, draft).ok() == Some(own) {
                return Ok(FileExchangeOutcome::Changed { kept: None });
            }
            // And another one has taken the place of the draft. The newest goes where it was saved.
            let _ = exchange();
        }
        let kept = keep_beside(parent, draft, name);
        // Whatever happens, it is not removed as a draft is.
        let draft = std::mem::replace(&mut self.draft, draft_name());
        let kept = kept.unwrap_or_else(|_| draft.to_string_lossy().into_owned());
        Ok(FileExchangeOutcome::Changed { kept: Some(kept) })
    }

    /// Put it in its place, durably, unless something is there.
    pub(crate) fn place_new(self) -> io::Result<FileExchangeOutcome> {
        match rename_to_free(&self.parent, &self.draft, &self.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(FileExchangeOutcome::Changed { kept: None })
            }
            Err(error) => Err(error),
            Ok(()) => self.finish(),
        }
    }

    fn finish(self) -> io::Result<FileExchangeOutcome> {
        sync(&self.parent)?;
        Ok(FileExchangeOutcome::Done)
    }
}

impl Drop for ExchangeDraft {
    fn drop(&mut self) {
        // Nothing refers to it; if it cannot be removed there is nobody to tell.
        let _ = unlinkat(&self.parent, &self.draft, AtFlags::empty());
    }
}

/// Remove what is `expected` as `name` in `parent`, durably.
pub(crate) fn remove_expected(
    parent: &OwnedFd,
    name: &OsStr,
    expected: ExpectedFile<'_>,
) -> io::Result<FileExchangeOutcome> {
    if !expected.is_at(parent, name)? {
        return Ok(FileExchangeOutcome::Changed { kept: None });
    }
    let aside = draft_name();
    match rename_to_free(parent, name, &aside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(FileExchangeOutcome::Changed { kept: None });
        }
        renamed => renamed?,
    }
    if expected.is_at(parent, &aside).unwrap_or(false) {
        unlinkat(parent, &aside, AtFlags::empty())?;
        sync(parent)?;
        return Ok(FileExchangeOutcome::Done);
    }
    let kept = match rename_to_free(parent, &aside, name) {
        Ok(()) => None,
        Err(_) => Some(keep_beside(parent, &aside, name)?),
    };
    Ok(FileExchangeOutcome::Changed { kept })
}

/// The owner and the permissions of a file, for the one that takes its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileOwnership {
    pub(crate) user: u32,
    pub(crate) group: u32,
    pub(crate) mode: u32,
}

impl FileOwnership {
    /// Give both to `file`.
    pub(crate) fn apply(self, file: &impl std::os::fd::AsFd) -> io::Result<()> {
        let fresh = rustix::fs::fstat(file)?;
        if (fresh.st_uid, fresh.st_gid) != (self.user, self.group) {
            // Only root may give files away; for others the file becomes theirs, as with any editor.
            let _ = fchown(file, Some(Uid::from_raw(self.user)), Some(Gid::from_raw(self.group)));
        }
        Ok(fchmod(file, Mode::from_raw_mode(self.mode & 0o777))?)
    }
}

/// Write a new file as `name` in `parent`, durably.
pub(crate) fn write_new(
    parent: &OwnedFd,
    name: &OsStr,
    usual: Mode,
    ownership: Option<FileOwnership>,
    bytes: &[u8],
) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // It is nobody else's to read before it has the permissions that it shall have.
    let mode = if ownership.is_some() { Mode::RUSR | Mode::WUSR } else { usual };
    let mut file = File::from(openat(parent, name, flags, mode)?);
    ownership.map_or(Ok(()), |ownership| ownership.apply(&file))?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Rename to a name that nothing has.
fn rename_to_free(parent: &OwnedFd, from: &OsStr, to: &OsStr) -> io::Result<()> {
    match renameat_with(parent, from, parent, to, RenameFlags::NOREPLACE) {
        // Not every file system can do it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match statat(parent, to, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(renameat(parent, from, parent, to)?),
            Ok(_) => Err(Errno::EXIST.into()),
            Err(error) => Err(error.into()),
        },
        renamed => Ok(renamed?),
    }
}

/// Keep what has a draft's name beside the place that it was saved to: drafts are swept.
fn keep_beside(parent: &OwnedFd, draft: &OsStr, name: &OsStr) -> io::Result<String> {
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let kept = format!("{}.saved-{}-{number}", name.to_string_lossy(), std::process::id());
    rename_to_free(parent, draft, OsStr::new(&kept))?;
    Ok(kept)
}

fn draft_name() -> OsString {
    format!(".pollux-restore-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)).into()
}

fn inode(parent: &OwnedFd, name: &OsStr) -> io::Result<(u64, u64)> {
    let Stat { st_dev, st_ino, .. } = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok((st_dev, st_ino))
}

fn sync(parent: &OwnedFd) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    File::from(openat(parent, ".", flags, Mode::empty())?).sync_all()
}
