//! A workspace in a bucket: a manifest of paths and digests, and the bytes by digest. Only what changed is read and sent.
//! What the workspace's own ignore files leave out, `.git`, links and what is too large stay behind.

use crate::bucket::{Bucket, sha256};
use crate::error::BucketError;
use crate::keys;
use crate::restore_roots::{RestoreRoot, RestoreRoots};
use crate::status::ReplicationStatus;
use crate::trees::{self, DirectoryTree, FileStamp, TreeFile};
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use pollux_store::BlobStore;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The most files that are sent or fetched at once.
const AT_ONCE: usize = 4;

/// The content of a directory in a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspaceManifest {
    /// Its path.
    pub(crate) workspace: String,
    pub(crate) files: Vec<ManifestFile>,
    /// The first few files that stayed behind, each with why.
    #[serde(default)]
    pub(crate) left_out: Vec<String>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    /// Relative, with forward slashes.
    pub(crate) path: String,
    pub(crate) sha256: String,
    pub(crate) mode: u32,
}

/// The directories that were replicated.
#[derive(Default)]
pub(crate) struct ReplicatedWorkspaces {
    /// Digests that are in the bucket.
    there: HashSet<String>,
    /// The stamp and digest of each file when it was last read.
    read: HashMap<String, HashMap<String, (FileStamp, String)>>,
    /// The manifest that was last written.
    written: HashMap<String, WorkspaceManifest>,
    /// Those that this process put back or saw files in: when one of them is empty, somebody has emptied it. Any other may
    /// be a disk that was lost.
    known: HashSet<String>,
}

/// The result of a look at a workspace.
pub(crate) enum ScanOutcome {
    /// The bucket has it as it is.
    Carried {
        /// The first few files that stayed behind.
        left_out: Vec<String>,
    },
    /// The bucket keeps what it has.
    LeftAlone { why: String },
}

impl ReplicatedWorkspaces {
    /// Put back every workspace of the bucket that is missing or empty here, whoever has its sessions. A conversation
    /// without its files is better than none, so what cannot be put back is told and stops nothing.
    pub(crate) async fn put_back(
        &mut self,
        bucket: &Bucket,
        grounds: &RestoreRoots,
        status: &ReplicationStatus,
    ) -> Result<(), BucketError> {
        for key in bucket.list(keys::WORKSPACES).await? {
            let manifest = match bucket.get_json::<WorkspaceManifest>(&key).await {
                Ok(Some(manifest)) if keys::manifest(&manifest.workspace) == key => manifest,
                Ok(_) => continue,
                Err(error @ BucketError::Failed { .. }) => return Err(error),
                Err(error) => {
                    status.note(error.to_string());
                    continue;
                }
            };
            let (workspace, root) = (manifest.workspace.clone(), PathBuf::from(&manifest.workspace));
            if manifest.files.is_empty() || !root.is_absolute() {
                continue;
            }
            let ground = grounds.to_restore(&root);
            if !ground.as_ref().map_or_else(|_| trees::is_empty(&root), trees::is_free) {
                if has_files(root, grounds.own()).await? {
                    self.known.insert(workspace);
                }
                continue;
            }
            let ground = match ground {
                Ok(ground) => ground,
                Err(why) => {
                    status.not_put_back(&workspace, &why);
                    continue;
                }
            };
            let files = manifest.files.len();
            match restore(bucket, manifest, &ground).await {
                Ok(()) => {
                    tracing::info!(workspace, files, "a workspace came back from the bucket");
                    status.workspace_is_well(&workspace);
                    self.known.insert(workspace);
                }
                // Not tried again before the next start: somebody may work in what there is of it by then.
                Err(error) => status.left_alone(&workspace, error.to_string()),
            }
        }
        Ok(())
    }

    /// Why what the bucket has of a workspace must not be replaced, if so.
    async fn doubt(&mut self, bucket: &Bucket, workspace: &str, empty: bool) -> Result<Option<String>, BucketError> {
        if self.known.contains(workspace) {
            return Ok(None);
        }
        let half = trees::is_half_restored(Path::new(workspace));
        if !empty && !half {
            self.known.insert(workspace.to_owned());
            return Ok(None);
        }
        let saved = match bucket.get_json::<WorkspaceManifest>(&keys::manifest(workspace)).await {
            Err(error @ BucketError::Damaged { .. }) => return Ok(Some(error.to_string())),
            saved => saved?.map_or(0, |manifest| manifest.files.len()),
        };
        let state = if half { "is only partly restored" } else { "is without its files" };
        let why = format!(
            "it {state} and the bucket has {saved} of them, which it keeps; make the directory empty and restart this server \
             to have them back"
        );
        Ok((saved > 0).then_some(why))
    }

