//! A2A 0.3 in ProtoJSON.

use crate::golden::check_both;
use expect_test::expect;
use pollux_wire::a2a::{
    self, Artifact, ArtifactUpdateTag, FileContent, Message, MessageTag, Metadata, Part, PushAuthentication,
    PushNotificationConfig, Role, StatusUpdateTag, StreamEvent, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent, TaskTag,
};
use pollux_wire::v03_proto::{
    ListTaskPushNotificationConfigResponse, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    StreamResponse, TaskPushNotificationConfig,
};
use pretty_assertions::assert_eq;
use serde_json::json;

fn message() -> Message {
    let file = |bytes: Option<&str>, uri: Option<&str>| FileContent {
        name: Some("a.txt".into()),
        mime_type: Some("text/plain".into()),
        bytes: bytes.map(str::to_owned),
        uri: uri.map(str::to_owned),
    };
    Message {
        kind: MessageTag::Message,
        role: Role::Agent,
        parts: vec![
            Part::Text { text: "hello".into(), metadata: Metadata::from_iter([("a".to_owned(), json!(null))]) },
            Part::data(json!({"a": 1})),
            Part::file(file(Some("aGk="), None)),
            Part::file(file(None, Some("https://example.com/a.txt"))),
        ],
        message_id: "m".into(),
        task_id: Some("t".into()),
        context_id: Some("c".into()),
        extensions: vec!["urn:x".into()],
        reference_task_ids: vec![],
        metadata: Metadata::new(),
    }
}

fn task() -> Task {
    let artifact = Artifact {
        artifact_id: "answer".into(),
        name: Some("Answer".into()),
        parts: vec![Part::text("hello")],
        ..Artifact::default()
    };
    Task {
        kind: TaskTag::Task,
        id: "t".into(),
        context_id: "c".into(),
        status: TaskStatus {
            state: TaskState::Canceled,
            message: Some(Message { parts: vec![Part::text("stopped")], ..message() }),
            timestamp: Some("2026-11-15T07:21:38.341Z".into()),
        },
        artifacts: vec![artifact],
        history: vec![Message { role: Role::User, parts: vec![Part::text("hi")], ..message() }],
        metadata: Metadata::from_iter([("b".to_owned(), json!([]))]),
    }
}

