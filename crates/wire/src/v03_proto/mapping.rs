//! From the types the server works with to those of 0.3's `.proto`, and back.
//!
//! The `.proto` has no `referenceTaskIds`, no file with neither bytes nor address, and only objects as data: the first is
//! left out, the second has an empty address, and other data is put into an object as its `value`.

use super::base64_text;
use super::{
    Artifact, AuthenticationInfo, Content, FilePart, FileSource, Message, Part, PushNotificationConfig,
    SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, push_name,
};
use crate::a2a::{self, Metadata};
use crate::proto::mapping::{all, map_fields, map_shared_messages, some};
use serde_json::Value;

map_shared_messages!(canceled = Cancelled);

map_fields!(a2a::TaskStatusUpdateEvent, TaskStatusUpdateEvent {
    task_id: same,
    context_id: same,
    status: into,
    is_final: same,
    metadata: same,
} only {
    kind: a2a::StatusUpdateTag::StatusUpdate,
});

map_fields!(
    a2a::PushNotificationConfig,
    PushNotificationConfig { id: text, url: same, token: text, authentication: maybe }
);

map_fields!(a2a::PushAuthentication, AuthenticationInfo { schemes: same, credentials: text });

impl From<a2a::Part> for Part {
    fn from(part: a2a::Part) -> Part {
        match part {
            a2a::Part::Text { text, metadata } => Part { content: Content::Text(text), metadata },
            a2a::Part::Data { data: Value::Object(data), metadata } => {
                Part { content: Content::Data { data }, metadata }
            }
            a2a::Part::Data { data, metadata } => {
                let data = Metadata::from_iter([("value".to_owned(), data)]);
                Part { content: Content::Data { data }, metadata }
            }
            a2a::Part::File { file, mut metadata } => {
                let source = match (file.bytes, file.uri) {
                    (Some(bytes), _) => FileSource::FileWithBytes(base64_text::write_bytes(bytes, &mut metadata)),
                    (None, uri) => FileSource::FileWithUri(uri.unwrap_or_default()),
                };
                let (mime_type, name) = (file.mime_type.unwrap_or_default(), file.name.unwrap_or_default());
                Part { content: Content::File(FilePart { source, mime_type, name }), metadata }
            }
        }
    }
}

impl From<Part> for a2a::Part {
    fn from(Part { content, mut metadata }: Part) -> a2a::Part {
        match content {
            Content::Text(text) => a2a::Part::Text { text, metadata },
            Content::Data { data } => a2a::Part::Data { data: Value::Object(data), metadata },
            Content::File(FilePart { source, mime_type, name }) => {
                let (bytes, uri) = match source {
                    FileSource::FileWithBytes(bytes) => {
                        (Some(base64_text::read_bytes(bytes, &mime_type, &mut metadata)), None)
                    }
                    FileSource::FileWithUri(uri) => (None, Some(uri)),
                };
                let file = a2a::FileContent { name: some(name), mime_type: some(mime_type), bytes, uri };
                a2a::Part::File { file, metadata }
            }
        }
    }
}

impl From<a2a::Message> for Message {
    fn from(message: a2a::Message) -> Message {
        Message {
            message_id: message.message_id,
            context_id: message.context_id.unwrap_or_default(),
            task_id: message.task_id.unwrap_or_default(),
            role: message.role.into(),
            content: all(message.parts),
            metadata: message.metadata,
            extensions: message.extensions,
        }
    }
}

impl From<Message> for a2a::Message {
    fn from(message: Message) -> a2a::Message {
        a2a::Message {
            kind: a2a::MessageTag::Message,
            role: message.role.into(),
            parts: all(message.content),
            message_id: message.message_id,
            task_id: some(message.task_id),
            context_id: some(message.context_id),
            extensions: message.extensions,
            reference_task_ids: Vec::new(),
            metadata: message.metadata,
        }
    }
}

impl From<StreamResponse> for a2a::StreamEvent {
    fn from(event: StreamResponse) -> a2a::StreamEvent {
        match event {
            StreamResponse::Task(task) => a2a::StreamEvent::Task(Box::new((*task).into())),
            StreamResponse::Message(message) => a2a::StreamEvent::Message(message.into()),
            StreamResponse::StatusUpdate(update) => a2a::StreamEvent::Status(update.into()),
            StreamResponse::ArtifactUpdate(update) => a2a::StreamEvent::Artifact(update.into()),
        }
    }
}

impl From<a2a::TaskPushNotificationConfig> for TaskPushNotificationConfig {
    fn from(config: a2a::TaskPushNotificationConfig) -> TaskPushNotificationConfig {
        let push = config.push_notification_config;
        let name = push_name(&config.task_id, push.id.as_deref().unwrap_or_default());
        TaskPushNotificationConfig { name, push_notification_config: push.into() }
    }
}

impl From<SendMessageConfiguration> for a2a::MessageSendConfiguration {
    /// A `.proto` cannot leave `blocking` open: once there is a configuration, no word about it means no.
    fn from(configuration: SendMessageConfiguration) -> a2a::MessageSendConfiguration {
        a2a::MessageSendConfiguration {
            blocking: Some(configuration.blocking),
            history_length: u32::try_from(configuration.history_length).ok().filter(|length| *length > 0),
            accepted_output_modes: configuration.accepted_output_modes,
            push_notification_config: configuration.push_notification.map(a2a::PushNotificationConfig::from),
        }
    }
}
