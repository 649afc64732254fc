//! A call as the extension's `ToolCall`.

use super::choice::describe_choice;
use crate::wire_state::WireState;
use pollux_session::{
    Ask, AskDetails, CallOutcome, CallPhase, CallResult, CallState, FileDiff, ResultDisplay, describe_call_error,
    describe_patch, plain,
};
use pollux_wire::devtool::{
    self, ConfirmationDetails, ConfirmationOption, ConfirmationRequest, ErrorDetails, ExecuteDetails, GenericDetails,
    McpDetails, ToolCall, ToolCallResult, ToolCallStatus, ToolOutput,
};
use serde_json::Value;

/// `call` as it stands.
pub(crate) fn describe_call(wire_state: &WireState, call: &CallState) -> ToolCall {
    let asking = matches!(call.phase, CallPhase::Asking { .. });
    let (status, result) = match &call.phase {
        CallPhase::Vetting | CallPhase::Deferred | CallPhase::Asking { .. } | CallPhase::Ready => {
            (ToolCallStatus::Pending, None)
        }
        CallPhase::Running => (ToolCallStatus::Executing, None),
        CallPhase::Ended(outcome) => describe_outcome(outcome),
    };
    let live = wire_state.call_output(call.id).filter(|_| !includes_output(&call.phase));
    ToolCall {
        tool_call_id: wire_state.wire_call_id(call.id),
        status,
        tool_name: call.tool.clone(),
        description: call.args.get("description").and_then(Value::as_str).map(str::to_owned),
        input_parameters: call.args.clone(),
        live_content: live.map(|live| plain(&live.text_with_mark()).into_owned()),
        result,
        confirmation_request: call.ask.as_ref().filter(|_| asking).map(request),
    }
}

/// True if what the call printed is told in its result, which replaces what was told while it ran.
fn includes_output(phase: &CallPhase) -> bool {
    matches!(phase, CallPhase::Ended(outcome) if outcome.result().is_some())
}

/// A call that has ended, as it was when nothing had happened to it yet.
pub(super) fn before_vetting(call: ToolCall) -> ToolCall {
    let status = ToolCallStatus::Pending;
    ToolCall { status, live_content: None, result: None, confirmation_request: None, ..call }
}

/// The call without its confirmation request.
pub(super) fn without_request(call: ToolCall) -> ToolCall {
    ToolCall { confirmation_request: None, ..call }
}

/// Every call that waits for a person.
pub(crate) fn pending_asks(wire_state: &WireState) -> Vec<ToolCall> {
    let Some(turn) = &wire_state.state.turn else { return Vec::new() };
    turn.asking_calls().map(|call| describe_call(wire_state, call)).collect()
}

pub(crate) fn describe_outcome(outcome: &CallOutcome) -> (ToolCallStatus, Option<ToolCallResult>) {
    let error = |message: String, kind: String, status_code| {
        Some(ToolCallResult::Error(ErrorDetails { message, kind: Some(kind), status_code }))
    };
    let explained = || describe_call_error(outcome).and_then(|why| error(why.message, why.kind, None));
    match outcome {
        // To the model it is a result like any other; to the extension's clients it is a command that failed.
        CallOutcome::Succeeded { result: result @ CallResult { exit_code: Some(code @ ..=-1 | code @ 1..), .. } } => {
            let printed = result.text.strip_suffix(&format!("Exit code: {code}\n")).unwrap_or(&result.text);
            let message = with_output(&format!("the command ended with exit code {code}"), printed);
            (ToolCallStatus::Failed, error(message, "shell_execute_error".to_owned(), Some(*code)))
        }
        CallOutcome::Succeeded { result } => (ToolCallStatus::Succeeded, Some(ToolCallResult::Output(output(result)))),
        CallOutcome::Failed { error: why, result: Some(result) } => {
            let message = with_output(&why.message, &result.text);
            (ToolCallStatus::Failed, error(message, why.kind.clone(), result.exit_code))
        }
        CallOutcome::Failed { result: None, .. } | CallOutcome::Denied { .. } | CallOutcome::Interrupted => {
            (ToolCallStatus::Failed, explained())
        }
        CallOutcome::Superseded => (ToolCallStatus::Cancelled, explained()),
        CallOutcome::Declined | CallOutcome::Cancelled => (ToolCallStatus::Cancelled, None),
    }
}

/// Why a call failed, and what it printed all the same.
fn with_output(why: &str, printed: &str) -> String {
    match plain(printed).trim() {
        "" => why.to_owned(),
        printed => format!("{why}:\n{printed}"),
    }
}

fn output(result: &CallResult) -> ToolOutput {
    match (&result.display, &result.structured) {
        (Some(ResultDisplay::Diff(change)), _) => ToolOutput::Diff(diff(change)),
        (Some(ResultDisplay::Patch { files }), _) => ToolOutput::Text(describe_patch(files)),
        (_, Some(data)) => ToolOutput::StructuredData(data.as_ref().clone()),
        (Some(ResultDisplay::Text { text }), None) => ToolOutput::Text(plain(text).into_owned()),
        (None, None) => ToolOutput::Text(plain(&result.text).into_owned()),
    }
}

fn request(ask: &Ask) -> ConfirmationRequest {
    let option = |choice: &pollux_session::AskOption| ConfirmationOption {
        id: choice.id.clone(),
        name: choice.name.clone(),
        description: describe_choice(choice),
    };
    let details = match &ask.details {
        AskDetails::Execute { command, directory } => ConfirmationDetails::ExecuteDetails(ExecuteDetails {
            command: command.clone(),
            working_directory: Some(directory.clone()),
        }),
        AskDetails::Edit(change) => ConfirmationDetails::FileEditDetails(diff(change)),
        AskDetails::Patch { files } => {
            ConfirmationDetails::GenericDetails(GenericDetails { description: describe_patch(files), schema: None })
        }
        AskDetails::Mcp { server, tool, .. } => {
            ConfirmationDetails::McpDetails(McpDetails { server_name: server.clone(), tool_name: tool.clone() })
        }
        AskDetails::Generic { description, schema } => ConfirmationDetails::GenericDetails(GenericDetails {
            description: description.clone(),
            schema: schema.clone(),
        }),
    };
    ConfirmationRequest { options: ask.options.iter().map(option).collect(), details }
}

fn diff(change: &FileDiff) -> devtool::FileDiff {
    devtool::FileDiff {
        file_name: file_name(change).to_owned(),
        file_path: change.path.clone(),
        old_content: change.old.clone(),
        new_content: change.new.clone(),
        formatted_diff: Some(change.patch.clone()),
    }
}

/// The name of a changed file, without its directories.
pub(super) fn file_name(change: &FileDiff) -> &str {
    let name = change.path.rsplit('/').next().unwrap_or_default();
    if name.is_empty() { &change.name } else { name }
}
