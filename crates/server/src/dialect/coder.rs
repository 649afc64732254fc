//! The coder dialect: what Google's a2a-server says to its clients, on A2A 0.3. A task opened in it speaks it for good.

mod call;
mod client_settings;
mod details;
mod diff_stat;
mod event;
mod response;
mod root_commands;
mod tools;

pub(crate) use call::{pending_tool_calls, tool_call_of_line};
pub(crate) use client_settings::{CoderClientSettings, client_settings_edge};
pub(crate) use event::{encode_frame, notice, output_artifact, write};

use super::domain_frame::waits_behind;
use super::{EncodedFrame, EventEncoding, FrameContext, FrameRole, PreviousStatus, remark};
use crate::wire_state::{TaskScope, WireState};
use event::{content, output, state};
use pollux_session::{
    CallId, CallOutcome, Entry, Event, ItemKind, NoticeLevel, StepState, TaskClosing, TaskStatus, TurnOutcome, plain,
};
use pollux_wire::a2a::{Part, TaskState};
use pollux_wire::coder::{CallStatus, Kind, Told};

/// What `entry`, which `wire_state` already holds, says to `view`.
pub(super) fn frames(
    view: TaskScope,
    was: &PreviousStatus,
    wire_state: &WireState,
    entry: &Entry,
    frame_context: &FrameContext<'_>,
    form: EventEncoding,
) -> Vec<EncodedFrame> {
    let encoder = EntryEncoder {
        wire_state,
        frame_context: &FrameContext { state: turn_task_state(wire_state), ..frame_context.clone() },
        form,
    };
    let Some((task, _)) = entry.task else { return Vec::from_iter(encoder.warning(entry)) };
    if !view.covers(task) {
        return Vec::new();
    }
    let mut frames = encoder.encode_event(view, was, entry);
    if wire_state.status(view) == TaskStatus::InputRequired && was.status != TaskStatus::InputRequired {
        frames.push(state(TaskState::InputRequired, None, Told::default(), frame_context, form));
    }
    frames
}

/// The word of this dialect for where a task stands. A turn that is over leaves a task that waits for the next message.
pub(crate) fn coder_task_state(status: &TaskStatus, view: TaskScope) -> TaskState {
    match status {
        TaskStatus::Submitted => TaskState::Submitted,
        TaskStatus::Working => TaskState::Working,
        TaskStatus::InputRequired | TaskStatus::Resting(TurnOutcome::Rested) => TaskState::InputRequired,
        TaskStatus::Resting(TurnOutcome::Cancelled) => cancelled_task_state(view),
        TaskStatus::Resting(TurnOutcome::Failed { .. }) | TaskStatus::Closed(TaskClosing::Failed) => TaskState::Failed,
        TaskStatus::Closed(TaskClosing::Completed) => TaskState::Completed,
        TaskStatus::Closed(TaskClosing::Cancelled) => TaskState::Canceled,
    }
}

/// Where a cancelled turn leaves what is watched: a cancel of the session ends nothing but its turn.
fn cancelled_task_state(view: TaskScope) -> TaskState {
    match view {
        TaskScope::Session(_) => TaskState::InputRequired,
        TaskScope::Task(_) => TaskState::Canceled,
    }
}

/// What is said of a turn that a client stopped.
pub(crate) const STOPPED: &str = "a client cancelled this";

/// What every event of a turn says of its task: calls that a person has decided are told before work goes on.
fn turn_task_state(wire_state: &WireState) -> TaskState {
    if wire_state.was_waiting() { TaskState::InputRequired } else { TaskState::Working }
}

/// One entry being told.
struct EntryEncoder<'a> {
    wire_state: &'a WireState,
    frame_context: &'a FrameContext<'a>,
    form: EventEncoding,
}

