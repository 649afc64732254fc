use super::render_outcome;
use pollux_session::{CallError, CallOutcome, CallResult, MediaContent};
use pollux_store::BlobStore;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn rendered(end: &CallOutcome, unasked: Option<&str>, blobs: &BlobStore) -> Value {
    let told = serde_json::to_value(render_outcome("write_file", end, unasked, blobs)).unwrap();
    json!([told["content"], told["isError"]])
}

#[test]
fn a_call_that_was_not_run_says_why() {
    let blobs = BlobStore::ephemeral().unwrap();
    let says = |text: &str| json!([[{ "type": "text", "text": text }], true]);
    let declined = CallOutcome::Declined;
    assert_eq!(rendered(&declined, None, &blobs), says("write_file was not done: a person declined this call"));
    assert_eq!(rendered(&declined, Some("nobody is there"), &blobs), says("write_file was not done: nobody is there"));
    let denied = CallOutcome::Denied { why: "plan mode".into() };
    assert_eq!(rendered(&denied, None, &blobs), says("write_file was not done: plan mode"));
}

#[test]
fn a_failure_is_an_error_with_what_there_is_to_show() {
    let blobs = BlobStore::ephemeral().unwrap();
    let error = CallError { kind: "exit".into(), message: "it ended with 1".into() };
    let result = Some(CallResult { text: "output".into(), ..CallResult::default() });
    assert_eq!(
        rendered(&CallOutcome::Failed { error, result }, None, &blobs),
        json!([[{ "type": "text", "text": "it ended with 1" }, { "type": "text", "text": "output" }], true])
    );
}

#[test]
fn pictures_are_shown_and_lost_ones_are_named() {
    let blobs = BlobStore::ephemeral().unwrap();
    let mut spool = blobs.spool().unwrap();
    spool.write(b"png!").unwrap();
    let kept = MediaContent { name: "a.png".into(), blob: spool.finish("image/png").unwrap() };
    let mut lost = kept.clone();
    lost.blob.sha256 = "0".repeat(64);
    lost.name = "b.png".into();
    let result = CallResult { text: "seen".into(), media: vec![kept, lost], ..CallResult::default() };
    let told = rendered(&CallOutcome::Succeeded { result }, None, &blobs);
    assert_eq!(told[0][1], json!({ "type": "image", "data": "cG5nIQ==", "mimeType": "image/png" }));
    assert!(told[0][2]["text"].as_str().unwrap().starts_with("b.png cannot be shown: there is no blob"), "{told}");
    assert_eq!(told[1], false);
}
