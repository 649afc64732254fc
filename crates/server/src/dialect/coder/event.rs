//! The events of this dialect, written.

use super::super::{DomainFrame, EncodedFrame, EventEncoding, FrameContext, FrameRole, encode, message_id};
use bytes::Bytes;
use pollux_session::ModelUsage;
use pollux_wire::a2a::{
    Artifact, ArtifactUpdateTag, Message, MessageTag, Metadata, Part, Role, StatusUpdateTag, StreamEvent,
    TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use pollux_wire::coder::{ArtifactUpdate, Kind, Task, Told, UsageMetadata, metadata};

/// A saying that streams end with; whatever else there is to say is told by the entries themselves.
pub(crate) fn encode_frame(saying: &DomainFrame, spot: &FrameContext<'_>, form: EventEncoding) -> Option<EncodedFrame> {
    match saying {
        DomainFrame::State { state: word, .. } => Some(state(*word, None, Told::default(), spot, form)),
        DomainFrame::Text(_)
        | DomainFrame::Thought(_)
        | DomainFrame::Call(_)
        | DomainFrame::Answer(_)
        | DomainFrame::Artifact(_)
        | DomainFrame::Citations(_)
        | DomainFrame::Prompt { .. }
        | DomainFrame::Remark { .. }
        | DomainFrame::Queued { .. }
        | DomainFrame::Retrying { .. } => None,
    }
}

/// One event in `form`. In the JSON of 0.3 it has the members of the original, in its order.
pub(crate) fn write(form: EventEncoding, event: StreamEvent) -> Bytes {
    match (form, event) {
        (EventEncoding::Json03, StreamEvent::Task(task)) => encode(&Task::from(*task)),
        (EventEncoding::Json03, StreamEvent::Artifact(event)) => encode(&ArtifactUpdate::from(event)),
        (form, event) => form.write(event),
    }
}

/// A change of state. The last one of a stream tells what the newest model call has cost.
pub(super) fn state(
    word: TaskState,
    line: Option<String>,
    told: Told,
    spot: &FrameContext<'_>,
    form: EventEncoding,
) -> EncodedFrame {
    let message = line.map(|line| message(Part::text(line), 0, spot));
    let event = update(word, message, Kind::StateChange, told.clone(), spot);
    let last = (word != TaskState::Working).then(|| {
        let told = Told { usage: spot.newest_usage.map(usage_metadata), ..told };
        let metadata = metadata_at(spot, Kind::StateChange, told);
        write(form, StreamEvent::Status(TaskStatusUpdateEvent { is_final: true, metadata, ..event.clone() }))
    });
    EncodedFrame { role: FrameRole::State, json: write(form, StreamEvent::Status(event)), last }
}

/// A line for the client that sent a message, which is in no log.
pub(crate) fn notice(line: String, spot: &FrameContext<'_>, form: EventEncoding) -> Bytes {
    remark(line, spot, form).json
}

/// A line worth knowing that changes nothing about where the task stands.
pub(super) fn remark(line: String, spot: &FrameContext<'_>, form: EventEncoding) -> EncodedFrame {
    content(Kind::StateChange, Part::text(line), Told::default(), 0, spot, form)
}

/// Something that is said while the task stands where it does. `index` tells the messages of one entry apart.
pub(super) fn content(
    kind: Kind,
    part: Part,
    told: Told,
    index: usize,
    spot: &FrameContext<'_>,
    form: EventEncoding,
) -> EncodedFrame {
    let event = update(spot.state, Some(message(part, index, spot)), kind, told, spot);
    EncodedFrame { role: FrameRole::Content, json: write(form, StreamEvent::Status(event)), last: None }
}

/// Everything that a running call has printed so far.
pub(super) fn output(call: &str, text: String, spot: &FrameContext<'_>, form: EventEncoding) -> EncodedFrame {
    let event = TaskArtifactUpdateEvent {
        kind: ArtifactUpdateTag::ArtifactUpdate,
        task_id: spot.task.clone(),
        context_id: spot.context.to_owned(),
        artifact: output_artifact(call, text),
        append: true,
        last_chunk: false,
        metadata: Metadata::new(),
    };
    EncodedFrame { role: FrameRole::Progress, json: write(form, StreamEvent::Artifact(event)), last: None }
}

/// What a call printed, as something the task has.
pub(crate) fn output_artifact(call: &str, text: String) -> Artifact {
    Artifact { artifact_id: format!("tool-{call}-output"), parts: vec![Part::text(text)], ..Artifact::default() }
}

fn update(
    word: TaskState,
    message: Option<Message>,
    kind: Kind,
    told: Told,
    spot: &FrameContext<'_>,
) -> TaskStatusUpdateEvent {
    TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id: spot.task.clone(),
        context_id: spot.context.to_owned(),
        status: TaskStatus { state: word, message, timestamp: Some(spot.timestamp.clone()) },
        is_final: false,
        metadata: metadata_at(spot, kind, told),
    }
}

fn metadata_at(spot: &FrameContext<'_>, kind: Kind, told: Told) -> Metadata {
    metadata(kind, spot.model, Told { user_tier: spot.user_tier.map(str::to_owned), ..told })
}

fn message(part: Part, index: usize, spot: &FrameContext<'_>) -> Message {
    let id = message_id(spot.session, spot.seq);
    Message {
        kind: MessageTag::Message,
        role: Role::Agent,
        parts: vec![part],
        message_id: if index == 0 { id } else { format!("{id}-{index}") },
        task_id: Some(spot.task.clone()),
        context_id: Some(spot.context.to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    }
}

fn usage_metadata(usage: ModelUsage) -> UsageMetadata {
    UsageMetadata {
        prompt_token_count: usage.prompt,
        candidates_token_count: usage.output,
        total_token_count: usage.prompt.saturating_add(usage.output).saturating_add(usage.thoughts),
        cached_content_token_count: usage.cached,
    }
}
