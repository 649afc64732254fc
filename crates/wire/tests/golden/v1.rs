//! A2A 1.0, without the card.

use crate::golden::check_both;
use expect_test::expect;
use pollux_wire::a2a::Metadata;
use pollux_wire::v1::{
    Artifact, AuthenticationInfo, CancelTaskRequest, Content, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Message, Part, PushConfigRequest,
    Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest,
    Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use pretty_assertions::assert_eq;
use serde_json::json;

fn metadata() -> Metadata {
    Metadata::from_iter([("urn:x".to_owned(), json!({"a": null}))])
}

fn message() -> Message {
    Message {
        message_id: "m".into(),
        context_id: "c".into(),
        task_id: "t".into(),
        role: Role::Agent,
        parts: vec![
            Content::Text("hello".into()).into(),
            Part {
                filename: "a.bin".into(),
                media_type: "application/octet-stream".into(),
                metadata: metadata(),
                ..Content::Raw("aGk=".into()).into()
            },
            Content::Url("https://example.com/a".into()).into(),
            Content::Data(json!([1, null])).into(),
        ],
        metadata: metadata(),
        extensions: vec!["urn:x".into()],
        reference_task_ids: vec!["o".into()],
    }
}

fn status() -> TaskStatus {
    TaskStatus { state: TaskState::Completed, message: None, timestamp: Some("2026-11-15T07:21:38.341Z".into()) }
}

fn task() -> Task {
    Task {
        id: "t".into(),
        context_id: "c".into(),
        status: status(),
        artifacts: vec![],
        history: vec![],
        metadata: Metadata::new(),
    }
}

fn push() -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        tenant: String::new(),
        id: "p".into(),
        task_id: "t".into(),
        url: "https://example.com/hook".into(),
        token: "token".into(),
        authentication: Some(AuthenticationInfo { scheme: "Bearer".into(), credentials: "x".into() }),
    }
}

