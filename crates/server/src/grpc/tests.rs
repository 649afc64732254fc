//! Conversions between protobuf and JSON.

use super::cursor::with_cursor;
use super::schema::{is_whole, read, write, write_event};
use crate::dialect::EventEncoding;
use crate::version::A2aVersion;
use bytes::Bytes;
use pollux_wire::a2a::{
    Metadata, StatusUpdateTag, StreamEvent, Task, TaskState, TaskStatus, TaskStatusUpdateEvent, TaskTag,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[test]
fn the_descriptors_are_whole() {
    assert!(is_whole());
}

fn there_and_back(name: &str, value: &Value) -> Value {
    read(name, write(name, value).unwrap()).unwrap()
}

#[test]
fn a_message_comes_back_as_it_went() {
    let message = json!({
        "message": {
            "messageId": "m", "role": "ROLE_USER",
            "parts": [
                {"text": ""},
                {"raw": "AAEC/w==", "filename": "a", "mediaType": "x/y"},
                {"url": "https://example.com/"},
                {"data": {"whole": 42, "part": 0.5, "negative": -7, "deep": [{"a": null}, true, "ä\u{0}"]}},
            ],
            "metadata": {"k": {"n": 1}},
        },
        "configuration": {"historyLength": 0, "returnImmediately": true},
    });
    assert_eq!(there_and_back("lf.a2a.v1.SendMessageRequest", &message), message);
}

#[test]
fn numbers_that_are_not_whole_stay_so() {
    let metadata = json!({"metadata": {"big": 1e300, "small": 1e-9, "edge": 9_007_199_254_740_992_i64}});
    assert_eq!(there_and_back("lf.a2a.v1.Task", &metadata), metadata);
}

#[test]
fn times_and_renamed_fields_are_those_of_the_json() {
    let task = json!({
        "id": "t",
        "status": {
            "state": "TASK_STATE_CANCELLED",
            "message": {"messageId": "m", "role": "ROLE_AGENT", "content": [{"data": {"data": {"a": 1}}}]},
            "timestamp": "2025-11-15T00:00:00.250Z",
        },
    });
    assert_eq!(there_and_back("a2a.v1.Task", &task), task);
}

#[test]
fn what_a_message_has_no_field_for_is_left_out() {
    let written = write("a2a.v1.GetTaskRequest", &json!({"name": "tasks/1", "unheard": [1]})).unwrap();
    assert_eq!(read("a2a.v1.GetTaskRequest", written).unwrap(), json!({"name": "tasks/1"}));
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    for bytes in [&[0xff][..], &[0x0a, 0x05, b'a'], &[0x0a, 0x01, 0xff], &[0x0f]] {
        let fault = read("lf.a2a.v1.GetTaskRequest", Bytes::copy_from_slice(bytes)).unwrap_err();
        assert_eq!(fault.code, pollux_wire::jsonrpc::INVALID_PARAMS, "{bytes:?}: {fault}");
    }
}

/// A message with one field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![(number << 3) | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        field.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend_from_slice(bytes);
    field
}

#[test]
fn values_nested_without_end_are_refused() {
    // A struct within a struct, ten thousand times, as a request's metadata.
    let mut nested = Vec::new();
    for _ in 0..10_000 {
        nested = field(1, &field(2, &field(5, &nested)));
    }
    let request = Bytes::from(field(3, &nested));
    let fault = read("lf.a2a.v1.CancelTaskRequest", request).unwrap_err();
    assert_eq!(fault.code, pollux_wire::jsonrpc::INVALID_PARAMS, "{fault}");
}

#[test]
fn an_event_that_is_too_deep_for_protobuf_is_told_all_the_same() {
    let mut value = json!({"bottom": [1]});
    for _ in 0..100 {
        value = json!({ "a": value });
    }
    let event = update(Metadata::from_iter([("deep".to_owned(), value)]));
    for (form, name) in
        [(EventEncoding::Proto03, "a2a.v1.StreamResponse"), (EventEncoding::Proto10, "lf.a2a.v1.StreamResponse")]
    {
        let told = read(name, write_event(form, event.clone())).unwrap();
        let mut deep = &told["statusUpdate"]["metadata"]["deep"];
        while let Some(next) = deep.get("a") {
            deep = next;
        }
        assert!(deep.as_str().is_some_and(|text| text.contains(r#"{"bottom":[1]}"#)), "{deep}");
    }
}

fn update(metadata: Metadata) -> StreamEvent {
    StreamEvent::Status(TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id: "t".into(),
        context_id: "c".into(),
        status: TaskStatus { state: TaskState::Working, message: None, timestamp: None },
        is_final: true,
        metadata,
    })
}

fn task(metadata: Metadata) -> StreamEvent {
    StreamEvent::Task(Box::new(Task {
        kind: TaskTag::Task,
        id: "t".into(),
        context_id: "c".into(),
        status: TaskStatus { state: TaskState::Working, message: None, timestamp: None },
        artifacts: Vec::new(),
        history: Vec::new(),
        metadata,
    }))
}

#[test]
fn a_cursor_is_added_to_the_metadata_and_nothing_else_changes() {
    let metadata = [Metadata::new(), Metadata::from_iter([("k".to_owned(), json!({"long": "x".repeat(300)}))])];
    for (form, name) in
        [(EventEncoding::Proto03, "a2a.v1.StreamResponse"), (EventEncoding::Proto10, "lf.a2a.v1.StreamResponse")]
    {
        for metadata in &metadata {
            for (event, member) in [(update(metadata.clone()), "statusUpdate"), (task(metadata.clone()), "task")] {
                let plain = write_event(form, event);
                let mut expected = read(name, plain.clone()).unwrap();
                expected[member]["metadata"]["pollux/cursor"] = json!("1z.7");
                let marked = read(name, with_cursor(&plain, form.version(), "1z.7")).unwrap();
                assert_eq!(marked, expected);
            }
        }
    }
}

#[test]
fn bytes_that_are_no_event_get_no_cursor() {
    for bytes in [&b""[..], &[0x1a, 0x09, 1], &[0x7a, 0x00], &[0xff; 12]] {
        let bytes = Bytes::copy_from_slice(bytes);
        assert_eq!(with_cursor(&bytes, A2aVersion::V10, "1.1"), bytes);
    }
}
