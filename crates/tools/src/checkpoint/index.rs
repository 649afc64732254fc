//! The index: what git knows of the files it has seen, so that those that did not change are not read again.
//!
//! Each checkpoint works on a copy of its own and puts it in place when it is done. So sessions, and processes, save the
//! same workspace side by side, and one that is killed leaves nothing behind that others would wait for.

use super::error::CheckpointError;
use super::scan::WorkspaceScan;
use super::shadow_repository::{LEFT_OUT, ShadowRepository, path, records};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The beginning of its name while it is worked on.
pub(super) const DRAFT: &str = "draft-";
/// The most bytes that git reads at once, if all of it is new. Files that were read are known even if time runs out
/// later.
const BATCH_BYTES: u64 = 256 * 1024 * 1024;
/// Stands for the content of a file that was left out.
const NOTHING: &str = "0000000000000000000000000000000000000001";

/// Numbers the drafts of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// An index that is worked on. Dropped, it takes its place: even one that is not complete, because time was over, spares
/// the next checkpoint work.
pub(super) struct IndexDraft {
    file: PathBuf,
    target: PathBuf,
}

impl IndexDraft {
    /// A copy of the index in `directory`.
    pub(super) fn begin(directory: &Path) -> io::Result<IndexDraft> {
        let place = directory.join("index");
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = directory.join(format!("{DRAFT}{}-{number}", std::process::id()));
        match File::open(&place) {
            Ok(mut index) => {
                let mut copy = File::create(&file)?;
                io::copy(&mut index, &mut copy)?;
                // A file that changed at the very moment when the index was written may have changed again unnoticed.
                // Git looks at such files anew, and knows them by this time.
                copy.set_modified(index.metadata()?.modified()?)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(IndexDraft { file, target: place })
    }

    /// The index emptied.
    pub(super) fn discard(self) -> io::Result<IndexDraft> {
        for left in [self.file.clone(), self.file.with_extension("lock")] {
            match fs::remove_file(left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(self)
    }

    /// Make it say what `scan` found. Returns the tree.
    pub(super) async fn fill(
        &self,
        shadow: &ShadowRepository,
        scan: &WorkspaceScan,
    ) -> Result<String, CheckpointError> {
        let index = self.file.as_path();
        let listed = shadow.run_on(index, ("list its index", &["ls-files", "-z", "--stage"]), Vec::new()).await?;
        let known: BTreeMap<PathBuf, bool> = records(&listed).filter_map(entry).collect();
        let gone = known.keys().filter(|path| !scan.files.contains_key(*path) && !scan.left_out.contains(*path));
        let gone = joined(gone);
        if !gone.is_empty() {
            let forget = &["update-index", "-z", "--force-remove", "--stdin"];
            shadow.run_on(index, ("forget files", forget), gone).await?;
        }
        let new = scan.left_out.iter().filter(|path| known.get(*path) != Some(&true));
        let new: Vec<u8> = new.flat_map(|path| left_out(path)).collect();
        if !new.is_empty() {
            let note = &["update-index", "-z", "--add", "--replace", "--index-info"];
            shadow.run_on(index, ("leave files out", note), new).await?;
        }
        for batch in batches(scan) {
            let add = &["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
            shadow.run_on(index, ("save files", add), batch).await?;
        }
        let tree = shadow.run_on(index, ("write a tree", &["write-tree"]), Vec::new()).await?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }
}

impl Drop for IndexDraft {
    fn drop(&mut self) {
        match fs::rename(&self.file, &self.target) {
            Ok(()) => {}
            // An empty one is not written.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "the index of a checkpoint cannot be kept; the next one takes longer"),
        }
    }
}

/// `100644 ID 0<TAB>PATH`: the path, and whether it stands for a file that was left out.
fn entry(record: &[u8]) -> Option<(PathBuf, bool)> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    Some((path(record.get(tab + 1..)?), record.starts_with(LEFT_OUT.as_bytes())))
}

fn left_out(path: &Path) -> Vec<u8> {
    let head = format!("{LEFT_OUT} {NOTHING}\t");
    [head.as_bytes(), path.as_os_str().as_bytes(), b"\0"].concat()
}

fn joined<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<u8> {
    paths.flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect()
}

/// The files, a bounded amount of bytes at a time.
fn batches(scan: &WorkspaceScan) -> Vec<Vec<u8>> {
    let mut batches: Vec<(u64, Vec<u8>)> = Vec::new();
    for (path, len) in &scan.files {
        match batches.last_mut() {
            Some((bytes, batch)) if *bytes < BATCH_BYTES => {
                *bytes += len;
                batch.extend_from_slice(&joined([path].into_iter()));
            }
            _ => batches.push((*len, joined([path].into_iter()))),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}