impl EntryEncoder<'_> {
    fn encode_event(&self, view: TaskScope, was: &PreviousStatus, entry: &Entry) -> Vec<EncodedFrame> {
        match &entry.event {
            Event::Prompted { .. } => {
                let frame_context = FrameContext {
                    state: coder_task_state(&self.wire_state.status(view), view),
                    ..self.frame_context.clone()
                };
                let line = waits_behind(self.wire_state, entry);
                line.map(|line| event::remark(line, &frame_context, self.form)).into_iter().collect()
            }
            Event::TurnStarted { .. } => vec![self.working()],
            Event::Said { kind: ItemKind::Text, text, .. } => Vec::from_iter(self.text(text)),
            Event::Piece { text, .. } => {
                let item = self.wire_state.state.turn.as_ref().and_then(|turn| turn.item);
                Vec::from_iter(item.filter(|(_, kind, _)| *kind == ItemKind::Text).and_then(|_| self.text(text)))
            }
            Event::ItemEnded { .. } => {
                let thought = self.wire_state.finished_thought().filter(|thought| !thought.trim().is_empty());
                Vec::from_iter(thought.map(|thought| self.thought(thought)))
            }
            Event::StepEnded { citations, .. } if !citations.is_empty() => {
                vec![content(
                    Kind::Citation,
                    Part::text(citations.join("\n")),
                    Told::default(),
                    0,
                    self.frame_context,
                    self.form,
                )]
            }
            Event::Retrying { reason, attempt, wait_ms } => {
                let line = format!("the model call failed ({reason}); attempt {attempt} follows in {wait_ms} ms");
                let told = Told { error: Some(reason.clone()), ..self.trace_metadata() };
                vec![state(TaskState::Working, Some(line), told, self.frame_context, self.form)]
            }
            Event::Called { .. } => self.announce_call(CallId(entry.seq)),
            Event::Allowed { call, .. } => Vec::from_iter(self.call(*call, CallStatus::Scheduled, 0)),
            Event::Asked { call, .. } => Vec::from_iter(self.call(*call, CallStatus::AwaitingApproval, 0)),
            Event::Answered { call, allows, .. } => {
                let decided = self.call(*call, CallStatus::AwaitingApproval, 0);
                let next = allows.then(|| self.call(*call, CallStatus::Scheduled, 1)).flatten();
                decided.into_iter().chain(next).collect()
            }
            Event::CallStarted { call } => Vec::from_iter(self.call(*call, CallStatus::Executing, 0)),
            Event::Output { call, .. } => Vec::from_iter(self.output_frame(*call)),
            Event::CallEnded { call, outcome } => {
                let ended = self.call(*call, call::status_of(outcome), 0);
                // A cancelled call is followed by the end of its turn.
                let goes_on = *outcome != CallOutcome::Cancelled && self.thinks_again();
                ended.into_iter().chain(goes_on.then(|| self.working())).collect()
            }
            Event::TurnEnded { outcome } => self.ended(view, outcome),
            Event::TaskClosed { .. } => {
                let state_now = coder_task_state(&self.wire_state.status(view), view);
                let changed = state_now != coder_task_state(&was.status, view);
                let line = (state_now == TaskState::Canceled).then(|| STOPPED.to_owned());
                Vec::from_iter(changed.then(|| state(state_now, line, Told::default(), self.frame_context, self.form)))
            }
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Attached { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::FellBack { .. }
            | Event::Noted { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted => Vec::from_iter(self.warning(entry)),
            // That server's clients have no place for these, or see them in what follows.
            Event::Said { kind: ItemKind::Thought, .. }
            | Event::StepEnded { .. }
            | Event::AskKept { .. }
            | Event::TaskOpened { .. }
            | Event::Commanded { .. }
            | Event::Spent { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Unqueued { .. } => Vec::new(),
        }
    }

    fn working(&self) -> EncodedFrame {
        state(TaskState::Working, None, Told::default(), self.frame_context, self.form)
    }

    /// What is said of an answer can be found by the provider's own name for it.
    fn trace_metadata(&self) -> Told {
        let turn = self.wire_state.state.turn.as_ref();
        Told { trace: turn.and_then(|turn| turn.response.clone()), ..Told::default() }
    }

    fn text(&self, text: &str) -> Option<EncodedFrame> {
        if text.is_empty() {
            return None;
        }
        // All pieces of one text have one id, that of the message they become in the task's history.
        let item = self.wire_state.state.turn.as_ref().and_then(|turn| turn.item);
        let seq = item.map_or(self.frame_context.seq, |(item, ..)| item.0);
        let frame_context = FrameContext { seq, ..self.frame_context.clone() };
        let frame = content(Kind::TextContent, Part::text(text), self.trace_metadata(), 0, &frame_context, self.form);
        Some(EncodedFrame { role: FrameRole::Piece, ..frame })
    }

    fn thought(&self, text: &str) -> EncodedFrame {
        let part = Part::data(serde_json::json!(super::thought_of(text)));
        content(Kind::Thought, part, self.trace_metadata(), 0, self.frame_context, self.form)
    }

    /// A call is announced; before the first one of a step the task says that it works.
    fn announce_call(&self, call: CallId) -> Vec<EncodedFrame> {
        let first = self.wire_state.state.turn.as_ref().is_some_and(|turn| turn.calls.len() == 1);
        let announced = self.call(call, CallStatus::Scheduled, 0);
        first.then(|| self.working()).into_iter().chain(announced).collect()
    }

    /// The call, told as `status`. `index` tells the messages of one entry apart.
    fn call(&self, call: CallId, status: CallStatus, index: usize) -> Option<EncodedFrame> {
        let known = self.wire_state.state.turn.as_ref()?.calls.get(&call)?;
        let told = call::tool_call(self.wire_state, known, status);
        let (kind, role) = match status {
            CallStatus::AwaitingApproval => (Kind::ToolCallConfirmation, FrameRole::Content),
            CallStatus::Scheduled | CallStatus::Executing => (Kind::ToolCallUpdate, FrameRole::Progress),
            CallStatus::Success | CallStatus::Error | CallStatus::Cancelled => {
                (Kind::ToolCallUpdate, FrameRole::Content)
            }
        };
        let part = Part::data(serde_json::json!(told));
        Some(EncodedFrame { role, ..content(kind, part, Told::default(), index, self.frame_context, self.form) })
    }

    fn output_frame(&self, call: CallId) -> Option<EncodedFrame> {
        let live = self.wire_state.call_output(call)?;
        Some(output(
            &self.wire_state.wire_call_id(call),
            plain(&live.text_with_mark()).into_owned(),
            self.frame_context,
            self.form,
        ))
    }

    /// Whether the model is asked again now that a call is over.
    fn thinks_again(&self) -> bool {
        self.wire_state.state.turn.as_ref().is_some_and(|turn| turn.doing == StepState::Thinking)
    }

    fn ended(&self, view: TaskScope, outcome: &TurnOutcome) -> Vec<EncodedFrame> {
        let last = |word, line| state(word, line, Told::default(), self.frame_context, self.form);
        match outcome {
            TurnOutcome::Rested => vec![last(TaskState::InputRequired, None)],
            TurnOutcome::Cancelled => vec![last(cancelled_task_state(view), Some(STOPPED.to_owned()))],
            TurnOutcome::Failed { failure } => {
                let told = Told { error: Some(failure.message.clone()), ..Told::default() };
                let why = state(TaskState::Working, Some(failure.message.clone()), told, self.frame_context, self.form);
                vec![why, last(TaskState::Failed, Some(failure.message.clone()))]
            }
        }
    }

    /// What went otherwise than a person would think. What merely goes on is not told: that server's clients have no
    /// place for it.
    fn warning(&self, entry: &Entry) -> Option<EncodedFrame> {
        match remark::remark_of_entry(entry)? {
            super::DomainFrame::Remark { level: NoticeLevel::Warn | NoticeLevel::Error, line } => {
                Some(event::remark(line, self.frame_context, self.form))
            }
            _ => None,
        }
    }
}
