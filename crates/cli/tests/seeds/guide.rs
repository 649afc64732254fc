//! The examples of the endpoint guide, as they stand there: commands, frames to send, frames that come back.

/// The commands that a person types, in the order of the guide.
pub(crate) const COMMANDS: [&str; 4] = [
    "gemini --a2a-port 41243",
    "curl http://localhost:41243/.well-known/agent-card.json",
    "wscat -c ws://localhost:41243/ws",
    "gemini --a2a-port 41243 --debug",
];

/// The extension that the agent card names.
pub(crate) const EXTENSION: &str =
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

/// The frame that sends a prompt.
pub(crate) const PROMPT: &str = r#"{
  "jsonrpc": "2.0",
  "method": "message/stream",
  "params": {
    "message": {
      "content": {
        "text": "List the files in the current directory"
      }
    }
  }
}"#;

/// The frame that answers an ask.
pub(crate) const CONFIRMATION: &str = r#"{
  "jsonrpc": "2.0",
  "method": "message/stream",
  "params": {
    "message": {
      "content": {
        "data": {
          "kind": "TOOL_CALL_CONFIRMATION",
          "tool_call_id": "uuid-correlation-id",
          "selected_option_id": "proceed_once"
        }
      }
    }
  }
}"#;

/// The id in [`CONFIRMATION`] that stands for the one a client received.
pub(crate) const CALL: &str = "uuid-correlation-id";

/// Text as it is broadcast.
pub(crate) const TEXT_CONTENT: &str = r#"{
  "kind": "TEXT_CONTENT",
  "content": {
    "text": "I will list the files for you."
  },
  "taskId": "your-session-id"
}"#;

/// An ask as it is broadcast.
pub(crate) const PENDING: &str = r#"{
  "kind": "TOOL_CALL_UPDATE",
  "tool_call_id": "uuid-correlation-id",
  "status": "PENDING",
  "tool_name": "run_shell_command",
  "confirmation_request": {
    "options": [
      { "id": "proceed_once", "name": "Allow Once" },
      { "id": "cancel", "name": "Cancel" }
    ],
    "details": {
      "execute_details": { "command": "rm -rf /" }
    }
  },
  "taskId": "..."
}"#;
