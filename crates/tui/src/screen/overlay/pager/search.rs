//! Looking for words on a page.

use super::Pager;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PagerSearch {
    Nothing,
    /// It is being typed.
    Typing(String),
    /// It was found, or is nowhere.
    Done(String),
}

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchDirection {
    Down,
    Up,
}

impl Pager {
    /// A key while the words to look for are being typed.
    pub(super) fn search_key(&mut self, mut words: String, key: KeyEvent) {
        self.search = match key.code {
            KeyCode::Esc => PagerSearch::Nothing,
            KeyCode::Enter if words.is_empty() => PagerSearch::Nothing,
            KeyCode::Enter => {
                let from = self.scroll.top();
                return self.search_from(words, from, SearchDirection::Down);
            }
            KeyCode::Backspace => {
                let last = words.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
                words.truncate(last);
                PagerSearch::Typing(words)
            }
            KeyCode::Char(ch) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                words.push(ch);
                PagerSearch::Typing(words)
            }
            _ => PagerSearch::Typing(words),
        };
    }

    /// Look from this line on, round the end, and bring what is found to the screen.
    fn search_from(&mut self, words: String, from: usize, way: SearchDirection) {
        let lines = self.drawn.newest();
        let count = lines.len();
        let order = (0..count).map(|step| match way {
            SearchDirection::Down => (from + step) % count,
            SearchDirection::Up => (from + count - step) % count,
        });
        let line = order.into_iter().find(|at| contains_words(&lines[*at], &words));
        if let Some(line) = line {
            // A few lines above it stay in sight.
            self.scroll.go(line.saturating_sub(self.scroll.room() / 3));
        }
        self.found.set(line);
        self.search = PagerSearch::Done(words);
    }

    pub(super) fn search_again(&mut self, way: SearchDirection) {
        let (PagerSearch::Done(words), Some(line)) = (self.search.clone(), self.found.get()) else { return };
        let count = self.drawn.newest().len().max(1);
        let from = match way {
            SearchDirection::Down => (line + 1) % count,
            SearchDirection::Up => (line + count - 1) % count,
        };
        self.search_from(words, from, way);
    }
}

/// Whether a line has these words. Capitals count only where there are some.
pub(super) fn contains_words(line: &Line<'_>, words: &str) -> bool {
    let text = line.to_string();
    let exact = words.chars().any(char::is_uppercase);
    if exact { text.contains(words) } else { text.to_lowercase().contains(words) }
}
