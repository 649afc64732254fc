//! A call in the words that the protocol page and the server reference share.

use pollux_wire::devtool::{ConfirmationDetails, ToolCall, ToolCallResult, ToolOutput};
use pollux_wire::page::{ConfirmationRequest, Severity};

/// The request to a person about `call`, if there is one.
pub(in super::super) fn request_of(call: &ToolCall) -> Option<ConfirmationRequest> {
    let request = call.confirmation_request.as_ref()?;
    let (title, prompt, kind) = match &request.details {
        ConfirmationDetails::ExecuteDetails(run) => {
            let place = run.working_directory.as_deref().map(|place| format!(" in {place}")).unwrap_or_default();
            (format!("Run a command{place}"), run.command.clone(), Severity::Danger)
        }
        ConfirmationDetails::FileEditDetails(change) => {
            let verb = if change.old_content.is_some() { "Change" } else { "Create" };
            let shown = change.formatted_diff.as_ref().unwrap_or(&change.new_content);
            (format!("{verb} {}", change.file_path), shown.clone(), Severity::Warning)
        }
        ConfirmationDetails::McpDetails(tool) => {
            let title = format!("Call {} of the MCP server {}", tool.tool_name, tool.server_name);
            (title, call.input_parameters.to_string(), Severity::Warning)
        }
        ConfirmationDetails::GenericDetails(other) => {
            (format!("Confirm {}", call.tool_name), other.description.clone(), Severity::Info)
        }
    };
    Some(ConfirmationRequest { title, prompt, kind })
}

/// The result of `call`; while it runs, its output so far.
pub(in super::super) fn live_or_result(call: &ToolCall) -> Option<String> {
    match &call.result {
        Some(ToolCallResult::Output(ToolOutput::Text(text))) => Some(text.clone()),
        Some(ToolCallResult::Output(ToolOutput::Diff(change))) => {
            Some(change.formatted_diff.as_ref().unwrap_or(&change.new_content).clone())
        }
        Some(ToolCallResult::Output(ToolOutput::StructuredData(data))) => Some(data.to_string()),
        Some(ToolCallResult::Error(_)) | None => call.live_content.clone(),
    }
}

/// Why `call` failed.
pub(in super::super) fn failure_reason(call: &ToolCall) -> Option<String> {
    match &call.result {
        Some(ToolCallResult::Error(error)) => Some(error.message.clone()),
        Some(ToolCallResult::Output(_)) | None => None,
    }
}
