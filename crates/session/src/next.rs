//! Which work is owed now. Derived from state, never stored: reconciling it with what runs is all of cancellation.

use crate::call::{CallPhase, CallState};
use crate::ids::{CallId, Seq, TurnId};
use crate::state::{SessionState, StepState, TurnState};

/// Work that is owed. The value is its own key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Ask the model.
    Think {
        /// For this turn.
        turn: TurnId,
        /// For its step, from 1.
        step: u32,
    },
    /// Ask policy and the tool's preview about a call.
    Vet {
        /// The call.
        call: CallId,
        /// Under this policy revision.
        revision: u64,
        /// Whether it did not fit the files at first. Then all calls before it are over now.
        again: bool,
    },
    /// Run a call.
    Run {
        /// The call.
        call: CallId,
    },
    /// Make a summary of the older part of the conversation.
    Compact {
        /// The entry that asked for it.
        wanted: Seq,
    },
    /// Put a lasting grant into the person's own policy file.
    Keep {
        /// The entry that gave it.
        answer: Seq,
    },
}

/// Everything that is owed, in order. All calls of an answer are vetted at once and take effect in the order in which the model
/// made them, so a call that waits for a person holds up what comes after it. Of the calls that other calls make, those that
/// only read run side by side; those that change things run one at a time, oldest first.
pub fn next(state: &SessionState) -> Vec<Effect> {
    let mut owed: Vec<Effect> = state.keeping.iter().map(|keeping| Effect::Keep { answer: keeping.answer }).collect();
    match &state.turn {
        Some(turn) => owed.extend(for_turn(state, turn)),
        None => owed.extend(state.compact_wanted.map(|wanted| Effect::Compact { wanted })),
    }
    owed
}

/// What the running turn is owed.
pub(crate) fn for_turn(state: &SessionState, turn: &TurnState) -> Vec<Effect> {
    if turn.doing == StepState::Thinking {
        return vec![Effect::Think { turn: turn.id, step: turn.step }];
    }
    let mut owed = Vec::new();
    for call in turn.calls.values() {
        let vet = |again| Effect::Vet { call: call.id, revision: state.policy, again };
        match call.phase {
            CallPhase::Vetting => owed.push(vet(false)),
            CallPhase::Deferred if !turn.may_change_before(call) => owed.push(vet(true)),
            CallPhase::Asking { revision, .. } if revision < state.policy => owed.push(vet(false)),
            CallPhase::Ready if may_start(turn, call) => owed.push(Effect::Run { call: call.id }),
            CallPhase::Running => owed.push(Effect::Run { call: call.id }),
            CallPhase::Deferred | CallPhase::Asking { .. } | CallPhase::Ready | CallPhase::Ended(_) => {}
        }
    }
    owed
}

/// Whether a call that may run can start now.
fn may_start(turn: &TurnState, call: &CallState) -> bool {
    let waits_for = |other: &CallState| !other.is_vetted() || !call.kind.runs_beside(other.kind);
    let its_turn = !turn.calls_before(call).any(waits_for);
    its_turn && (!call.kind.changes_things() || !is_held_up(turn, call))
}

/// Whether a call that changes things waits for another one that does. A call waits for the calls made for it, so it holds up
/// all others, but never those.
fn is_held_up(turn: &TurnState, call: &CallState) -> bool {
    let is_running = |other: &CallState| other.phase == CallPhase::Running && other.kind.changes_things();
    // One that is not vetted yet may turn out to change things, and then it goes before the calls after it.
    let is_due = |other: &CallState| match other.phase {
        CallPhase::Vetting => true,
        CallPhase::Ready => other.kind.changes_things(),
        CallPhase::Deferred | CallPhase::Asking { .. } | CallPhase::Running | CallPhase::Ended(_) => false,
    };
    let goes_first =
        |other: &CallState| call.parent.is_some() && other.parent.is_some() && other.id < call.id && is_due(other);
    turn.calls.values().any(|other| (is_running(other) && !turn.is_made_for(call, other.id)) || goes_first(other))
}
