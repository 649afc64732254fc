//! The page dialect: the protocol page's own events, for `POST /message/stream`.

mod request;

pub(super) use request::{live_or_result, request_of, why_not};

use super::{Frame, FrameRole, Saying, Spot, encode};
use bytes::Bytes;
use pollux_session::TaskStatus;
use pollux_wire::a2a::TaskState;
use pollux_wire::devtool::ToolCall;
use pollux_wire::page::{Body, Event, ToolCallConfirmation, ToolCallUpdate};

/// The frames; none for what the page has no word for.
pub(super) fn spell(saying: &Saying, spot: &Spot<'_>) -> Vec<Frame> {
    let content = |body| Frame { role: FrameRole::Content, json: write(body, spot), last: None };
    match saying {
        Saying::State { state, failure, .. } => {
            vec![state_frame(*state, failure.as_ref().map(|failure| failure.message.clone()), spot)]
        }
        Saying::Retrying { line, .. } => vec![state_frame(TaskState::Working, Some(line.clone()), spot)],
        Saying::Waits { line } => {
            vec![content(Body::StateChange { state: spot.state, message: Some(line.clone()) })]
        }
        Saying::Text(text) => vec![content(Body::TextContent { text: text.clone() })],
        Saying::Thought(text) => vec![content(Body::Thought { text: text.clone() })],
        Saying::Citations(sources) => vec![content(Body::Citation { text: sources.join("\n") })],
        Saying::Call(call) => {
            let asked = confirmation(call).map(Body::ToolCallConfirmation);
            std::iter::once(Body::ToolCallUpdate(update(call))).chain(asked).map(content).collect()
        }
        Saying::Answer(_) | Saying::Made(_) | Saying::Prompt { .. } | Saying::Remark { .. } => Vec::new(),
    }
}

/// The page says that work goes on when an answer lets it.
pub(super) fn resumed(was: &TaskStatus, spot: &Spot<'_>) -> Option<Frame> {
    let goes_on = *was == TaskStatus::InputRequired && spot.state == TaskState::Working;
    goes_on.then(|| state_frame(TaskState::Working, None, spot))
}

fn state_frame(state: TaskState, message: Option<String>, spot: &Spot<'_>) -> Frame {
    Frame { role: FrameRole::State, json: write(Body::StateChange { state, message }, spot), last: None }
}

fn update(call: &ToolCall) -> ToolCallUpdate {
    ToolCallUpdate {
        tool_call_id: call.tool_call_id.clone(),
        tool_name: call.tool_name.clone(),
        status: call.status,
        input_parameters: Some(call.input_parameters.clone()),
        result: live_or_result(call),
        error: why_not(call),
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

fn write(body: Body, spot: &Spot<'_>) -> Bytes {
    encode(&Event { body, task_id: spot.task.clone(), context_id: spot.context.to_owned() })
}
