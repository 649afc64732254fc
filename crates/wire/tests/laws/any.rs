//! Values of every shape that both versions can express.

use pollux_wire::a2a::{
    Artifact, ArtifactUpdateTag, FileContent, Message, MessageTag, Metadata, Part, PushAuthentication,
    PushNotificationConfig, Role, StatusUpdateTag, StreamEvent, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, TaskTag,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,8}|[a-z\\n\\u{0}\"]{0,4}"
}

/// A text that is there: 1.0 takes an empty one for none.
fn some_text() -> impl Strategy<Value = Option<String>> {
    option::of("\\PC{1,8}")
}

fn id() -> impl Strategy<Value = String> {
    "[a-z0-9-]{1,12}"
}

fn base64() -> impl Strategy<Value = String> {
    "([A-Za-z0-9+/]{4}){0,3}([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?"
}

/// JSON of a few levels, with the names that the shapes use among its keys.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Eighths are exact in binary, and so in what is read back.
        (-9_999..9_999_i32).prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        text().prop_map(Value::from),
        prop::sample::select(vec![
            "ROLE_USER",
            "user",
            "TASK_STATE_WORKING",
            "working",
            "text",
            "status-update",
            "2.0"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key(), inner), 0..6).prop_map(|fields| Value::Object(Metadata::from_iter(fields))),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    let known = [
        "jsonrpc",
        "id",
        "method",
        "params",
        "message",
        "messageId",
        "message_id",
        "role",
        "parts",
        "content",
        "kind",
        "text",
        "raw",
        "url",
        "data",
        "file",
        "task",
        "status",
        "state",
        "statusUpdate",
        "taskId",
        "contextId",
        "final",
        "artifact",
        "artifactId",
        "metadata",
        "configuration",
        "historyLength",
        "config",
        "pushNotificationConfig",
        "name",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => text()]
}

fn any_metadata() -> impl Strategy<Value = Metadata> {
    vec((text(), any_json()), 0..3).prop_map(Metadata::from_iter)
}

fn any_part() -> impl Strategy<Value = Part> {
    let source = prop_oneof![
        base64().prop_map(|bytes| (Some(bytes), None)),
        "[a-z]{1,5}:[a-z/]{1,8}".prop_map(|uri| (None, Some(uri))),
    ];
    let file = (some_text(), some_text(), source).prop_map(|(name, mime_type, (bytes, uri))| FileContent {
        name,
        mime_type,
        bytes,
        uri,
    });
    prop_oneof![
        (text(), any_metadata()).prop_map(|(text, metadata)| Part::Text { text, metadata }),
        (any_json(), any_metadata()).prop_map(|(data, metadata)| Part::Data { data, metadata }),
        (file, any_metadata()).prop_map(|(file, metadata)| Part::File { file, metadata }),
    ]
}

pub(crate) fn any_message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::User), Just(Role::Agent)];
    let ids = (id(), option::of(id()), option::of(id()));
    let lists = (vec(text(), 0..2), vec(id(), 0..2));
    (role, vec(any_part(), 0..3), ids, lists, any_metadata()).prop_map(|(role, parts, ids, lists, metadata)| Message {
        kind: MessageTag::Message,
        role,
        parts,
        message_id: ids.0,
        task_id: ids.1,
        context_id: ids.2,
        extensions: lists.0,
        reference_task_ids: lists.1,
        metadata,
    })
}

fn any_artifact() -> impl Strategy<Value = Artifact> {
    (id(), some_text(), some_text(), vec(any_part(), 0..3), vec(text(), 0..2), any_metadata()).prop_map(
        |(artifact_id, name, description, parts, extensions, metadata)| Artifact {
            artifact_id,
            name,
            description,
            parts,
            extensions,
            metadata,
        },
    )
}

fn any_status() -> impl Strategy<Value = TaskStatus> {
    let state = prop::sample::select(vec![
        TaskState::Submitted,
        TaskState::Working,
        TaskState::InputRequired,
        TaskState::Completed,
        TaskState::Canceled,
        TaskState::Failed,
        TaskState::Rejected,
        TaskState::AuthRequired,
        TaskState::Unknown,
    ]);
    (state, option::of(any_message()), some_text()).prop_map(|(state, message, timestamp)| TaskStatus {
        state,
        message,
        timestamp,
    })
}

pub(crate) fn any_task() -> impl Strategy<Value = Task> {
    let made = (vec(any_artifact(), 0..2), vec(any_message(), 0..2));
    (id(), id(), any_status(), made, any_metadata()).prop_map(|(id, context_id, status, made, metadata)| Task {
        kind: TaskTag::Task,
        id,
        context_id,
        status,
        artifacts: made.0,
        history: made.1,
        metadata,
    })
}

pub(crate) fn any_event() -> impl Strategy<Value = StreamEvent> {
    let status = (id(), id(), any_status(), any::<bool>(), any_metadata());
    let status = status.prop_map(|(task_id, context_id, status, is_final, metadata)| TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id,
        context_id,
        status,
        is_final,
        metadata,
    });
    let artifact = (id(), id(), any_artifact(), any::<(bool, bool)>(), any_metadata());
    let artifact = artifact.prop_map(|(task_id, context_id, artifact, flags, metadata)| TaskArtifactUpdateEvent {
        kind: ArtifactUpdateTag::ArtifactUpdate,
        task_id,
        context_id,
        artifact,
        append: flags.0,
        last_chunk: flags.1,
        metadata,
    });
    prop_oneof![
        any_task().prop_map(|task| StreamEvent::Task(Box::new(task))),
        any_message().prop_map(StreamEvent::Message),
        status.prop_map(StreamEvent::Status),
        artifact.prop_map(StreamEvent::Artifact),
    ]
}

/// With one scheme, which is what 1.0 has.
pub(crate) fn any_push() -> impl Strategy<Value = TaskPushNotificationConfig> {
    let known = (id(), some_text());
    let known = known.prop_map(|(scheme, credentials)| PushAuthentication { schemes: vec![scheme], credentials });
    (id(), option::of(id()), text(), some_text(), option::of(known)).prop_map(
        |(task_id, id, url, token, authentication)| TaskPushNotificationConfig {
            task_id,
            push_notification_config: PushNotificationConfig { id, url, token, authentication },
        },
    )
}
