//! Folders a person trusts, or does not: a JSON file of their own, shaped like Gemini CLI's `trustedFolders.json`. Trust is
//! in the folder that was there when they said so, not in its name: see [`folder_identity`].

mod folder_identity;

use folder_identity::{FolderIdentities, FolderIdentity};
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
pub struct TrustedFolders {
    file: PathBuf,
    folders: BTreeMap<PathBuf, TrustLevel>,
    identities: FolderIdentities,
}

impl TrustedFolders {
    /// Read the store; a file that is not there trusts nothing.
    pub fn load(file: &Path) -> Result<TrustedFolders, TrustError> {
        let folders = match pollux_files::read_text(file, MAX_BYTES) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| TrustError::Broken { file: file.to_owned(), why: error.to_string() })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(source) => return Err(TrustError::Io { file: file.to_owned(), source }),
        };
        let mut trust = TrustedFolders { file: file.to_owned(), folders, identities: FolderIdentities::new() };
        trust.identify()?;
        Ok(trust)
    }

    /// Learn which folders are meant, and keep it where that is news.
    fn identify(&mut self) -> Result<(), TrustError> {
        let file = folder_identity::file_beside(&self.file);
        self.identities = folder_identity::load(&file)?;
        let roots = self.folders.iter().filter_map(|(named, level)| trusted_root(named, *level));
        if folder_identity::update_identities(&mut self.identities, roots) {
            folder_identity::save(&file, &self.identities);
        }
        Ok(())
    }

    /// Whether `folder` is trusted. It is looked up by where it really is; the entry nearest to it counts.
    pub fn folder_trust(&self, folder: &Path) -> FolderTrust {
        // Nothing was said of any folder: where this one really is need not be found out.
        if self.folders.is_empty() {
            return FolderTrust::Unknown;
        }
        let Ok(folder) = folder.canonicalize() else { return FolderTrust::Unknown };
        let speaking = self.folders.iter().filter_map(|(named, level)| {
            let (root, trust) = match trusted_root(named, *level) {
                Some(root) if self.is_replaced(root) => return None,
                Some(root) => (root.canonicalize().ok()?, FolderTrust::Trusted),
                // A folder that is gone is compared as it was written.
                None => (named.canonicalize().unwrap_or_else(|_| named.clone()), FolderTrust::Untrusted),
            };
            let relevant = root.is_absolute() && folder.starts_with(&root);
            relevant.then(|| ((root.components().count(), trust == FolderTrust::Untrusted), trust))
        });
        speaking.max_by_key(|(nearness, _)| *nearness).map_or(FolderTrust::Unknown, |(_, trust)| trust)
    }

    /// Whether the folder that a person trusted with `named` is not the one that is there now.
    pub fn is_outdated(&self, named: &Path) -> bool {
        let level = self.folders.get(named).copied().unwrap_or(TrustLevel::DoNotTrust);
        trusted_root(named, level).is_some_and(|root| self.is_replaced(root))
    }

    fn is_replaced(&self, root: &Path) -> bool {
        let known = self.identities.get(root).copied().flatten();
        let is_there = |known: FolderIdentity| FolderIdentity::read(root).is_some_and(|now| known.is_same_folder(now));
        !known.is_some_and(is_there)
    }

    /// The folders a person spoke of, and what they said.
    pub fn folders(&self) -> impl Iterator<Item = (&Path, TrustLevel)> {
        self.folders.iter().map(|(folder, level)| (folder.as_path(), *level))
    }

    /// Forget what a person said of `folder` itself; whether they had said anything. What they said of others stays.
    pub fn forget(&mut self, folder: &Path) -> Result<bool, TrustError> {
        let io = |source: io::Error| TrustError::Io { file: self.file.clone(), source };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut folders = TrustedFolders::load(&self.file)?.folders;
        let before = folders.len();
        folders.retain(|named, _| real(named) != real(folder));
        let known = folders.len() < before;
        if known {
            write(&self.file, &folders).map_err(io)?;
        }
        self.folders = folders;
        self.identify()?;
        Ok(known)
    }

    /// Remember what a person said of `folder`, and write it down.
    pub fn set(&mut self, folder: &Path, level: TrustLevel) -> Result<(), TrustError> {
        let io = |source: io::Error| TrustError::Io { file: self.file.clone(), source };
        let folder = folder.canonicalize().map_err(io)?;
        let mut folders = TrustedFolders::load(&self.file)?.folders;
        folders.insert(folder.clone(), level);
        write(&self.file, &folders).map_err(io)?;
        self.folders = folders;
        self.identify()?;
        // What they see now is what they mean, whatever was there before.
        if let Some(root) = trusted_root(&folder, level) {
            self.identities.insert(root.to_owned(), FolderIdentity::read(root));
            folder_identity::save(&folder_identity::file_beside(&self.file), &self.identities);
        }
        Ok(())
    }
}

/// The folder that an entry trusts, with everything in it.
fn trusted_root(named: &Path, level: TrustLevel) -> Option<&Path> {
    match level {
        TrustLevel::TrustFolder => Some(named),
        TrustLevel::TrustParent => Some(named.parent().unwrap_or(named)),
        TrustLevel::DoNotTrust => None,
    }
}

fn write(file: &Path, content: &impl Serialize) -> io::Result<()> {
    // A store that is a link, into a person's dotfiles, stays one.
    let real = file.canonicalize();
    let file = real.as_deref().unwrap_or(file);
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut draft = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer_pretty(&mut draft, content)?;
    draft.write_all(b"\n")?;
    draft.as_file().sync_all()?;
    draft.persist(file)?;
    Ok(())
}
