//! The events of this dialect, written.

use super::super::{DomainFrame, EncodedFrame, EventEncoding, FrameContext, FrameRole, encode, message_id};
use bytes::Bytes;
use pollux_session::ModelUsage;
use pollux_wire::a2a::{
    Artifact, ArtifactUpdateTag, Message, MessageTag, Metadata, Part, Role, StatusUpdateTag, StreamEvent,
    TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use pollux_wire::coder::{ArtifactUpdate, Kind, Task, UpdateDetails, UsageMetadata, metadata};

/// A frame that streams end with; whatever else there is to say is told by the entries themselves.
pub(crate) fn encode_frame(
    domain_frame: &DomainFrame,
    frame_context: &FrameContext<'_>,
    form: EventEncoding,
) -> Option<EncodedFrame> {
    match domain_frame {
        DomainFrame::State { state: word, .. } => {
            Some(state(*word, None, UpdateDetails::default(), frame_context, form))
        }
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
    told: UpdateDetails,
    frame_context: &FrameContext<'_>,
    form: EventEncoding,
) -> EncodedFrame {
    let message = line.map(|line| message(Part::text(line), 0, frame_context));
    let event = update(word, message, Kind::StateChange, told.clone(), frame_context);
    let last = (word != TaskState::Working).then(|| {
        let told = UpdateDetails { usage: frame_context.newest_usage.map(usage_metadata), ..told };
        let metadata = metadata_at(frame_context, Kind::StateChange, told);
        write(form, StreamEvent::Status(TaskStatusUpdateEvent { is_final: true, metadata, ..event.clone() }))
    });
    EncodedFrame { role: FrameRole::State, json: write(form, StreamEvent::Status(event)), last }
}

/// A line for the client that sent a message, which is in no log.
pub(crate) fn notice(line: String, frame_context: &FrameContext<'_>, form: EventEncoding) -> Bytes {
    remark(line, frame_context, form).json
}

/// A line worth knowing that changes nothing about where the task stands.
pub(super) fn remark(line: String, frame_context: &FrameContext<'_>, form: EventEncoding) -> EncodedFrame {
    content(Kind::StateChange, Part::text(line), UpdateDetails::default(), 0, frame_context, form)
}

/// Something that is said while the task stands where it does. `index` tells the messages of one entry apart.
pub(super) fn content(
    kind: Kind,
    part: Part,
    told: UpdateDetails,
    index: usize,
    frame_context: &FrameContext<'_>,
    form: EventEncoding,
) -> EncodedFrame {
    let event = update(frame_context.state, Some(message(part, index, frame_context)), kind, told, frame_context);
    EncodedFrame { role: FrameRole::Content, json: write(form, StreamEvent::Status(event)), last: None }
}

/// Everything that a running call has printed so far.
pub(super) fn output(call: &str, text: String, frame_context: &FrameContext<'_>, form: EventEncoding) -> EncodedFrame {
    let event = TaskArtifactUpdateEvent {
        kind: ArtifactUpdateTag::ArtifactUpdate,
        task_id: frame_context.task.clone(),
        context_id: frame_context.context.to_owned(),
        artifact: output_artifact(call, text),
        append: true,
        last_chunk: false,
        metadata: Metadata::new(),
    };
    EncodedFrame { role: FrameRole::Progress, json: write(form, StreamEvent::Artifact(event)), last: None }
}

/// A call's output, as an artifact of the task.
pub(crate) fn output_artifact(call: &str, text: String) -> Artifact {
    Artifact { artifact_id: format!("tool-{call}-output"), parts: vec![Part::text(text)], ..Artifact::default() }
}

fn update(
    word: TaskState,
    message: Option<Message>,
    kind: Kind,
    told: UpdateDetails,
    frame_context: &FrameContext<'_>,
) -> TaskStatusUpdateEvent {
    TaskStatusUpdateEvent {
        kind: StatusUpdateTag::StatusUpdate,
        task_id: frame_context.task.clone(),
        context_id: frame_context.context.to_owned(),
        status: TaskStatus { state: word, message, timestamp: Some(frame_context.timestamp.clone()) },
        is_final: false,
        metadata: metadata_at(frame_context, kind, told),
    }
}

fn metadata_at(frame_context: &FrameContext<'_>, kind: Kind, told: UpdateDetails) -> Metadata {
    metadata(kind, frame_context.model, UpdateDetails { user_tier: frame_context.user_tier.map(str::to_owned), ..told })
}

fn message(part: Part, index: usize, frame_context: &FrameContext<'_>) -> Message {
    let id = message_id(frame_context.session, frame_context.seq);
    Message {
        kind: MessageTag::Message,
        role: Role::Agent,
        parts: vec![part],
        message_id: if index == 0 { id } else { format!("{id}-{index}") },
        task_id: Some(frame_context.task.clone()),
        context_id: Some(frame_context.context.to_owned()),
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
