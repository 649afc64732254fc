//! Keeps blobs in memory.

use parking_lot::Mutex;
use pollux_session::BlobRef;
use pollux_tools::{OutputSpool, OutputStore};
use std::io;
use std::sync::Arc;

type StoredBlobs = Arc<Mutex<Vec<Vec<u8>>>>;

/// Everything that was kept, by number.
#[derive(Default)]
pub(crate) struct NumberedOutputStore(StoredBlobs);

struct NumberedOutputSpool(StoredBlobs, Vec<u8>);

impl OutputStore for NumberedOutputStore {
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(NumberedOutputSpool(self.0.clone(), Vec::new())))
    }

    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>> {
        Ok(self.0.lock()[blob.sha256.parse::<usize>().unwrap()].clone())
    }
}

impl OutputSpool for NumberedOutputSpool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.1.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>, media: &str) -> io::Result<BlobRef> {
        let mut kept = self.0.lock();
        kept.push(self.1.clone());
        Ok(BlobRef { sha256: (kept.len() - 1).to_string(), len: self.1.len() as u64, media: media.into() })
    }
}
