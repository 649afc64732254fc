//! The frames of the endpoint guide.

use crate::golden::check;
use crate::golden::devtool::{call, diff, request};
use expect_test::expect;
use pollux_wire::a2a::TaskState;
use pollux_wire::devtool::{AgentThought, ConfirmationDetails, ToolCall};
use pollux_wire::flat::{Body, Frame, LogLine, Sender, Text};

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
