//! The shapes of what a sent message is answered with.

use super::SendMessageResult;
use pollux_wire::a2a::{Message, MessageTag, Metadata, Part, Role};
use pollux_wire::{v1, v03_proto};
use pretty_assertions::assert_eq;
use serde_json::json;

#[test]
fn a_message_is_itself_in_0_3_and_a_member_elsewhere() {
    let sent = SendMessageResult::Message(Box::new(Message {
        kind: MessageTag::Message,
        role: Role::Agent,
        parts: vec![Part::text("hi")],
        message_id: "m".into(),
        task_id: None,
        context_id: Some("c".into()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    }));
    assert_eq!(
        json!(sent),
        json!({"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": "hi"}], "messageId": "m", "contextId": "c"})
    );
    assert_eq!(
        json!(v1::SendMessageResponse::from(sent.clone())),
        json!({"message": {"role": "ROLE_AGENT", "parts": [{"text": "hi"}], "messageId": "m", "contextId": "c"}})
    );
    let proto = json!(v03_proto::SendMessageResponse::from(sent));
    assert_eq!(proto["message"]["messageId"], json!("m"));
}
