//! Keeps files in memory. Only PNGs are files to it.

use parking_lot::Mutex;
use pollux_server::FileStore;
use pollux_session::BlobRef;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;

/// The beginning of every PNG.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0";

/// The files that were kept, by their digests.
#[derive(Default)]
pub(crate) struct MemoryFileStore {
    files: Mutex<HashMap<String, Vec<u8>>>,
    /// Why nothing can be kept.
    pub(crate) broken: Mutex<Option<&'static str>>,
}

impl MemoryFileStore {
    pub(crate) fn new() -> Arc<MemoryFileStore> {
        Arc::default()
    }

    /// The number of different files that were kept.
    pub(crate) fn count(&self) -> usize {
        self.files.lock().len()
    }

    /// Lose them all.
    pub(crate) fn lose(&self) {
        self.files.lock().clear();
    }
}

impl FileStore for MemoryFileStore {
    fn store(&self, _: &str, bytes: &[u8]) -> io::Result<Option<BlobRef>> {
        if let Some(why) = *self.broken.lock() {
            return Err(io::Error::other(why));
        }
        if !bytes.starts_with(PNG) {
            return Ok(None);
        }
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let sha256 = format!("{:064x}", hasher.finish());
        self.files.lock().insert(sha256.clone(), bytes.to_vec());
        Ok(Some(BlobRef { sha256, len: bytes.len() as u64, media: "image/png".into() }))
    }

    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>> {
        let found = self.files.lock().get(&blob.sha256).cloned();
        found.ok_or_else(|| io::Error::other("there is no such file"))
    }
}
