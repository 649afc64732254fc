//! Which folder it was that a person trusted. A path is only a name: another folder, or a link, can take its place. What
//! the folder was is kept in a file of our own beside the one that Gemini CLI reads too.

use super::{MAX_BYTES, TrustError, write};
use pollux_files::read_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

/// One folder, as the file system tells it from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FolderIdentity {
    device: u64,
    inode: u64,
    /// When it was made, in nanoseconds since 1970, where the file system knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born: Option<u64>,
}

impl FolderIdentity {
    /// The folder that is at `path` now, if there is one. `path` may be a link to it.
    pub(super) fn read(path: &Path) -> Option<FolderIdentity> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_dir)?;
        let born = metadata.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|age| u64::try_from(age.as_nanos()).ok());
        Some(FolderIdentity { device: metadata.dev(), inode: metadata.ino(), born })
    }

    /// Whether both are the same folder. An inode's number is used again after a folder is removed, the time of its making
    /// is not. The device's number counts only without that time: some file systems have another one after each start.
    pub(super) fn is_same_folder(self, other: FolderIdentity) -> bool {
        let same_device = self.born.is_some() || self.device == other.device;
        self.inode == other.inode && self.born == other.born && same_device
    }
}

/// What each trusted folder was, by its path; `None` where there was nothing when that was first looked at.
pub(super) type FolderIdentities = BTreeMap<PathBuf, Option<FolderIdentity>>;

/// Where the identities of the folders in `store` are kept.
pub(super) fn file_beside(store: &Path) -> PathBuf {
    store.with_extension("identities.json")
}

pub(super) fn load(file: &Path) -> Result<FolderIdentities, TrustError> {
    match read_text(file, MAX_BYTES) {
        Ok(text) => serde_json::from_str(&text)
            .map_err(|error| TrustError::Broken { file: file.to_owned(), why: error.to_string() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FolderIdentities::new()),
        Err(source) => Err(TrustError::Io { file: file.to_owned(), source }),
    }
}

/// Bring `identities` in line with the `roots` that are trusted: those of others are forgotten, and a root that is new
/// here, because Gemini CLI wrote it, is taken for what is there now. A link is not taken for what it leads to. Returns
/// whether anything changed.
pub(super) fn update_identities<'a>(
    identities: &mut FolderIdentities,
    roots: impl Iterator<Item = &'a Path> + Clone,
) -> bool {
    let before = identities.len();
    identities.retain(|known, _| roots.clone().any(|root| root == known));
    let mut changed = identities.len() != before;
    for root in roots {
        if !identities.contains_key(root) {
            let is_itself = root.canonicalize().is_ok_and(|real| real == root);
            identities.insert(root.to_owned(), FolderIdentity::read(root).filter(|_| is_itself));
            changed = true;
        }
    }
    changed
}

/// Write the identities down. Where that is not possible, they are found out anew at the next start.
pub(super) fn save(file: &Path, identities: &FolderIdentities) {
    // The store itself is the person's word; without this file it holds as it always has.
    let _ = write(file, identities);
}
