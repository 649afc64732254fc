//! Laws for every value: each version's JSON is read back unchanged, the versions say the same thing, and nothing a
//! client sends makes a reader panic.

mod any;

use any::{any_event, any_json, any_message, any_push, any_task};
use pollux_wire::a2a::{self, Part, StreamEvent};
use pollux_wire::jsonrpc::Request;
use pollux_wire::{flat, v1, v03_proto};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;

/// `shape` after a way over the wire.
fn sent<T: Serialize + DeserializeOwned>(shape: &T) -> T {
    serde_json::from_slice(&serde_json::to_vec(shape).unwrap()).unwrap()
}

/// `shape` after a way over the wire on which somebody adds a field to every object that is not free-form.
fn sent_with_more<T: Serialize + DeserializeOwned + Debug>(shape: &T) -> T {
    let mut value = serde_json::to_value(shape).unwrap();
    add_field(&mut value);
    serde_json::from_value(value).unwrap()
}

fn add_field(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(add_field),
        Value::Object(fields) => {
            let free = ["metadata", "data"];
            fields
                .iter_mut()
                .filter(|(name, _)| !free.contains(&name.as_str()))
                .for_each(|(_, value)| add_field(value));
            fields.insert("surprise".into(), json!({"x": [null]}));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_final(event: &StreamEvent) -> bool {
    matches!(event, StreamEvent::Status(update) if update.is_final)
}

/// The event without what the `.proto` of 0.3 cannot say: `referenceTaskIds`, and data that is no object.
fn without_what_the_proto_lacks(event: StreamEvent) -> StreamEvent {
    let message = |mut message: a2a::Message| {
        message.reference_task_ids.clear();
        message.parts.iter_mut().for_each(wrap_data);
        message
    };
    let artifact = |mut artifact: a2a::Artifact| {
        artifact.parts.iter_mut().for_each(wrap_data);
        artifact
    };
    match event {
        StreamEvent::Task(mut task) => {
            task.history = task.history.into_iter().map(message).collect();
            task.artifacts = task.artifacts.into_iter().map(artifact).collect();
            task.status.message = task.status.message.map(message);
            StreamEvent::Task(task)
        }
        StreamEvent::Message(said) => StreamEvent::Message(message(said)),
        StreamEvent::Status(mut update) => {
            update.status.message = update.status.message.map(message);
            StreamEvent::Status(update)
        }
        StreamEvent::Artifact(mut update) => {
            update.artifact = artifact(update.artifact);
            StreamEvent::Artifact(update)
        }
    }
}

fn wrap_data(part: &mut Part) {
    if let Part::Data { data, .. } = part
        && !data.is_object()
    {
        *data = json!({ "value": data.take() });
    }
}

proptest! {
    #[test]
    fn what_0_3_writes_is_read(event in any_event()) {
        prop_assert_eq!(&sent(&event), &event);
        prop_assert_eq!(&sent_with_more(&event), &event);
    }

    #[test]
    fn both_versions_say_the_same(event in any_event()) {
        let new = v1::StreamResponse::from(event.clone());
        prop_assert_eq!(&sent(&new), &new);
        prop_assert_eq!(&sent_with_more(&new), &new);
        prop_assert_eq!(new.into_event(is_final(&event)), event);
    }

    #[test]
    fn the_proto_of_0_3_says_the_same(event in any_event()) {
        let proto = v03_proto::StreamResponse::from(event.clone());
        prop_assert_eq!(&sent(&proto), &proto);
        prop_assert_eq!(&sent_with_more(&proto), &proto);
        prop_assert_eq!(StreamEvent::from(proto), without_what_the_proto_lacks(event));
    }

    #[test]
    fn tasks_and_messages_come_back(task in any_task(), message in any_message()) {
        prop_assert_eq!(a2a::Task::from(v1::Task::from(task.clone())), task.clone());
        prop_assert_eq!(a2a::Message::from(v1::Message::from(message.clone())), message.clone());
        let answer = v1::SendMessageResponse::from(task);
        prop_assert_eq!(&sent(&answer), &answer);
        let answer = v03_proto::SendMessageResponse::from(message);
        prop_assert_eq!(&sent(&answer), &answer);
    }

    #[test]
    fn a_push_configuration_comes_back(config in any_push()) {
        let new = v1::TaskPushNotificationConfig::from(config.clone());
        prop_assert_eq!(&sent(&new), &new);
        prop_assert_eq!(a2a::TaskPushNotificationConfig::from(new), config.clone());
        let proto = v03_proto::TaskPushNotificationConfig::from(config.clone());
        prop_assert_eq!(&sent(&proto), &proto);
        prop_assert_eq!(v03_proto::read_push_name(&proto.name).map(|(task, _)| task), Some(config.task_id.as_str()));
        let old = a2a::PushNotificationConfig::from(proto.push_notification_config);
        prop_assert_eq!(old, config.push_notification_config);
    }

    #[test]
    fn any_json_is_read_or_refused(value in any_json()) {
        read_everything(&value);
    }
}

/// Read a value as everything there is. What is read can be written again and is then the same.
fn read_everything(value: &Value) {
    let _ = Request::from_value(value.clone());
    stays::<a2a::MessageSendParams>(value);
    stays::<a2a::StreamEvent>(value);
    stays::<a2a::AgentCard>(value);
    stays::<v1::SendMessageRequest>(value);
    stays::<v1::StreamResponse>(value);
    stays::<v1::ListTasksRequest>(value);
    stays::<v1::AgentCard>(value);
    stays::<v03_proto::SendMessageRequest>(value);
    stays::<v03_proto::StreamResponse>(value);
    stays::<v03_proto::CreateTaskPushNotificationConfigRequest>(value);
    stays::<pollux_wire::devtool::ToolCall>(value);
    let _ = serde_json::from_value::<flat::LogLine>(value.clone());
}

fn stays<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &Value) {
    if let Ok(shape) = serde_json::from_value::<T>(value.clone()) {
        assert_eq!(sent(&shape), shape);
    }
}
