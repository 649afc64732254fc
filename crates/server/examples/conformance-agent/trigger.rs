//! What the kits want of the agent: by the beginning of a message's id or of its text.

use pollux_session::{PromptId, SessionId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Which kit is spoken to: they want different things of a message that says nothing special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kit {
    /// That of 0.3: work for a while, then wait for a person.
    Old,
    /// That of 1.0: be done at once.
    New,
}

/// What one prompt leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Say this and be done.
    Say(&'static str),
    /// Be done without a word.
    Finish,
    /// Work for long, then be done.
    TakeLong,
    /// Wait for a person.
    Ask,
    /// Make something and be done.
    Make(Made),
    /// Fail.
    Fail,
}

/// Something to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// A file, with its content.
    File,
    /// A file, by its address.
    Link,
    /// Data.
    Data,
}

impl Made {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Made::File => "file",
            Made::Link => "link",
            Made::Data => "data",
        }
    }
}

/// The trigger that asks for a message instead of a task.
pub(crate) const MESSAGE: &str = "tck-message-response";

/// The triggers; the longest that fits counts.
const TRIGGERS: [(&str, Act); 20] = [
    ("tck-complete-task", Act::Say("Hello from TCK")),
    ("tck-artifact-text", Act::Say("Generated text content")),
    ("tck-artifact-file-url", Act::Make(Made::Link)),
    ("tck-artifact-file", Act::Make(Made::File)),
    ("tck-artifact-data", Act::Make(Made::Data)),
    ("tck-input-required", Act::Ask),
    ("tck-multi-turn", Act::Ask),
    ("tck-reject-task", Act::Fail),
    ("tck-task-failure", Act::Fail),
    ("tck-stream-001", Act::Say("Stream hello from TCK")),
    ("tck-stream-002", Act::Finish),
    ("tck-stream-003", Act::Say("Stream task lifecycle")),
    ("tck-stream-ordering-001", Act::Say("Ordered output")),
    ("tck-stream-artifact-text", Act::Say("Streamed text content")),
    ("tck-stream-artifact-file", Act::Make(Made::File)),
    ("tck-stream-artifact-chunked", Act::Say("chunk-1 chunk-2")),
    ("tck-stream-basic", Act::Say("Stream hello from TCK")),
    ("tck-long-running", Act::TakeLong),
    ("tck-cancel", Act::TakeLong),
    ("test-resubscribe-message-id", Act::TakeLong),
];

impl Kit {
    /// What a message leads to.
    pub(crate) fn act(self, message_id: &str, text: &str) -> Act {
        let fits = |(trigger, _): &&(&str, Act)| message_id.starts_with(trigger) || text.starts_with(trigger);
        let found = TRIGGERS.iter().filter(fits).max_by_key(|(trigger, _)| trigger.len());
        match (found, self) {
            (Some((_, act)), _) => *act,
            (None, Kit::New) => Act::Say("Hello from TCK"),
            (None, Kit::Old) => Act::Ask,
        }
    }
}

/// What the prompts want. A session may get to work on one before its sender has the receipt, so asking waits.
#[derive(Default)]
pub(crate) struct Triggers {
    acts: Mutex<HashMap<(SessionId, PromptId), Act>>,
    noted: Notify,
}

impl Triggers {
    /// Note what a prompt wants.
    pub(crate) fn note(&self, session: SessionId, prompt: PromptId, act: Act) {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner).insert((session, prompt), act);
        self.noted.notify_waiters();
    }

    /// What a prompt wants, once that is known.
    pub(crate) async fn act(&self, session: SessionId, prompt: PromptId) -> Act {
        loop {
            let noted = self.noted.notified();
            let known = self.acts.lock().unwrap_or_else(PoisonError::into_inner).get(&(session, prompt)).copied();
            if let Some(act) = known {
                return act;
            }
            noted.await;
        }
    }
}
