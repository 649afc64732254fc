//! A call as that server's scheduler has it.

use super::response::EndedCall;
use super::{details, tools};
use crate::wire_state::WireState;
use pollux_session::{
    AnswerEdit, Ask, AskDetails, CallId, CallOutcome, CallPhase, CallState, TaskId, ToolKind, TranscriptLine, plain,
};
use pollux_wire::coder::{CallStatus, Display, Request, ToolCall};
use serde_json::Value;

/// The name of an outcome that only Pollux offers.
const SAVED: (&str, &str) = ("proceed_always_workspace", "proceed_always_and_save");
/// The argument that holds all of a file.
const CONTENT: &str = "content";
/// The choice of policy when nobody is asked.
const ALLOWED: &str = "proceed_once";

/// The facts about a call.
struct CallFacts<'a> {
    id: String,
    task: TaskId,
    tool: &'a str,
    args: &'a Value,
    kind: Option<ToolKind>,
    ask: Option<&'a Ask>,
    edit: Option<&'a AnswerEdit>,
    chosen: Option<&'a str>,
    /// Its output so far.
    printed: Option<String>,
    outcome: Option<&'a CallOutcome>,
    /// The provider's name for the answer it came with.
    response: Option<&'a str>,
    /// The checkpoint of the workspace before it.
    checkpoint: Option<&'a str>,
    /// The prompt of the turn it works for.
    prompt: Option<u64>,
}

/// Where a call that ended so is in its life.
pub(super) fn status_of(outcome: &CallOutcome) -> CallStatus {
    match outcome {
        CallOutcome::Succeeded { .. } => CallStatus::Success,
        CallOutcome::Failed { .. } | CallOutcome::Denied { .. } | CallOutcome::Interrupted => CallStatus::Error,
        CallOutcome::Declined | CallOutcome::Cancelled | CallOutcome::Superseded => CallStatus::Cancelled,
    }
}

/// A call of the running turn, told as `status`.
pub(super) fn tool_call(wire_state: &WireState, call: &CallState, status: CallStatus) -> ToolCall {
    let outcome = match &call.phase {
        CallPhase::Ended(outcome) => Some(outcome),
        CallPhase::Vetting | CallPhase::Deferred | CallPhase::Asking { .. } | CallPhase::Ready | CallPhase::Running => {
            None
        }
    };
    let allowed = (call.phase == CallPhase::Ready || wire_state.has_started(call.id)).then_some(ALLOWED);
    let subject = CallFacts {
        id: wire_state.wire_call_id(call.id),
        task: call.task,
        tool: &call.tool,
        args: &call.args,
        kind: call.is_vetted().then_some(call.kind),
        ask: call.ask.as_ref(),
        edit: call.edit.as_ref(),
        chosen: call.chosen.as_deref().or(allowed),
        printed: wire_state.call_output(call.id).map(|live| plain(&live.text_with_mark()).into_owned()),
        outcome,
        response: call.response.as_deref(),
        checkpoint: checkpoint_before(wire_state, call.id),
        prompt: wire_state.state.turn.as_ref().map(|turn| turn.prompt.0.0),
    };
    subject.into_tool_call(status)
}

/// Every call that waits for a person.
pub(crate) fn pending_tool_calls(wire_state: &WireState) -> Vec<ToolCall> {
    let Some(turn) = &wire_state.state.turn else { return Vec::new() };
    turn.asking_calls().map(|call| tool_call(wire_state, call, CallStatus::AwaitingApproval)).collect()
}

