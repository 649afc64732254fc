//! Every shape as it is written.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use expect_test::{Expect, expect};
use pollux_wire::a2a::{
    AgentCapabilities, AgentCard, AgentExtension, AgentSkill, FileContent, Message, MessageSendConfiguration,
    MessageTag, Metadata, Part, Role, StatusUpdateTag, Task, TaskIdParams, TaskQueryParams, TaskState, TaskStatus,
    TaskStatusUpdateEvent, TaskTag,
};
use pollux_wire::devtool::{
    AgentSettings, AgentThought, ConfirmationDetails, ConfirmationOption, ConfirmationRequest, DevelopmentToolEvent,
    ErrorDetails, EventKind, ExecuteDetails, FileDiff, GenericDetails, McpDetails, ModifiedFileDetails, TokenUsage,
    ToolCall, ToolCallConfirmation, ToolCallResult, ToolCallStatus, ToolOutput, URI,
};
use pollux_wire::flat::{Body, Frame, LogLine, Sender, Text};
use pollux_wire::jsonrpc::{ErrorInfo, ErrorObject, Id, Malformed, Request, Response};
use pretty_assertions::assert_eq;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;

fn check(shape: &impl Serialize, expected: &Expect) {
    expected.assert_eq(&serde_json::to_string_pretty(shape).unwrap());
}

/// What is written is read back the same.
fn check_both<T: Serialize + DeserializeOwned + PartialEq + Debug>(shape: &T, expected: &Expect) {
    check(shape, expected);
    let read: T = serde_json::from_value(serde_json::to_value(shape).unwrap()).unwrap();
    assert_eq!(&read, shape);
}

fn message() -> Message {
    Message {
        kind: MessageTag::Message,
        role: Role::Agent,
        parts: vec![
            Part::text("hello"),
            Part::Data { data: json!({"a": 1}) },
            Part::File {
                file: FileContent { name: Some("a.txt".into()), bytes: Some("aGk=".into()), ..FileContent::default() },
            },
        ],
        message_id: "s-4".into(),
        task_id: Some("t".into()),
        context_id: Some("c".into()),
        metadata: Metadata::new(),
    }
}

fn diff() -> FileDiff {
    FileDiff {
        file_name: "a.txt".into(),
        file_path: "/w/a.txt".into(),
        old_content: None,
        new_content: "a\n".into(),
        formatted_diff: Some("+a\n".into()),
    }
}

fn call() -> ToolCall {
    ToolCall {
        tool_call_id: "call-6".into(),
        status: ToolCallStatus::Pending,
        tool_name: "write_file".into(),
        description: None,
        input_parameters: json!({"file_path": "a.txt"}),
        live_content: None,
        result: None,
        confirmation_request: None,
    }
}

