//! Bytes too large for an entry: files named by their SHA-256, written once. A blob is durable before anyone can name
//! it, so an entry never refers to what a crash can take away.
//!
//! All of it blocks on the disk: call it from a blocking thread.

mod blob_writer;
mod session_files;

use crate::dirs::make_dir;
pub use blob_writer::BlobWriter;
use pollux_session::BlobRef;
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use thiserror::Error;

/// Where blobs that are still being written lie.
const SPOOL: &str = "spool";

/// Why a blob could not be read.
#[derive(Debug, Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("there is no blob {0}")]
    Missing(String),
    /// Its bytes are not those it is named by.
    #[error("blob {0} is damaged: restore it from a copy")]
    Damaged(String),
    /// The reference names nothing that could be a blob.
    #[error("{0:?} is no SHA-256 in lower-case hex")]
    Name(String),
    /// The disk failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The blobs in one directory. Clones share it.
#[derive(Clone, Debug)]
pub struct BlobStore {
    root: Root,
}

/// A directory, and how long it stays.
#[derive(Clone, Debug)]
enum Root {
    Kept(PathBuf),
    /// Until the last clone and the last spool are gone.
    Ephemeral(Arc<TempDir>),
}

impl BlobStore {
    /// The blobs in `dir`, made when it is not there. What a crashed process left half-written is removed, so the
    /// caller must own the database they belong to.
    pub fn at(dir: &Path) -> io::Result<BlobStore> {
        BlobStore { root: Root::Kept(dir.to_owned()) }.prepared()
    }

    /// Blobs in a directory of their own that is removed with the last clone.
    pub fn ephemeral() -> io::Result<BlobStore> {
        let temporary = tempfile::Builder::new().prefix("pollux-").tempdir()?;
        BlobStore { root: Root::Ephemeral(Arc::new(temporary)) }.prepared()
    }

    /// Begin a blob. It is not there until it is finished.
    pub fn spool(&self) -> io::Result<BlobWriter> {
        BlobWriter::begin(self).map_err(|error| self.failed(&error))
    }

    /// All bytes of a blob.
    pub fn read(&self, blob: &BlobRef) -> Result<Vec<u8>, BlobError> {
        // Nothing but a digest is ever made into a path.
        if !is_digest(&blob.sha256) {
            return Err(BlobError::Name(blob.sha256.clone()));
        }
        let (shelf, name) = self.place(&blob.sha256);
        let bytes = match fs::read(shelf.join(name)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BlobError::Missing(blob.sha256.clone()));
            }
            Err(error) => return Err(self.failed(&error).into()),
        };
        if bytes.len() as u64 != blob.len || hex(&Sha256::digest(&bytes)) != blob.sha256 {
            return Err(BlobError::Damaged(blob.sha256.clone()));
        }
        Ok(bytes)
    }

    fn prepared(self) -> io::Result<BlobStore> {
        let spool = self.dir().join(SPOOL);
        match fs::remove_dir_all(&spool) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.failed(&error)),
            _ => {}
        }
        make_dir(&spool).map_err(|error| self.failed(&error))?;
        Ok(self)
    }

    fn dir(&self) -> &Path {
        match &self.root {
            Root::Kept(dir) => dir,
            Root::Ephemeral(dir) => dir.path(),
        }
    }

    /// The directory and the name of the blob with this digest.
    fn place<'a>(&self, sha256: &'a str) -> (PathBuf, &'a str) {
        let (shelf, name) = sha256.split_at(2);
        (self.dir().join(shelf), name)
    }

    fn failed(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("blobs in {}: {error}", self.dir().display()))
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn hex(digest: &[u8]) -> String {
    use std::fmt::Write;
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

#[cfg(test)]
mod tests;
