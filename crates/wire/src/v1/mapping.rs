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

impl From<a2a::Role> for Role {
    fn from(role: a2a::Role) -> Role {
        match role {
            a2a::Role::User => Role::User,
            a2a::Role::Agent => Role::Agent,
        }
    }
}

impl From<Role> for a2a::Role {
    fn from(role: Role) -> a2a::Role {
        match role {
            Role::User => a2a::Role::User,
            Role::Agent => a2a::Role::Agent,
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
            TaskState::Canceled => a2a::TaskState::Canceled,
            TaskState::Failed => a2a::TaskState::Failed,
            TaskState::Rejected => a2a::TaskState::Rejected,
            TaskState::AuthRequired => a2a::TaskState::AuthRequired,
            TaskState::Unspecified => a2a::TaskState::Unknown,
        }
    }
}

impl From<a2a::TaskState> for TaskState {
    fn from(state: a2a::TaskState) -> TaskState {
        match state {
            a2a::TaskState::Submitted => TaskState::Submitted,
            a2a::TaskState::Working => TaskState::Working,
            a2a::TaskState::InputRequired => TaskState::InputRequired,
            a2a::TaskState::Completed => TaskState::Completed,
            a2a::TaskState::Canceled => TaskState::Canceled,
            a2a::TaskState::Failed => TaskState::Failed,
            a2a::TaskState::Rejected => TaskState::Rejected,
            a2a::TaskState::AuthRequired => TaskState::AuthRequired,
            a2a::TaskState::Unknown => TaskState::Unspecified,
        }
    }
}

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

impl From<a2a::Message> for Message {
    fn from(message: a2a::Message) -> Message {
        Message {
            message_id: message.message_id,
            context_id: message.context_id.unwrap_or_default(),
            task_id: message.task_id.unwrap_or_default(),
            role: message.role.into(),
            parts: message.parts.into_iter().map(Part::from).collect(),
            metadata: message.metadata,
            extensions: message.extensions,
            reference_task_ids: message.reference_task_ids,
        }
    }
}

impl From<a2a::Artifact> for Artifact {
    fn from(artifact: a2a::Artifact) -> Artifact {
        Artifact {
            artifact_id: artifact.artifact_id,
            name: artifact.name.unwrap_or_default(),
            description: artifact.description.unwrap_or_default(),
            parts: artifact.parts.into_iter().map(Part::from).collect(),
            metadata: artifact.metadata,
            extensions: artifact.extensions,
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

impl From<a2a::Task> for Task {
    fn from(task: a2a::Task) -> Task {
        Task {
            id: task.id,
            context_id: task.context_id,
            status: task.status.into(),
            artifacts: task.artifacts.into_iter().map(Artifact::from).collect(),
            history: task.history.into_iter().map(Message::from).collect(),
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

/// `None` for the empty text that 1.0 leaves out.
fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
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

impl From<Message> for a2a::Message {
    fn from(message: Message) -> a2a::Message {
        a2a::Message {
            kind: a2a::MessageTag::Message,
            role: message.role.into(),
            parts: message.parts.into_iter().map(a2a::Part::from).collect(),
            message_id: message.message_id,
            task_id: some(message.task_id),
            context_id: some(message.context_id),
            extensions: message.extensions,
            reference_task_ids: message.reference_task_ids,
            metadata: message.metadata,
        }
    }
}

impl From<Artifact> for a2a::Artifact {
    fn from(artifact: Artifact) -> a2a::Artifact {
        a2a::Artifact {
            artifact_id: artifact.artifact_id,
            name: some(artifact.name),
            description: some(artifact.description),
            parts: artifact.parts.into_iter().map(a2a::Part::from).collect(),
            extensions: artifact.extensions,
            metadata: artifact.metadata,
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

impl From<Task> for a2a::Task {
    fn from(task: Task) -> a2a::Task {
        a2a::Task {
            kind: a2a::TaskTag::Task,
            id: task.id,
            context_id: task.context_id,
            status: task.status.into(),
            artifacts: task.artifacts.into_iter().map(a2a::Artifact::from).collect(),
            history: task.history.into_iter().map(a2a::Message::from).collect(),
            metadata: task.metadata,
        }
    }
}

impl StreamResponse {
    /// The same event of 0.3, which also says whether it is the last one.
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

impl From<SendMessageRequest> for a2a::MessageSendParams {
    fn from(request: SendMessageRequest) -> a2a::MessageSendParams {
        a2a::MessageSendParams {
            message: request.message.into(),
            configuration: request.configuration.map(a2a::MessageSendConfiguration::from),
            metadata: request.metadata,
        }
    }
}
