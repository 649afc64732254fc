//! The coder dialect: what Google's a2a-server says to its clients, on A2A 0.3. A task opened in it speaks it for good.

mod call;
mod details;
mod edge;
mod event;
mod response;
mod roots;
mod stat;
mod tools;

pub(crate) use call::{of_line, pending};
pub(crate) use edge::{Coder, edge};
pub(crate) use event::{notice, printed, spell, write};

use super::saying::waits_behind;
use super::{Form, Frame, FrameRole, Spot, Was, remark};
use crate::scene::{Scene, View};
use event::{content, output, state};
use pollux_session::{
    CallId, CallOutcome, Closing, Entry, Event, ItemKind, Level, Step, TaskStatus, TurnOutcome, plain,
};
use pollux_wire::a2a::{Part, TaskState};
use pollux_wire::coder::{CallStatus, Kind, Told};

/// What `entry`, which `scene` already holds, says to `view`.
pub(super) fn frames(view: View, was: &Was, scene: &Scene, entry: &Entry, spot: &Spot<'_>, form: Form) -> Vec<Frame> {
    let teller = Teller { scene, spot: &Spot { state: standing(scene), ..spot.clone() }, form };
    let Some((task, _)) = entry.task else { return Vec::from_iter(teller.warning(entry)) };
    if !view.covers(task) {
        return Vec::new();
    }
    let mut frames = teller.of_event(view, was, entry);
    if scene.status(view) == TaskStatus::InputRequired && was.status != TaskStatus::InputRequired {
        frames.push(state(TaskState::InputRequired, None, Told::default(), spot, form));
    }
    frames
}

/// The word of this dialect for where a task stands. A turn that is over leaves a task that waits for the next message.
pub(crate) fn word(status: &TaskStatus, view: View) -> TaskState {
    match status {
        TaskStatus::Submitted => TaskState::Submitted,
        TaskStatus::Working => TaskState::Working,
        TaskStatus::InputRequired | TaskStatus::Resting(TurnOutcome::Rested) => TaskState::InputRequired,
        TaskStatus::Resting(TurnOutcome::Cancelled) => stopped(view),
        TaskStatus::Resting(TurnOutcome::Failed { .. }) | TaskStatus::Closed(Closing::Failed) => TaskState::Failed,
        TaskStatus::Closed(Closing::Completed) => TaskState::Completed,
        TaskStatus::Closed(Closing::Cancelled) => TaskState::Canceled,
    }
}

/// Where a cancelled turn leaves what is watched: a cancel of the session ends nothing but its turn.
fn stopped(view: View) -> TaskState {
    match view {
        View::Session(_) => TaskState::InputRequired,
        View::Task(_) => TaskState::Canceled,
    }
}

/// What is said of a turn that a client stopped.
pub(crate) const STOPPED: &str = "a client cancelled this";

/// What every event of a turn says of its task: calls that a person has decided are told before work goes on.
fn standing(scene: &Scene) -> TaskState {
    if scene.was_waiting() { TaskState::InputRequired } else { TaskState::Working }
}

/// One entry being told.
struct Teller<'a> {
    scene: &'a Scene,
    spot: &'a Spot<'a>,
    form: Form,
}

