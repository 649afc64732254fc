//! Folders a person trusts, or does not: a JSON file of their own, shaped like Gemini CLI's `trustedFolders.json`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

#[cfg(test)]
mod tests;

/// The longest store.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Whether a person trusts a folder. Unknown is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FolderTrust {
    /// They said yes.
    Trusted,
    /// They said no.
    Untrusted,
    /// They have not been asked.
    Unknown,
}

/// What a person said of one folder and everything in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TrustLevel {
    /// Trust it.
    TrustFolder,
    /// Trust the folder it lies in.
    TrustParent,
    /// Do not.
    DoNotTrust,
}

/// Why the store cannot be used.
#[derive(Debug, Error)]
pub enum TrustError {
    /// It is no JSON of the right shape; nothing is trusted until it is repaired.
    #[error("{} is broken: {why}; repair or remove it", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        why: String,
    },
    /// It cannot be read or written.
    #[error("{} cannot be used: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The folders a person spoke of.
#[derive(Clone, Debug)]
pub struct Trust {
    file: PathBuf,
    folders: BTreeMap<PathBuf, TrustLevel>,
}

impl Trust {
    /// Read the store; a file that is not there trusts nothing.
    pub fn load(file: &Path) -> Result<Trust, TrustError> {
        let folders = match pollux_files::read_text(file, MAX_BYTES) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| TrustError::Broken { file: file.to_owned(), why: error.to_string() })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(source) => return Err(TrustError::Io { file: file.to_owned(), source }),
        };
        Ok(Trust { file: file.to_owned(), folders })
    }

    /// Whether `folder` is trusted. It is looked up by where it really is; the entry nearest to it counts.
    pub fn of(&self, folder: &Path) -> FolderTrust {
        // Nothing was said of any folder: where this one really is need not be found out.
        if self.folders.is_empty() {
            return FolderTrust::Unknown;
        }
        let Ok(folder) = folder.canonicalize() else { return FolderTrust::Unknown };
        let speaking = self.folders.iter().filter_map(|(named, level)| {
            // A folder that is gone is compared as it was written.
            let named = named.canonicalize().unwrap_or_else(|_| named.clone());
            let (root, trust) = match level {
                TrustLevel::TrustFolder => (named.as_path(), FolderTrust::Trusted),
                TrustLevel::TrustParent => (named.parent().unwrap_or(&named), FolderTrust::Trusted),
                TrustLevel::DoNotTrust => (named.as_path(), FolderTrust::Untrusted),
            };
            let relevant = root.is_absolute() && folder.starts_with(root);
            relevant.then(|| ((root.components().count(), trust == FolderTrust::Untrusted), trust))
        });
        speaking.max_by_key(|(nearness, _)| *nearness).map_or(FolderTrust::Unknown, |(_, trust)| trust)
    }

    /// The folders a person spoke of, and what they said.
    pub fn folders(&self) -> impl Iterator<Item = (&Path, TrustLevel)> {
        self.folders.iter().map(|(folder, level)| (folder.as_path(), *level))
    }

    /// Forget what a person said of `folder` itself; whether they had said anything. What they said of others stays.
    pub fn forget(&mut self, folder: &Path) -> Result<bool, TrustError> {
        let io = |source: io::Error| TrustError::Io { file: self.file.clone(), source };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut folders = Trust::load(&self.file)?.folders;
        let before = folders.len();
        folders.retain(|named, _| real(named) != real(folder));
        let known = folders.len() < before;
        if known {
            write(&self.file, &folders).map_err(io)?;
        }
        self.folders = folders;
        Ok(known)
    }

    /// Remember what a person said of `folder`, and write it down.
    pub fn set(&mut self, folder: &Path, level: TrustLevel) -> Result<(), TrustError> {
        let io = |source: io::Error| TrustError::Io { file: self.file.clone(), source };
        let folder = folder.canonicalize().map_err(io)?;
        let mut folders = Trust::load(&self.file)?.folders;
        folders.insert(folder, level);
        write(&self.file, &folders).map_err(io)?;
        self.folders = folders;
        Ok(())
    }
}

fn write(file: &Path, folders: &BTreeMap<PathBuf, TrustLevel>) -> io::Result<()> {
    // A store that is a link, into a person's dotfiles, stays one.
    let real = file.canonicalize();
    let file = real.as_deref().unwrap_or(file);
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut draft = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer_pretty(&mut draft, folders)?;
    draft.write_all(b"\n")?;
    draft.as_file().sync_all()?;
    draft.persist(file)?;
    Ok(())
}
