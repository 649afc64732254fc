//! Long outputs, and files that come with messages, go to the store's blobs: the tools and the server know only that
//! somebody keeps them.

use pollux_server::FileStore;
use pollux_session::{BlobRef, SessionId};
use pollux_store::{BlobStore, BlobWriter};
use pollux_tools::{OutputSpool, OutputStore, media_type};
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Keeps outputs and files as blobs.
pub(crate) struct BlobStorage(pub(crate) BlobStore);

struct BlobSpool(BlobWriter);

impl OutputStore for BlobStorage {
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(BlobSpool(self.0.spool()?)))
    }

    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>> {
        self.0.read(blob).map_err(io::Error::other)
    }

    fn create_file(&self, session: SessionId, name: &str, room: u64) -> io::Result<(File, PathBuf)> {
        self.0.create_session_file(session, name, room)
    }

    fn session_files(&self) -> Option<PathBuf> {
        Some(self.0.session_files())
    }
}

impl FileStore for BlobStorage {
    fn store(&self, name: &str, bytes: &[u8]) -> io::Result<Option<BlobRef>> {
        let Some(media) = media_type(name, bytes) else { return Ok(None) };
        let mut spool = self.0.spool()?;
        spool.write(bytes)?;
        spool.finish(media).map(Some)
    }

    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>> {
        self.0.read(blob).map_err(io::Error::other)
    }
}

impl OutputSpool for BlobSpool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write(bytes)
    }

    fn finish(self: Box<Self>, media: &str) -> io::Result<BlobRef> {
        self.0.finish(media)
    }
}
