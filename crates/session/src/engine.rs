//! One input, all the way through.

use crate::command::CommandEnvelope;
use crate::decide::{decide, follow};
use crate::event::{Entry, EntryAuthor, Event, RuntimeDescription};
use crate::ids::UnixMillis;
use crate::next::Effect;
use crate::refusal::Refusal;
use crate::report::Report;
use crate::state::SessionState;

/// An input of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionInput {
    /// A client's command.
    Command(CommandEnvelope),
    /// The result of owed work.
    Report {
        /// The work.
        effect: Effect,
        report: Report,
    },
    /// The session was loaded, by a process with this equipment. Always the first input after a load.
    Woken(RuntimeDescription),
    /// The process that holds the session works with this equipment from now on: somebody lent it a key.
    Equipped(RuntimeDescription),
}

/// Decide `input`, apply what it causes and everything that follows from that by itself. The state is untouched when
/// the input is refused. `at` is the host's clock; the entries' time never goes back.
pub fn take(state: &mut SessionState, input: &SessionInput, at: UnixMillis) -> Result<Vec<Entry>, Refusal> {
    let by = match input {
        SessionInput::Command(envelope) => EntryAuthor::from(&envelope.who),
        SessionInput::Report { .. } | SessionInput::Woken(_) | SessionInput::Equipped(_) => EntryAuthor::Agent,
    };
    let mut entries = Vec::new();
    for event in decide(state, input)? {
        entries.push(record(state, at, by.clone(), event));
    }
    while let Some(event) = follow(state) {
        entries.push(record(state, at, EntryAuthor::Agent, event));
    }
    Ok(entries)
}

/// Number an event, fold it in and return its entry.
pub(crate) fn record(state: &mut SessionState, at: UnixMillis, by: EntryAuthor, event: Event) -> Entry {
    let task = state.task_of(&event).map(|id| (id, state.tasks.get(&id).map_or(0, |task| task.entries) + 1));
    let entry = Entry { seq: state.head.next(), at: at.max(state.at), by, task, event };
    state.apply(&entry);
    entry
}

/// The first entry of a session. The only one that no input causes.
impl SessionState {
    /// A new session's state and its entry 1.
    pub fn open(opened: crate::SessionOpened, by: EntryAuthor, at: UnixMillis) -> (SessionState, Entry) {
        let mut state = SessionState::default();
        let entry = record(&mut state, at, by, Event::Opened(opened));
        (state, entry)
    }
}
