//! The rfc dialect: A2A status updates, with the extension's objects in data parts and metadata.

use super::form::{Form, state_in};
use super::{Frame, FrameRole, Saying, Spot, counted, list_sources};
use crate::version::Version;
use bytes::Bytes;
use pollux_session::{By, Level, Seq, SessionId};
use pollux_wire::a2a::TaskStatus;
use pollux_wire::a2a::{
    ArtifactUpdateTag, Message, MessageTag, Metadata, Part, Role, StatusUpdateTag, StreamEvent,
    TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent,
};
use pollux_wire::devtool::{AgentThought, DevelopmentToolEvent, EventKind, TokenUsage, ToolCallStatus, URI};
use serde::Serialize;
use serde_json::{Value, json};

/// Where an event says that it only remarks on something.
const REMARK: &str = "pollux/remark";
/// Where an event lists the sources that its text names.
const CITATIONS: &str = "pollux/citations";

pub(super) fn spell(saying: &Saying, spot: &Spot<'_>, form: Form) -> Frame {
    match saying {
        Saying::State { state, failure, usage } => {
            let part = failure.as_ref().map(|failure| Part::text(&failure.message));
            let error = failure.as_ref().map(|failure| failure.message.clone());
            state_frame(*state, part, Told { error, usage: usage.map(counted) }, spot, form)
        }
        Saying::Remark { level, line } => remark(*level, line, spot, form),
        Saying::Waits { line } => remark(Level::Info, line, spot, form),
        Saying::Retrying { line, reason } => {
            let told = Told { error: Some(reason.clone()), usage: None };
            state_frame(TaskState::Working, Some(Part::text(line)), told, spot, form)
        }
        Saying::Text(text) => {
            Frame { role: FrameRole::Piece, ..content(EventKind::TextContent, Part::text(text), spot, form) }
        }
        Saying::Citations(sources) => {
            let text = message(Role::Agent, Part::text(list_sources(sources)), spot);
            let mut event = update(spot.state, Some(text), EventKind::TextContent, Told::default(), spot);
            event.metadata.insert(CITATIONS.into(), json!(sources));
            Frame { role: FrameRole::Content, json: write(event, spot, form), last: None }
        }
        Saying::Thought(text) => content(EventKind::Thought, data(&thought_of(text)), spot, form),
        Saying::Call(call) => {
            let role = match call.status {
                ToolCallStatus::Pending if call.confirmation_request.is_some() => FrameRole::Content,
                ToolCallStatus::Pending | ToolCallStatus::Executing => FrameRole::Progress,
                ToolCallStatus::Succeeded | ToolCallStatus::Failed | ToolCallStatus::Cancelled => FrameRole::Content,
            };
            Frame { role, ..content(EventKind::ToolCallUpdate, data(call), spot, form) }
        }
        Saying::Made(artifact) => {
            let event = TaskArtifactUpdateEvent {
                kind: ArtifactUpdateTag::ArtifactUpdate,
                task_id: spot.task.clone(),
                context_id: spot.context.to_owned(),
                artifact: artifact.as_ref().clone(),
                append: false,
                last_chunk: true,
                metadata: Metadata::new(),
            };
            Frame { role: FrameRole::Content, json: form.write(StreamEvent::Artifact(event)), last: None }
        }
        Saying::Prompt { text, by, command } => {
            let mut message = message(Role::User, Part::text(text), spot);
            if let Some(id) = command {
                message.message_id.clone_from(&id.0);
            }
            if let By::Client { label, principal } = by {
                let sender = json!({ "label": label, "principal": principal });
                message.metadata.insert("pollux/sender".into(), sender);
            }
            let event = update(spot.state, Some(message), EventKind::TextContent, Told::default(), spot);
            Frame { role: FrameRole::Echo, json: write(event, spot, form), last: None }
        }
    }
}

