//! Triggers of the kits: the beginning of a message's id or of its text.

use parking_lot::Mutex;
use pollux_session::{PromptId, SessionId};
use std::collections::HashMap;
use tokio::sync::Notify;

/// Which kit is spoken to: they want different things of a message that says nothing special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConformanceKit {
    /// That of 0.3: work for a while, then wait for a person.
    Old,
    /// That of 1.0: be done at once.
    New,
}

/// The action that one prompt leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriggeredAction {
    /// Say this and be done.
    Say(&'static str),
    /// Be done without a word.
    Finish,
    /// Work for long, then be done.
    TakeLong,
    /// Wait for a person.
    Ask,
    /// Make something and be done.
    Make(ArtifactKind),
    /// Fail.
    Fail,
}

/// Something to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArtifactKind {
    /// A file, with its content.
    File,
    /// A file, by its address.
    Link,
    /// Data.
    Data,
}

impl ArtifactKind {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ArtifactKind::File => "file",
            ArtifactKind::Link => "link",
            ArtifactKind::Data => "data",
        }
    }
}

/// The trigger that asks for a message instead of a task.
pub(crate) const MESSAGE: &str = "tck-message-response";

/// The triggers; the longest that fits counts.
const TRIGGERS: [(&str, TriggeredAction); 20] = [
    ("tck-complete-task", TriggeredAction::Say("Hello from TCK")),
    ("tck-artifact-text", TriggeredAction::Say("Generated text content")),
    ("tck-artifact-file-url", TriggeredAction::Make(ArtifactKind::Link)),
    ("tck-artifact-file", TriggeredAction::Make(ArtifactKind::File)),
    ("tck-artifact-data", TriggeredAction::Make(ArtifactKind::Data)),
    ("tck-input-required", TriggeredAction::Ask),
    ("tck-multi-turn", TriggeredAction::Ask),
    ("tck-reject-task", TriggeredAction::Fail),
    ("tck-task-failure", TriggeredAction::Fail),
    ("tck-stream-001", TriggeredAction::Say("Stream hello from TCK")),
    ("tck-stream-002", TriggeredAction::Finish),
    ("tck-stream-003", TriggeredAction::Say("Stream task lifecycle")),
    ("tck-stream-ordering-001", TriggeredAction::Say("Ordered output")),
    ("tck-stream-artifact-text", TriggeredAction::Say("Streamed text content")),
    ("tck-stream-artifact-file", TriggeredAction::Make(ArtifactKind::File)),
    ("tck-stream-artifact-chunked", TriggeredAction::Say("chunk-1 chunk-2")),
    ("tck-stream-basic", TriggeredAction::Say("Stream hello from TCK")),
    ("tck-long-running", TriggeredAction::TakeLong),
    ("tck-cancel", TriggeredAction::TakeLong),
    ("test-resubscribe-message-id", TriggeredAction::TakeLong),
];

impl ConformanceKit {
    /// The action that a message leads to.
    pub(crate) fn act(self, message_id: &str, text: &str) -> TriggeredAction {
        let fits =
            |(trigger, _): &&(&str, TriggeredAction)| message_id.starts_with(trigger) || text.starts_with(trigger);
        let found = TRIGGERS.iter().filter(fits).max_by_key(|(trigger, _)| trigger.len());
        match (found, self) {
            (Some((_, act)), _) => *act,
            (None, ConformanceKit::New) => TriggeredAction::Say("Hello from TCK"),
            (None, ConformanceKit::Old) => TriggeredAction::Ask,
        }
    }
}

/// The actions of the prompts. A session may get to work on one before its sender has the receipt, so asking waits.
#[derive(Default)]
pub(crate) struct PromptActions {
    acts: Mutex<HashMap<(SessionId, PromptId), TriggeredAction>>,
    noted: Notify,
}

impl PromptActions {
    /// Note what a prompt wants.
    pub(crate) fn note(&self, session: SessionId, prompt: PromptId, act: TriggeredAction) {
        self.acts.lock().insert((session, prompt), act);
        self.noted.notify_waiters();
    }

    /// The action of a prompt, once that is known.
    pub(crate) async fn act(&self, session: SessionId, prompt: PromptId) -> TriggeredAction {
        loop {
            let noted = self.noted.notified();
            let known = self.acts.lock().get(&(session, prompt)).copied();
            if let Some(act) = known {
                return act;
            }
            noted.await;
        }
    }
}
