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

/// Everything that is owed, in order. Calls that only read run side by side; calls that change things run one at a
/// time, oldest first; a call that waits for a person holds up nothing else.
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
    // A call waits for the calls made for it, so it holds up all others that change things, but never those.
    let changers = turn.calls.values().filter(|call| call.phase == CallPhase::Running && call.kind.changes_things());
    let held_up = |call: &CallState| changers.clone().any(|running| !turn.is_made_for(call, running.id));
    let mut changing = false;
    let mut owed = Vec::new();
    for call in turn.calls.values() {
        match call.phase {
            CallPhase::Vetting => {
                // It may turn out to change things, and then it goes before the calls after it.
                changing = true;
                owed.push(Effect::Vet { call: call.id, revision: state.policy });
            }
            CallPhase::Asking { revision, .. } if revision < state.policy => {
                owed.push(Effect::Vet { call: call.id, revision: state.policy });
            }
            CallPhase::Ready if !call.kind.changes_things() => owed.push(Effect::Run { call: call.id }),
            CallPhase::Ready if !changing && !held_up(call) => {
                changing = true;
                owed.push(Effect::Run { call: call.id });
            }
            CallPhase::Running => owed.push(Effect::Run { call: call.id }),
            CallPhase::Asking { .. } | CallPhase::Ready | CallPhase::Ended(_) => {}
        }
    }
    owed
}
