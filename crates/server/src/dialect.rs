//! Dialects: one domain, many spellings. An entry becomes [`DomainFrame`]s by one set of rules; each dialect only writes
//! them down.

mod answer;
mod artifact;
mod call;
mod choice;
mod coder;
mod domain_frame;
mod event_encoding;
mod flat;
mod message_dialect;
mod named;
mod page;
mod remark;
mod rfc;
mod seat;

pub(crate) use answer::{AnswerChunk, answer_artifact, begun_answer};
pub(crate) use artifact::artifact_of_call;
pub(crate) use call::{describe_call, describe_outcome, pending_asks};
pub(crate) use coder::{
    CoderClientSettings, STOPPED, client_settings_edge as coder_edge, coder_task_state as coder_word,
    notice as coder_notice, output_artifact as coder_output, pending_tool_calls as coder_asks,
    tool_call_of_line as coder_call,
};
pub(crate) use domain_frame::{DomainFrame, list_sources, task_state, task_waits_behind};
pub(crate) use event_encoding::{EventEncoding, TaskContinuation, state_in_version};
pub(crate) use flat::{console, frame as flat_frame};
pub(crate) use message_dialect::{MessageDialect, standing_state, standing_word};
pub(crate) use named::{event_name, state_word};
pub(crate) use rfc::{StepMetadata, event_metadata, gap, message_id, status_words, thought_of};
pub(crate) use seat::{seat_frame, seat_page};

use crate::client_profile::{ClientProfile, ToolExtension};
use crate::stream_end::EntryStanding;
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState, timestamp};
use bytes::Bytes;
use pollux_session::{CallId, CallPhase, Entry, Event, ModelUsage, PromptId, Seq, SessionId, TaskStatus, TurnState};
use pollux_wire::a2a::{StreamEvent, TaskState};
use pollux_wire::devtool::TokenUsage;
use serde::Serialize;

/// A way to spell what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// The `development-tool` RFC, on A2A. Who has not declared the extension gets questions, and in 1.0 answers, in A2A's own
    /// words.
    Rfc(EventEncoding, ToolExtension),
    /// The dialect of Google's a2a-server, on A2A 0.3.
    Coder(EventEncoding),
    /// The frames of the endpoint guide.
    Flat,
    /// The events of the protocol page.
    Page,
    /// The events of the server reference.
    Named,
}

/// One entry as a dialect shows it to one view.
#[derive(Debug)]
pub(crate) struct EntryFrames {
    /// The frames, in order; often none.
    pub(crate) frames: Vec<EncodedFrame>,
    /// Where things stand after it, which decides what streams end here.
    pub(crate) standing: EntryStanding,
    /// A last frame for streams that end here, when the frames do not end with a change of state.
    pub(crate) closing: Option<EncodedFrame>,
}

impl EntryFrames {
    /// The entry.
    pub(crate) fn seq(&self) -> Seq {
        self.standing.seq
    }
}

/// One encoded frame.
#[derive(Clone, Debug)]
pub(crate) struct EncodedFrame {
    pub(crate) role: FrameRole,
    pub(crate) json: Bytes,
    /// The JSON with `final: true`.
    pub(crate) last: Option<Bytes>,
}

/// The role of a frame in a stream.
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

/// The status just before an entry.
pub(crate) struct PreviousStatus {
    status: TaskStatus,
    prompt: Option<PromptId>,
    /// The calls that policy had not spoken about.
    vetting: Vec<CallId>,
}

impl PreviousStatus {
    pub(crate) fn capture(wire_state: &WireState, view: TaskScope) -> PreviousStatus {
        let turn = wire_state.state.turn.as_ref();
        let calls = turn.into_iter().flat_map(|turn| turn.calls.values());
        let vetting = calls.filter(|call| call.phase == CallPhase::Vetting).map(|call| call.id).collect();
        PreviousStatus { status: wire_state.status(view), prompt: turn.map(|turn| turn.prompt), vetting }
    }