#[test]
fn a_sent_message() {
    let push = PushNotificationConfig {
        id: Some("p".into()),
        url: "https://example.com/hook".into(),
        token: Some("token".into()),
        authentication: Some(PushAuthentication { schemes: vec!["Bearer".into()], credentials: Some("x".into()) }),
    };
    check_both(
        &SendMessageRequest {
            message: Message { role: Role::User, ..message() }.into(),
            configuration: Some(SendMessageConfiguration {
                accepted_output_modes: vec!["text/plain".into()],
                push_notification: Some(push.into()),
                history_length: 3,
                blocking: true,
            }),
            metadata: Metadata::new(),
        },
        &expect![[r#"
            {
              "message": {
                "messageId": "m",
                "contextId": "c",
                "taskId": "t",
                "role": "ROLE_USER",
                "content": [
                  {
                    "text": "hello",
                    "metadata": {
                      "a": null
                    }
                  },
                  {
                    "data": {
                      "data": {
                        "a": 1
                      }
                    }
                  },
                  {
                    "file": {
                      "fileWithBytes": "aGk=",
                      "mimeType": "text/plain",
                      "name": "a.txt"
                    }
                  },
                  {
                    "file": {
                      "fileWithUri": "https://example.com/a.txt",
                      "mimeType": "text/plain",
                      "name": "a.txt"
                    }
                  }
                ],
                "extensions": [
                  "urn:x"
                ]
              },
              "configuration": {
                "acceptedOutputModes": [
                  "text/plain"
                ],
                "pushNotification": {
                  "id": "p",
                  "url": "https://example.com/hook",
                  "token": "token",
                  "authentication": {
                    "schemes": [
                      "Bearer"
                    ],
                    "credentials": "x"
                  }
                },
                "historyLength": 3,
                "blocking": true
              }
            }"#]],
    );
}

#[test]
fn answers_to_a_message() {
    check_both(
        &SendMessageResponse::from(Message { parts: vec![Part::text("hi")], ..message() }),
        &expect![[r#"
        {
          "message": {
            "messageId": "m",
            "contextId": "c",
            "taskId": "t",
            "role": "ROLE_AGENT",
            "content": [
              {
                "text": "hi"
              }
            ],
            "extensions": [
              "urn:x"
            ]
          }
        }"#]],
    );
    check_both(
        &SendMessageResponse::from(task()),
        &expect![[r#"
        {
          "task": {
            "id": "t",
            "contextId": "c",
            "status": {
              "state": "TASK_STATE_CANCELLED",
              "message": {
                "messageId": "m",
                "contextId": "c",
                "taskId": "t",
                "role": "ROLE_AGENT",
                "content": [
                  {
                    "text": "stopped"
                  }
                ],
                "extensions": [
                  "urn:x"
                ]
              },
              "timestamp": "2026-11-15T07:21:38.341Z"
            },
            "artifacts": [
              {
                "artifactId": "answer",
                "name": "Answer",
                "parts": [
                  {
                    "text": "hello"
                  }
                ]
              }
            ],
            "history": [
              {
                "messageId": "m",
                "contextId": "c",
                "taskId": "t",
                "role": "ROLE_USER",
                "content": [
                  {
                    "text": "hi"
                  }
                ],
                "extensions": [
                  "urn:x"
                ]
              }
            ],
            "metadata": {
              "b": []
            }
          }
        }"#]],
    );
}

#[test]
fn updates() {
    let status = TaskStatus { state: TaskState::InputRequired, message: None, timestamp: None };
    let update = StreamEvent::Status(TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id: "t".into(),
        context_id: "c".into(),
        status,
        is_final: true,
        metadata: Metadata::from_iter([("urn:x".to_owned(), json!({}))]),
    });
    check_both(
        &StreamResponse::from(update),
        &expect![[r#"
        {
          "statusUpdate": {
            "taskId": "t",
            "contextId": "c",
            "status": {
              "state": "TASK_STATE_INPUT_REQUIRED"
            },
            "final": true,
            "metadata": {
              "urn:x": {}
            }
          }
        }"#]],
    );
    let update = StreamEvent::Artifact(TaskArtifactUpdateEvent {
        kind: ArtifactUpdateTag::ArtifactUpdate,
        task_id: "t".into(),
        context_id: "c".into(),
        artifact: Artifact { artifact_id: "a".into(), parts: vec![Part::text("x")], ..Artifact::default() },
        append: true,
        last_chunk: true,
        metadata: Metadata::new(),
    });
    check_both(
        &StreamResponse::from(update),
        &expect![[r#"
        {
          "artifactUpdate": {
            "taskId": "t",
            "contextId": "c",
            "artifact": {
              "artifactId": "a",
              "parts": [
                {
                  "text": "x"
                }
              ]
            },
            "append": true,
            "lastChunk": true
          }
        }"#]],
    );
}

#[test]
fn push_configurations() {
    let push_notification_config =
        PushNotificationConfig { id: Some("p".into()), url: "https://example.com".into(), ..Default::default() };
    let config = a2a::TaskPushNotificationConfig { task_id: "t".into(), push_notification_config };
    check_both(
        &ListTaskPushNotificationConfigResponse {
            configs: vec![TaskPushNotificationConfig::from(config)],
            next_page_token: String::new(),
        },
        &expect![[r#"
            {
              "configs": [
                {
                  "name": "tasks/t/pushNotificationConfigs/p",
                  "pushNotificationConfig": {
                    "id": "p",
                    "url": "https://example.com"
                  }
                }
              ],
              "nextPageToken": ""
            }"#]],
    );
}

#[test]
fn there_and_back() {
    let event = StreamEvent::Task(Box::new(task()));
    assert_eq!(StreamEvent::from(StreamResponse::from(event.clone())), event);
}
