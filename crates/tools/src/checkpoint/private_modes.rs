//! The permissions of files that not everybody may read. A tree of git's knows only whether a file may be run, and a file that comes
//! back must not be open to more people than the one that went.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Its name in the directory of a repository.
const NAME: &str = "private-modes";
/// The most files whose permissions are remembered. Of more than these, a file that comes back is its owner's alone.
const MAX_FILES: usize = 50_000;
/// The longest record that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The permissions of a file that may have been private.
const OWNERS_ALONE: u32 = 0o600;

/// The permissions of private files, by path relative to the workspace, as each was seen last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PrivateModes(BTreeMap<PathBuf, u32>);

/// True if somebody may not read a file that has these permissions.
pub(super) fn is_private(mode: u32) -> bool {
    mode & 0o044 != 0o044
}

impl PrivateModes {
    /// What is remembered in the repository `directory`. Each record is `MODE PATH`, and ends with a NUL.
    pub(super) fn read(directory: &Path) -> PrivateModes {
        let bytes = pollux_files::read_beginning(&directory.join(NAME), MAX_BYTES).unwrap_or_default();
        let record = |record: &[u8]| {
            let (mode, path) = record.split_at_checked(3)?;
            let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
            Some((PathBuf::from(std::ffi::OsString::from_vec(path.get(1..)?.to_vec())), mode))
        };
        PrivateModes(bytes.split(|byte| *byte == 0).filter_map(record).collect())
    }

    /// Remember the permissions `seen` of all files that are there now. A file that is gone keeps its record: it may come back.
    pub(super) fn update(directory: &Path, seen: &BTreeMap<PathBuf, u32>) -> io::Result<()> {
        let before = PrivateModes::read(directory);
        let mut modes = before.clone();
        for (path, mode) in seen {
            if !is_private(*mode) {
                modes.0.remove(path);
            } else if modes.0.len() < MAX_FILES || modes.0.contains_key(path) {
                modes.0.insert(path.clone(), mode & 0o777);
            }
        }
        if modes == before {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        for (path, mode) in &modes.0 {
            file.write_all(format!("{mode:03o} ").as_bytes())?;
            file.write_all(path.as_os_str().as_bytes())?;
            file.write_all(b"\0")?;
        }
        file.persist(directory.join(NAME)).map(drop).map_err(|error| error.error)
    }

    /// The permissions of a file that comes back, if they are narrower than usual.
    pub(super) fn of(&self, path: &Path) -> Option<u32> {
        let unknown = (self.0.len() >= MAX_FILES).then_some(OWNERS_ALONE);
        self.0.get(path).copied().or(unknown)
    }
}
