//! The page dialect: the protocol page's own events, for `POST /message/stream`.

mod request;

pub(super) use request::{failure_reason, live_or_result, request_of};

use super::{DomainFrame, EncodedFrame, FrameContext, FrameRole, encode};
use bytes::Bytes;
use pollux_session::TaskStatus;
use pollux_wire::a2a::TaskState;
use pollux_wire::devtool::ToolCall;
use pollux_wire::page::{Body, Event, ToolCallConfirmation, ToolCallUpdate};

/// The frames; none for what the page has no word for.
pub(super) fn encode_frames(saying: &DomainFrame, spot: &FrameContext<'_>) -> Vec<EncodedFrame> {
    let content = |body| EncodedFrame { role: FrameRole::Content, json: write(body, spot), last: None };
    match saying {
        DomainFrame::State { state, failure, .. } => {
            vec![state_frame(*state, failure.as_ref().map(|failure| failure.message.clone()), spot)]
        }
        DomainFrame::Retrying { line, .. } => vec![state_frame(TaskState::Working, Some(line.clone()), spot)],
        DomainFrame::Queued { line } => {
            vec![content(Body::StateChange { state: spot.state, message: Some(line.clone()) })]
        }
        DomainFrame::Text(text) => vec![content(Body::TextContent { text: text.clone() })],
        DomainFrame::Thought(text) => vec![content(Body::Thought { text: text.clone() })],
        DomainFrame::Citations(sources) => vec![content(Body::Citation { text: sources.join("\n") })],
        DomainFrame::Call(call) => {
            let asked = confirmation(call).map(Body::ToolCallConfirmation);
            std::iter::once(Body::ToolCallUpdate(update(call))).chain(asked).map(content).collect()
        }
        DomainFrame::Answer(_) | DomainFrame::Artifact(_) | DomainFrame::Prompt { .. } | DomainFrame::Remark { .. } => {
            Vec::new()
        }
    }
}

/// The page says that work goes on when an answer lets it.
pub(super) fn resumed(was: &TaskStatus, spot: &FrameContext<'_>) -> Option<EncodedFrame> {
    let goes_on = *was == TaskStatus::InputRequired && spot.state == TaskState::Working;
    goes_on.then(|| state_frame(TaskState::Working, None, spot))
}

fn state_frame(state: TaskState, message: Option<String>, spot: &FrameContext<'_>) -> EncodedFrame {
    EncodedFrame { role: FrameRole::State, json: write(Body::StateChange { state, message }, spot), last: None }
}

fn update(call: &ToolCall) -> ToolCallUpdate {
    ToolCallUpdate {
        tool_call_id: call.tool_call_id.clone(),
        tool_name: call.tool_name.clone(),
        status: call.status,
        input_parameters: Some(call.input_parameters.clone()),
        result: live_or_result(call),
        error: failure_reason(call),
    }
}

fn confirmation(call: &ToolCall) -> Option<ToolCallConfirmation> {
    Some(ToolCallConfirmation {
        tool_call_id: call.tool_call_id.clone(),
        tool_name: call.tool_name.clone(),
        input_parameters: call.input_parameters.clone(),
        confirmation_request: request_of(call)?,
    })
}

fn write(body: Body, spot: &FrameContext<'_>) -> Bytes {
    encode(&Event { body, task_id: spot.task.clone(), context_id: spot.context.to_owned() })
}
