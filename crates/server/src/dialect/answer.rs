//! A turn's answer for clients that know nothing but A2A: an artifact, told in chunks while it is said, and another one for
//! what is said after people were asked. It stands in no status message and nowhere in the history, so nobody reads it twice.

use super::{DomainFrame, EncodedFrame, FrameContext, FrameRole};
use crate::dialect::EventEncoding;
use crate::wire_state::{TaskScope, TextChunk, WireState};
use pollux_session::{Entry, TurnId};
use pollux_wire::a2a::{Artifact, ArtifactUpdateTag, Metadata, Part, StreamEvent, TaskArtifactUpdateEvent};

/// A piece of a turn's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AnswerChunk {
    turn: TurnId,
    chunk: TextChunk,
}

/// The frames of an entry that `wire_state` already holds, with what was said as chunks of the answer.
pub(super) fn with_answer_chunks(
    view: TaskScope,
    wire_state: &WireState,
    entry: &Entry,
    mut domain_frames: Vec<DomainFrame>,
) -> Vec<DomainFrame> {
    domain_frames.retain(|domain_frame| !matches!(domain_frame, DomainFrame::Text(_) | DomainFrame::Citations(_)));
    let seen = entry.task.is_some_and(|(task, _)| view.covers(task));
    if let Some((turn, chunk)) = wire_state.text_chunk().filter(|_| seen) {
        // The end of the answer comes before the end of its turn.
        domain_frames.insert(0, DomainFrame::Answer(AnswerChunk { turn: *turn, chunk: chunk.clone() }));
    }
    domain_frames
}

pub(super) fn encode_frame(
    AnswerChunk { turn, chunk }: &AnswerChunk,
    frame_context: &FrameContext<'_>,
    form: EventEncoding,
) -> EncodedFrame {
    let TextChunk { part, text, append, last } = chunk.clone();
    let event = artifact_update(answer_artifact(*turn, part, text), append, last, frame_context);
    EncodedFrame { role: FrameRole::Piece, json: form.write(StreamEvent::Artifact(event)), last: None }
}

/// The artifact that holds a text of a turn's answer; the first is `part` 0.
pub(crate) fn answer_artifact(turn: TurnId, part: u32, text: String) -> Artifact {
    let parts = vec![Part::text(text)];
    let artifact_id = if part == 0 { format!("answer-{turn}") } else { format!("answer-{turn}-{}", part + 1) };
    Artifact { artifact_id, name: Some("answer".into()), parts, ..Artifact::default() }
}

/// The chunk that a stream which begins at `wire_state`, in the middle of a text, must send before the text can go on.
pub(crate) fn begun_answer(view: TaskScope, wire_state: &WireState) -> Option<AnswerChunk> {
    wire_state.text_so_far(view).map(|(turn, chunk)| AnswerChunk { turn, chunk })
}

impl AnswerChunk {
    /// The artifact as this chunk alone has it.
    pub(crate) fn artifact(self) -> Artifact {
        answer_artifact(self.turn, self.chunk.part, self.chunk.text)
    }
}

/// The event that tells of an artifact.
pub(super) fn artifact_update(
    artifact: Artifact,
    append: bool,
    last_chunk: bool,
    frame_context: &FrameContext<'_>,
) -> TaskArtifactUpdateEvent {
    TaskArtifactUpdateEvent {
        kind: ArtifactUpdateTag::ArtifactUpdate,
        task_id: frame_context.task.clone(),
        context_id: frame_context.context.to_owned(),
        artifact,
        append,
        last_chunk,
        metadata: Metadata::new(),
    }
}
