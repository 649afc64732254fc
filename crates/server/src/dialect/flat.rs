//! The flat dialect: the frames of the endpoint guide, for `/ws` and `/tasks/{id}/messages/stream`.

use super::{Frame, FrameRole, Saying, Spot, counted, encode, list_sources, thought_of};
use pollux_session::{By, Level};
use pollux_wire::a2a::TaskState;
use pollux_wire::flat::{self, Body, LogLine, Sender, Text};

/// The frame; `None` for what the endpoint guide has no word for.
pub(super) fn spell(saying: &Saying, spot: &Spot<'_>) -> Option<Frame> {
    let write = |role, body| Frame { role, json: frame(body, Some(&spot.task), spot.resume.0), last: None };
    Some(match saying {
        Saying::Answer(_) | Saying::Made(_) => return None,
        Saying::State { state, failure, usage } => {
            let content = failure.as_ref().map(|failure| Text { text: failure.message.clone() });
            let usage = usage.map(counted);
            let body = |is_final| Body::StateChange { state: *state, is_final, content: content.clone(), usage };
            let last = (*state != TaskState::Working).then(|| frame(body(true), Some(&spot.task), spot.resume.0));
            Frame { last, ..write(FrameRole::State, body(false)) }
        }
        Saying::Retrying { line, .. } => write(FrameRole::Content, console(Level::Warn, line)),
        Saying::Remark { level, line } => write(FrameRole::Content, console(*level, line)),
        Saying::Waits { line } => write(FrameRole::Content, console(Level::Info, line)),
        Saying::Text(text) => write(FrameRole::Content, Body::TextContent { content: Text { text: text.clone() } }),
        Saying::Citations(sources) => {
            write(FrameRole::Content, Body::TextContent { content: Text { text: list_sources(sources) } })
        }
        Saying::Thought(text) => write(FrameRole::Content, Body::Thought { content: thought_of(text) }),
        Saying::Call(call) => {
            let call = call.as_ref().clone().map_request(flat::ConfirmationRequest::from);
            write(FrameRole::Content, Body::ToolCallUpdate(Box::new(call)))
        }
        Saying::Prompt { text, by, .. } => {
            let (label, principal) = match by {
                By::Client { label, principal } => (label.clone(), principal.clone()),
                By::Agent => ("agent".into(), "agent".into()),
            };
            let body = Body::UserMessage { content: Text { text: text.clone() }, sender: Sender { label, principal } };
            write(FrameRole::Echo, body)
        }
    })
}

/// A line for the console.
pub(crate) fn console(level: Level, text: &str) -> Body {
    Body::ConsoleLog { content: LogLine { level: level.name().into(), text: text.into() } }
}

/// Encode a frame.
pub(crate) fn frame(body: Body, task: Option<&str>, seq: u64) -> bytes::Bytes {
    encode(&flat::Frame { body, task_id: task.map(str::to_owned), seq })
}
