//! What every tool has in common.

use crate::room::Room;
use pollux_session::CallError;
use pretty_assertions::assert_eq;
use serde_json::json;

#[test]
fn tools_are_declared_by_name_with_their_parameters() {
    let toolbox = Room::new().toolbox;
    assert_eq!(toolbox.names(), ["list_directory", "read_file", "run_shell_command", "write_file"]);
    let declared: Vec<_> = toolbox
        .declarations()
        .into_iter()
        .map(|tool| {
            let names: Vec<String> = tool.parameters["properties"].as_object().unwrap().keys().cloned().collect();
            (tool.name, names.join(" "), tool.parameters["required"].clone())
        })
        .collect();
    assert_eq!(
        declared,
        [
            ("list_directory", "dir_path".into(), json!(["dir_path"])),
            ("read_file", "file_path start_line end_line".into(), json!(["file_path"])),
            ("run_shell_command", "command description dir_path".into(), json!(["command"])),
            ("write_file", "file_path content".into(), json!(["file_path", "content"])),
        ]
    );
}

#[tokio::test]
async fn an_unknown_tool_is_told_which_there_are() {
    let known = "list_directory, read_file, run_shell_command, write_file";
    let message = format!("there is no tool `fly`; the tools are {known}");
    assert_eq!(Room::new().refusal("fly", json!({})).await, CallError { kind: "tool_not_registered".into(), message });
}

#[tokio::test]
async fn bad_arguments_are_named() {
    let room = Room::new();
    let cases = [
        ("read_file", json!({}), "missing argument `file_path`"),
        ("read_file", json!({ "file_path": "a\0b" }), "a path cannot contain a NUL character"),
        (
            "read_file",
            json!({ "file_path": "a", "start_line": 3, "end_line": 2 }),
            "argument `start_line`: 3 is after `end_line`, which is 2",
        ),
        ("write_file", json!({ "file_path": "a" }), "missing argument `content`"),
        (
            "list_directory",
            json!({ "dir_path": 1 }),
            "argument `dir_path`: invalid type: integer `1`, expected a string",
        ),
        ("run_shell_command", json!({ "command": "  " }), "argument `command`: it is empty"),
        ("run_shell_command", json!({ "command": "a\0b" }), "argument `command`: it cannot contain a NUL character"),
    ];
    for (tool, args, message) in cases {
        let expected = CallError { kind: "invalid_tool_params".into(), message: message.into() };
        assert_eq!(room.refusal(tool, args).await, expected);
    }
}

#[tokio::test]
async fn a_missing_workspace_is_a_failure_of_the_call() {
    let room = Room::new();
    let gone = room.path("gone");
    let outcome = room.toolbox.preview(&gone, "list_directory", &json!({ "dir_path": "." })).await.unwrap_err();
    let error = crate::room::failure(outcome);
    assert_eq!(error.kind, "execution_failed");
    assert!(error.message.starts_with(&format!("the workspace {} cannot be used", gone.display())), "{error:?}");
}
