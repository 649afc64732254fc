//! May this happen? Pure: the answer is the events it causes, or a refusal.

mod answer;
mod command;
mod message;
mod reply;
mod report;

use crate::call::{CallOutcome, CallPhase, CallState, ToolKind};
use crate::engine::SessionInput;
use crate::event::{Event, RuntimeDescription, TaskClosing, TaskKind, TurnFailure, TurnOutcome};
use crate::ids::{CallId, ItemId, Seq};
use crate::refusal::Refusal;
use crate::state::{SessionState, StepState, TurnState};
use serde_json::Value;

/// What `input` causes, or why it may not happen.
pub fn decide(state: &SessionState, input: &SessionInput) -> Result<Vec<Event>, Refusal> {
    match input {
        SessionInput::Command(envelope) => command::decide(state, envelope),
        SessionInput::Report { effect, report } => report::decide(state, *effect, report),
        SessionInput::Woken(equipment) => Ok(wake(state, equipment)),
        SessionInput::Equipped(equipment) => Ok(Vec::from_iter(equip(state, equipment))),
    }
}

/// What follows from the state by itself, one event at a time.
pub(crate) fn follow(state: &SessionState) -> Option<Event> {
    if let Some(turn) = &state.turn {
        let overtaken = turn.calls.values().find(|call| {
            call.phase == CallPhase::Ready && call.ask.is_none() && is_overtaken_by_no(turn, call, call.kind)
        });
        let cancelled = overtaken.map(|call| Event::CallEnded { call: call.id, outcome: CallOutcome::Cancelled });
        return cancelled.or_else(|| end_of_turn(state, turn).map(|outcome| Event::TurnEnded { outcome }));
    }
    if let Some(closing) = state.tasks.iter().find_map(|(id, task)| {
        let closing = match (task.kind, task.closed, &task.last) {
            (TaskKind::Once, None, Some(TurnOutcome::Rested)) => TaskClosing::Completed,
            // Without a turn, its only prompt was taken out of the queue.
            (TaskKind::Once, None, Some(TurnOutcome::Cancelled) | None) => TaskClosing::Cancelled,
            (TaskKind::Once, None, Some(TurnOutcome::Failed { .. })) => TaskClosing::Failed,
            (TaskKind::Once, Some(_), _) | (TaskKind::OpenEnded, ..) => return None,
        };
        let waits = state.queue.iter().any(|waiting| waiting.task == *id);
        (!waits).then_some(Event::TaskClosed { task: *id, closing })
    }) {
        return Some(closing);
    }
    let ready = state.queue.iter().find(|waiting| !waiting.held);
    let prompt = ready.filter(|_| state.compact_wanted.is_none())?;
    Some(Event::TurnStarted {
        prompt: prompt.id,
        task: prompt.task,
        model: state.model.clone().unwrap_or_else(|| state.equipment.model.clone()),
        mode: state.mode,
        tools: state.equipment.tools.clone(),
    })
}

/// Whether a call of `kind` comes after one of its answer that a person declined, and would do more than look: the model made it
/// for a world in which the declined one had happened. One that stands for another is no such call: somebody allowed that.
fn is_overtaken_by_no(turn: &TurnState, call: &CallState, kind: ToolKind) -> bool {
    let is_declined = |other: &CallState| other.phase == CallPhase::Ended(CallOutcome::Declined);
    let mut before = turn.calls.values().filter(|other| other.parent.is_none() && other.place < call.place);
    call.parent.is_none() && call.place == call.id && kind.may_change_things() && before.any(is_declined)
}

/// Whether the turn has nothing left to do, and how it ends then.
fn end_of_turn(state: &SessionState, turn: &TurnState) -> Option<TurnOutcome> {
    let acted = turn.doing == StepState::Acting && turn.open_calls().next().is_none();
    if acted && (turn.calls.is_empty() || turn.declined) {
        return Some(TurnOutcome::Rested);
    }
    let most = state.equipment.step_limit.0?;
    (turn.doing == StepState::Thinking && turn.step > most).then(|| TurnOutcome::Failed {
        failure: TurnFailure {
            kind: "step_limit".into(),
            message: format!("stopped after {most} model calls in one turn; say \"go on\" to continue"),
        },
    })
}

/// After a load: what was running is not any more. Asks stay open; the model is asked again because `next` says so.
fn wake(state: &SessionState, equipment: &RuntimeDescription) -> Vec<Event> {
    let mut events = Vec::from_iter(equip(state, equipment));
    if let Some(turn) = &state.turn {
        events.extend(cut_item(turn));
        events.extend(end_all(turn, |call| call.phase == CallPhase::Running, &CallOutcome::Interrupted));
    }
    events
}

/// That the session is worked on with other equipment, if it is.
fn equip(state: &SessionState, equipment: &RuntimeDescription) -> Option<Event> {
    (state.equipment != *equipment).then(|| Event::Equipped(equipment.clone()))
}

/// The end of a half-received item.
fn cut_item(turn: &TurnState) -> Option<Event> {
    turn.item.map(|(item, _, len)| Event::ItemEnded { item, len, cut: true, meta: Value::Null })
}

/// The end of the open calls that are `over`, and of those made for them: nobody waits for what comes of these. The
/// youngest come first, so that a call ends after its own calls.
fn end_all(turn: &TurnState, over: impl Fn(&CallState) -> bool, outcome: &CallOutcome) -> Vec<Event> {
    let mut ends: Vec<(CallId, CallOutcome)> = Vec::new();
    // A call is younger than the one it was made for, so one pass finds them all.
    for call in turn.open_calls() {
        if over(call) {
            ends.push((call.id, outcome.clone()));
        } else if ends.iter().any(|(ended, _)| call.parent == Some(*ended)) {
            ends.push((call.id, CallOutcome::Cancelled));
        }
    }
    ends.into_iter().rev().map(|(call, outcome)| Event::CallEnded { call, outcome }).collect()
}

/// Everything that must end before a cancelled or failed turn can.
fn abandon(turn: &TurnState) -> Vec<Event> {
    let mut events = Vec::from_iter(cut_item(turn));
    events.extend(turn.open_calls().map(|call| Event::CallEnded { call: call.id, outcome: CallOutcome::Cancelled }));
    events
}

/// Events in the making, for decisions whose later events name earlier ones.
struct Draft<'a> {
    state: &'a SessionState,
    events: Vec<Event>,
}

impl<'a> Draft<'a> {
    fn new(state: &'a SessionState) -> Self {
        Draft { state, events: Vec::new() }
    }

    /// Add an event and learn the number it will get.
    fn push(&mut self, event: Event) -> Seq {
        self.events.push(event);
        Seq(self.state.head.0 + self.events.len() as u64)
    }

    fn end_item(&mut self, item: ItemId, len: u64, meta: Value) {
        self.push(Event::ItemEnded { item, len, cut: false, meta });
    }
}