    /// The prompt whose turn ran.
    pub(crate) fn prompt(&self) -> Option<PromptId> {
        self.prompt
    }
}

/// The facts about its origin that every frame of an entry repeats.
#[derive(Clone)]
pub(crate) struct FrameContext<'a> {
    pub(crate) session: SessionId,
    pub(crate) task: String,
    pub(crate) context: &'a str,
    pub(crate) model: &'a str,
    /// The plan of the person.
    pub(crate) user_tier: Option<&'a str>,
    /// Where what is watched stands, in the word of 0.3.
    pub(crate) state: TaskState,
    /// The consequence of the end of a turn here.
    pub(crate) continuation: TaskContinuation,
    /// Tokens of the newest model call.
    pub(crate) newest_usage: Option<ModelUsage>,
    /// The turn that waits for people, if what is watched does.
    pub(crate) asking: Option<&'a TurnState>,
    /// True if the newest turn ended because somebody declined a call.
    pub(crate) declined: bool,
    pub(crate) seq: Seq,
    /// Where a client that has this frame goes on: before the entry while more of its frames follow, so that a cut
    /// repeats an entry and never loses one.
    pub(crate) resume: Seq,
    pub(crate) timestamp: String,
}

impl<'a> FrameContext<'a> {
    /// Where `wire_state` stands now.
    pub(crate) fn at_head(session: SessionId, view: TaskScope, wire_state: &'a WireState) -> FrameContext<'a> {
        FrameContext {
            session,
            task: view.wire_id(),
            context: wire_state.context(),
            model: wire_state.model(),
            user_tier: wire_state.state.equipment.user_tier.as_deref(),
            state: task_state(&wire_state.status(view)),
            continuation: wire_state.continuation(view),
            newest_usage: wire_state.newest_usage(),
            asking: wire_state.asking(view),
            declined: wire_state.was_declined(view),
            seq: wire_state.state.head,
            resume: wire_state.state.head,
            timestamp: timestamp(wire_state.state.at),
        }
    }
}

impl Dialect {
    /// Show `entry`, which `wire_state` already holds.
    pub(crate) fn show(
        self,
        session: SessionId,
        view: TaskScope,
        was: &PreviousStatus,
        wire_state: &WireState,
        entry: &Entry,
    ) -> EntryFrames {
        let mut frame_context = FrameContext::at_head(session, view, wire_state);
        if let Dialect::Coder(form) = self {
            frame_context.state = coder::coder_task_state(&wire_state.status(view), view);
            let frames = coder::frames(view, was, wire_state, entry, &frame_context, form);
            return self.with_stream_facts(view, was, wire_state, entry, &frame_context, frames);
        }
        let domain_frames = self.domain_frames(view, was, wire_state, entry);
        // Who knows nothing but A2A is asked once, by the change of state: what comes before it stands where the task stood.
        let asked_once = self.audience().is_some_and(|audience| audience.extension == ToolExtension::Unknown);
        let changes = domain_frames
            .iter()
            .position(|domain_frame| matches!(domain_frame, DomainFrame::State { .. }))
            .filter(|_| asked_once);
        let (before, after) = (task_state(&was.status), frame_context.state);
        let mut domain_frames = domain_frames.into_iter().enumerate().peekable();
        let mut frames = Vec::new();
        if self == Dialect::Page {
            frames.extend(page::resumed(&was.status, &frame_context));
        }
        while let Some((at, domain_frame)) = domain_frames.next() {
            let is_last = domain_frames.peek().is_none();
            frame_context.state = if changes.is_some_and(|changes| at < changes) { before } else { after };
            frame_context.resume = if is_last { entry.seq } else { Seq(entry.seq.0.saturating_sub(1)) };
            frames.extend(self.encode_frames(&domain_frame, &frame_context));
        }
        frame_context.resume = entry.seq;
        self.with_stream_facts(view, was, wire_state, entry, &frame_context, frames)
    }