/// A line that changes nothing about where the task stands.
fn remark(level: Level, line: &str, spot: &Spot<'_>, form: Form) -> Frame {
    let text = message(Role::Agent, Part::text(line), spot);
    let mut event = update(spot.state, Some(text), EventKind::StateChange, Told::default(), spot);
    event.metadata.insert(REMARK.into(), json!({ "level": level.name() }));
    Frame { role: FrameRole::Content, json: write(event, spot, form), last: None }
}

/// `**subject** rest` as the extension's thought.
pub(crate) fn thought_of(text: &str) -> AgentThought {
    let split = text.trim().strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let (subject, description) = split.unwrap_or(("", text));
    AgentThought { subject: subject.trim().into(), description: description.trim().into() }
}

/// The id of the message an entry becomes: the same on every replay.
pub(crate) fn message_id(session: SessionId, seq: Seq) -> String {
    format!("{session}-{seq}")
}

/// What an event may say beside its kind and its model.
#[derive(Default)]
pub(crate) struct Told {
    /// What went wrong.
    pub(crate) error: Option<String>,
    /// What the turn has cost.
    pub(crate) usage: Option<TokenUsage>,
}

/// The metadata of an event, keyed by the extension.
pub(crate) fn event_metadata(kind: EventKind, spot: &Spot<'_>, told: Told) -> Metadata {
    let (model, user_tier) = (spot.model.to_owned(), spot.user_tier.map(str::to_owned));
    let event = DevelopmentToolEvent { kind, model, user_tier, error: told.error, usage: told.usage };
    Metadata::from_iter([(URI.to_owned(), json!(event))])
}

/// What a client is told whose cursor has no place in this log.
pub(crate) fn gap(spot: &Spot<'_>, form: Form) -> Bytes {
    let mut event = update(spot.state, None, EventKind::StateChange, Told::default(), spot);
    event.metadata.insert("pollux/gap".into(), Value::Bool(true));
    write(event, spot, form)
}

fn content(kind: EventKind, part: Part, spot: &Spot<'_>, form: Form) -> Frame {
    let event = update(spot.state, Some(message(Role::Agent, part, spot)), kind, Told::default(), spot);
    Frame { role: FrameRole::Content, json: write(event, spot, form), last: None }
}

/// An event in the words of its version.
fn write(mut event: TaskStatusUpdateEvent, spot: &Spot<'_>, form: Form) -> Bytes {
    event.status.state = state_in(form.version(), event.status.state, spot.rest);
    form.write(StreamEvent::Status(event))
}

fn state_frame(state: TaskState, part: Option<Part>, told: Told, spot: &Spot<'_>, form: Form) -> Frame {
    let message = part.map(|part| message(Role::Agent, part, spot));
    let event = update(state, message, EventKind::StateChange, told, spot);
    // Only 0.3 has a word for the end of a stream.
    let has_last = state != TaskState::Working && form.version() == Version::V03;
    let last = has_last.then(|| write(TaskStatusUpdateEvent { is_final: true, ..event.clone() }, spot, form));
    Frame { role: FrameRole::State, json: write(event, spot, form), last }
}

fn update(
    state: TaskState,
    message: Option<Message>,
    kind: EventKind,
    told: Told,
    spot: &Spot<'_>,
) -> TaskStatusUpdateEvent {
    TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id: spot.task.clone(),
        context_id: spot.context.to_owned(),
        status: TaskStatus { state, message, timestamp: Some(spot.timestamp.clone()) },
        is_final: false,
        metadata: event_metadata(kind, spot, told),
    }
}

fn message(role: Role, part: Part, spot: &Spot<'_>) -> Message {
    Message {
        kind: MessageTag::Message,
        role,
        parts: vec![part],
        message_id: message_id(spot.session, spot.seq),
        task_id: Some(spot.task.clone()),
        context_id: Some(spot.context.to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    }
}

fn data(object: &impl Serialize) -> Part {
    Part::data(serde_json::to_value(object).unwrap_or(Value::Null))
}
