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
pub(super) fn encode_frames(domain_frame: &DomainFrame, frame_context: &FrameContext<'_>) -> Vec<EncodedFrame> {
    let content = |body| EncodedFrame { role: FrameRole::Content, json: write(body, frame_context), last: None };
    match domain_frame {
        DomainFrame::State { state, failure, .. } => {
            vec![state_frame(*state, failure.as_ref().map(|failure| failure.message.clone()), frame_context)]
        }
        DomainFrame::Retrying { line, .. } => vec![state_frame(TaskState::Working, Some(line.clone()), frame_context)],
        DomainFrame::Queued { line } => {
            vec![content(Body::StateChange { state: frame_context.state, message: Some(line.clone()) })]
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
pub(super) fn resumed(was: &TaskStatus, frame_context: &FrameContext<'_>) -> Option<EncodedFrame> {
    let goes_on = *was == TaskStatus::InputRequired && frame_context.state == TaskState::Working;
    goes_on.then(|| state_frame(TaskState::Working, None, frame_context))
}

fn state_frame(state: TaskState, message: Option<String>, frame_context: &FrameContext<'_>) -> EncodedFrame {
    EncodedFrame {
        role: FrameRole::State,
        json: write(Body::StateChange { state, message }, frame_context),
        last: None,
    }
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

fn write(body: Body, frame_context: &FrameContext<'_>) -> Bytes {
    encode(&Event { body, task_id: frame_context.task.clone(), context_id: frame_context.context.to_owned() })
}
