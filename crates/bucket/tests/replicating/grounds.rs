//! Whoever writes to the bucket does not choose where files go, nor which of them are carried away.

use crate::replicating::machine::{TestConversation, TestMachine, directory, session};
use flate2::Compression;
use flate2::write::GzEncoder;
use pollux_session::CallResult;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::test]
async fn a_task_of_another_server_does_not_bring_files_into_our_own_directories() {
    let dir = tempfile::tempdir().unwrap();
    let id = session(0xe71);
    // The bucket's directory is one of our own.
    let evil = dir.path().join("bucket/extensions/evil");
    let task = dir.path().join(format!("bucket/tasks/{id}"));
    fs::create_dir_all(&task).unwrap();
    let metadata = json!({"__persistedState": {"_agentSettings": {"workspacePath": evil}}, "_contextId": "theirs"});
    fs::write(task.join("metadata.tar.gz"), gzip(metadata.to_string().as_bytes())).unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(2);
    archive.append_data(&mut header, Path::new("gemini-extension.json"), &b"{}"[..]).unwrap();
    fs::write(task.join("workspace.tar.gz"), gzip(&archive.into_inner().unwrap())).unwrap();

    let machine = TestMachine::fresh(&directory(&dir)).ready().await;
    assert!(!evil.exists());
    assert!(machine.store.log.head(id).await.unwrap().is_some(), "the task is there without its files");
    let told = machine.carrier.status().told();
    assert!(told["notes"][0].as_str().unwrap().contains("are not put back to"), "{told}");
}

#[tokio::test]
async fn a_manifest_does_not_bring_files_where_a_name_has_a_dot() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), dir.path().join(".hidden/evil"), session(0xe72));
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("gemini-extension.json"), "{}").unwrap();
    let first = TestMachine::fresh(&bucket).ready().await;
    TestConversation::open(&first, id, &root).await.turn("one", CallResult::default()).await;
    first.stop().await;
    fs::remove_dir_all(&root).unwrap();
    let second = TestMachine::fresh(&bucket).ready().await;
    assert!(!root.exists());
    assert!(second.store.log.head(id).await.unwrap().is_some(), "the session is there without its files");
    let trouble = second.carrier.status().trouble();
    assert!(trouble.iter().any(|one| one.contains("is not put back")), "{trouble:?}");
}

#[tokio::test]
async fn the_home_directory_is_not_carried_and_that_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, id) = (directory(&dir), session(0xe73));
    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("diary.txt"), "private").unwrap();
    let machine = TestMachine::fresh(&bucket).ready().await;
    TestConversation::open(&machine, id, &home).await.turn("one", CallResult::default()).await;
    let status = machine.carrier.status();
    machine.stop().await;
    assert!(!dir.path().join("bucket/workspaces").exists());
    assert!(status.trouble().iter().any(|one| one.contains("it is or holds")), "{:?}", status.trouble());
}
