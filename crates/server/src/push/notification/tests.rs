use super::{MAX_TEXT, NotificationCollector, PushNotification};
use crate::client_profile::{ClientProfile, ToolExtension};
use crate::dialect::{EncodedFrame, EntryFrames, FrameRole, encode};
use crate::stream_end::EntryStanding;
use crate::version::A2aVersion;
use pollux_session::Seq;
use pollux_wire::a2a::{Artifact, Part};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// Clients that know nothing but A2A 1.0.
const GENERIC: ClientProfile = ClientProfile { version: A2aVersion::V10, extension: ToolExtension::Unknown };

fn shown(seq: u64, quiet: bool, frames: &[(FrameRole, Value)]) -> EntryFrames {
    let frames =
        frames.iter().map(|(role, event)| EncodedFrame { role: *role, json: encode(event), last: None }).collect();
    let mut standing = EntryStanding::default();
    (standing.seq, standing.quiet) = (Seq(seq), quiet);
    EntryFrames { frames, standing, closing: None }
}

/// An event of 0.3 that says something.
fn says(text: &str) -> Value {
    json!({"status": {"message": {"parts": [{"kind": "text", "text": text}]}}})
}

fn news(event: Value, seq: u64, number: usize, complete: bool, at_rest: bool) -> PushNotification {
    PushNotification { event, seq: Seq(seq), number, complete, at_rest }
}

#[test]
fn pieces_are_told_as_one_text_before_what_follows_them() {
    let mut collector = NotificationCollector::new(ClientProfile::RFC);
    assert_eq!(collector.take(&shown(5, false, &[(FrameRole::Piece, says("Hel"))])), []);
    assert_eq!(collector.take(&shown(6, false, &[(FrameRole::Piece, says("lo"))])), []);
    assert!(!collector.is_empty());
    let rests = collector.take(&shown(7, true, &[(FrameRole::State, json!({"is": "over"}))]));
    let over = news(json!({"is": "over"}), 7, 0, true, true);
    assert_eq!(rests, [news(says("Hello"), 6, 0, true, false), over]);
    assert!(collector.is_empty());
}

#[test]
fn progress_and_prompts_are_no_news() {
    let mut collector = NotificationCollector::new(GENERIC);
    let frames = [(FrameRole::Progress, json!({})), (FrameRole::Echo, json!({}))];
    assert_eq!(collector.take(&shown(5, false, &frames)), []);
    assert!(collector.is_empty());
}

#[test]
fn only_the_last_news_of_an_entry_tells_all_of_it() {
    let mut collector = NotificationCollector::new(GENERIC);
    let frames = [(FrameRole::Content, json!({"a": 1})), (FrameRole::State, json!({"b": 2}))];
    let told = collector.take(&shown(9, true, &frames));
    assert_eq!(told, [news(json!({"a": 1}), 9, 0, false, false), news(json!({"b": 2}), 9, 1, true, true)]);
}

#[test]
fn a_long_text_is_told_in_parts() {
    let mut collector = NotificationCollector::new(ClientProfile::RFC);
    let long = "a".repeat(MAX_TEXT);
    assert_eq!(collector.take(&shown(5, false, &[(FrameRole::Piece, says(&long))])), []);
    let told = collector.take(&shown(6, false, &[(FrameRole::Piece, says("b"))]));
    assert_eq!(told, [news(says(&long), 5, 0, true, false)]);
    let told = collector.take(&shown(7, true, &[]));
    assert_eq!(told, [news(says("b"), 6, 0, true, false)]);
}

/// A chunk of an answer, as a stream of 1.0 tells it.
fn chunk(text: &str, append: bool, last: bool) -> Value {
    let artifact = json!({"artifactId": "answer-turn-3", "parts": [{"text": text}]});
    json!({"artifactUpdate": {"artifact": artifact, "append": append, "lastChunk": last}})
}

#[test]
fn chunks_of_an_answer_are_told_as_one_that_goes_on_where_the_told_ones_ended() {
    let mut collector = NotificationCollector::new(GENERIC);
    let piece = |event: Value| [(FrameRole::Piece, event)];
    assert_eq!(collector.take(&shown(5, false, &piece(chunk("Hel", false, false)))), []);
    assert_eq!(collector.take(&shown(6, false, &piece(chunk("lo", true, false)))), []);
    let calls = collector.take(&shown(7, false, &[(FrameRole::Content, json!({"a": 1}))]));
    assert_eq!(
        calls,
        [news(chunk("Hello", false, false), 6, 0, true, false), news(json!({"a": 1}), 7, 0, true, false)]
    );
    assert_eq!(collector.take(&shown(8, false, &piece(chunk("Tw", true, false)))), []);
    assert_eq!(collector.take(&shown(9, false, &piece(chunk("Hello\n\nTwo", false, false)))), []);
    let over = collector.take(&shown(10, true, &piece(chunk("", true, true))));
    assert_eq!(over, [news(chunk("Hello\n\nTwo", false, true), 10, 0, true, false)]);
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
    assert_eq!(read(A2aVersion::V03), task);
    assert_eq!(read(A2aVersion::V10), event);
}
