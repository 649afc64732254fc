//! The content of artifacts, and what they leave out.

use super::{MAX_CONTENT, artifact_of_call, changed_file};
use pollux_session::{CallArtifact, CallId, CallResult, FileDiff, ResultDisplay, Seq};
use pretty_assertions::assert_eq;
use serde_json::json;

fn change(name: &str, new: String, patch: String) -> FileDiff {
    FileDiff { name: name.into(), path: format!("/w/{name}"), old: None, new, patch }
}

#[test]
fn a_changed_file_is_its_content_and_its_diff() {
    let artifact = changed_file(CallId(Seq(6)), &change("a.MD", "# hi\n".into(), "+# hi\n".into()));
    assert_eq!(
        json!(artifact),
        json!({"artifactId": "file-call-6", "name": "/w/a.MD", "parts": [
            {"kind": "file", "file": {"name": "a.MD", "mimeType": "text/markdown", "bytes": "IyBoaQo="}},
            {"kind": "data", "data": {"file_name": "a.MD", "file_path": "/w/a.MD", "formatted_diff": "+# hi\n"}},
        ]})
    );
}

#[test]
fn a_large_file_is_named_and_not_repeated() {
    let large = "x".repeat(MAX_CONTENT + 1);
    let artifact = changed_file(CallId(Seq(6)), &change("a", large.clone(), "+x".into()));
    assert_eq!(
        json!(artifact.parts),
        json!([
            {"kind": "text", "text": "the file has 262145 bytes and is not repeated here; read it in the workspace"},
            {"kind": "data", "data": {"file_name": "a", "file_path": "/w/a", "formatted_diff": "+x"}},
        ])
    );
    let artifact = changed_file(CallId(Seq(6)), &change("a", large.clone(), large));
    assert_eq!(json!(artifact.parts[1]), json!({"kind": "data", "data": {"file_name": "a", "file_path": "/w/a"}}));
}

#[test]
fn what_a_call_leaves_for_others_stands_beside_the_file_it_changed() {
    let link = CallArtifact::Link {
        url: "https://example.com/a.txt".into(),
        name: "a.txt".into(),
        media: Some("text/plain".into()),
    };
    let leaves = vec![CallArtifact::Data { data: json!({"n": 1}) }, link];
    let parts = json!([
        {"kind": "data", "data": {"n": 1}},
        {"kind": "file", "file": {"name": "a.txt", "mimeType": "text/plain", "uri": "https://example.com/a.txt"}},
    ]);
    let only = CallResult { leaves, ..CallResult::default() };
    assert_eq!(json!(artifact_of_call(CallId(Seq(6)), &only)), json!({"artifactId": "made-call-6", "parts": parts}));
    let display = Some(ResultDisplay::Diff(change("a.MD", "x".into(), "+x".into())));
    let both = artifact_of_call(CallId(Seq(6)), &CallResult { display, ..only }).unwrap_or_default();
    assert_eq!((both.artifact_id.as_str(), both.parts.len()), ("file-call-6", 4));
    assert_eq!(artifact_of_call(CallId(Seq(6)), &CallResult::default()), None);
}
