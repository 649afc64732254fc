//! A machine is lost, and another one goes on.

use crate::replicating::machine::{TestConversation, TestMachine, directory, no_variables, owner, session, workspace};
use flate2::Compression;
use flate2::write::GzEncoder;
use pollux_session::{
    CallResult, FileDiff, ResultDisplay, TaskMark, TaskQuery, Transcript, TranscriptLine, UnpromptedTasks,
};
use pollux_store::{BlobStore, SessionStore};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

/// A result with a file and a blob.
fn result(blobs: &BlobStore) -> CallResult {
    let mut spool = blobs.spool().unwrap();
    spool.write(b"all of the output").unwrap();
    let diff = FileDiff {
        name: "src/made.txt".into(),
        path: "/w/src/made.txt".into(),
        old: None,
        new: "made".into(),
        patch: String::new(),
    };
    CallResult {
        text: "done".into(),
        display: Some(ResultDisplay::Diff(diff)),
        whole: Some(spool.finish("text/plain").unwrap()),
        ..CallResult::default()
    }
}

fn everything() -> TaskQuery {
    TaskQuery {
        context: None,
        marks: Vec::new(),
        since: None,
        unprompted: UnpromptedTasks::LeftOut,
        after: None,
        limit: 10,
    }
}

#[tokio::test]
async fn a_fresh_machine_lists_loads_and_continues() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(1));
    let first = TestMachine::fresh(&bucket).ready().await;
    let mut talk = TestConversation::open(&first, id, &root).await;
    let result = result(&first.blobs);
    let whole = result.whole.clone().unwrap();
    talk.turn("one", result).await;
    let (entries, listed) = (first.entries(id).await, first.store.index.tasks(&owner(), everything()).await.unwrap());
    first.stop().await;
    fs::remove_dir_all(&root).unwrap();

    let second = TestMachine::fresh(&bucket).ready().await;
    assert_eq!(second.entries(id).await, entries);
    let again = second.store.index.tasks(&owner(), everything()).await.unwrap();
    assert_eq!(again, listed);
    assert_eq!(again.rows.first().map(|row| row.mark), Some(TaskMark::Rested));
    assert_eq!(second.blobs.read(&whole).unwrap(), b"all of the output");
    assert_eq!(fs::read_to_string(root.join("src/main.rs")).unwrap(), "fn main() {}");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(fs::metadata(root.join("run.sh")).unwrap().permissions().mode() & 0o700, 0o700);
    assert!(!root.join(".git").exists());

    let mut talk = TestConversation::resume(&second.store, id).await;
    talk.turn("two", CallResult::default()).await;
    let entries = second.entries(id).await;
    second.stop().await;
    let third = TestMachine::fresh(&bucket).ready().await;
    assert_eq!(third.entries(id).await, entries);
    let told = Transcript::fold(&entries);
    assert_eq!(told.told().len(), told.lines().count());
}

#[tokio::test]
async fn the_seeds_layout_tells_each_task() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(2));
    let machine = TestMachine::fresh(&bucket).ready().await;
    let mut talk = TestConversation::open(&machine, id, &root).await;
    let result = result(&machine.blobs);
    talk.turn("one", result).await;
    machine.stop().await;

    let task = dir.path().join(format!("bucket/tasks/{id}"));
    let read = |name: &str| -> Value { serde_json::from_slice(&fs::read(task.join(name)).unwrap()).unwrap() };
    let state = read("state.json");
    assert_eq!(state.get("state"), Some(&json!("completed")));
    assert!(state.get("timestamp").is_some_and(Value::is_string), "{state}");
    let metadata = read("metadata.json");
    assert_eq!(metadata.get("workspacePath").and_then(Value::as_str), root.to_str());
    assert_eq!(metadata.get("contextId"), Some(&json!("talk")));
    let history = read("history.json");
    let roles: Vec<&str> = history.as_array().unwrap().iter().filter_map(|one| one["role"].as_str()).collect();
    assert_eq!(roles, ["user", "agent", "agent"]);
    assert_eq!(history[0]["parts"][0]["text"], "one");
    assert_eq!(history[2]["parts"][0]["text"], "answer to one");
    let artifacts: Vec<_> = fs::read_dir(task.join("artifacts")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(artifacts.len(), 1);
    assert_eq!(fs::read_to_string(&artifacts[0]).unwrap(), "made");
}

