//! The facts that a sentence about an entry is made from, and the sentence itself.

use super::wording::client_name;
use crate::event::{Entry, EntryAuthor};
use crate::state::SessionState;

/// Whose doing an entry is, seen from a seat. The seat says it: labels are claimed, only a receipt tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOrigin {
    /// Typed at this seat just now: whoever sits here has seen it.
    Typed,
    /// Typed at this seat before it was taken this time.
    Earlier,
    /// Of another seat, or of the agent.
    Other,
}

/// An entry, and what there is to know to tell of it.
#[derive(Clone, Copy, Debug)]
pub struct EntryContext<'a> {
    /// The session just before the entry.
    pub state: &'a SessionState,
    pub entry: &'a Entry,
    pub reader: &'a EntryAuthor,
    /// Whose doing it is, seen from the reader.
    pub origin: EntryOrigin,
}

impl EntryContext<'_> {
    /// ` by NAME`, unless the reader or the agent did it.
    pub fn by_whom(&self) -> String {
        self.other_name().map(|name| format!(" by {name}")).unwrap_or_default()
    }

    /// The name of the author, if that was another seat.
    pub fn other_name(&self) -> Option<String> {
        match (self.origin, &self.entry.by) {
            (EntryOrigin::Other, by @ EntryAuthor::Client { .. }) => Some(client_name(by, self.reader)),
            (EntryOrigin::Other, EntryAuthor::Agent) | (EntryOrigin::Typed | EntryOrigin::Earlier, _) => None,
        }
    }
}

/// The tone of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteTone {
    /// Worth knowing.
    Info,
    /// It worked.
    Good,
    /// Something is not as it should be.
    Warn,
    /// It failed.
    Bad,
}

/// The topic of a sentence, for readers that show only some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteTopic {
    /// Mode and model.
    Settings,
    /// Prompts that wait.
    Queue,
    /// Permissions that hold from now on.
    Grants,
    /// Progress and failure of the model call.
    Model,
    /// Files that the model has read, and the part of the conversation that it knows.
    Context,
    /// The workspace as it was before a call.
    Checkpoint,
    /// A call and its ask.
    Call,
    TurnEnd,
    /// Tokens and time of a turn.
    Usage,
    /// Things the person can do now.
    NextStep,
    /// A task that takes no more prompts.
    Task,
}

/// Something said about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventNote {
    pub topic: NoteTopic,
    pub tone: NoteTone,
    /// The sentence.
    pub text: String,
    /// Lines that stand below it: sources.
    pub details: Vec<String>,
}

impl EventNote {
    /// A sentence.
    pub fn new(topic: NoteTopic, tone: NoteTone, text: impl Into<String>) -> EventNote {
        EventNote { topic, tone, text: text.into(), details: Vec::new() }
    }

    /// A sentence that is worth knowing.
    pub(crate) fn info(topic: NoteTopic, text: impl Into<String>) -> EventNote {
        EventNote::new(topic, NoteTone::Info, text)
    }

    /// All of it, a line below the other.
    pub fn lines(&self) -> String {
        let details = self.details.iter().map(|line| format!("\n{line}"));
        std::iter::once(self.text.clone()).chain(details).collect()
    }
}