#[test]
fn a_sent_message() {
    check_both(
        &SendMessageRequest {
            tenant: String::new(),
            message: Message { role: Role::User, ..message() },
            configuration: Some(SendMessageConfiguration {
                accepted_output_modes: vec!["text/plain".into()],
                task_push_notification_config: Some(push()),
                history_length: Some(0),
                return_immediately: true,
            }),
            metadata: metadata(),
        },
        &expect![[r#"
            {
              "message": {
                "messageId": "m",
                "contextId": "c",
                "taskId": "t",
                "role": "ROLE_USER",
                "parts": [
                  {
                    "text": "hello"
                  },
                  {
                    "raw": "aGk=",
                    "metadata": {
                      "urn:x": {
                        "a": null
                      }
                    },
                    "filename": "a.bin",
                    "mediaType": "application/octet-stream"
                  },
                  {
                    "url": "https://example.com/a"
                  },
                  {
                    "data": [
                      1,
                      null
                    ]
                  }
                ],
                "metadata": {
                  "urn:x": {
                    "a": null
                  }
                },
                "extensions": [
                  "urn:x"
                ],
                "referenceTaskIds": [
                  "o"
                ]
              },
              "configuration": {
                "acceptedOutputModes": [
                  "text/plain"
                ],
                "taskPushNotificationConfig": {
                  "id": "p",
                  "taskId": "t",
                  "url": "https://example.com/hook",
                  "token": "token",
                  "authentication": {
                    "scheme": "Bearer",
                    "credentials": "x"
                  }
                },
                "historyLength": 0,
                "returnImmediately": true
              },
              "metadata": {
                "urn:x": {
                  "a": null
                }
              }
            }"#]],
    );
}

#[test]
fn answers_to_a_message() {
    let bare = Message {
        parts: vec![Content::Text("hi".into()).into()],
        task_id: String::new(),
        metadata: Metadata::new(),
        extensions: vec![],
        reference_task_ids: vec![],
        ..message()
    };
    check_both(
        &SendMessageResponse::Message(Box::new(bare)),
        &expect![[r#"
        {
          "message": {
            "messageId": "m",
            "contextId": "c",
            "role": "ROLE_AGENT",
            "parts": [
              {
                "text": "hi"
              }
            ]
          }
        }"#]],
    );
    check_both(
        &SendMessageResponse::Task(Box::new(task())),
        &expect![[r#"
        {
          "task": {
            "id": "t",
            "contextId": "c",
            "status": {
              "state": "TASK_STATE_COMPLETED",
              "timestamp": "2026-11-15T07:21:38.341Z"
            }
          }
        }"#]],
    );
}

#[test]
fn a_whole_task() {
    let artifact = Artifact {
        artifact_id: "answer".into(),
        name: "Answer".into(),
        description: "d".into(),
        parts: vec![Content::Text("hello".into()).into()],
        metadata: metadata(),
        extensions: vec!["urn:x".into()],
    };
    let said = Message { parts: vec![Content::Text("hi".into()).into()], ..message() };
    check_both(
        &Task {
            status: TaskStatus { message: Some(said.clone()), ..status() },
            artifacts: vec![artifact],
            history: vec![said],
            metadata: metadata(),
            ..task()
        },
        &expect![[r#"
            {
              "id": "t",
              "contextId": "c",
              "status": {
                "state": "TASK_STATE_COMPLETED",
                "message": {
                  "messageId": "m",
                  "contextId": "c",
                  "taskId": "t",
                  "role": "ROLE_AGENT",
                  "parts": [
                    {
                      "text": "hi"
                    }
                  ],
                  "metadata": {
                    "urn:x": {
                      "a": null
                    }
                  },
                  "extensions": [
                    "urn:x"
                  ],
                  "referenceTaskIds": [
                    "o"
                  ]
                },
                "timestamp": "2026-11-15T07:21:38.341Z"
              },
              "artifacts": [
                {
                  "artifactId": "answer",
                  "name": "Answer",
                  "description": "d",
                  "parts": [
                    {
                      "text": "hello"
                    }
                  ],
                  "metadata": {
                    "urn:x": {
                      "a": null
                    }
                  },
                  "extensions": [
                    "urn:x"
                  ]
                }
              ],
              "history": [
                {
                  "messageId": "m",
                  "contextId": "c",
                  "taskId": "t",
                  "role": "ROLE_AGENT",
                  "parts": [
                    {
                      "text": "hi"
                    }
                  ],
                  "metadata": {
                    "urn:x": {
                      "a": null
                    }
                  },
                  "extensions": [
                    "urn:x"
                  ],
                  "referenceTaskIds": [
                    "o"
                  ]
                }
              ],
              "metadata": {
                "urn:x": {
                  "a": null
                }
              }
            }"#]],
    );
}

#[test]
fn updates() {
    check_both(
        &StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: "t".into(),
            context_id: "c".into(),
            status: status(),
            metadata: metadata(),
        }),
        &expect![[r#"
            {
              "statusUpdate": {
                "taskId": "t",
                "contextId": "c",
                "status": {
                  "state": "TASK_STATE_COMPLETED",
                  "timestamp": "2026-11-15T07:21:38.341Z"
                },
                "metadata": {
                  "urn:x": {
                    "a": null
                  }
                }
              }
            }"#]],
    );
    let artifact = Artifact {
        artifact_id: "answer".into(),
        parts: vec![Content::Text("hello".into()).into()],
        ..Artifact::default()
    };
    let update = TaskArtifactUpdateEvent {
        task_id: "t".into(),
        context_id: "c".into(),
        artifact,
        append: true,
        last_chunk: true,
        metadata: metadata(),
    };
    check_both(
        &StreamResponse::ArtifactUpdate(update.clone()),
        &expect![[r#"
        {
          "artifactUpdate": {
            "taskId": "t",
            "contextId": "c",
            "artifact": {
              "artifactId": "answer",
              "parts": [
                {
                  "text": "hello"
                }
              ]
            },
            "append": true,
            "lastChunk": true,
            "metadata": {
              "urn:x": {
                "a": null
              }
            }
          }
        }"#]],
    );
    let first = TaskArtifactUpdateEvent { append: false, last_chunk: false, metadata: Metadata::new(), ..update };
    check_both(
        &StreamResponse::ArtifactUpdate(first),
        &expect![[r#"
        {
          "artifactUpdate": {
            "taskId": "t",
            "contextId": "c",
            "artifact": {
              "artifactId": "answer",
              "parts": [
                {
                  "text": "hello"
                }
              ]
            }
          }
        }"#]],
    );
}

#[test]
fn questions_about_tasks() {
    check_both(
        &GetTaskRequest { id: "t".into(), history_length: Some(2), tenant: String::new() },
        &expect![[r#"
        {
          "id": "t",
          "historyLength": 2
        }"#]],
    );
    check_both(
        &CancelTaskRequest { id: "t".into(), metadata: metadata(), tenant: String::new() },
        &expect![[r#"
        {
          "id": "t",
          "metadata": {
            "urn:x": {
              "a": null
            }
          }
        }"#]],
    );
    let last = Metadata::from_iter([("lastEventId".to_owned(), json!("1.7"))]);
    check_both(
        &SubscribeToTaskRequest { id: "t".into(), metadata: last, tenant: String::new() },
        &expect![[r#"
        {
          "id": "t",
          "metadata": {
            "lastEventId": "1.7"
          }
        }"#]],
    );
    check_both(
        &ListTasksRequest {
            tenant: String::new(),
            context_id: "c".into(),
            status: Some(TaskState::Working),
            page_size: Some(10),
            page_token: "x".into(),
            history_length: Some(0),
            status_timestamp_after: Some("2026-11-15T07:21:38.341Z".into()),
            include_artifacts: Some(true),
        },
        &expect![[r#"
            {
              "contextId": "c",
              "status": "TASK_STATE_WORKING",
              "pageSize": 10,
              "pageToken": "x",
              "historyLength": 0,
              "statusTimestampAfter": "2026-11-15T07:21:38.341Z",
              "includeArtifacts": true
            }"#]],
    );
}

#[test]
fn an_empty_list_says_everything() {
    let empty = ListTasksResponse { tasks: vec![], next_page_token: String::new(), page_size: 50, total_size: 0 };
    check_both(
        &empty,
        &expect![[r#"
        {
          "tasks": [],
          "nextPageToken": "",
          "pageSize": 50,
          "totalSize": 0
        }"#]],
    );
}

#[test]
fn push_configurations() {
    check_both(
        &ListTaskPushNotificationConfigsResponse { configs: vec![push()], next_page_token: String::new() },
        &expect![[r#"
            {
              "configs": [
                {
                  "id": "p",
                  "taskId": "t",
                  "url": "https://example.com/hook",
                  "token": "token",
                  "authentication": {
                    "scheme": "Bearer",
                    "credentials": "x"
                  }
                }
              ],
              "nextPageToken": ""
            }"#]],
    );
    check_both(
        &PushConfigRequest { task_id: "t".into(), id: "p".into(), tenant: String::new() },
        &expect![[r#"
        {
          "taskId": "t",
          "id": "p"
        }"#]],
    );
    check_both(
        &ListTaskPushNotificationConfigsRequest {
            task_id: "t".into(),
            page_size: 5,
            ..ListTaskPushNotificationConfigsRequest::default()
        },
        &expect![[r#"
            {
              "taskId": "t",
              "pageSize": 5
            }"#]],
    );
}

#[test]
fn every_name() {
    let states: Vec<&str> = (0..).map_while(TaskState::from_number).map(TaskState::name).collect();
    assert_eq!(
        json!([states, [Role::User, Role::Agent]]),
        json!([
            [
                "TASK_STATE_UNSPECIFIED",
                "TASK_STATE_SUBMITTED",
                "TASK_STATE_WORKING",
                "TASK_STATE_COMPLETED",
                "TASK_STATE_FAILED",
                "TASK_STATE_CANCELED",
                "TASK_STATE_INPUT_REQUIRED",
                "TASK_STATE_REJECTED",
                "TASK_STATE_AUTH_REQUIRED",
            ],
            ["ROLE_USER", "ROLE_AGENT"],
        ])
    );
}
