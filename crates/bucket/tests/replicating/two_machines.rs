//! Two machines at once on one bucket: the newer one carries, the older one only reads.

use crate::replicating::machine::{
    TestConversation, TestMachine, all, directory, no_variables, prompt_of, session, workspace,
};
use pollux_session::CallResult;
use pollux_store::{BlobStore, SessionStore};
use pretty_assertions::assert_eq;

#[tokio::test]
async fn the_older_one_stops_writing_and_says_who_carries() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(1));
    let (store, blobs) = (SessionStore::in_memory().unwrap(), BlobStore::ephemeral().unwrap());
    let first = TestMachine::over(&bucket, no_variables(), store.clone(), blobs.clone()).ready().await;
    TestConversation::open(&first, id, &root).await.turn("one", CallResult::default()).await;
    first.stop().await;
    let older = TestMachine::over(&bucket, no_variables(), store, blobs).ready().await;

    let newer = TestMachine::fresh(&bucket).ready().await;
    assert_eq!(newer.entries(id).await, older.entries(id).await);
    // The older one learns it when it next has something to carry.
    TestConversation::resume(&older.store, id).await.begin("lost").await;
    let told = older.until(|told| told["state"] == "read_only").await;
    assert!(told["error"].as_str().unwrap().contains("has taken the bucket over"), "{told}");
    let refused =
        TestConversation::resume(&older.store, id).await.put(&prompt_of(id, "more")).await.unwrap_err().to_string();
    assert!(refused.contains("only reads now"), "{refused}");
    assert!(older.store.log.head(id).await.unwrap().is_some(), "it still reads");

    let mut talk = TestConversation::resume(&newer.store, id).await;
    talk.turn("two", CallResult::default()).await;
    let entries = newer.entries(id).await;
    newer.stop().await;
    let third = TestMachine::fresh(&bucket).ready().await;
    assert_eq!(third.entries(id).await, entries);
}

#[tokio::test]
async fn a_log_that_went_another_way_is_left_as_it_is_in_both() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(2));
    let (store, blobs) = (SessionStore::in_memory().unwrap(), BlobStore::ephemeral().unwrap());
    let first = TestMachine::over(&bucket, no_variables(), store.clone(), blobs.clone()).ready().await;
    TestConversation::open(&first, id, &root).await.turn("one", CallResult::default()).await;
    first.stop().await;
    let other = TestMachine::fresh(&bucket).ready().await;
    TestConversation::resume(&other.store, id).await.turn("there", CallResult::default()).await;
    let there = other.entries(id).await;
    other.stop().await;
    TestConversation::resume(&store, id).await.turn("here", CallResult::default()).await;
    let here = all(&*store.log, id).await;

    let first = TestMachine::over(&bucket, no_variables(), store, blobs).ready().await;
    let told = first.carrier.status().told();
    assert!(told["notes"][0].as_str().unwrap().contains("goes on differently"), "{told}");
    assert_eq!(first.entries(id).await, here);
    first.stop().await;
    assert_eq!(TestMachine::fresh(&bucket).ready().await.entries(id).await, there);
}

#[tokio::test]
async fn an_older_disk_catches_up() {
    let dir = tempfile::tempdir().unwrap();
    let (bucket, root, id) = (directory(&dir), workspace(&dir), session(3));
    let (store, blobs) = (SessionStore::in_memory().unwrap(), BlobStore::ephemeral().unwrap());
    let first = TestMachine::over(&bucket, no_variables(), store.clone(), blobs.clone()).ready().await;
    TestConversation::open(&first, id, &root).await.turn("one", CallResult::default()).await;
    first.stop().await;
    let other = TestMachine::fresh(&bucket).ready().await;
    TestConversation::resume(&other.store, id).await.turn("two", CallResult::default()).await;
    let entries = other.entries(id).await;
    other.stop().await;
    let first = TestMachine::over(&bucket, no_variables(), store, blobs).ready().await;
    assert_eq!(first.entries(id).await, entries);
}
