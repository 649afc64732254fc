//! The directory is lost while the log is kept: the bucket gives it back, and is never emptied by it.

use crate::replicating::machine::{TestConversation, TestMachine, directory, no_variables, session, workspace};
use pollux_session::CallResult;
use pollux_store::{BlobStore, SessionStore};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A machine whose log outlives its workspace.
struct Disk {
    dir: TempDir,
    root: PathBuf,
    store: SessionStore,
    blobs: BlobStore,
}

impl Disk {
    /// One turn has been carried, with the files of the workspace.
    async fn carried() -> Disk {
        let dir = tempfile::tempdir().unwrap();
        let root = workspace(&dir);
        let store: SessionStore = SessionStore::in_memory().unwrap();
        let disk = Disk { dir, root, store, blobs: BlobStore::ephemeral().unwrap() };
        let first = disk.start().await;
        TestConversation::open(&first, session(1), &disk.root).await.turn("one", CallResult::default()).await;
        first.stop().await;
        assert_eq!(disk.saved(), ["run.sh", "src/main.rs"]);
        disk
    }

    async fn start(&self) -> TestMachine {
        TestMachine::over(&directory(&self.dir), no_variables(), self.store.clone(), self.blobs.clone()).ready().await
    }

    /// The files that the manifest lists.
    fn saved(&self) -> Vec<String> {
        let kept: Vec<PathBuf> = entries(&self.dir.path().join("bucket/workspaces"));
        let manifest = fs::read(kept.first().unwrap().join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let files = manifest["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    }

    /// Lose the bytes of one file in the bucket, so that the workspace cannot be put back whole.
    fn damage(&self) {
        let blobs = entries(&self.dir.path().join("bucket/blobs"));
        let main = blobs.iter().find(|blob| fs::read(blob).unwrap() == b"fn main() {}").unwrap();
        fs::write(main, "other bytes").unwrap();
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn a_missing_or_empty_directory_is_put_back_for_a_session_that_is_here() {
    let disk = Disk::carried().await;
    for made_again in [false, true] {
        fs::remove_dir_all(&disk.root).unwrap();
        if made_again {
            fs::create_dir(&disk.root).unwrap();
        }
        let machine = disk.start().await;
        assert_eq!(fs::read_to_string(disk.root.join("src/main.rs")).unwrap(), "fn main() {}");
        let prompt = format!("read only, {made_again}");
        TestConversation::resume(&machine.store, session(1)).await.turn(&prompt, CallResult::default()).await;
        machine.stop().await;
        assert_eq!(disk.saved(), ["run.sh", "src/main.rs"]);
    }
}

#[tokio::test]
async fn a_directory_with_nothing_to_carry_does_not_empty_the_bucket() {
    let disk = Disk::carried().await;
    fs::remove_dir_all(&disk.root).unwrap();
    // Not empty, so it is not put back; but nothing of it is carried either.
    fs::create_dir_all(disk.root.join(".git")).unwrap();
    let machine = disk.start().await;
    let mut talk = TestConversation::resume(&machine.store, session(1)).await;
    talk.turn("two", CallResult::default()).await;
    machine.until(|told| told.get("leftAlone").is_some()).await;
    let trouble = machine.carrier.status().trouble();
    assert!(trouble.iter().any(|one| one.contains("the bucket has 2 of them")), "{trouble:?}");
    assert_eq!(disk.saved(), ["run.sh", "src/main.rs"]);

    // Work that is there is carried, and the trouble is over.
    fs::write(disk.root.join("new.txt"), "new").unwrap();
    talk.turn("three", CallResult::default()).await;
    let status = machine.carrier.status();
    machine.stop().await;
    assert_eq!((disk.saved(), status.trouble()), (vec!["new.txt".to_owned()], Vec::new()));
}

#[tokio::test]
async fn a_directory_that_is_only_partly_back_is_not_carried() {
    let disk = Disk::carried().await;
    fs::remove_dir_all(&disk.root).unwrap();
    disk.damage();
    let machine = disk.start().await;
    let trouble = machine.carrier.status().trouble();
    assert!(trouble.iter().any(|one| one.contains("is damaged")), "{trouble:?}");
    TestConversation::resume(&machine.store, session(1)).await.turn("two", CallResult::default()).await;
    let status = machine.carrier.status();
    machine.stop().await;
    assert!(status.trouble().iter().any(|one| one.contains("only partly restored")), "{:?}", status.trouble());
    assert_eq!(disk.saved(), ["run.sh", "src/main.rs"]);
}

#[tokio::test]
async fn the_last_file_that_a_task_deletes_is_gone_in_the_bucket_too() {
    let disk = Disk::carried().await;
    // Seen at the start, and deleted before anything was carried by this process.
    let machine = disk.start().await;
    fs::remove_dir_all(disk.root.join("src")).unwrap();
    fs::remove_file(disk.root.join("run.sh")).unwrap();
    TestConversation::resume(&machine.store, session(1)).await.turn("delete all", CallResult::default()).await;
    let status = machine.carrier.status();
    machine.stop().await;
    assert_eq!((disk.saved(), status.trouble()), (Vec::new(), Vec::new()));
}
