//! Earlier prompts, and the way through them and back to what was being typed.

use super::{Composer, Tongue, Typed};

/// The most prompts that are remembered.
const PROMPTS_KEPT: usize = 1000;

/// Earlier prompts, the newest last.
#[derive(Debug, Default)]
pub(super) struct History {
    prompts: Vec<String>,
    walk: Option<Walk>,
}

/// What was being typed when the walk began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    /// Folded.
    pub(super) text: String,
    pub(super) cursor: usize,
    pub(super) tongue: Tongue,
}

#[derive(Debug)]
struct Walk {
    at: usize,
    draft: Draft,
}

/// Where a step through the history leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Recalled {
    Prompt(String),
    Draft(Draft),
}

impl History {
    pub(super) fn new(prompts: Vec<String>) -> History {
        let mut history = History::default();
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
    pub(super) fn older(&mut self, draft: impl FnOnce() -> Draft) -> Option<Recalled> {
        let at = self.walk.as_ref().map_or(self.prompts.len(), |walk| walk.at).checked_sub(1)?;
        match &mut self.walk {
            Some(walk) => walk.at = at,
            None => self.walk = Some(Walk { at, draft: draft() }),
        }
        Some(Recalled::Prompt(self.prompts.get(at)?.clone()))
    }

    /// The prompt after the one that is shown, at last what was being typed; `None` when that is what is shown.
    pub(super) fn newer(&mut self) -> Option<Recalled> {
        let walk = self.walk.as_mut()?;
        walk.at += 1;
        match self.prompts.get(walk.at) {
            Some(prompt) => Some(Recalled::Prompt(prompt.clone())),
            None => self.walk.take().map(|walk| Recalled::Draft(walk.draft)),
        }
    }

    /// What is shown is new: the next step goes to the newest prompt.
    pub(super) fn stay(&mut self) {
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
    fn walk(&mut self, recalled: Option<Recalled>) -> Typed {
        match recalled {
            None => return Typed::Nothing,
            Some(Recalled::Prompt(prompt)) => self.load(prompt),
            Some(Recalled::Draft(draft)) => {
                self.buffer.replace_all(&draft.text, draft.tongue);
                self.buffer.go(draft.cursor);
                self.came();
            }
        }
        Typed::Changed
    }

    /// Go to an earlier prompt.
    pub(super) fn older(&mut self) -> Typed {
        let buffer = &self.buffer;
        let draft = || Draft { text: buffer.text().to_owned(), cursor: buffer.cursor(), tongue: buffer.tongue };
        let recalled = self.history.older(draft);
        self.walk(recalled)
    }

    /// Go to a later prompt, at last back to the draft.
    pub(super) fn newer(&mut self) -> Typed {
        let recalled = self.history.newer();
        self.walk(recalled)
    }
}
