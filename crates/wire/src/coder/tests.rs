//! Field names and their order, which clients may have come to rely on.

use super::*;
use pretty_assertions::assert_eq;

#[test]
fn metadata_is_in_the_order_of_the_original() {
    let usage = UsageMetadata {
        prompt_token_count: 10,
        candidates_token_count: 3,
        total_token_count: 13,
        cached_content_token_count: 0,
    };
    let told = UpdateDetails {
        user_tier: Some("free-tier".into()),
        error: Some("no".into()),
        trace: Some("t".into()),
        usage: Some(usage),
    };
    assert_eq!(
        Value::from(metadata(Kind::StateChange, "m", told)).to_string(),
        concat!(
            r#"{"coderAgent":{"kind":"state-change"},"model":"m","userTier":"free-tier","error":"no","traceId":"t","#,
            r#""usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"totalTokenCount":13}}"#
        )
    );
}

#[test]
fn a_task_shows_what_is_empty() {
    let status = TaskStatus { state: a2a::TaskState::InputRequired, message: None, timestamp: None };
    let task = a2a::Task {
        kind: TaskTag::Task,
        id: "t".into(),
        context_id: "c".into(),
        status,
        artifacts: Vec::new(),
        history: Vec::new(),
        metadata: task_metadata(&json!({"kind": AGENT_SETTINGS}), &[], a2a::TaskState::InputRequired, "c"),
    };
    assert_eq!(
        serde_json::to_string(&Task::from(task)).expect("it encodes"),
        concat!(
            r#"{"id":"t","contextId":"c","kind":"task","status":{"state":"input-required"},"#,
            r#""metadata":{"__persistedState":{"_agentSettings":{"kind":"agent-settings"},"_taskState":"input-required"},"#,
            r#""_contextId":"c"},"history":[],"artifacts":[]}"#
        )
    );
}

#[test]
fn a_call_is_in_the_order_of_the_original() {
    let display = Display { name: "Shell".into(), description: "ls".into(), result_summary: None, result: None };
    let call = ToolCall {
        request: Request {
            call_id: "call-1".into(),
            name: "run_shell_command".into(),
            args: json!({"command": "ls"}),
            display,
            is_client_initiated: false,
            prompt_id: "t########3".into(),
            trace_id: Some("trace".into()),
            checkpoint: Some("before-ls".into()),
            scheduler_id: "t".into(),
        },
        status: CallStatus::AwaitingApproval,
        confirmation_details: Some(ConfirmationDetails::Exec {
            title: "Run".into(),
            command: "ls".into(),
            root_command: "ls".into(),
            root_commands: vec!["ls".into()],
        }),
        live_output: Some("a\n".into()),
        response: Some(Response {
            call_id: "call-1".into(),
            error: None,
            response_parts: vec![ResponsePart {
                function_response: FunctionResponse {
                    id: "call-1".into(),
                    name: "run_shell_command".into(),
                    response: json!({"output": "a"}),
                },
            }],
            display: None,
            result_display: Some(json!("a")),
            error_type: None,
            content_length: 1,
            data: None,
        }),
        outcome: Some("proceed_once".into()),
        tool: Tool {
            name: "run_shell_command".into(),
            display_name: "Shell".into(),
            kind: "execute".into(),
            is_output_markdown: false,
            can_update_output: true,
        },
    };
    assert_eq!(
        serde_json::to_string(&call).expect("it encodes"),
        concat!(
            r#"{"request":{"callId":"call-1","name":"run_shell_command","args":{"command":"ls"},"#,
            r#""display":{"name":"Shell","description":"ls"},"isClientInitiated":false,"prompt_id":"t########3","#,
            r#""traceId":"trace","checkpoint":"before-ls","schedulerId":"t"},"status":"awaiting_approval","#,
            r#""confirmationDetails":{"type":"exec","title":"Run","command":"ls","rootCommand":"ls","rootCommands":["ls"]},"#,
            r#""liveOutput":"a\n","response":{"callId":"call-1","responseParts":[{"functionResponse":{"id":"call-1","#,
            r#""name":"run_shell_command","response":{"output":"a"}}}],"resultDisplay":"a","contentLength":1},"#,
            r#""outcome":"proceed_once","tool":{"name":"run_shell_command","displayName":"Shell","kind":"execute","#,
            r#""isOutputMarkdown":false,"canUpdateOutput":true}}"#
        )
    );
}
