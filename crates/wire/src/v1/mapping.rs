//! From the types the server works with to those of 1.0, and back.
//!
//! There and back is the same, but for what one side cannot say: 1.0 has no `final`, no difference between an empty text
//! and none, one scheme to prove oneself with instead of several, and no file without content or with two; 0.3 has no
//! name or media type for a part that is no file.

use super::{
    Artifact, AuthenticationInfo, Content, Message, Part, Role, SendMessageConfiguration, SendMessageRequest,
    SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
    TaskStatus, TaskStatusUpdateEvent,
};
use crate::a2a;
use crate::proto::mapping::{map_fields, map_shared_messages, map_variants, some};

map_shared_messages!(canceled = Canceled);

map_variants!(a2a::Role, Role {
    User = User,
    Agent = Agent,
});

map_fields!(a2a::Message, Message {
    message_id: same,
    context_id: text,
    task_id: text,
    role: into,
    parts: all,
    metadata: same,
    extensions: same,
    reference_task_ids: same,
} only {
    kind: a2a::MessageTag::Message,
});

impl From<a2a::Part> for Part {
    fn from(part: a2a::Part) -> Part {
        match part {
            a2a::Part::Text { text, metadata } => Part { metadata, ..Content::Text(text).into() },
            a2a::Part::Data { data, metadata } => Part { metadata, ..Content::Data(data).into() },
            a2a::Part::File { file, metadata } => {
                let content = match (file.bytes, file.uri) {
                    (Some(bytes), _) => Content::Raw(bytes),
                    (None, uri) => Content::Url(uri.unwrap_or_default()),
                };
                let (filename, media_type) = (file.name.unwrap_or_default(), file.mime_type.unwrap_or_default());
                Part { content, metadata, filename, media_type }
            }
        }
    }
}

impl From<a2a::TaskStatusUpdateEvent> for TaskStatusUpdateEvent {
    fn from(update: a2a::TaskStatusUpdateEvent) -> TaskStatusUpdateEvent {
        let a2a::TaskStatusUpdateEvent { task_id, context_id, status, metadata, .. } = update;
        TaskStatusUpdateEvent { task_id, context_id, status: status.into(), metadata }
    }
}

impl From<a2a::TaskPushNotificationConfig> for TaskPushNotificationConfig {
    fn from(config: a2a::TaskPushNotificationConfig) -> TaskPushNotificationConfig {
        let a2a::TaskPushNotificationConfig { task_id, push_notification_config: push } = config;
        let authentication = push.authentication.map(|known| AuthenticationInfo {
            scheme: known.schemes.into_iter().next().unwrap_or_default(),
            credentials: known.credentials.unwrap_or_default(),
        });
        TaskPushNotificationConfig {
            tenant: String::new(),
            id: push.id.unwrap_or_default(),
            task_id,
            url: push.url,
            token: push.token.unwrap_or_default(),
            authentication,
        }
    }
}

impl From<TaskPushNotificationConfig> for a2a::TaskPushNotificationConfig {
    fn from(config: TaskPushNotificationConfig) -> a2a::TaskPushNotificationConfig {
        let authentication = config
            .authentication
            .map(|known| a2a::PushAuthentication { schemes: vec![known.scheme], credentials: some(known.credentials) });
        a2a::TaskPushNotificationConfig {
            task_id: config.task_id,
            push_notification_config: a2a::PushNotificationConfig {
                id: some(config.id),
                url: config.url,
                token: some(config.token),
                authentication,
            },
        }
    }
}

impl From<Part> for a2a::Part {
    fn from(part: Part) -> a2a::Part {
        let Part { content, metadata, filename, media_type } = part;
        let file = |bytes, uri| a2a::FileContent { name: some(filename), mime_type: some(media_type), bytes, uri };
        match content {
            Content::Text(text) => a2a::Part::Text { text, metadata },
            Content::Data(data) => a2a::Part::Data { data, metadata },
            Content::Raw(bytes) => a2a::Part::File { file: file(Some(bytes), None), metadata },
            Content::Url(uri) => a2a::Part::File { file: file(None, Some(uri)), metadata },
        }
    }
}

impl StreamResponse {
    /// The event in 0.3, which also says if it is the last one.
    pub fn into_event(self, is_final: bool) -> a2a::StreamEvent {
        match self {
            StreamResponse::Task(task) => a2a::StreamEvent::Task(Box::new((*task).into())),
            StreamResponse::Message(message) => a2a::StreamEvent::Message(message.into()),
            StreamResponse::StatusUpdate(update) => a2a::StreamEvent::Status(a2a::TaskStatusUpdateEvent {
                kind: a2a::StatusUpdateTag::StatusUpdate,
                task_id: update.task_id,
                context_id: update.context_id,
                status: update.status.into(),
                is_final,
                metadata: update.metadata,
            }),
            StreamResponse::ArtifactUpdate(update) => a2a::StreamEvent::Artifact(update.into()),
        }
    }
}

impl From<SendMessageConfiguration> for a2a::MessageSendConfiguration {
    /// A negative length is no length: `check` refuses it before.
    fn from(configuration: SendMessageConfiguration) -> a2a::MessageSendConfiguration {
        let push = configuration.task_push_notification_config.map(a2a::TaskPushNotificationConfig::from);
        a2a::MessageSendConfiguration {
            blocking: Some(!configuration.return_immediately),
            history_length: configuration.history_length.and_then(|length| u32::try_from(length).ok()),
            accepted_output_modes: configuration.accepted_output_modes,
            push_notification_config: push.map(|push| push.push_notification_config),
        }
    }
}
