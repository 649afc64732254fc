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
use serde_json::Value;

/// `None` for the empty text that stands for no text.
fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Each of them in the other form.
fn all<T, U: From<T>>(many: Vec<T>) -> Vec<U> {
    many.into_iter().map(U::from).collect()
}

impl From<a2a::TaskState> for TaskState {
    fn from(state: a2a::TaskState) -> TaskState {
        match state {
            a2a::TaskState::Submitted => TaskState::Submitted,
            a2a::TaskState::Working => TaskState::Working,
            a2a::TaskState::InputRequired => TaskState::InputRequired,
            a2a::TaskState::Completed => TaskState::Completed,
            a2a::TaskState::Canceled => TaskState::Cancelled,
            a2a::TaskState::Failed => TaskState::Failed,
            a2a::TaskState::Rejected => TaskState::Rejected,
            a2a::TaskState::AuthRequired => TaskState::AuthRequired,
            a2a::TaskState::Unknown => TaskState::Unspecified,
        }
    }
}

impl From<TaskState> for a2a::TaskState {
    fn from(state: TaskState) -> a2a::TaskState {
        match state {
            TaskState::Submitted => a2a::TaskState::Submitted,
            TaskState::Working => a2a::TaskState::Working,
            TaskState::InputRequired => a2a::TaskState::InputRequired,
            TaskState::Completed => a2a::TaskState::Completed,
            TaskState::Cancelled => a2a::TaskState::Canceled,
            TaskState::Failed => a2a::TaskState::Failed,
            TaskState::Rejected => a2a::TaskState::Rejected,
            TaskState::AuthRequired => a2a::TaskState::AuthRequired,
            TaskState::Unspecified => a2a::TaskState::Unknown,
        }
    }
}

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

impl From<a2a::Artifact> for Artifact {
    fn from(artifact: a2a::Artifact) -> Artifact {
        Artifact {
            artifact_id: artifact.artifact_id,
            name: artifact.name.unwrap_or_default(),
            description: artifact.description.unwrap_or_default(),
            parts: all(artifact.parts),
            metadata: artifact.metadata,
            extensions: artifact.extensions,
        }
    }
}

impl From<Artifact> for a2a::Artifact {
    fn from(artifact: Artifact) -> a2a::Artifact {
        a2a::Artifact {
            artifact_id: artifact.artifact_id,
            name: some(artifact.name),
            description: some(artifact.description),
            parts: all(artifact.parts),
            extensions: artifact.extensions,
            metadata: artifact.metadata,
        }
    }
}

impl From<a2a::TaskStatus> for TaskStatus {
    fn from(status: a2a::TaskStatus) -> TaskStatus {
        TaskStatus {
            state: status.state.into(),
            message: status.message.map(Message::from),
            timestamp: status.timestamp,
        }
    }
}

impl From<TaskStatus> for a2a::TaskStatus {
    fn from(status: TaskStatus) -> a2a::TaskStatus {
        a2a::TaskStatus {
            state: status.state.into(),
            message: status.message.map(a2a::Message::from),
            timestamp: status.timestamp,
        }
    }
}

impl From<a2a::Task> for Task {
    fn from(task: a2a::Task) -> Task {
        Task {
            id: task.id,
            context_id: task.context_id,
            status: task.status.into(),
            artifacts: all(task.artifacts),
            history: all(task.history),
            metadata: task.metadata,
        }
    }
}

impl From<Task> for a2a::Task {
    fn from(task: Task) -> a2a::Task {
        a2a::Task {
            kind: a2a::TaskTag::Task,
            id: task.id,
            context_id: task.context_id,
            status: task.status.into(),
            artifacts: all(task.artifacts),
            history: all(task.history),
            metadata: task.metadata,
        }
    }
}

impl From<a2a::Task> for SendMessageResponse {
    fn from(task: a2a::Task) -> SendMessageResponse {
        SendMessageResponse::Task(Box::new(task.into()))
    }
}

impl From<a2a::Message> for SendMessageResponse {
    fn from(message: a2a::Message) -> SendMessageResponse {
        SendMessageResponse::Message(Box::new(message.into()))
    }
}

impl From<a2a::StreamEvent> for StreamResponse {
    fn from(event: a2a::StreamEvent) -> StreamResponse {
        match event {
            a2a::StreamEvent::Task(task) => StreamResponse::Task(Box::new((*task).into())),
            a2a::StreamEvent::Message(message) => StreamResponse::Message(message.into()),
            a2a::StreamEvent::Status(update) => StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id: update.task_id,
                context_id: update.context_id,
                status: update.status.into(),
                is_final: update.is_final,
                metadata: update.metadata,
            }),
            a2a::StreamEvent::Artifact(update) => StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id: update.task_id,
                context_id: update.context_id,
                artifact: update.artifact.into(),
                append: update.append,
                last_chunk: update.last_chunk,
                metadata: update.metadata,
            }),
        }
    }
}

impl From<StreamResponse> for a2a::StreamEvent {
    fn from(event: StreamResponse) -> a2a::StreamEvent {
        match event {
            StreamResponse::Task(task) => a2a::StreamEvent::Task(Box::new((*task).into())),
            StreamResponse::Message(message) => a2a::StreamEvent::Message(message.into()),
            StreamResponse::StatusUpdate(update) => a2a::StreamEvent::Status(a2a::TaskStatusUpdateEvent {
                kind: a2a::StatusUpdateTag::StatusUpdate,
                task_id: update.task_id,
                context_id: update.context_id,
                status: update.status.into(),
                is_final: update.is_final,
                metadata: update.metadata,
            }),
            StreamResponse::ArtifactUpdate(update) => a2a::StreamEvent::Artifact(a2a::TaskArtifactUpdateEvent {
                kind: a2a::ArtifactUpdateTag::ArtifactUpdate,
                task_id: update.task_id,
                context_id: update.context_id,
                artifact: update.artifact.into(),
                append: update.append,
                last_chunk: update.last_chunk,
                metadata: update.metadata,
            }),
        }
    }
}

impl From<a2a::PushNotificationConfig> for PushNotificationConfig {
    fn from(config: a2a::PushNotificationConfig) -> PushNotificationConfig {
        PushNotificationConfig {
            id: config.id.unwrap_or_default(),
            url: config.url,
            token: config.token.unwrap_or_default(),
            authentication: config.authentication.map(|known| AuthenticationInfo {
                schemes: known.schemes,
                credentials: known.credentials.unwrap_or_default(),
            }),
        }
    }
}

impl From<PushNotificationConfig> for a2a::PushNotificationConfig {
    fn from(config: PushNotificationConfig) -> a2a::PushNotificationConfig {
        a2a::PushNotificationConfig {
            id: some(config.id),
            url: config.url,
            token: some(config.token),
            authentication: config
                .authentication
                .map(|known| a2a::PushAuthentication { schemes: known.schemes, credentials: some(known.credentials) }),
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

impl From<SendMessageRequest> for a2a::MessageSendParams {
    fn from(request: SendMessageRequest) -> a2a::MessageSendParams {
        a2a::MessageSendParams {
            message: request.message.into(),
            configuration: request.configuration.map(a2a::MessageSendConfiguration::from),
            metadata: request.metadata,
        }
    }
}
