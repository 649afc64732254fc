//! Dialects: one domain, many spellings. An entry becomes [`Saying`]s by one set of rules; each dialect only writes
//! them down.

mod answer;
mod artifact;
mod call;
mod choice;
mod coder;
mod flat;
mod form;
mod named;
mod page;
mod remark;
mod rfc;
mod saying;
mod seat;
mod standing;

pub(crate) use answer::{AnswerChunk, answer_artifact, begun_answer};
pub(crate) use artifact::made_by;
pub(crate) use call::{ended, pending_asks, told_call};
pub(crate) use coder::{
    Coder, STOPPED, edge as coder_edge, notice as coder_notice, of_line as coder_call, pending as coder_asks,
    printed as coder_output, word as coder_word,
};
pub(crate) use flat::{console, frame as flat_frame};
pub(crate) use form::{Form, Rest, state_in};
pub(crate) use named::{event_name, state_word};
pub(crate) use rfc::{Told, event_metadata, gap, message_id, status_words, thought_of};
pub(crate) use saying::{Saying, list_sources, task_waits_behind, word};
pub(crate) use seat::{seat_frame, seat_page};
pub(crate) use standing::{MessageDialect, standing_word};

use crate::audience::{Audience, ToolExtension};
use crate::scene::{Scene, View, timestamp};
use crate::version::Version;
use bytes::Bytes;
use pollux_session::{CallId, CallPhase, Entry, Event, PromptId, Seq, SessionId, TaskStatus, Turn, Usage};
use pollux_wire::a2a::{StreamEvent, TaskState};
use pollux_wire::devtool::TokenUsage;
use serde::Serialize;

/// A way to spell what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// The `development-tool` RFC, on A2A. Who has not declared the extension gets questions, and in 1.0 answers, in A2A's own
    /// words.
    Rfc(Form, ToolExtension),
    /// What clients of Google's a2a-server speak, on A2A 0.3.
    Coder(Form),
    /// The frames of the endpoint guide.
    Flat,
    /// The events of the protocol page.
    Page,
    /// The events of the server reference.
    Named,
}

/// One entry as a dialect shows it to one view.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The entry.
    pub(crate) seq: Seq,
    /// The frames, in order; often none.
    pub(crate) frames: Vec<Frame>,
    /// The prompt whose turn came to a stop with this entry.
    pub(crate) stopped: Option<Stopped>,
    /// Whether the view is at rest, or waits for people, after this entry.
    pub(crate) quiet: bool,
    /// Whether the view takes no more messages after this entry.
    pub(crate) closed: bool,
    /// A last frame for streams that end here, when the frames do not end with a change of state.
    pub(crate) closing: Option<Frame>,
}

/// A prompt's turn that goes on no further by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It is over, or never began.
    Over(PromptId),
    /// It waits for people.
    Waiting(PromptId),
}

/// One encoded frame.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// What it is to a stream.
    pub(crate) role: FrameRole,
    /// The JSON.
    pub(crate) json: Bytes,
    /// The same with `final: true`.
    pub(crate) last: Option<Bytes>,
}

/// What a frame is to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameRole {
    /// A change of state: the one frame a stream can end with.
    State,
    /// A prompt, which its sender does not get back.
    Echo,
    /// A piece of a text that goes on.
    Piece,
    /// A call on its way: neither over nor waiting for a person.
    Progress,
    /// Anything else.
    Content,
}

/// What was known just before an entry.
pub(crate) struct Was {
    status: TaskStatus,
    prompt: Option<PromptId>,
    /// The calls that policy had not spoken about.
    vetting: Vec<CallId>,
}

impl Was {
    pub(crate) fn of(scene: &Scene, view: View) -> Was {
        let turn = scene.state.turn.as_ref();
        let calls = turn.into_iter().flat_map(|turn| turn.calls.values());
        let vetting = calls.filter(|call| call.phase == CallPhase::Vetting).map(|call| call.id).collect();
        Was { status: scene.status(view), prompt: turn.map(|turn| turn.prompt), vetting }
    }
}

