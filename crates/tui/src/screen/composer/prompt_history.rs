//! Earlier prompts, and the way through them and back to what was being typed.

use super::{Composer, ComposerOutcome, InputMode};

/// The most prompts that are remembered.
const PROMPTS_KEPT: usize = 1000;

/// Earlier prompts, the newest last.
#[derive(Debug, Default)]
pub(super) struct PromptHistory {
    prompts: Vec<String>,
    walk: Option<HistoryWalk>,
}

/// What was being typed when the walk began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SavedDraft {
    /// Folded.
    pub(super) text: String,
    pub(super) cursor: usize,
    pub(super) input_mode: InputMode,
}

#[derive(Debug)]
struct HistoryWalk {
    at: usize,
    draft: SavedDraft,
}

/// Where a step through the history leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RecalledText {
    Prompt(String),
    Draft(SavedDraft),
}

impl PromptHistory {
    pub(super) fn new(prompts: Vec<String>) -> PromptHistory {
        let mut history = PromptHistory::default();
        prompts.into_iter().for_each(|prompt| history.keep(prompt));
        history
    }

    /// Keep a prompt; the same one twice in a row is kept once.
    pub(super) fn remember(&mut self, prompt: &str) {
        self.walk = None;
        self.keep(prompt.to_owned());
    }

    fn keep(&mut self, prompt: String) {
        if prompt.trim().is_empty() || self.prompts.last().is_some_and(|last| *last == prompt) {
            return;
        }
        if self.prompts.len() == PROMPTS_KEPT {
            self.prompts.remove(0);
        }
        self.prompts.push(prompt);
    }

    /// The prompt before the one that is shown; `None` at the oldest.
    pub(super) fn older(&mut self, draft: impl FnOnce() -> SavedDraft) -> Option<RecalledText> {
        let at = self.walk.as_ref().map_or(self.prompts.len(), |walk| walk.at).checked_sub(1)?;
        match &mut self.walk {
            Some(walk) => walk.at = at,
            None => self.walk = Some(HistoryWalk { at, draft: draft() }),
        }
        Some(RecalledText::Prompt(self.prompts.get(at)?.clone()))
    }

    /// The prompt after the one that is shown, at last what was being typed; `None` when that is what is shown.
    pub(super) fn newer(&mut self) -> Option<RecalledText> {
        let walk = self.walk.as_mut()?;
        walk.at += 1;
        match self.prompts.get(walk.at) {
            Some(prompt) => Some(RecalledText::Prompt(prompt.clone())),
            None => self.walk.take().map(|walk| RecalledText::Draft(walk.draft)),
        }
    }

    /// What is shown is new: the next step goes to the newest prompt.
    pub(super) fn end_walk(&mut self) {
        self.walk = None;
    }

    pub(super) fn prompt(&self, at: usize) -> Option<&str> {
        self.prompts.get(at).map(String::as_str)
    }

    /// The newest prompt before the place `before` that holds `part`, capital or small.
    pub(super) fn find(&self, part: &str, before: usize) -> Option<usize> {
        let part = part.to_lowercase();
        let earlier = &self.prompts[..before.min(self.prompts.len())];
        earlier.iter().rposition(|prompt| prompt.to_lowercase().contains(&part))
    }
}

impl Composer {
    fn show_recalled(&mut self, recalled: Option<RecalledText>) -> ComposerOutcome {
        match recalled {
            None => return ComposerOutcome::Nothing,
            Some(RecalledText::Prompt(prompt)) => self.load(prompt),
            Some(RecalledText::Draft(draft)) => {
                self.buffer.replace_all(&draft.text, draft.input_mode);
                self.buffer.go(draft.cursor);
                self.reset_after_load();
            }
        }
        ComposerOutcome::Changed
    }

    /// Go to an earlier prompt.
    pub(super) fn older(&mut self) -> ComposerOutcome {
        let buffer = &self.buffer;
        let draft =
            || SavedDraft { text: buffer.text().to_owned(), cursor: buffer.cursor(), input_mode: buffer.input_mode };
        let recalled = self.history.older(draft);
        self.show_recalled(recalled)
    }

    /// Go to a later prompt, at last back to the draft.
    pub(super) fn newer(&mut self) -> ComposerOutcome {
        let recalled = self.history.newer();
        self.show_recalled(recalled)
    }
}