#[tokio::test]
async fn a_restart_with_its_disk_sends_what_was_not_sent_and_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(3));
    let (store, blobs) = (SessionStore::in_memory().unwrap(), BlobStore::ephemeral().unwrap());
    let first = TestMachine::over(&bucket, no_variables(), store.clone(), blobs.clone()).ready().await;
    let mut talk = TestConversation::open(&first, id, &root).await;
    talk.turn("one", CallResult::default()).await;
    first.stop().await;
    // The bucket forgets how far it is, as if the process had died before it said so, and the log has gone on.
    fs::remove_file(dir.path().join(format!("bucket/sessions/{id}/session.json"))).unwrap();
    let mut talk = TestConversation::resume(&store, id).await;
    talk.turn("two", CallResult::default()).await;

    let again = TestMachine::over(&bucket, no_variables(), store, blobs).ready().await;
    let entries = again.entries(id).await;
    again.stop().await;
    let elsewhere = TestMachine::fresh(&bucket).ready().await;
    assert_eq!(elsewhere.entries(id).await, entries);
    let segments = fs::read_dir(dir.path().join(format!("bucket/sessions/{id}/log"))).unwrap();
    let lines = segments.map(|file| fs::read_to_string(file.unwrap().path()).unwrap().lines().count());
    assert_eq!(lines.sum::<usize>(), entries.len());
}

#[tokio::test]
async fn a_live_workspace_is_never_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(4));
    let first = TestMachine::fresh(&bucket).ready().await;
    TestConversation::open(&first, id, &root).await.turn("one", CallResult::default()).await;
    first.stop().await;
    fs::write(root.join("src/main.rs"), "changed since").unwrap();
    fs::remove_file(root.join("run.sh")).unwrap();
    TestMachine::fresh(&bucket).ready().await.stop().await;
    assert_eq!(fs::read_to_string(root.join("src/main.rs")).unwrap(), "changed since");
    assert!(!root.join("run.sh").exists());
}

#[tokio::test]
async fn a_damaged_session_is_named_and_the_others_come() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root) = (directory(&dir), workspace(&dir));
    let first = TestMachine::fresh(&bucket).ready().await;
    for number in [5, 6] {
        TestConversation::open(&first, session(number), &root).await.turn("one", CallResult::default()).await;
    }
    first.stop().await;
    let broken = dir.path().join(format!("bucket/sessions/{}/log/000000000001.jsonl", session(5)));
    fs::write(&broken, "{\"seq\":1}\n").unwrap();
    let second = TestMachine::fresh(&bucket).ready().await;
    assert_eq!(second.store.log.head(session(5)).await.unwrap(), None);
    assert!(second.store.log.head(session(6)).await.unwrap().is_some());
    let told = second.carrier.status().told();
    assert!(told["notes"][0].as_str().unwrap().contains(&session(5).to_string()), "{told}");
    assert!(fs::read_to_string(&broken).unwrap().starts_with("{\"seq\":1}"), "what is damaged stays for people to see");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::test]
async fn tasks_of_the_real_server_become_sessions_at_rest_with_their_files() {
    let dir = tempfile::tempdir().unwrap();
    let id = session(0x7ea1);
    let root = dir.path().join("workspace/theirs");
    let task = dir.path().join(format!("bucket/tasks/{id}"));
    fs::create_dir_all(&task).unwrap();
    let metadata = json!({
        "__persistedState": {
            "_agentSettings": {"kind": "agent-settings", "workspacePath": root, "apiKey": "hush"},
            "_taskState": "input-required",
        },
        "_contextId": "theirs",
    });
    fs::write(task.join("metadata.tar.gz"), gzip(metadata.to_string().as_bytes())).unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(5);
    header.set_mode(0o644);
    archive.append_data(&mut header, Path::new("./a/b.txt"), &b"hello"[..]).unwrap();
    fs::write(task.join("workspace.tar.gz"), gzip(&archive.into_inner().unwrap())).unwrap();

    let machine = TestMachine::fresh(&directory(&dir)).ready().await;
    assert_eq!(fs::read_to_string(root.join("a/b.txt")).unwrap(), "hello");
    let tasks = machine.store.index.tasks(&owner(), everything()).await.unwrap();
    let row = tasks.rows.first().expect("the task is listed");
    assert_eq!((row.session, row.mark, row.context.as_str()), (id, TaskMark::Rested, "theirs"));
    let entries = machine.entries(id).await;
    let text = serde_json::to_string(&entries).unwrap();
    assert!(text.contains("agent-settings") && !text.contains("hush"), "{text}");
    let told = Transcript::fold(&entries);
    assert!(!told.told().iter().any(|line| matches!(line, TranscriptLine::Item { .. })), "the model is told nothing");
    TestConversation::resume(&machine.store, id).await.turn("go on", CallResult::default()).await;
    machine.stop().await;
    let state: Value = serde_json::from_slice(&fs::read(task.join("state.json")).unwrap()).unwrap();
    assert_eq!(state["state"], "input-required", "as clients of that server know it");
}
