//! A2A 0.3, without the card.

use crate::golden::check_both;
use expect_test::expect;
use pollux_wire::a2a::{
    Artifact, ArtifactUpdateTag, FileContent, Message, MessageSendConfiguration, MessageSendParams, MessageTag,
    Metadata, Part, PushAuthentication, PushConfigParams, PushNotificationConfig, Role, StatusUpdateTag, StreamEvent,
    Task, TaskArtifactUpdateEvent, TaskIdParams, TaskPushNotificationConfig, TaskQueryParams, TaskState, TaskStatus,
    TaskStatusUpdateEvent, TaskTag,
};
use pollux_wire::devtool::{DevelopmentToolEvent, EventKind, TokenUsage, ToolCallStatus, URI};
use pretty_assertions::assert_eq;
use serde_json::json;

fn message() -> Message {
    Message {
        kind: MessageTag::Message,
        role: Role::Agent,
        parts: vec![
            Part::text("hello"),
            Part::data(json!({"a": 1})),
            Part::file(FileContent {
                name: Some("a.txt".into()),
                bytes: Some("aGk=".into()),
                ..FileContent::default()
            }),
        ],
        message_id: "s-4".into(),
        task_id: Some("t".into()),
        context_id: Some("c".into()),
        extensions: vec![],
        reference_task_ids: vec![],
        metadata: Metadata::new(),
    }
}