fn request(details: ConfirmationDetails) -> ConfirmationRequest {
    let option = ConfirmationOption { id: "proceed_once".into(), name: "Allow once".into(), description: None };
    ConfirmationRequest { options: vec![option], details }
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
        &Task { kind: TaskTag::Task, id, context_id, status, history: Vec::new(), metadata: Metadata::new() },
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
fn the_card() {
    check_both(
        &AgentCard {
            protocol_version: "0.3.0".into(),
            name: "Gemini CLI Agent".into(),
            description: "d".into(),
            url: "http://localhost:41242/".into(),
            preferred_transport: "JSONRPC".into(),
            version: "0.1.0".into(),
            capabilities: AgentCapabilities {
                streaming: true,
                push_notifications: false,
                state_transition_history: true,
                extensions: vec![AgentExtension { uri: URI.into(), description: "d".into(), required: false }],
            },
            default_input_modes: vec!["text".into()],
            default_output_modes: vec!["text".into()],
            skills: vec![AgentSkill {
                id: "code_generation".into(),
                name: "Code generation".into(),
                description: "d".into(),
                tags: vec!["code".into()],
                examples: vec!["e".into()],
            }],
        },
        &expect![[r#"
            {
              "protocolVersion": "0.3.0",
              "name": "Gemini CLI Agent",
              "description": "d",
              "url": "http://localhost:41242/",
              "preferredTransport": "JSONRPC",
              "version": "0.1.0",
              "capabilities": {
                "streaming": true,
                "pushNotifications": false,
                "stateTransitionHistory": true,
                "extensions": [
                  {
                    "uri": "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md",
                    "description": "d",
                    "required": false
                  }
                ]
              },
              "defaultInputModes": [
                "text"
              ],
              "defaultOutputModes": [
                "text"
              ],
              "skills": [
                {
                  "id": "code_generation",
                  "name": "Code generation",
                  "description": "d",
                  "tags": [
                    "code"
                  ],
                  "examples": [
                    "e"
                  ]
                }
              ]
            }"#]],
    );
}

#[test]
fn a_call_that_asks() {
    let asking = request(ConfirmationDetails::FileEditDetails(diff()));
    check_both(
        &ToolCall { confirmation_request: Some(asking), ..call() },
        &expect![[r#"
        {
          "tool_call_id": "call-6",
          "status": "PENDING",
          "tool_name": "write_file",
          "input_parameters": {
            "file_path": "a.txt"
          },
          "confirmation_request": {
            "options": [
              {
                "id": "proceed_once",
                "name": "Allow once"
              }
            ],
            "file_edit_details": {
              "file_name": "a.txt",
              "file_path": "/w/a.txt",
              "new_content": "a\n",
              "formatted_diff": "+a\n"
            }
          }
        }"#]],
    );
}

#[test]
fn a_call_that_prints() {
    let live_content = Some("one\n".into());
    check_both(
        &ToolCall { status: ToolCallStatus::Executing, live_content, ..call() },
        &expect![[r#"
        {
          "tool_call_id": "call-6",
          "status": "EXECUTING",
          "tool_name": "write_file",
          "input_parameters": {
            "file_path": "a.txt"
          },
          "live_content": "one\n"
        }"#]],
    );
}

#[test]
fn what_came_of_a_call() {
    let error =
        ErrorDetails { message: "no such file".into(), kind: Some("file_not_found".into()), status_code: Some(2) };
    for (result, expected) in [
        (ToolCallResult::Output(ToolOutput::Text("done".into())), json!({"output": {"text": "done"}})),
        (ToolCallResult::Output(ToolOutput::Diff(diff())), json!({"output": {"diff": diff()}})),
        (
            ToolCallResult::Output(ToolOutput::StructuredData(json!({"a": 1}))),
            json!({"output": {"structured_data": {"a": 1}}}),
        ),
        (
            ToolCallResult::Error(error),
            json!({"error": {"message": "no such file", "type": "file_not_found", "status_code": 2}}),
        ),
    ] {
        let mut whole = serde_json::to_value(call()).unwrap();
        whole.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
        assert_eq!(serde_json::to_value(ToolCall { result: Some(result), ..call() }).unwrap(), whole);
    }
}

#[test]
fn every_kind_of_details_without_a_wrapper() {
    let execute = ExecuteDetails { command: "ls".into(), working_directory: Some("/w".into()) };
    let mcp = McpDetails { server_name: "s".into(), tool_name: "t".into() };
    let options = json!([{"id": "proceed_once", "name": "Allow once"}]);
    for (details, expected) in [
        (
            ConfirmationDetails::ExecuteDetails(execute),
            json!({"execute_details": {"command": "ls", "working_directory": "/w"}}),
        ),
        (ConfirmationDetails::FileEditDetails(diff()), json!({"file_edit_details": diff()})),
        (ConfirmationDetails::McpDetails(mcp), json!({"mcp_details": {"server_name": "s", "tool_name": "t"}})),
        (
            ConfirmationDetails::GenericDetails(GenericDetails { description: "d".into(), schema: None }),
            json!({"generic_details": {"description": "d"}}),
        ),
        (
            ConfirmationDetails::GenericDetails(GenericDetails {
                description: "which?".into(),
                schema: Some(json!({"type": "object"})),
            }),
            json!({"generic_details": {"description": "which?", "schema": {"type": "object"}}}),
        ),
    ] {
        let mut flat = json!({ "options": options });
        flat.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
        let asking = request(details);
        assert_eq!(serde_json::to_value(&asking).unwrap(), flat);
        let wrapped = pollux_wire::flat::ConfirmationRequest::from(asking);
        assert_eq!(serde_json::to_value(&wrapped).unwrap(), json!({"options": options, "details": expected}));
    }
}

#[test]
fn what_clients_send() {
    let file_details = Some(ModifiedFileDetails { new_content: "b\n".into() });
    check_both(
        &ToolCallConfirmation {
            tool_call_id: "call-6".into(),
            selected_option_id: "proceed_once".into(),
            file_details,
            answers: None,
        },
        &expect![[r#"
            {
              "tool_call_id": "call-6",
              "selected_option_id": "proceed_once",
              "file_details": {
                "new_content": "b\n"
              }
            }"#]],
    );
    check_both(
        &ToolCallConfirmation {
            tool_call_id: "call-6".into(),
            selected_option_id: "proceed_once".into(),
            file_details: None,
            answers: Some(json!({"0": "red"})),
        },
        &expect![[r#"
            {
              "tool_call_id": "call-6",
              "selected_option_id": "proceed_once",
              "answers": {
                "0": "red"
              }
            }"#]],
    );
    for spelling in [
        json!({"workspace_path": "/w", "model": "m", "auto_execute": true, "isTrusted": true}),
        json!({"workspacePath": "/w", "model": "m", "autoExecute": true, "is_trusted": true}),
    ] {
        let settings: AgentSettings = serde_json::from_value(spelling).unwrap();
        let expected = AgentSettings {
            workspace_path: Some("/w".into()),
            model: Some("m".into()),
            auto_execute: Some(true),
            is_trusted: Some(true),
        };
        assert_eq!(settings, expected);
    }
    check_both(
        &AgentThought { subject: "s".into(), description: "d".into() },
        &expect![[r#"
        {
          "subject": "s",
          "description": "d"
        }"#]],
    );
}

#[test]
fn flat_frames() {
    let text = |text: &str| Text { text: text.into() };
    let asking =
        ToolCall { confirmation_request: Some(request(ConfirmationDetails::FileEditDetails(diff()))), ..call() };
    let frames = [
        Body::TextContent { content: text("hello") },
        Body::Thought { content: AgentThought { subject: "s".into(), description: "d".into() } },
        Body::ToolCallUpdate(Box::new(asking.map_request(Into::into))),
        Body::UserMessage { content: text("hi"), sender: Sender { label: "zed".into(), principal: "local".into() } },
        Body::StateChange { state: TaskState::InputRequired, is_final: true, content: None, usage: None },
        Body::StateChange { state: TaskState::Failed, is_final: true, content: Some(text("no quota")), usage: None },
        Body::ConsoleLog { content: LogLine { level: "warn".into(), text: "careful".into() } },
        Body::Error { code: -32004, message: "decided".into(), decided_by: Some("phone".into()) },
        Body::Gap { message: "starts now".into() },
    ];
    let frames: Vec<Frame> = frames.into_iter().map(|body| Frame { body, task_id: Some("t".into()), seq: 7 }).collect();
    check(
        &frames,
        &expect![[r#"
        [
          {
            "kind": "TEXT_CONTENT",
            "content": {
              "text": "hello"
            },
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "THOUGHT",
            "content": {
              "subject": "s",
              "description": "d"
            },
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "TOOL_CALL_UPDATE",
            "tool_call_id": "call-6",
            "status": "PENDING",
            "tool_name": "write_file",
            "input_parameters": {
              "file_path": "a.txt"
            },
            "confirmation_request": {
              "options": [
                {
                  "id": "proceed_once",
                  "name": "Allow once"
                }
              ],
              "details": {
                "file_edit_details": {
                  "file_name": "a.txt",
                  "file_path": "/w/a.txt",
                  "new_content": "a\n",
                  "formatted_diff": "+a\n"
                }
              }
            },
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "USER_MESSAGE",
            "content": {
              "text": "hi"
            },
            "sender": {
              "label": "zed",
              "principal": "local"
            },
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "STATE_CHANGE",
            "state": "input-required",
            "final": true,
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "STATE_CHANGE",
            "state": "failed",
            "final": true,
            "content": {
              "text": "no quota"
            },
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "CONSOLE_LOG",
            "content": {
              "level": "warn",
              "text": "careful"
            },
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "ERROR",
            "code": -32004,
            "message": "decided",
            "decided_by": "phone",
            "taskId": "t",
            "seq": 7
          },
          {
            "kind": "GAP",
            "message": "starts now",
            "taskId": "t",
            "seq": 7
          }
        ]"#]],
    );
}

#[test]
fn json_rpc() {
    check(
        &Response::result(Id::Text("a".into()), json!({"x": 1})),
        &expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": "a",
          "result": {
            "x": 1
          }
        }"#]],
    );
    let info = ErrorInfo::new("ALREADY_DECIDED", [("decided_by", "phone".into())]);
    let error = ErrorObject { code: -32004, message: "decided".into(), data: vec![info] };
    check(
        &Response::<()>::error(Id::Null, error),
        &expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": null,
          "error": {
            "code": -32004,
            "message": "decided",
            "data": [
              {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "ALREADY_DECIDED",
                "domain": "pollux.dev",
                "metadata": {
                  "decided_by": "phone"
                }
              }
            ]
          }
        }"#]],
    );
    let bare = ErrorObject { code: -32601, message: "no".into(), data: Vec::new() };
    check(
        &Response::<()>::error(Id::Number(7), bare),
        &expect![[r#"
        {
          "jsonrpc": "2.0",
          "id": 7,
          "error": {
            "code": -32601,
            "message": "no"
          }
        }"#]],
    );
}

#[test]
fn requests_are_read() {
    let read = |body: Value| Request::parse(body.to_string().as_bytes());
    let request = |id, params| Ok(Request { id, method: "m".into(), params });
    let wrong = |id, why| Err(Malformed::NotARequest { id, why });
    for (body, expected) in [
        (json!({"jsonrpc": "2.0", "method": "m"}), request(Id::Null, Value::Null)),
        (json!({"jsonrpc": "2.0", "id": null, "method": "m", "params": {}}), request(Id::Null, json!({}))),
        (json!({"jsonrpc": "2.0", "id": "x", "method": "m", "params": [1]}), request(Id::Text("x".into()), json!([1]))),
        (json!({"jsonrpc": "1.0", "id": 3, "method": "m"}), wrong(Id::Number(3), "`jsonrpc` must be \"2.0\"")),
        (json!({"jsonrpc": "2.0", "id": 3}), wrong(Id::Number(3), "`method` must be the name of a method")),
        (
            json!({"jsonrpc": "2.0", "id": {}, "method": "m"}),
            wrong(Id::Null, "`id` must be text, a whole number or null"),
        ),
        (json!([]), wrong(Id::Null, "a request is one JSON object; batches are not supported")),
    ] {
        assert_eq!(read(body.clone()), expected, "{body}");
    }
    assert_eq!(Request::parse(b"{").unwrap_err().code(), pollux_wire::jsonrpc::PARSE_ERROR);
}
