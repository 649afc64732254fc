//! A turn's answer for clients that know nothing but A2A: one artifact, told in chunks while it is said. It stands in no
//! status message and nowhere in the history, so nobody reads it twice.

use super::{Frame, FrameRole, Saying, Spot};
use crate::dialect::Form;
use crate::scene::{Scene, TextChunk, View};
use pollux_session::{Entry, TurnId};
use pollux_wire::a2a::{Artifact, ArtifactUpdateTag, Metadata, Part, StreamEvent, TaskArtifactUpdateEvent};

/// A piece of a turn's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AnswerChunk {
    turn: TurnId,
    chunk: TextChunk,
}

/// `sayings` of an entry that `scene` already holds, with what was said as chunks of the answer.
pub(super) fn in_chunks(view: View, scene: &Scene, entry: &Entry, mut sayings: Vec<Saying>) -> Vec<Saying> {
    sayings.retain(|saying| !matches!(saying, Saying::Text(_) | Saying::Citations(_)));
    let seen = entry.task.is_some_and(|(task, _)| view.covers(task));
    if let Some((turn, chunk)) = scene.text_chunk().filter(|_| seen) {
        // The end of the answer comes before the end of its turn.
        sayings.insert(0, Saying::Answer(AnswerChunk { turn: *turn, chunk: chunk.clone() }));
    }
    sayings
}

pub(super) fn spell(AnswerChunk { turn, chunk }: &AnswerChunk, spot: &Spot<'_>, form: Form) -> Frame {
    let TextChunk { text, append, last } = chunk.clone();
    let event = artifact_update(answer_artifact(*turn, text), append, last, spot);
    Frame { role: FrameRole::Piece, json: form.write(StreamEvent::Artifact(event)), last: None }
}

/// The artifact that holds a turn's answer.
pub(crate) fn answer_artifact(turn: TurnId, text: String) -> Artifact {
    let parts = vec![Part::text(text)];
    Artifact { artifact_id: format!("answer-{turn}"), name: Some("answer".into()), parts, ..Artifact::default() }
}

/// The event that tells of an artifact.
pub(super) fn artifact_update(
    artifact: Artifact,
    append: bool,
    last_chunk: bool,
    spot: &Spot<'_>,
) -> TaskArtifactUpdateEvent {
    TaskArtifactUpdateEvent {
        kind: ArtifactUpdateTag::ArtifactUpdate,
        task_id: spot.task.clone(),
        context_id: spot.context.to_owned(),
        artifact,
        append,
        last_chunk,
        metadata: Metadata::new(),
    }
}