impl Teller<'_> {
    fn of_event(&self, view: View, was: &Was, entry: &Entry) -> Vec<Frame> {
        match &entry.event {
            Event::Prompted { .. } => {
                let spot = Spot { state: word(&self.scene.status(view), view), ..self.spot.clone() };
                let line = waits_behind(self.scene, entry);
                line.map(|line| event::remark(line, &spot, self.form)).into_iter().collect()
            }
            Event::TurnStarted { .. } => vec![self.working()],
            Event::Said { kind: ItemKind::Text, text, .. } => Vec::from_iter(self.text(text)),
            Event::Piece { text, .. } => {
                let item = self.scene.state.turn.as_ref().and_then(|turn| turn.item);
                Vec::from_iter(item.filter(|(_, kind, _)| *kind == ItemKind::Text).and_then(|_| self.text(text)))
            }
            Event::ItemEnded { .. } => {
                let thought = self.scene.finished_thought().filter(|thought| !thought.trim().is_empty());
                Vec::from_iter(thought.map(|thought| self.thought(thought)))
            }
            Event::StepEnded { citations, .. } if !citations.is_empty() => {
                vec![content(
                    Kind::Citation,
                    Part::text(citations.join("\n")),
                    Told::default(),
                    0,
                    self.spot,
                    self.form,
                )]
            }
            Event::Retrying { reason, attempt, wait_ms } => {
                let line = format!("the model call failed ({reason}); attempt {attempt} follows in {wait_ms} ms");
                let told = Told { error: Some(reason.clone()), ..self.traced() };
                vec![state(TaskState::Working, Some(line), told, self.spot, self.form)]
            }
            Event::Called { .. } => self.called(CallId(entry.seq)),
            Event::Allowed { call, .. } => Vec::from_iter(self.call(*call, CallStatus::Scheduled, 0)),
            Event::Asked { call, .. } => Vec::from_iter(self.call(*call, CallStatus::AwaitingApproval, 0)),
            Event::Answered { call, allows, .. } => {
                let decided = self.call(*call, CallStatus::AwaitingApproval, 0);
                let next = allows.then(|| self.call(*call, CallStatus::Scheduled, 1)).flatten();
                decided.into_iter().chain(next).collect()
            }
            Event::CallStarted { call } => Vec::from_iter(self.call(*call, CallStatus::Executing, 0)),
            Event::Output { call, .. } => Vec::from_iter(self.printed(*call)),
            Event::CallEnded { call, outcome } => {
                let ended = self.call(*call, call::status_of(outcome), 0);
                // A cancelled call is followed by the end of its turn.
                let goes_on = *outcome != CallOutcome::Cancelled && self.thinks_again();
                ended.into_iter().chain(goes_on.then(|| self.working())).collect()
            }
            Event::TurnEnded { outcome } => self.ended(view, outcome),
            Event::TaskClosed { .. } => {
                let state_now = word(&self.scene.status(view), view);
                let changed = state_now != word(&was.status, view);
                let line = (state_now == TaskState::Canceled).then(|| STOPPED.to_owned());
                Vec::from_iter(changed.then(|| state(state_now, line, Told::default(), self.spot, self.form)))
            }
            _ => Vec::from_iter(self.warning(entry)),
        }
    }

    fn working(&self) -> Frame {
        state(TaskState::Working, None, Told::default(), self.spot, self.form)
    }

    /// What is said of an answer can be found by the provider's own name for it.
    fn traced(&self) -> Told {
        let turn = self.scene.state.turn.as_ref();
        Told { trace: turn.and_then(|turn| turn.response.clone()), ..Told::default() }
    }

    fn text(&self, text: &str) -> Option<Frame> {
        if text.is_empty() {
            return None;
        }
        // All pieces of one text have one id, that of the message they become in the task's history.
        let item = self.scene.state.turn.as_ref().and_then(|turn| turn.item);
        let seq = item.map_or(self.spot.seq, |(item, ..)| item.0);
        let spot = Spot { seq, ..self.spot.clone() };
        let frame = content(Kind::TextContent, Part::text(text), self.traced(), 0, &spot, self.form);
        Some(Frame { role: FrameRole::Piece, ..frame })
    }

    fn thought(&self, text: &str) -> Frame {
        let part = Part::data(serde_json::json!(super::thought_of(text)));
        content(Kind::Thought, part, self.traced(), 0, self.spot, self.form)
    }

    /// A call is announced; before the first one of a step the task says that it works.
    fn called(&self, call: CallId) -> Vec<Frame> {
        let first = self.scene.state.turn.as_ref().is_some_and(|turn| turn.calls.len() == 1);
        let announced = self.call(call, CallStatus::Scheduled, 0);
        first.then(|| self.working()).into_iter().chain(announced).collect()
    }

    /// The call, told as `status`. `index` tells the messages of one entry apart.
    fn call(&self, call: CallId, status: CallStatus, index: usize) -> Option<Frame> {
        let known = self.scene.state.turn.as_ref()?.calls.get(&call)?;
        let told = call::of_call(self.scene, known, status);
        let (kind, role) = match status {
            CallStatus::AwaitingApproval => (Kind::ToolCallConfirmation, FrameRole::Content),
            CallStatus::Scheduled | CallStatus::Executing => (Kind::ToolCallUpdate, FrameRole::Progress),
            CallStatus::Success | CallStatus::Error | CallStatus::Cancelled => {
                (Kind::ToolCallUpdate, FrameRole::Content)
            }
        };
        let part = Part::data(serde_json::json!(told));
        Some(Frame { role, ..content(kind, part, Told::default(), index, self.spot, self.form) })
    }

    fn printed(&self, call: CallId) -> Option<Frame> {
        let live = self.scene.live(call)?;
        Some(output(&self.scene.wire_call_id(call), plain(&live.shown()).into_owned(), self.spot, self.form))
    }

    /// Whether the model is asked again now that a call is over.
    fn thinks_again(&self) -> bool {
        self.scene.state.turn.as_ref().is_some_and(|turn| turn.doing == Step::Thinking)
    }

    fn ended(&self, view: View, outcome: &TurnOutcome) -> Vec<Frame> {
        let last = |word, line| state(word, line, Told::default(), self.spot, self.form);
        match outcome {
            TurnOutcome::Rested => vec![last(TaskState::InputRequired, None)],
            TurnOutcome::Cancelled => vec![last(stopped(view), Some(STOPPED.to_owned()))],
            TurnOutcome::Failed { failure } => {
                let told = Told { error: Some(failure.message.clone()), ..Told::default() };
                let why = state(TaskState::Working, Some(failure.message.clone()), told, self.spot, self.form);
                vec![why, last(TaskState::Failed, Some(failure.message.clone()))]
            }
        }
    }

    /// What went otherwise than a person would think. What merely goes on is not told: that server's clients have no
    /// place for it.
    fn warning(&self, entry: &Entry) -> Option<Frame> {
        match remark::of(entry)? {
            super::Saying::Remark { level: Level::Warn | Level::Error, line } => {
                Some(event::remark(line, self.spot, self.form))
            }
            _ => None,
        }
    }
}