    /// The frames of `entry`, which `wire_state` already holds, in this dialect.
    fn domain_frames(
        self,
        view: TaskScope,
        was: &PreviousStatus,
        wire_state: &WireState,
        entry: &Entry,
    ) -> Vec<DomainFrame> {
        let mut domain_frames = domain_frame::domain_frames(view, was, wire_state, entry);
        let audience = self.audience();
        // Streams of 0.3 tell of no files: the RFC has status updates only, and the endpoint guide has no word for what a task has made.
        if audience.is_none_or(|audience| audience.version == A2aVersion::V03) {
            domain_frames.retain(|domain_frame| !matches!(domain_frame, DomainFrame::Artifact(_)));
        }
        // After a no with something to do instead the task goes on, to those who know it by its state alone as if nothing had ended.
        let goes_on = || wire_state.was_declined(view) && wire_state.continuation(view) == TaskContinuation::Queued;
        if self.tells_answers_as_artifacts() && matches!(entry.event, Event::TurnEnded { .. }) && goes_on() {
            domain_frames.retain(|domain_frame| !matches!(domain_frame, DomainFrame::State { .. }));
        }
        match audience {
            Some(audience) if audience.reads_answers_as_artifacts() => {
                answer::with_answer_chunks(view, wire_state, entry, domain_frames)
            }
            _ => domain_frames,
        }
    }

    /// True if those who read it get answers as artifacts.
    pub(crate) fn tells_answers_as_artifacts(self) -> bool {
        self.audience().is_some_and(ClientProfile::reads_answers_as_artifacts)
    }

    /// The readers, where it is a dialect of A2A.
    fn audience(self) -> Option<ClientProfile> {
        match self {
            Dialect::Rfc(form, extension) => Some(ClientProfile { version: form.version(), extension }),
            Dialect::Coder(_) | Dialect::Flat | Dialect::Page | Dialect::Named => None,
        }
    }

    /// `frames`, and what `entry` means to the streams they are for.
    fn with_stream_facts(
        self,
        view: TaskScope,
        was: &PreviousStatus,
        wire_state: &WireState,
        entry: &Entry,
        frame_context: &FrameContext<'_>,
        frames: Vec<EncodedFrame>,
    ) -> EntryFrames {
        let standing = EntryStanding::after_entry(view, was, wire_state, entry);
        let ends_with_state = frames.last().is_some_and(|frame| frame.role == FrameRole::State);
        let closing = ((standing.quiet || standing.stops_turn()) && !ends_with_state).then(|| {
            let state =
                if matches!(entry.event, Event::Unqueued { .. }) { TaskState::Canceled } else { frame_context.state };
            self.encode_frames(&DomainFrame::state(state), frame_context)
        });
        EntryFrames { frames, standing, closing: closing.and_then(|mut frames| frames.pop()) }
    }

    /// Write an event of A2A, for the dialects that are made of them.
    pub(crate) fn write(self, event: StreamEvent) -> Bytes {
        match self {
            Dialect::Rfc(form, _) => form.write(event),
            Dialect::Coder(form) => coder::write(form, event),
            Dialect::Flat | Dialect::Page | Dialect::Named => encode(&event),
        }
    }

    /// Write one domain frame down: usually as one frame, as none when the dialect has no word for it.
    pub(crate) fn encode_frames(
        self,
        domain_frame: &DomainFrame,
        frame_context: &FrameContext<'_>,
    ) -> Vec<EncodedFrame> {
        match self {
            Dialect::Rfc(form, extension) => vec![rfc::encode_frame(domain_frame, frame_context, form, extension)],
            Dialect::Coder(form) => coder::encode_frame(domain_frame, frame_context, form).into_iter().collect(),
            Dialect::Flat => flat::encode_frame(domain_frame, frame_context).into_iter().collect(),
            Dialect::Page => page::encode_frames(domain_frame, frame_context),
            Dialect::Named => named::encode_frames(domain_frame, frame_context),
        }
    }
}

/// The tokens of `usage`, as the wire counts them.
fn token_usage(usage: ModelUsage) -> TokenUsage {
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
