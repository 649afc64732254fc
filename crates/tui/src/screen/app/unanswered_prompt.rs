//! The prompt that was sent here last and of which nothing has come yet: whoever cancels it then wants to write it otherwise.

use pollux_session::PromptId;
use std::collections::BTreeMap;

/// Prompts that were typed here and wait, and the one of the running turn.
#[derive(Debug, Default)]
pub(super) struct UnansweredPrompt {
    waiting: BTreeMap<PromptId, String>,
    running: Option<String>,
}

impl UnansweredPrompt {
    /// A prompt was typed here, or its text was changed.
    pub(super) fn wait(&mut self, prompt: PromptId, text: &str) {
        self.waiting.insert(prompt, text.to_owned());
    }

    /// The text of a prompt that waits was changed by somebody.
    pub(super) fn change(&mut self, prompt: PromptId, text: &str) {
        if let Some(waiting) = self.waiting.get_mut(&prompt) {
            text.clone_into(waiting);
        }
    }

    /// A prompt does not wait any more.
    pub(super) fn forget(&mut self, prompt: PromptId) {
        self.waiting.remove(&prompt);
    }

    /// The turn of a prompt begins.
    pub(super) fn begin(&mut self, prompt: PromptId) {
        self.running = self.waiting.remove(&prompt);
    }

    /// Something has come of the running turn.
    pub(super) fn mark_answered(&mut self) {
        self.running = None;
    }

    /// The running turn is over. Its prompt, if nothing has come of it.
    pub(super) fn end(&mut self) -> Option<String> {
        self.running.take()
    }
}
