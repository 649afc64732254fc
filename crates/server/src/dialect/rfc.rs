//! The rfc dialect: A2A status updates, with the extension's objects in data parts and metadata.

use super::answer::{self, artifact_update};
use super::event_encoding::{EventEncoding, TaskContinuation, state_in_version};
use super::{DomainFrame, EncodedFrame, FrameContext, FrameRole, list_sources, token_usage};
use crate::client_profile::{ClientProfile, ToolExtension};
use crate::version::A2aVersion;
use bytes::Bytes;
use pollux_session::{EntryAuthor, NoticeLevel, ReplyForm, Seq, SessionId, describe_asks};
use pollux_wire::a2a::TaskStatus;
use pollux_wire::a2a::{
    Message, MessageTag, Metadata, Part, Role, StatusUpdateTag, StreamEvent, TaskState, TaskStatusUpdateEvent,
};
use pollux_wire::devtool::{AgentThought, DevelopmentToolEvent, EventKind, TokenUsage, ToolCallStatus, URI};
use serde::Serialize;
use serde_json::{Value, json};

/// Where an event says that it only remarks on something.
const REMARK: &str = "pollux/remark";
/// Where an event lists the sources that its text names.
const CITATIONS: &str = "pollux/citations";

/// The status message of a turn that a no has ended.
const DECLINED: &str = "A tool call was declined, so the agent stopped here. Say what to do instead.";

/// The status message where the task has ended with its turn.
const DECLINED_FOR_GOOD: &str = "A tool call was declined, so the agent stopped here. To say what to do instead, send a new message in this context.";

/// The way in which clients of the RFC answer an ask.
const CONFIRMATION: &str = "Answer with a data part that holds the call's `tool_call_id` and the `selected_option_id`.";

pub(super) fn encode_frame(
    domain_frame: &DomainFrame,
    frame_context: &FrameContext<'_>,
    form: EventEncoding,
    extension: ToolExtension,
) -> EncodedFrame {
    let writer = EventWriter { frame_context, form, extension };
    match domain_frame {
        DomainFrame::State { state, failure, usage } => {
            let part = failure.as_ref().map(|failure| Part::text(&failure.message));
            let error = failure.as_ref().map(|failure| failure.message.clone());
            writer.state(*state, part, StepMetadata { error, usage: usage.map(token_usage) })
        }
        DomainFrame::Remark { level, line } => writer.remark(*level, line),
        DomainFrame::Queued { line } => writer.remark(NoticeLevel::Info, line),
        DomainFrame::Retrying { line, reason } => {
            let told = StepMetadata { error: Some(reason.clone()), usage: None };
            writer.state(TaskState::Working, Some(Part::text(line)), told)
        }
        DomainFrame::Text(text) => {
            EncodedFrame { role: FrameRole::Piece, ..writer.content(EventKind::TextContent, Part::text(text)) }
        }
        DomainFrame::Citations(sources) => {
            let text = message(Role::Agent, Part::text(list_sources(sources)), frame_context);
            let mut event =
                update(frame_context.state, Some(text), EventKind::TextContent, StepMetadata::default(), frame_context);
            event.metadata.insert(CITATIONS.into(), json!(sources));
            EncodedFrame { role: FrameRole::Content, json: writer.write(event), last: None }
        }
        DomainFrame::Thought(text) => writer.content(EventKind::Thought, data(&thought_of(text))),
        DomainFrame::Call(call) => {
            let role = match call.status {
                ToolCallStatus::Pending if call.confirmation_request.is_some() => FrameRole::Content,
                ToolCallStatus::Pending | ToolCallStatus::Executing => FrameRole::Progress,
                ToolCallStatus::Succeeded | ToolCallStatus::Failed | ToolCallStatus::Cancelled => FrameRole::Content,
            };
            EncodedFrame { role, ..writer.content(EventKind::ToolCallUpdate, data(call)) }
        }
        DomainFrame::Answer(chunk) => answer::encode_frame(chunk, frame_context, form),
        DomainFrame::Artifact(artifact) => {
            let event = artifact_update(artifact.as_ref().clone(), false, true, frame_context);
            EncodedFrame { role: FrameRole::Content, json: form.write(StreamEvent::Artifact(event)), last: None }
        }
        DomainFrame::Prompt { text, by, command } => {
            let mut message = message(Role::User, Part::text(text), frame_context);
            if let Some(id) = command {
                message.message_id.clone_from(&id.0);
            }
            if let EntryAuthor::Client { label, principal } = by {
                let sender = json!({ "label": label, "principal": principal });
                message.metadata.insert("pollux/sender".into(), sender);
            }
            let event = update(
                frame_context.state,
                Some(message),
                EventKind::TextContent,
                StepMetadata::default(),
                frame_context,
            );
            EncodedFrame { role: FrameRole::Echo, json: writer.write(event), last: None }
        }
    }
}

/// The settings with which an event is written.
struct EventWriter<'a> {
    frame_context: &'a FrameContext<'a>,
    form: EventEncoding,
    extension: ToolExtension,
}