/// A call as the transcript remembers it; one of the running turn as it stands. `None` for what is no call.
pub(crate) fn tool_call_of_line(wire_state: &WireState, line: &TranscriptLine) -> Option<ToolCall> {
    let TranscriptLine::Call { id, task, response, tool, args, ask, decided, edit, started, output, outcome, .. } =
        line
    else {
        return None;
    };
    let known = wire_state.state.turn.as_ref().and_then(|turn| turn.calls.get(id));
    if let Some(call) = known {
        let status = match &call.phase {
            CallPhase::Vetting | CallPhase::Deferred | CallPhase::Ready => CallStatus::Scheduled,
            CallPhase::Asking { .. } => CallStatus::AwaitingApproval,
            CallPhase::Running => CallStatus::Executing,
            CallPhase::Ended(outcome) => status_of(outcome),
        };
        return Some(tool_call(wire_state, call, status));
    }
    let status = match outcome {
        Some(outcome) => status_of(outcome),
        None if *started => CallStatus::Executing,
        None => CallStatus::Scheduled,
    };
    let subject = CallFacts {
        id: wire_state.wire_call_id(*id),
        task: *task,
        tool,
        args,
        kind: None,
        ask: ask.as_ref(),
        edit: edit.as_ref(),
        chosen: decided.as_ref().map(|(choice, _)| choice.as_str()).or(started.then_some(ALLOWED)),
        printed: (!output.is_empty()).then(|| plain(output).into_owned()),
        outcome: outcome.as_ref(),
        response: response.as_deref(),
        checkpoint: checkpoint_before(wire_state, *id),
        prompt: None,
    };
    Some(subject.into_tool_call(status))
}

/// The name of the checkpoint that was saved before `call` ran.
fn checkpoint_before(wire_state: &WireState, call: CallId) -> Option<&str> {
    let saved = wire_state.state.checkpoints.iter().rev().map(|kept| &kept.checkpoint);
    saved.filter(|checkpoint| checkpoint.saved.is_ok()).find(|it| it.call == call).map(|it| it.name.as_str())
}

impl CallFacts<'_> {
    /// The arguments of a file that is written as a person edited it, in the words of that server.
    fn edited_args(&self) -> Option<Value> {
        let Some(AnswerEdit::Content { new }) = self.edit else { return None };
        let mut args = self.args.as_object()?.clone();
        let proposed = args.insert(CONTENT.into(), new.as_str().into())?;
        args.insert("ai_proposed_content".into(), proposed);
        args.insert("modified_by_user".into(), true.into());
        Some(args.into())
    }

    fn into_tool_call(self, status: CallStatus) -> ToolCall {
        let tool = tools::tool(self.tool, self.kind);
        let display = Display {
            name: tool.display_name.clone(),
            description: tools::subject(self.args),
            result_summary: None,
            result: None,
        };
        let asks = status == CallStatus::AwaitingApproval;
        let over = self.outcome.filter(|_| !asks).map(|outcome| EndedCall {
            id: self.id.clone(),
            tool: self.tool,
            outcome,
            display: &display,
            shown: self.ask.and_then(|ask| match &ask.details {
                AskDetails::Edit(change) => Some(change),
                AskDetails::Patch { .. }
                | AskDetails::Execute { .. }
                | AskDetails::Generic { .. }
                | AskDetails::Mcp { .. } => None,
            }),
            printed: self.printed.clone(),
        });
        let response = over.map(EndedCall::response);
        let args = self.edited_args().unwrap_or_else(|| self.args.clone());
        ToolCall {
            status,
            confirmation_details: self.ask.filter(|_| asks).map(|ask| details::confirmation_details(ask, self.tool)),
            live_output: self.printed.filter(|_| status == CallStatus::Executing),
            response,
            outcome: self.chosen.map(|chosen| if chosen == SAVED.0 { SAVED.1 } else { chosen }.to_owned()),
            request: Request {
                call_id: self.id,
                name: self.tool.to_owned(),
                args,
                display,
                is_client_initiated: false,
                prompt_id: format!("{}########{}", self.task, self.prompt.unwrap_or(0)),
                trace_id: self.response.map(str::to_owned),
                checkpoint: self.checkpoint.map(str::to_owned),
                scheduler_id: self.task.to_string(),
            },
            tool,
        }
    }
}