    /// Carry what changed in `workspace`.
    pub(crate) async fn carry(
        &mut self,
        bucket: &Bucket,
        workspace: &str,
        grounds: &RestoreRoots,
    ) -> Result<ScanOutcome, BucketError> {
        let (root, excluded) = (PathBuf::from(workspace), grounds.own().to_vec());
        if let Err(why) = grounds.to_carry(&root) {
            return Ok(ScanOutcome::LeftAlone { why });
        }
        let tree = tokio::task::spawn_blocking(move || trees::look(&root, &excluded)).await;
        let DirectoryTree { files, left_out } = tree.map_err(|error| BucketError::Failed {
            doing: format!("be given the workspace {workspace}"),
            why: error.to_string(),
        })?;
        if let Some(why) = self.doubt(bucket, workspace, files.is_empty()).await? {
            return Ok(ScanOutcome::LeftAlone { why });
        }
        let before = self.read.remove(workspace).unwrap_or_default();
        let mut now = HashMap::new();
        let mut kept = Vec::new();
        let mut changed = Vec::new();
        for seen in files {
            match before.get(&seen.path) {
                Some((stamp, digest)) if *stamp == seen.stamp && self.there.contains(digest) => {
                    now.insert(seen.path.clone(), (seen.stamp, digest.clone()));
                    kept.push(ManifestFile { path: seen.path, sha256: digest.clone(), mode: seen.mode });
                }
                _ => changed.push(seen),
            }
        }
        let there = &self.there;
        let sent: Vec<(TreeFile, Option<String>)> =
            stream::iter(changed.into_iter().map(|seen| send(bucket, there, seen).boxed()))
                .buffer_unordered(AT_ONCE)
                .try_collect()
                .await?;
        for (seen, digest) in sent {
            // It was gone when it was to be read; the next look sees it as it then is.
            let Some(digest) = digest else { continue };
            self.there.insert(digest.clone());
            now.insert(seen.path.clone(), (seen.stamp, digest.clone()));
            kept.push(ManifestFile { path: seen.path, sha256: digest, mode: seen.mode });
        }
        kept.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let manifest = WorkspaceManifest { workspace: workspace.to_owned(), files: kept, left_out };
        if self.written.get(workspace) != Some(&manifest) {
            bucket.put_json(&keys::manifest(workspace), &manifest).await?;
            self.written.insert(workspace.to_owned(), manifest.clone());
        }
        self.read.insert(workspace.to_owned(), now);
        Ok(ScanOutcome::Carried { left_out: manifest.left_out })
    }
}

/// Send one file unless its bytes are there; its digest, or `None` when it cannot be read any more.
async fn send(
    bucket: &Bucket,
    there: &HashSet<String>,
    seen: TreeFile,
) -> Result<(TreeFile, Option<String>), BucketError> {
    let path = seen.absolute.clone();
    let read = tokio::task::spawn_blocking(move || pollux_files::read_whole(&path, trees::FILE_BYTES)).await;
    let Ok(Ok(bytes)) = read else { return Ok((seen, None)) };
    let digest = sha256(&bytes);
    let key = keys::blob(&digest);
    if !there.contains(&digest) && !bucket.has(&key).await? {
        bucket.create(&key, bytes).await?;
    }
    Ok((seen, Some(digest)))
}

/// True if anything in `root` would be replicated.
async fn has_files(root: PathBuf, leave_out: &[PathBuf]) -> Result<bool, BucketError> {
    let excluded = leave_out.to_vec();
    let looked = tokio::task::spawn_blocking(move || trees::has_files(&root, &excluded)).await;
    looked.map_err(std::io::Error::other).map_err(BucketError::disk("a workspace cannot be looked at"))
}

/// Put a workspace back where it was.
async fn restore(bucket: &Bucket, manifest: WorkspaceManifest, ground: &RestoreRoot) -> Result<(), BucketError> {
    let site = trees::RestoreSite::begin(ground)?;
    let fetched = stream::iter(manifest.files.into_iter().map(|file| put_back(bucket, &site, file).boxed()));
    fetched.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    site.finish()
}

async fn put_back(bucket: &Bucket, site: &trees::RestoreSite, file: ManifestFile) -> Result<(), BucketError> {
    let bytes = fetch(bucket, &file.sha256).await?;
    site.write(&file.path, file.mode, &bytes)
}

/// Bytes by their digest.
async fn fetch(bucket: &Bucket, digest: &str) -> Result<bytes::Bytes, BucketError> {
    let key = keys::blob(digest);
    let damaged = |what: &str| BucketError::Damaged { key: key.clone(), what: what.to_owned() };
    let bytes = bucket.get(&key).await?.ok_or_else(|| damaged("it is not there"))?;
    if sha256(&bytes) == digest { Ok(bytes) } else { Err(damaged("its bytes are not those it is named by")) }
}

/// Bring a blob of the log to the bucket. It is there before the segment that names it.
pub(crate) async fn carry_blob(
    bucket: &Bucket,
    blobs: &BlobStore,
    blob: pollux_session::BlobRef,
) -> Result<(), BucketError> {
    let key = keys::blob(&blob.sha256);
    if bucket.has(&key).await? {
        return Ok(());
    }
    let (local, name) = (blobs.clone(), blob.sha256.clone());
    let bytes = tokio::task::spawn_blocking(move || local.read(&blob)).await;
    match bytes.map_err(std::io::Error::other).map_err(BucketError::disk("a blob cannot be read"))? {
        Ok(bytes) => bucket.create(&key, bytes).await.map(drop),
        // The log goes on without it here as well.
        Err(error) => {
            tracing::warn!(blob = name, %error, "a blob could not be carried");
            Ok(())
        }
    }
}

/// Bring a blob of the log back to this machine. One that is missing is missing here too: the log still tells the rest.
pub(crate) async fn fetch_blob(
    bucket: &Bucket,
    blobs: &BlobStore,
    blob: pollux_session::BlobRef,
) -> Result<(), BucketError> {
    let Some(bytes) = bucket.get(&keys::blob(&blob.sha256)).await? else {
        tracing::warn!(blob = blob.sha256, "the bucket lacks a blob that a session names");
        return Ok(());
    };
    let (blobs, media) = (blobs.clone(), blob.media);
    let kept = tokio::task::spawn_blocking(move || {
        let mut spool = blobs.spool()?;
        spool.write(&bytes)?;
        spool.finish(&media)
    });
    let kept = kept.await.map_err(std::io::Error::other).and_then(|kept| kept);
    kept.map(drop).map_err(BucketError::disk("a blob cannot be kept"))
}
