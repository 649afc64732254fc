//! Ctrl+R: earlier prompts by a part of them, letter by letter.

use super::prompt_history::PromptHistory;
use super::{Composer, ComposerOutcome, motion};
use crate::screen::keymap::KeyAction;
use crossterm::event::KeyEvent;

/// A search in progress.
#[derive(Debug, Default)]
pub(super) struct HistorySearch {
    pub(super) part: String,
    /// The prompt that was found.
    pub(super) found: Option<usize>,
}

impl HistorySearch {
    /// Look again with what has been typed by now, from the newest prompt on.
    fn begin(&mut self, history: &PromptHistory) {
        self.found = if self.part.is_empty() { None } else { history.find(&self.part, usize::MAX) };
    }

    /// An older one. What is shown stays when there is none.
    fn older(&mut self, history: &PromptHistory) {
        let before = self.found.unwrap_or(usize::MAX);
        if let Some(found) = history.find(&self.part, before) {
            self.found = Some(found);
        }
    }
}

impl Composer {
    /// A key while a search is open. A key that would change the text takes what was found and then does its work.
    pub(super) fn search_key(&mut self, key: KeyEvent) -> ComposerOutcome {
        let Some(search) = &mut self.search else { return ComposerOutcome::Nothing };
        match (self.keymap.action(&key), super::letter(&key)) {
            (Some(KeyAction::SearchHistory), _) => search.older(&self.history),
            (Some(KeyAction::Cancel | KeyAction::Interrupt | KeyAction::ExternalEditor), _) => self.search = None,
            (Some(KeyAction::DeleteLeft), _) => {
                let end = motion::left(&search.part, search.part.len());
                search.part.truncate(end);
                search.begin(&self.history);
            }
            (Some(KeyAction::Submit | KeyAction::Complete), _) => self.take_found(),
            (Some(KeyAction::Help) | None, Some(letter)) => {
                search.part.push(letter);
                search.begin(&self.history);
            }
            (None, None) => return ComposerOutcome::Nothing,
            (Some(_), _) => {
                self.take_found();
                return match self.key(key) {
                    ComposerOutcome::Nothing => ComposerOutcome::Changed,
                    typed => typed,
                };
            }
        }
        ComposerOutcome::Changed
    }

    /// More of what is searched for, pasted.
    pub(super) fn search_paste(&mut self, text: &str) {
        if let Some(search) = &mut self.search {
            search.part.push_str(text.lines().next().unwrap_or_default());
            search.begin(&self.history);
        }
    }

    fn take_found(&mut self) {
        let found = self.search.take().and_then(|search| self.history.prompt(search.found?).map(str::to_owned));
        if let Some(prompt) = found {
            self.history.end_walk();
            self.load(prompt);
        }
    }
}
