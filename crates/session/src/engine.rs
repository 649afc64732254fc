//! One input, all the way through.

use crate::command::Envelope;
use crate::decide::{decide, follow};
use crate::event::{By, Entry, Equipment, Event};
use crate::ids::At;
use crate::next::Effect;
use crate::refusal::Refusal;
use crate::report::Report;
use crate::state::State;

/// What reaches a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A client's command.
    Command(Envelope),
    /// What came of owed work.
    Report {
        /// The work.
        effect: Effect,
        /// What came of it.
        report: Report,
    },
    /// The session was loaded, by a process with this equipment. Always the first input after a load.
    Woken(Equipment),
    /// The process that holds the session works with this equipment from now on: somebody lent it a key.
    Equipped(Equipment),
}

/// Decide `input`, apply what it causes and everything that follows from that by itself. The state is untouched when
/// the input is refused. `at` is the host's clock; the entries' time never goes back.
pub fn take(state: &mut State, input: &Input, at: At) -> Result<Vec<Entry>, Refusal> {
    let by = match input {
        Input::Command(envelope) => By::from(&envelope.who),
        Input::Report { .. } | Input::Woken(_) | Input::Equipped(_) => By::Agent,
    };
    let mut entries = Vec::new();
    for event in decide(state, input)? {
        entries.push(record(state, at, by.clone(), event));
    }
    while let Some(event) = follow(state) {
        entries.push(record(state, at, By::Agent, event));
    }
    Ok(entries)
}

/// Number an event, fold it in and return its entry.
fn record(state: &mut State, at: At, by: By, event: Event) -> Entry {
    let task = state.task_of(&event).map(|id| (id, state.tasks.get(&id).map_or(0, |task| task.entries) + 1));
    let entry = Entry { seq: state.head.next(), at: at.max(state.at), by, task, event };
    state.apply(&entry);
    entry
}

/// The first entry of a session. The only one that no input causes.
impl State {
    /// A new session's state and its entry 1.
    pub fn open(opened: crate::Opened, by: By, at: At) -> (State, Entry) {
        let mut state = State::default();
        let entry = record(&mut state, at, by, Event::Opened(opened));
        (state, entry)
    }
}