/// What every frame of an entry says about where it comes from.
#[derive(Clone)]
pub(crate) struct Spot<'a> {
    pub(crate) session: SessionId,
    pub(crate) task: String,
    pub(crate) context: &'a str,
    pub(crate) model: &'a str,
    /// The plan of the person.
    pub(crate) user_tier: Option<&'a str>,
    /// Where what is watched stands, in the word of 0.3.
    pub(crate) state: TaskState,
    /// What the end of a turn means here.
    pub(crate) rest: Rest,
    /// What the newest model call has cost.
    pub(crate) newest_usage: Option<Usage>,
    /// The turn that waits for people, if what is watched does.
    pub(crate) asking: Option<&'a Turn>,
    /// Whether the newest turn ended because somebody declined a call.
    pub(crate) declined: bool,
    pub(crate) seq: Seq,
    /// Where a client that has this frame goes on: before the entry while more of its frames follow, so that a cut
    /// repeats an entry and never loses one.
    pub(crate) resume: Seq,
    pub(crate) timestamp: String,
}

impl<'a> Spot<'a> {
    /// Where `scene` is now.
    pub(crate) fn at_head(session: SessionId, view: View, scene: &'a Scene) -> Spot<'a> {
        Spot {
            session,
            task: view.wire_id(),
            context: scene.context(),
            model: scene.model(),
            user_tier: scene.state.equipment.user_tier.as_deref(),
            state: word(&scene.status(view)),
            rest: scene.rest(view),
            newest_usage: scene.newest_usage(),
            asking: scene.asking(view),
            declined: scene.was_declined(view),
            seq: scene.state.head,
            resume: scene.state.head,
            timestamp: timestamp(scene.state.at),
        }
    }
}

impl Dialect {
    /// Show `entry`, which `scene` already holds.
    pub(crate) fn show(self, session: SessionId, view: View, was: &Was, scene: &Scene, entry: &Entry) -> Shown {
        let mut spot = Spot::at_head(session, view, scene);
        if let Dialect::Coder(form) = self {
            spot.state = coder::word(&scene.status(view), view);
            let frames = coder::frames(view, was, scene, entry, &spot, form);
            return self.shown(view, was, scene, entry, &spot, frames);
        }
        let sayings = self.sayings(view, was, scene, entry);
        // Who knows nothing but A2A is asked once, by the change of state: what comes before it stands where the task stood.
        let asked_once = self.audience().is_some_and(|audience| audience.extension == ToolExtension::Unknown);
        let changes = sayings.iter().position(|saying| matches!(saying, Saying::State { .. })).filter(|_| asked_once);
        let (before, after) = (word(&was.status), spot.state);
        let mut sayings = sayings.into_iter().enumerate().peekable();
        let mut frames = Vec::new();
        if self == Dialect::Page {
            frames.extend(page::resumed(&was.status, &spot));
        }
        while let Some((at, saying)) = sayings.next() {
            let is_last = sayings.peek().is_none();
            spot.state = if changes.is_some_and(|changes| at < changes) { before } else { after };
            spot.resume = if is_last { entry.seq } else { Seq(entry.seq.0.saturating_sub(1)) };
            match self {
                Dialect::Page => frames.extend(page::spell(&saying, &spot)),
                Dialect::Named => frames.extend(named::spell(&saying, &spot)),
                _ => frames.extend(self.spell(&saying, &spot)),
            }
        }
        spot.resume = entry.seq;
        self.shown(view, was, scene, entry, &spot, frames)
    }

