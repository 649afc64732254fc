//! The flat dialect: the frames of the endpoint guide, for `/ws` and `/tasks/{id}/messages/stream`.

use super::{DomainFrame, EncodedFrame, FrameContext, FrameRole, encode, list_sources, thought_of, token_usage};
use pollux_session::{EntryAuthor, NoticeLevel};
use pollux_wire::a2a::TaskState;
use pollux_wire::flat::{self, Body, LogLine, Sender, Text};

/// The frame; `None` for what the endpoint guide has no word for.
pub(super) fn encode_frame(domain_frame: &DomainFrame, frame_context: &FrameContext<'_>) -> Option<EncodedFrame> {
    let write = |role, body| EncodedFrame {
        role,
        json: frame(body, Some(&frame_context.task), frame_context.resume.0),
        last: None,
    };
    Some(match domain_frame {
        DomainFrame::Answer(_) | DomainFrame::Artifact(_) => return None,
        DomainFrame::State { state, failure, usage } => {
            let content = failure.as_ref().map(|failure| Text { text: failure.message.clone() });
            let usage = usage.map(token_usage);
            let body = |is_final| Body::StateChange { state: *state, is_final, content: content.clone(), usage };
            let last = (*state != TaskState::Working)
                .then(|| frame(body(true), Some(&frame_context.task), frame_context.resume.0));
            EncodedFrame { last, ..write(FrameRole::State, body(false)) }
        }
        DomainFrame::Retrying { line, .. } => write(FrameRole::Content, console(NoticeLevel::Warn, line)),
        DomainFrame::Remark { level, line } => write(FrameRole::Content, console(*level, line)),
        DomainFrame::Queued { line } => write(FrameRole::Content, console(NoticeLevel::Info, line)),
        DomainFrame::Text(text) => {
            write(FrameRole::Content, Body::TextContent { content: Text { text: text.clone() } })
        }
        DomainFrame::Citations(sources) => {
            write(FrameRole::Content, Body::TextContent { content: Text { text: list_sources(sources) } })
        }
        DomainFrame::Thought(text) => write(FrameRole::Content, Body::Thought { content: thought_of(text) }),
        DomainFrame::Call(call) => {
            let call = call.as_ref().clone().map_request(flat::ConfirmationRequest::from);
            write(FrameRole::Content, Body::ToolCallUpdate(Box::new(call)))
        }
        DomainFrame::Prompt { text, by, .. } => {
            let (label, principal) = match by {
                EntryAuthor::Client { label, principal } => (label.clone(), principal.clone()),
                EntryAuthor::Agent => ("agent".into(), "agent".into()),
            };
            let body = Body::UserMessage { content: Text { text: text.clone() }, sender: Sender { label, principal } };
            write(FrameRole::Echo, body)
        }
    })
}

/// A line for the console.
pub(crate) fn console(level: NoticeLevel, text: &str) -> Body {
    Body::ConsoleLog { content: LogLine { level: level.name().into(), text: text.into() } }
}

/// Encode a frame.
pub(crate) fn frame(body: Body, task: Option<&str>, seq: u64) -> bytes::Bytes {
    encode(&flat::Frame { body, task_id: task.map(str::to_owned), seq })
}
