//! A blob on its way: a temporary file that gets its name when it is whole.

use super::{BlobStore, SPOOL, hex};
use crate::dirs::{make_dir, sync_dir};
use pollux_session::BlobRef;
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use tempfile::NamedTempFile;

/// A blob that is being written. Dropped before [`BlobWriter::finish`], it was never there.
#[derive(Debug)]
pub struct BlobWriter {
    file: NamedTempFile,
    digest: Sha256,
    len: u64,
    blobs: BlobStore,
}

impl BlobWriter {
    pub(super) fn begin(blobs: &BlobStore) -> io::Result<BlobWriter> {
        let file = NamedTempFile::new_in(blobs.dir().join(SPOOL))?;
        Ok(BlobWriter { file, digest: Sha256::new(), len: 0, blobs: blobs.clone() })
    }

    /// Append `bytes`, all of them.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.digest.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Make it a blob. It is durable when this returns. If the same bytes are there already, they are replaced by
    /// themselves.
    pub fn finish(self, media: &str) -> io::Result<BlobRef> {
        let BlobWriter { file, digest, len, blobs } = self;
        let sha256 = hex(&digest.finalize());
        let shelve = || {
            let (shelf, name) = blobs.place(&sha256);
            // A write that failed halfway has left bytes that were never counted.
            if file.as_file().metadata()?.len() != len {
                return Err(io::Error::other("a blob was not written whole"));
            }
            file.as_file().sync_all()?;
            make_dir(&shelf)?;
            file.persist(shelf.join(name))?;
            sync_dir(&shelf)?;
            // The directory may be so new that whoever made it has not made its name durable yet.
            sync_dir(blobs.dir())
        };
        shelve().map_err(|error| blobs.failed(&error))?;
        Ok(BlobRef { sha256, len, media: media.to_owned() })
    }
}
