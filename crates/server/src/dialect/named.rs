//! The named dialect: the events of the server reference, for `POST /tasks/{id}/execute`.

use super::page::{failure_reason, live_or_result, request_of};
use super::{DomainFrame, EncodedFrame, FrameContext, FrameRole, encode, thought_of};
use pollux_wire::a2a::TaskState;
use pollux_wire::devtool::{ToolCall, ToolCallStatus};
use pollux_wire::named::{CallStatus, Event, State, ToolCallUpdate};

/// The frames; none for what the reference has no word for.
pub(super) fn encode_frames(domain_frame: &DomainFrame, frame_context: &FrameContext<'_>) -> Vec<EncodedFrame> {
    let content = |event: Event| EncodedFrame { role: FrameRole::Content, json: encode(&event), last: None };
    match domain_frame {
        DomainFrame::State { state, failure, .. } => {
            let cancelled = || (*state == TaskState::Canceled).then(|| "the turn was cancelled".to_owned());
            let message = failure.as_ref().map(|failure| failure.message.clone()).or_else(cancelled);
            vec![state_frame(*state, message, frame_context)]
        }
        DomainFrame::Retrying { line, .. } => vec![state_frame(TaskState::Working, Some(line.clone()), frame_context)],
        DomainFrame::Queued { line } => {
            let (state, timestamp) = (state_word(frame_context.state), frame_context.timestamp.clone());
            vec![content(Event::StateChange { state, timestamp, message: Some(line.clone()) })]
        }
        DomainFrame::Text(text) => vec![content(Event::TextContent { text: text.clone() })],
        DomainFrame::Thought(text) => {
            let thought = thought_of(text);
            let whole = (!thought.description.is_empty()).then_some(Event::Thought { thought: thought.description });
            let summary = (!thought.subject.is_empty()).then_some(Event::ThoughtSummary { summary: thought.subject });
            whole.into_iter().chain(summary).map(content).collect()
        }
        DomainFrame::Call(call) => vec![content(Event::ToolCallUpdate(update(call)))],
        DomainFrame::Answer(_)
        | DomainFrame::Artifact(_)
        | DomainFrame::Citations(_)
        | DomainFrame::Prompt { .. }
        | DomainFrame::Remark { .. } => Vec::new(),
    }
}

/// The reference's word for where a task stands.
pub(crate) fn state_word(state: TaskState) -> State {
    match state {
        TaskState::Submitted | TaskState::Working | TaskState::InputRequired | TaskState::AuthRequired => {
            State::Running
        }
        TaskState::Completed => State::Completed,
        TaskState::Canceled | TaskState::Failed | TaskState::Rejected | TaskState::Unknown => State::Error,
    }
}

/// The name of the SSE event that a frame is: its `type`, which always comes first.
pub(crate) fn event_name(json: &[u8]) -> &str {
    let named = json.strip_prefix(b"{\"type\":\"").and_then(|rest| rest.split(|byte| *byte == b'"').next());
    named.and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("message")
}

fn state_frame(state: TaskState, message: Option<String>, frame_context: &FrameContext<'_>) -> EncodedFrame {
    let event = Event::StateChange { state: state_word(state), timestamp: frame_context.timestamp.clone(), message };
    EncodedFrame { role: FrameRole::State, json: encode(&event), last: None }
}

fn update(call: &ToolCall) -> ToolCallUpdate {
    let (status, otherwise) = match call.status {
        ToolCallStatus::Pending => (CallStatus::Requested, None),
        ToolCallStatus::Executing => (CallStatus::Executing, None),
        ToolCallStatus::Succeeded => (CallStatus::Completed, None),
        ToolCallStatus::Failed => (CallStatus::Error, None),
        ToolCallStatus::Cancelled => (CallStatus::Error, Some("the call was cancelled and did not finish".to_owned())),
    };
    ToolCallUpdate {
        tool_call_id: call.tool_call_id.clone(),
        status,
        tool_name: call.tool_name.clone(),
        result: live_or_result(call),
        error: failure_reason(call).or(otherwise),
        confirmation_request: request_of(call),
    }
}
