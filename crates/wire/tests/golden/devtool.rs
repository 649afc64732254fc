//! The `development-tool` extension.

use crate::golden::check_both;
use expect_test::expect;
use pollux_wire::devtool::{
    AgentSettings, AgentThought, ConfirmationDetails, ConfirmationOption, ConfirmationRequest, ErrorDetails,
    ExecuteDetails, FileDiff, GenericDetails, LentServer, McpDetails, ModifiedFileDetails, ToolCall,
    ToolCallConfirmation, ToolCallResult, ToolCallStatus, ToolOutput,
};
use pretty_assertions::assert_eq;
use serde_json::json;

pub(crate) fn diff() -> FileDiff {
    FileDiff {
        file_name: "a.txt".into(),
        file_path: "/w/a.txt".into(),
        old_content: None,
        new_content: "a\n".into(),
        formatted_diff: Some("+a\n".into()),
    }
}

pub(crate) fn call() -> ToolCall {
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

pub(crate) fn request(details: ConfirmationDetails) -> ConfirmationRequest {
    let option = ConfirmationOption { id: "proceed_once".into(), name: "Allow once".into(), description: None };
    ConfirmationRequest { options: vec![option], details }
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
            ..AgentSettings::default()
        };
        assert_eq!(settings, expected);
    }
    for spelling in [
        json!({"api_key": "k", "mcp_servers": {"x": {"url": "u"}}, "allowed_tools": ["t"], "workspaceRoot": "/w"}),
        json!({"apiKey": "k", "mcpServers": {"x": {"httpUrl": "u"}}, "allowedTools": ["t"], "workspacePath": "/w"}),
    ] {
        let settings: AgentSettings = serde_json::from_value(spelling).unwrap();
        assert_eq!(settings.api_key.as_ref().unwrap().reveal(), "k");
        assert!(matches!(&settings.mcp_servers["x"], LentServer::Http { url, .. } if url == "u"));
        // What is lent is never written, and not shown.
        assert_eq!(serde_json::to_value(&settings).unwrap(), json!({"workspace_path": "/w", "allowed_tools": ["t"]}));
        assert!(format!("{settings:?}").contains("[hidden]"));
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