#[test]
fn a_task() {
    let status = TaskStatus {
        state: TaskState::InputRequired,
        message: Some(message()),
        timestamp: Some("2026-11-15T07:21:38.341Z".into()),
    };
    check_both(
        &Task {
            kind: TaskTag::Task,
            id: "t".into(),
            context_id: "c".into(),
            status,
            artifacts: vec![],
            history: vec![Message { role: Role::User, parts: vec![Part::text("hi")], ..message() }],
            metadata: Metadata::new(),
        },
        &expect![[r#"
            {
              "kind": "task",
              "id": "t",
              "contextId": "c",
              "status": {
                "state": "input-required",
                "message": {
                  "kind": "message",
                  "role": "agent",
                  "parts": [
                    {
                      "kind": "text",
                      "text": "hello"
                    },
                    {
                      "kind": "data",
                      "data": {
                        "a": 1
                      }
                    },
                    {
                      "kind": "file",
                      "file": {
                        "name": "a.txt",
                        "bytes": "aGk="
                      }
                    }
                  ],
                  "messageId": "s-4",
                  "taskId": "t",
                  "contextId": "c"
                },
                "timestamp": "2026-11-15T07:21:38.341Z"
              },
              "history": [
                {
                  "kind": "message",
                  "role": "user",
                  "parts": [
                    {
                      "kind": "text",
                      "text": "hi"
                    }
                  ],
                  "messageId": "s-4",
                  "taskId": "t",
                  "contextId": "c"
                }
              ]
            }"#]],
    );
}

#[test]
fn a_bare_task() {
    let status = TaskStatus { state: TaskState::Submitted, message: None, timestamp: None };
    let (id, context_id) = ("t".into(), "c".into());
    check_both(
        &Task {
            kind: TaskTag::Task,
            id,
            context_id,
            status,
            artifacts: vec![],
            history: vec![],
            metadata: Metadata::new(),
        },
        &expect![[r#"
            {
              "kind": "task",
              "id": "t",
              "contextId": "c",
              "status": {
                "state": "submitted"
              }
            }"#]],
    );
}

#[test]
fn a_status_update() {
    let usage = TokenUsage {
        prompt_token_count: 100,
        cached_content_token_count: 60,
        candidates_token_count: 20,
        thoughts_token_count: 5,
        total_token_count: 125,
    };
    let event = DevelopmentToolEvent {
        kind: EventKind::StateChange,
        model: "m".into(),
        user_tier: Some("free-tier".into()),
        error: Some("503".into()),
        usage: Some(usage),
    };
    check_both(
        &TaskStatusUpdateEvent {
            kind: StatusUpdateTag::StatusUpdate,
            task_id: "t".into(),
            context_id: "c".into(),
            status: TaskStatus { state: TaskState::Working, message: None, timestamp: None },
            is_final: false,
            metadata: Metadata::from_iter([(URI.to_owned(), json!(event))]),
        },
        &expect![[r#"
            {
              "kind": "status-update",
              "taskId": "t",
              "contextId": "c",
              "status": {
                "state": "working"
              },
              "final": false,
              "metadata": {
                "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md": {
                  "kind": "STATE_CHANGE",
                  "model": "m",
                  "user_tier": "free-tier",
                  "error": "503",
                  "usage": {
                    "prompt_token_count": 100,
                    "cached_content_token_count": 60,
                    "candidates_token_count": 20,
                    "thoughts_token_count": 5,
                    "total_token_count": 125
                  }
                }
              }
            }"#]],
    );
}

#[test]
fn every_state_and_kind_by_name() {
    let states = [
        TaskState::Submitted,
        TaskState::Working,
        TaskState::InputRequired,
        TaskState::Completed,
        TaskState::Canceled,
        TaskState::Failed,
        TaskState::Rejected,
        TaskState::AuthRequired,
        TaskState::Unknown,
    ];
    let kinds = [
        EventKind::ToolCallConfirmation,
        EventKind::ToolCallUpdate,
        EventKind::TextContent,
        EventKind::StateChange,
        EventKind::Thought,
    ];
    let statuses = [
        ToolCallStatus::Pending,
        ToolCallStatus::Executing,
        ToolCallStatus::Succeeded,
        ToolCallStatus::Failed,
        ToolCallStatus::Cancelled,
    ];
    assert_eq!(
        json!([states, kinds, statuses]),
        json!([
            [
                "submitted",
                "working",
                "input-required",
                "completed",
                "canceled",
                "failed",
                "rejected",
                "auth-required",
                "unknown"
            ],
            ["TOOL_CALL_CONFIRMATION", "TOOL_CALL_UPDATE", "TEXT_CONTENT", "STATE_CHANGE", "THOUGHT"],
            ["PENDING", "EXECUTING", "SUCCEEDED", "FAILED", "CANCELLED"],
        ])
    );
}

#[test]
fn parameters() {
    let configuration = MessageSendConfiguration {
        blocking: Some(false),
        history_length: Some(3),
        accepted_output_modes: vec!["text".into()],
        push_notification_config: None,
    };
    check_both(
        &configuration,
        &expect![[r#"
        {
          "blocking": false,
          "historyLength": 3,
          "acceptedOutputModes": [
            "text"
          ]
        }"#]],
    );
    check_both(
        &TaskQueryParams { id: "t".into(), history_length: Some(1), metadata: Metadata::new() },
        &expect![[r#"
        {
          "id": "t",
          "historyLength": 1
        }"#]],
    );
    let metadata = Metadata::from_iter([("lastEventId".to_owned(), json!("1.7"))]);
    check_both(
        &TaskIdParams { id: "t".into(), metadata },
        &expect![[r#"
        {
          "id": "t",
          "metadata": {
            "lastEventId": "1.7"
          }
        }"#]],
    );
    let lenient: TaskQueryParams = serde_json::from_value(json!({"id": "t", "unknown": true})).unwrap();
    assert_eq!(lenient, TaskQueryParams { id: "t".into(), history_length: None, metadata: Metadata::new() });
}

#[test]
fn an_artifact_update() {
    let artifact = Artifact {
        artifact_id: "answer".into(),
        name: Some("Answer".into()),
        description: Some("d".into()),
        parts: vec![Part::text("hello")],
        extensions: vec![URI.into()],
        metadata: Metadata::from_iter([("a".to_owned(), json!(1))]),
    };
    check_both(
        &StreamEvent::Artifact(TaskArtifactUpdateEvent {
            kind: ArtifactUpdateTag::ArtifactUpdate,
            task_id: "t".into(),
            context_id: "c".into(),
            artifact,
            append: true,
            last_chunk: true,
            metadata: Metadata::from_iter([("b".to_owned(), json!(2))]),
        }),
        &expect![[r#"
            {
              "kind": "artifact-update",
              "taskId": "t",
              "contextId": "c",
              "artifact": {
                "artifactId": "answer",
                "name": "Answer",
                "description": "d",
                "parts": [
                  {
                    "kind": "text",
                    "text": "hello"
                  }
                ],
                "extensions": [
                  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md"
                ],
                "metadata": {
                  "a": 1
                }
              },
              "append": true,
              "lastChunk": true,
              "metadata": {
                "b": 2
              }
            }"#]],
    );
}

#[test]
fn a_message_that_is_sent() {
    let part = Part::File {
        file: FileContent {
            uri: Some("https://example.com/a".into()),
            mime_type: Some("text/plain".into()),
            ..FileContent::default()
        },
        metadata: Metadata::from_iter([("c".to_owned(), json!([]))]),
    };
    let push = PushNotificationConfig {
        id: Some("p".into()),
        url: "https://example.com/hook".into(),
        token: Some("token".into()),
        authentication: Some(PushAuthentication { schemes: vec!["Bearer".into()], credentials: Some("x".into()) }),
    };
    check_both(
        &MessageSendParams {
            message: Message {
                role: Role::User,
                parts: vec![part],
                extensions: vec![URI.into()],
                reference_task_ids: vec!["o".into()],
                ..message()
            },
            configuration: Some(MessageSendConfiguration {
                push_notification_config: Some(push),
                ..MessageSendConfiguration::default()
            }),
            metadata: Metadata::from_iter([("d".to_owned(), json!(null))]),
        },
        &expect![[r#"
            {
              "message": {
                "kind": "message",
                "role": "user",
                "parts": [
                  {
                    "kind": "file",
                    "file": {
                      "mimeType": "text/plain",
                      "uri": "https://example.com/a"
                    },
                    "metadata": {
                      "c": []
                    }
                  }
                ],
                "messageId": "s-4",
                "taskId": "t",
                "contextId": "c",
                "extensions": [
                  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md"
                ],
                "referenceTaskIds": [
                  "o"
                ]
              },
              "configuration": {
                "pushNotificationConfig": {
                  "id": "p",
                  "url": "https://example.com/hook",
                  "token": "token",
                  "authentication": {
                    "schemes": [
                      "Bearer"
                    ],
                    "credentials": "x"
                  }
                }
              },
              "metadata": {
                "d": null
              }
            }"#]],
    );
}

#[test]
fn push_parameters() {
    let push_notification_config =
        PushNotificationConfig { url: "https://example.com/hook".into(), ..PushNotificationConfig::default() };
    check_both(
        &TaskPushNotificationConfig { task_id: "t".into(), push_notification_config },
        &expect![[r#"
        {
          "taskId": "t",
          "pushNotificationConfig": {
            "url": "https://example.com/hook"
          }
        }"#]],
    );
    check_both(
        &PushConfigParams { id: "t".into(), push_notification_config_id: Some("p".into()) },
        &expect![[r#"
        {
          "id": "t",
          "pushNotificationConfigId": "p"
        }"#]],
    );
}
