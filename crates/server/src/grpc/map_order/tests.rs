//! That the same message is always the same bytes, and still the same message.

use super::super::schema::{read, write};
use super::order_maps;
use pretty_assertions::assert_eq;
use prost_reflect::DescriptorPool;
use serde_json::json;

#[test]
fn the_same_event_is_the_same_bytes() {
    let metadata: serde_json::Map<_, _> =
        (0..50).map(|index| (format!("key{index}"), json!({"b": index, "a": [{"d": 1, "c": 2}], "e": 3}))).collect();
    let task =
        json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}, "metadata": metadata}});
    let first = write("lf.a2a.v1.StreamResponse", &task).expect("it is one");
    let second = write("lf.a2a.v1.StreamResponse", &task).expect("it is one");
    assert_eq!(first, second);
    assert_eq!(read("lf.a2a.v1.StreamResponse", first).expect("it is one still"), task);
}

#[test]
fn what_is_no_message_stays_as_it_is() {
    let descriptor = DescriptorPool::global().get_message_by_name("google.protobuf.Struct").expect("it is well known");
    for bytes in [&b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"[..], b"\x0a\x7f\x00", b"\xff", b"\x0b\x0a\x00"] {
        let mut kept = bytes.to_vec();
        order_maps(&mut kept, &descriptor);
        assert_eq!(kept, bytes);
    }
}