    /// What `entry`, which `scene` already holds, says in this dialect.
    fn sayings(self, view: View, was: &Was, scene: &Scene, entry: &Entry) -> Vec<Saying> {
        let mut sayings = saying::sayings(view, was, scene, entry);
        let audience = self.audience();
        // Streams of 0.3 tell of no files: the RFC has status updates only, and the endpoint guide has no word for what a task has made.
        if audience.is_none_or(|audience| audience.version == Version::V03) {
            sayings.retain(|saying| !matches!(saying, Saying::Made(_)));
        }
        // After a no with something to do instead the task goes on, to those who know it by its state alone as if nothing had ended.
        let goes_on = || scene.was_declined(view) && scene.rest(view) == Rest::GoesOn;
        if self.tells_answers_as_artifacts() && matches!(entry.event, Event::TurnEnded { .. }) && goes_on() {
            sayings.retain(|saying| !matches!(saying, Saying::State { .. }));
        }
        match audience {
            Some(audience) if audience.reads_answers_as_artifacts() => answer::in_chunks(view, scene, entry, sayings),
            _ => sayings,
        }
    }

    /// Whether those who read it get answers as artifacts.
    pub(crate) fn tells_answers_as_artifacts(self) -> bool {
        self.audience().is_some_and(Audience::reads_answers_as_artifacts)
    }

    /// Who reads it, where it is A2A's.
    fn audience(self) -> Option<Audience> {
        match self {
            Dialect::Rfc(form, extension) => Some(Audience { version: form.version(), extension }),
            Dialect::Coder(_) | Dialect::Flat | Dialect::Page | Dialect::Named => None,
        }
    }

    /// `frames`, and what `entry` means to the streams they are for.
    fn shown(self, view: View, was: &Was, scene: &Scene, entry: &Entry, spot: &Spot<'_>, frames: Vec<Frame>) -> Shown {
        let quiet = scene.is_quiet(view);
        let stopped = match &entry.event {
            Event::TurnEnded { .. } => was.prompt.map(Stopped::Over),
            Event::Unqueued { prompt } => Some(Stopped::Over(*prompt)),
            _ if scene.waits_for_people() => scene.state.turn.as_ref().map(|turn| Stopped::Waiting(turn.prompt)),
            _ => None,
        };
        let ends_with_state = frames.last().is_some_and(|frame| frame.role == FrameRole::State);
        let closing = ((quiet || stopped.is_some()) && !ends_with_state).then(|| {
            let state = if matches!(entry.event, Event::Unqueued { .. }) { TaskState::Canceled } else { spot.state };
            self.spell(&Saying::state(state), spot)
        });
        let closing = closing.flatten();
        // A once task is closed in the same commit as its last turn ends: that turn's end is the last thing to tell.
        let closed = match scene.status(view) {
            TaskStatus::Closed(_) => true,
            TaskStatus::Resting(_) => spot.rest == Rest::ForGood,
            TaskStatus::Submitted | TaskStatus::Working | TaskStatus::InputRequired => false,
        };
        Shown { seq: entry.seq, frames, stopped, quiet, closed, closing }
    }

    /// Write an event of A2A, for the dialects that are made of them.
    pub(crate) fn write(self, event: StreamEvent) -> Bytes {
        match self {
            Dialect::Rfc(form, _) => form.write(event),
            Dialect::Coder(form) => coder::write(form, event),
            Dialect::Flat | Dialect::Page | Dialect::Named => encode(&event),
        }
    }

    /// Spell one saying; `None` when the dialect has no word for it.
    pub(crate) fn spell(self, saying: &Saying, spot: &Spot<'_>) -> Option<Frame> {
        match self {
            Dialect::Rfc(form, extension) => Some(rfc::spell(saying, spot, form, extension)),
            Dialect::Coder(form) => coder::spell(saying, spot, form),
            Dialect::Flat => flat::spell(saying, spot),
            Dialect::Page => page::spell(saying, spot).pop(),
            Dialect::Named => named::spell(saying, spot).pop(),
        }
    }
}

/// What something has cost, as the wire counts it.
fn counted(usage: Usage) -> TokenUsage {
    TokenUsage {
        prompt_token_count: usage.prompt,
        cached_content_token_count: usage.cached,
        candidates_token_count: usage.output,
        thoughts_token_count: usage.thoughts,
        total_token_count: usage.prompt.saturating_add(usage.output).saturating_add(usage.thoughts),
    }
}

/// Encode a frame. Our own types always encode.
pub(crate) fn encode(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).unwrap_or_default().into()
}