impl EventWriter<'_> {
    /// A line that changes nothing about where the task stands.
    fn remark(&self, level: NoticeLevel, line: &str) -> EncodedFrame {
        let text = message(Role::Agent, Part::text(line), self.frame_context);
        let mut event = update(
            self.frame_context.state,
            Some(text),
            EventKind::StateChange,
            StepMetadata::default(),
            self.frame_context,
        );
        event.metadata.insert(REMARK.into(), json!({ "level": level.name() }));
        EncodedFrame { role: FrameRole::Content, json: self.write(event), last: None }
    }

    fn content(&self, kind: EventKind, part: Part) -> EncodedFrame {
        let message = message(Role::Agent, part, self.frame_context);
        let event = update(self.frame_context.state, Some(message), kind, StepMetadata::default(), self.frame_context);
        EncodedFrame { role: FrameRole::Content, json: self.write(event), last: None }
    }

    fn state(&self, state: TaskState, part: Option<Part>, told: StepMetadata) -> EncodedFrame {
        let message = part.map(|part| message(Role::Agent, part, self.frame_context));
        let event = update(state, message, EventKind::StateChange, told, self.frame_context);
        // Only 0.3 has a word for the end of a stream.
        let has_last = state != TaskState::Working && self.form.version() == A2aVersion::V03;
        let last = has_last.then(|| self.write(TaskStatusUpdateEvent { is_final: true, ..event.clone() }));
        EncodedFrame { role: FrameRole::State, json: self.write(event), last }
    }

    /// An event in the words of its version. Whoever is told that something waits for them is told what.
    fn write(&self, mut event: TaskStatusUpdateEvent) -> Bytes {
        let audience = ClientProfile { version: self.form.version(), extension: self.extension };
        event.status.state = state_in_version(audience.version, event.status.state, self.frame_context.continuation);
        let words = status_words(event.status.state, self.frame_context, audience);
        if let Some(words) = words.filter(|_| !has_text(event.status.message.as_ref())) {
            let part = Part::text(words);
            match &mut event.status.message {
                Some(message) => message.parts.push(part),
                none => *none = Some(message(Role::Agent, part, self.frame_context)),
            }
        }
        self.form.write(StreamEvent::Status(event))
    }
}

/// The status in words for `audience`: the question and how it is answered, or that a turn which reads as completed was
/// stopped by a no. Clients of the RFC see that in the call.
pub(crate) fn status_words(
    state: TaskState,
    frame_context: &FrameContext<'_>,
    audience: ClientProfile,
) -> Option<String> {
    match state {
        TaskState::InputRequired => {
            let words = audience.replies_in_words();
            let form = if words { ReplyForm::Words } else { ReplyForm::Option { how: CONFIRMATION } };
            let question = frame_context.asking.and_then(|turn| describe_asks(turn, form));
            Some(question.unwrap_or_else(|| "The agent waits for the next message.".to_owned()))
        }
        // Where another message waits, it has been said already what to do instead.
        TaskState::Completed if frame_context.declined && frame_context.continuation != TaskContinuation::Queued => {
            let words =
                if frame_context.continuation == TaskContinuation::Closed { DECLINED_FOR_GOOD } else { DECLINED };
            (audience.extension == ToolExtension::Unknown).then(|| words.to_owned())
        }
        _ => None,
    }
}

fn has_text(message: Option<&Message>) -> bool {
    let mut parts = message.into_iter().flat_map(|message| &message.parts);
    parts.any(|part| matches!(part, Part::Text { .. }))
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

/// The metadata of an event beside its kind and its model.
#[derive(Default)]
pub(crate) struct StepMetadata {
    pub(crate) error: Option<String>,
    /// Tokens of the turn.
    pub(crate) usage: Option<TokenUsage>,
}

/// The metadata of an event, keyed by the extension.
pub(crate) fn event_metadata(kind: EventKind, frame_context: &FrameContext<'_>, told: StepMetadata) -> Metadata {
    let (model, user_tier) = (frame_context.model.to_owned(), frame_context.user_tier.map(str::to_owned));
    let event = DevelopmentToolEvent { kind, model, user_tier, error: told.error, usage: told.usage };
    Metadata::from_iter([(URI.to_owned(), json!(event))])
}

/// The event for a client whose cursor has no place in this log.
pub(crate) fn gap(frame_context: &FrameContext<'_>, form: EventEncoding, extension: ToolExtension) -> Bytes {
    let mut event = update(frame_context.state, None, EventKind::StateChange, StepMetadata::default(), frame_context);
    event.metadata.insert("pollux/gap".into(), Value::Bool(true));
    EventWriter { frame_context, form, extension }.write(event)
}

fn update(
    state: TaskState,
    message: Option<Message>,
    kind: EventKind,
    told: StepMetadata,
    frame_context: &FrameContext<'_>,
) -> TaskStatusUpdateEvent {
    TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id: frame_context.task.clone(),
        context_id: frame_context.context.to_owned(),
        status: TaskStatus { state, message, timestamp: Some(frame_context.timestamp.clone()) },
        is_final: false,
        metadata: event_metadata(kind, frame_context, told),
    }
}

fn message(role: Role, part: Part, frame_context: &FrameContext<'_>) -> Message {
    Message {
        kind: MessageTag::Message,
        role,
        parts: vec![part],
        message_id: message_id(frame_context.session, frame_context.seq),
        task_id: Some(frame_context.task.clone()),
        context_id: Some(frame_context.context.to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    }
}

fn data(object: &impl Serialize) -> Part {
    Part::data(serde_json::to_value(object).unwrap_or(Value::Null))
}
