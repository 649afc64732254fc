//! Ctrl+R: earlier prompts by a part of them, letter by letter.

use super::history::History;
use super::{Composer, Typed, motion};
use crate::screen::keymap::Action;
use crossterm::event::KeyEvent;

/// A search in progress.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) part: String,
    /// The prompt that was found.
    pub(super) found: Option<usize>,
}

impl Search {
    /// Look again with what has been typed by now, from the newest prompt on.
    fn begin(&mut self, history: &History) {
        self.found = if self.part.is_empty() { None } else { history.find(&self.part, usize::MAX) };
    }

    /// An older one. What is shown stays when there is none.
    fn older(&mut self, history: &History) {
        let before = self.found.unwrap_or(usize::MAX);
        if let Some(found) = history.find(&self.part, before) {
            self.found = Some(found);
        }
    }
}

impl Composer {
    /// A key while a search is open. A key that would change the text takes what was found and then does its work.
    pub(super) fn search_key(&mut self, key: KeyEvent) -> Typed {
        let Some(search) = &mut self.search else { return Typed::Nothing };
        match (self.keymap.action(&key), super::letter(&key)) {
            (Some(Action::SearchHistory), _) => search.older(&self.history),
            (Some(Action::Cancel | Action::Interrupt | Action::ExternalEditor), _) => self.search = None,
            (Some(Action::DeleteLeft), _) => {
                let end = motion::left(&search.part, search.part.len());
                search.part.truncate(end);
                search.begin(&self.history);
            }
            (Some(Action::Submit | Action::Complete), _) => self.take_found(),
            (Some(Action::Help) | None, Some(letter)) => {
                search.part.push(letter);
                search.begin(&self.history);
            }
            (None, None) => return Typed::Nothing,
            (Some(_), _) => {
                self.take_found();
                return match self.key(key) {
                    Typed::Nothing => Typed::Changed,
                    typed => typed,
                };
            }
        }
        Typed::Changed
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
            self.history.stay();
            self.load(prompt);
        }
    }
}
