use super::{Gathering, MAX_TEXT, News};
use crate::dialect::{Frame, FrameRole, Shown, encode};
use crate::version::Version;
use pollux_session::Seq;
use pollux_wire::a2a::{Artifact, Part};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn shown(seq: u64, quiet: bool, frames: &[(FrameRole, Value)]) -> Shown {
    let frames = frames.iter().map(|(role, event)| Frame { role: *role, json: encode(event), last: None }).collect();
    Shown { seq: Seq(seq), frames, stopped: None, quiet, closed: false, closing: None }
}

/// An event of 0.3 that says something.
fn says(text: &str) -> Value {
    json!({"status": {"message": {"parts": [{"kind": "text", "text": text}]}}})
}

fn news(event: Value, seq: u64, number: usize, complete: bool, at_rest: bool) -> News {
    News { event, seq: Seq(seq), number, complete, at_rest }
}

#[test]
fn pieces_are_told_as_one_text_before_what_follows_them() {
    let mut gathering = Gathering::new(Version::V03);
    assert_eq!(gathering.take(&shown(5, false, &[(FrameRole::Piece, says("Hel"))])), []);
    assert_eq!(gathering.take(&shown(6, false, &[(FrameRole::Piece, says("lo"))])), []);
    assert!(!gathering.is_empty());
    let rests = gathering.take(&shown(7, true, &[(FrameRole::State, json!({"is": "over"}))]));
    let over = news(json!({"is": "over"}), 7, 0, true, true);
    assert_eq!(rests, [news(says("Hello"), 6, 0, true, false), over]);
    assert!(gathering.is_empty());
}

#[test]
fn progress_and_prompts_are_no_news() {
    let mut gathering = Gathering::new(Version::V10);
    let frames = [(FrameRole::Progress, json!({})), (FrameRole::Echo, json!({}))];
    assert_eq!(gathering.take(&shown(5, false, &frames)), []);
    assert!(gathering.is_empty());
}

#[test]
fn only_the_last_news_of_an_entry_tells_all_of_it() {
    let mut gathering = Gathering::new(Version::V10);
    let frames = [(FrameRole::Content, json!({"a": 1})), (FrameRole::State, json!({"b": 2}))];
    let told = gathering.take(&shown(9, true, &frames));
    assert_eq!(told, [news(json!({"a": 1}), 9, 0, false, false), news(json!({"b": 2}), 9, 1, true, true)]);
}

#[test]
fn a_long_text_is_told_in_parts() {
    let mut gathering = Gathering::new(Version::V03);
    let long = "a".repeat(MAX_TEXT);
    assert_eq!(gathering.take(&shown(5, false, &[(FrameRole::Piece, says(&long))])), []);
    let told = gathering.take(&shown(6, false, &[(FrameRole::Piece, says("b"))]));
    assert_eq!(told, [news(says(&long), 5, 0, true, false)]);
    let told = gathering.take(&shown(7, true, &[]));
    assert_eq!(told, [news(says("b"), 6, 0, true, false)]);
}

#[test]
fn what_was_made_is_an_event_in_1_0_and_part_of_the_task_in_0_3() {
    let made = json!({"kind": "artifact-update", "artifact": {"artifactId": "a"}});
    let frames = [(FrameRole::Content, made.clone())];
    assert_eq!(Gathering::new(Version::V03).take(&shown(5, false, &frames)), []);
    let made = json!({"artifactUpdate": {"artifact": {"artifactId": "a"}}});
    let told = Gathering::new(Version::V10).take(&shown(5, false, &[(FrameRole::Content, made.clone())]));
    assert_eq!(told, [news(made, 5, 0, true, false)]);
}

#[test]
fn a_receiver_of_0_3_gets_the_task_and_one_of_1_0_the_event() {
    let event = json!({
        "kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "completed"}, "final": false,
        "metadata": {"m": 1},
    });
    let artifact = Artifact { artifact_id: "a".into(), parts: vec![Part::text("x")], ..Artifact::default() };
    let told = news(event.clone(), 5, 0, true, true);
    let read =
        |version| -> Value { serde_json::from_slice(&told.body(version, std::slice::from_ref(&artifact))).unwrap() };
    let task = json!({
        "kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"},
        "artifacts": [{"artifactId": "a", "parts": [{"kind": "text", "text": "x"}]}],
        "metadata": {"m": 1},
    });
    assert_eq!(read(Version::V03), task);
    assert_eq!(read(Version::V10), event);
}
