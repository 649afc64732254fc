//! The rfc dialect: A2A 0.3 status updates, with the extension's objects in data parts and metadata.

use super::{Frame, FrameRole, Saying, Spot, counted, encode};
use bytes::Bytes;
use pollux_session::{By, Seq, SessionId};
use pollux_wire::a2a::TaskStatus;
use pollux_wire::a2a::{Message, MessageTag, Metadata, Part, Role, StatusUpdateTag, TaskState, TaskStatusUpdateEvent};
use pollux_wire::devtool::{AgentThought, DevelopmentToolEvent, EventKind, TokenUsage, URI};
use serde::Serialize;
use serde_json::{Value, json};

/// Where an event says that it only remarks on something.
const REMARK: &str = "pollux/remark";

pub(super) fn spell(saying: &Saying, spot: &Spot<'_>) -> Frame {
    match saying {
        Saying::State { state, failure, usage } => {
            let part = failure.as_ref().map(|failure| Part::text(&failure.message));
            let error = failure.as_ref().map(|failure| failure.message.clone());
            state_frame(*state, part, Told { error, usage: usage.map(counted) }, spot)
        }
        Saying::Remark { level, line } => {
            let text = message(Role::Agent, Part::text(line), spot);
            let mut event = update(spot.state, Some(text), EventKind::StateChange, Told::default(), spot);
            event.metadata.insert(REMARK.into(), json!({ "level": level.name() }));
            Frame { role: FrameRole::Content, json: encode(&event), last: None }
        }
        Saying::Retrying { line, reason } => {
            let told = Told { error: Some(reason.clone()), usage: None };
            state_frame(TaskState::Working, Some(Part::text(line)), told, spot)
        }
        Saying::Text(text) => content(EventKind::TextContent, Part::text(text), spot),
        Saying::Thought(text) => content(EventKind::Thought, data(&thought_of(text)), spot),
        Saying::Call(call) => content(EventKind::ToolCallUpdate, data(call), spot),
        Saying::Prompt { text, by } => {
            let mut message = message(Role::User, Part::text(text), spot);
            if let By::Client { label, principal } = by {
                let sender = json!({ "label": label, "principal": principal });
                message.metadata.insert("pollux/sender".into(), sender);
            }
            let event = update(spot.state, Some(message), EventKind::TextContent, Told::default(), spot);
            Frame { role: FrameRole::Echo, json: encode(&event), last: None }
        }
    }
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
pub(crate) fn event_metadata(kind: EventKind, model: &str, told: Told) -> Metadata {
    let event = DevelopmentToolEvent { kind, model: model.to_owned(), error: told.error, usage: told.usage };
    Metadata::from_iter([(URI.to_owned(), json!(event))])
}

/// What a client is told whose cursor has no place in this log.
pub(crate) fn gap(spot: &Spot<'_>) -> Bytes {
    let mut event = update(spot.state, None, EventKind::StateChange, Told::default(), spot);
    event.metadata.insert("pollux/gap".into(), Value::Bool(true));
    encode(&event)
}

fn content(kind: EventKind, part: Part, spot: &Spot<'_>) -> Frame {
    let event = update(spot.state, Some(message(Role::Agent, part, spot)), kind, Told::default(), spot);
    Frame { role: FrameRole::Content, json: encode(&event), last: None }
}

fn state_frame(state: TaskState, part: Option<Part>, told: Told, spot: &Spot<'_>) -> Frame {
    let message = part.map(|part| message(Role::Agent, part, spot));
    let event = update(state, message, EventKind::StateChange, told, spot);
    let last =
        (state != TaskState::Working).then(|| encode(&TaskStatusUpdateEvent { is_final: true, ..event.clone() }));
    Frame { role: FrameRole::State, json: encode(&event), last }
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
        metadata: event_metadata(kind, spot.model, told),
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
        metadata: Metadata::new(),
    }
}

fn data(object: &impl Serialize) -> Part {
    Part::Data { data: serde_json::to_value(object).unwrap_or(Value::Null) }
}
