//! Everything that reads what others send.

use pollux_wire::a2a::{self, StreamEvent};
use pollux_wire::devtool::{
    AgentSettings, ConfirmationRequest, DevelopmentToolEvent, ExtensionUri, ToolCall, ToolCallConfirmation,
};
use pollux_wire::jsonrpc::Request;
use pollux_wire::timestamp::Timestamp;
use pollux_wire::{v1, v03_proto};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;

/// Read a body with every decoder.
pub(crate) fn decode(body: &[u8]) {
    if let Ok(request) = Request::parse(body) {
        decode_value(&request.params);
    }
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        decode_value(&value);
    }
    if let Ok(text) = str::from_utf8(body) {
        let _ = text.parse::<Timestamp>();
        let _ = ExtensionUri::parse(text);
        let _ = v03_proto::read_push_name(text);
    }
    // Straight from the bytes the readers take another way than through a value.
    let _ = serde_json::from_slice::<v1::SendMessageRequest>(body);
    let _ = serde_json::from_slice::<v03_proto::SendMessageRequest>(body);
    let _ = serde_json::from_slice::<a2a::MessageSendParams>(body);
}

/// Read a value with every decoder.
pub(crate) fn decode_value(value: &Value) {
    let _ = v03_proto::is_plain(value);
    if let Some(params) = read::<a2a::MessageSendParams>(value) {
        let _ = params.check();
        let _ = v1::Message::from(params.message.clone());
        let _ = v03_proto::Message::from(params.message);
    }
    if let Some(event) = read::<StreamEvent>(value) {
        let _ = v1::StreamResponse::from(event.clone());
        let _ = v03_proto::StreamResponse::from(event);
    }
    if let Some(request) = read::<v1::SendMessageRequest>(value) {
        let _ = request.check();
        let _ = a2a::MessageSendParams::from(request);
    }
    if let Some(event) = read::<v1::StreamResponse>(value) {
        let _ = event.into_event(false);
    }
    if let Some(config) = read::<v1::TaskPushNotificationConfig>(value) {
        let _ = config.check();
        let _ = a2a::TaskPushNotificationConfig::from(config).check();
    }
    if let Some(request) = read::<v03_proto::SendMessageRequest>(value) {
        let _ = a2a::MessageSendParams::from(request).check();
    }
    if let Some(event) = read::<v03_proto::StreamResponse>(value) {
        let _ = StreamEvent::from(event);
    }
    if let Some(request) = read::<v03_proto::CreateTaskPushNotificationConfigRequest>(value) {
        let _ = request.task();
        let _ = request.for_task("t").check();
    }
    if let Some(card) = read::<v1::AgentCard>(value) {
        let _ = serde_json::to_value(v1::HybridCard::new(card));
    }
    if let Some(card) = read::<a2a::AgentCard>(value) {
        let _ = v03_proto::AgentCard::from(card.clone());
        let _ = v1::AgentCard::from(card);
    }
    let _ = read::<v1::ListTasksRequest>(value);
    let _ = read::<v1::ListTasksResponse>(value);
    let _ = read::<a2a::TaskQueryParams>(value);
    let _ = read::<a2a::PushConfigParams>(value);
    let _ = read::<ToolCall>(value);
    let _ = read::<ConfirmationRequest>(value);
    let _ = read::<DevelopmentToolEvent>(value);
    let _ = read::<AgentSettings>(value);
    let _ = read::<ToolCallConfirmation>(value);
}

/// Read a value; once read it can be written, and is then read the same.
fn read<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &Value) -> Option<T> {
    let shape = T::deserialize(value).ok()?;
    // Read as a request it is the same, or refused.
    if let Ok(strict) = pollux_wire::read::<T>(value) {
        assert_eq!(strict, shape);
    }
    let written = serde_json::to_value(&shape).unwrap();
    let again = T::deserialize(&written).unwrap();
    assert_eq!(again, shape);
    Some(shape)
}
