//! Google's storage, as `testkit` plays it: preconditions, refusals, and answers that do not come.

use crate::replicating::machine::{TestConversation, TestMachine, session, workspace};
use pollux_bucket::VariableLookup;
use pollux_session::CallResult;
use pollux_testkit::gcs::{FakeGcs, InjectedFault, Method};
use pretty_assertions::assert_eq;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

fn variables(gcs: &FakeGcs) -> VariableLookup {
    let address = gcs.address.clone();
    Arc::new(move |name| (name == "STORAGE_EMULATOR_HOST").then(|| address.clone()))
}

#[tokio::test]
async fn a_task_survives_its_machine_on_googles_storage() {
    let gcs = FakeGcs::start().await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (root, id) = (workspace(&dir), session(1));
    let first = TestMachine::with("gs://tasks/team", variables(&gcs)).ready().await;
    let mut talk = TestConversation::open(&first, id, &root).await;
    for prompt in ["one", "two", "three"] {
        talk.turn(prompt, CallResult::default()).await;
    }
    let entries = first.entries(id).await;
    first.stop().await;
    fs::remove_dir_all(&root).unwrap();
    assert!(gcs.keys().contains(&format!("tasks/team/tasks/{id}/state.json")), "{:?}", gcs.keys());
    let second = TestMachine::with("gs://tasks/team", variables(&gcs)).ready().await;
    assert_eq!(second.entries(id).await, entries);
    assert!(root.join("src/main.rs").exists());
    let writes = gcs.requests().into_iter().filter(|(method, key)| *method == Method::PUT && key.contains("/log/"));
    let mut keys: Vec<String> = writes.map(|(_, key)| key).collect();
    let sent = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), sent, "no segment is sent twice");
}

#[tokio::test]
async fn whatever_happens_on_the_way_nothing_is_lost_and_nothing_doubled() {
    let gcs = FakeGcs::start().await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (root, id) = (workspace(&dir), session(2));
    let first = TestMachine::with("tasks", variables(&gcs)).ready().await;
    let mut talk = TestConversation::open(&first, id, &root).await;
    let mishaps = [
        (Method::PUT, InjectedFault::LostAnswer),
        (Method::PUT, InjectedFault::Status(503)),
        (Method::PUT, InjectedFault::Slow(Duration::from_millis(50))),
        (Method::HEAD, InjectedFault::Status(500)),
        (Method::GET, InjectedFault::Cut),
    ];
    for (number, (method, mishap)) in mishaps.into_iter().enumerate() {
        gcs.inject_fault(method, mishap);
        talk.turn(&format!("prompt {number}"), CallResult::default()).await;
        first.until(|told| told["behind"] == 0 && told["state"] == "carrying").await;
    }
    let entries = first.entries(id).await;
    first.stop().await;
    gcs.clear_faults();
    let second = TestMachine::with("tasks", variables(&gcs)).ready().await;
    assert_eq!(second.entries(id).await, entries);
}

#[tokio::test]
async fn refused_credentials_are_told_and_tried_again() {
    let gcs = FakeGcs::start().await.unwrap();
    gcs.deny(true);
    let dir = tempfile::tempdir().unwrap();
    let (root, id) = (workspace(&dir), session(3));
    let machine = TestMachine::with("tasks", variables(&gcs));
    machine.carrier.ready(crate::replicating::machine::PATIENCE).await;
    let told = machine.until(|told| told["state"] == "failing").await;
    assert!(told["error"].as_str().unwrap().contains("403"), "{told}");
    assert!(machine.carrier.status().trouble()[0].contains("the bucket cannot be used"));
    // Work goes on all the same, and is carried once that is possible.
    TestConversation::open(&machine, id, &root).await.turn("one", CallResult::default()).await;
    gcs.deny(false);
    machine.until(|told| told["state"] == "carrying" && told["behind"] == 0).await;
    let entries = machine.entries(id).await;
    machine.stop().await;
    assert_eq!(TestMachine::with("tasks", variables(&gcs)).ready().await.entries(id).await, entries);
}

#[tokio::test]
async fn credentials_that_cannot_be_read_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("key.json");
    fs::write(&file, "no key").unwrap();
    let file = file.to_str().unwrap().to_owned();
    let variables: VariableLookup =
        Arc::new(move |name| (name == "GOOGLE_APPLICATION_CREDENTIALS").then(|| file.clone()));
    let machine = TestMachine::with("gs://tasks", variables);
    let told = machine.until(|told| told["state"] == "failing").await;
    assert!(told["error"].as_str().unwrap().contains("check its name and its credentials"), "{told}");
}
