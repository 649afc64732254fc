//! A page to read, on the whole screen: scroll, search, close.

use super::cache::Cache;
use super::diff::numbered;
use super::scroll::Scroll;
use super::sheet::{Sheet, fit};
use super::{Layer, Step};
use crate::sanitize::one_line;
use crate::screen::picture::Picture;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::FileDiff;
use ratatui::layout::Position;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use std::sync::Arc;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Makes the lines of a page; none is wider than the width given.
pub(crate) type Draw = Box<dyn Fn(u16, &Theme) -> Vec<Line<'static>> + Send>;

/// A page and where the reader is.
pub(crate) struct Pager {
    title: String,
    draw: Draw,
    drawn: Cache,
    scroll: Scroll,
    search: Search,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Search {
    Nothing,
    /// It is being typed.
    Typing(String),
    /// It was found in this line, or nowhere.
    Done {
        words: String,
        line: Option<usize>,
    },
}

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

impl Pager {
    /// A page whose lines are made for each width.
    pub(crate) fn new(title: &str, draw: Draw) -> Pager {
        let (drawn, scroll) = (Cache::default(), Scroll::default());
        Pager { title: one_line(title, usize::MAX), draw, drawn, scroll, search: Search::Nothing }
    }

    /// A page of plain text, to the letter.
    pub(crate) fn of_text(title: &str, text: String) -> Pager {
        let draw = move |width: u16, theme: &Theme| {
            let mut sheet = Sheet::new(width, theme);
            sheet.exact_in("", "", theme.text, &text);
            sheet.into_lines()
        };
        Pager::new(title, Box::new(draw))
    }

    /// A page of changed files.
    pub(crate) fn of_changes(title: &str, changes: Vec<Arc<FileDiff>>) -> Pager {
        let draw = move |width: u16, theme: &Theme| {
            let mut sheet = Sheet::new(width, theme);
            for change in &changes {
                sheet.words(theme.strong, &one_line(&change.name, usize::MAX));
                numbered(&mut sheet, change);
            }
            sheet.into_lines()
        };
        Pager::new(title, Box::new(draw))
    }

    /// The end of the page is on the screen first.
    pub(crate) fn at_end(self) -> Pager {
        self.scroll.start_at_end();
        self
    }

    fn scrolled(&mut self, key: KeyEvent) {
        let top = self.scroll.top();
        let half = (self.scroll.room() / 2).max(1);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char(other) if control && !matches!(other, 'u' | 'd') => {}
            KeyCode::Up | KeyCode::Char('k') => self.scroll.go(top.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => self.scroll.go(top + 1),
            KeyCode::Char('u') if control => self.scroll.go(top.saturating_sub(half)),
            KeyCode::Char('d') if control => self.scroll.go(top + half),
            KeyCode::Char('g') => self.scroll.go(0),
            KeyCode::Char('G') => self.scroll.go(usize::MAX),
            KeyCode::Char('b') => {
                self.scroll.key(KeyCode::PageUp);
            }
            KeyCode::Char(' ' | 'f') => {
                self.scroll.key(KeyCode::PageDown);
            }
            code => {
                self.scroll.key(code);
            }
        }
    }

    /// A key while the words to look for are being typed.
    fn typed(&mut self, mut words: String, key: KeyEvent) {
        self.search = match key.code {
            KeyCode::Esc => Search::Nothing,
            KeyCode::Enter if words.is_empty() => Search::Nothing,
            KeyCode::Enter => {
                let from = self.scroll.top();
                return self.look(words, from, Way::Down);
            }
            KeyCode::Backspace => {
                let last = words.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
                words.truncate(last);
                Search::Typing(words)
            }
            KeyCode::Char(ch) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                words.push(ch);
                Search::Typing(words)
            }
            _ => Search::Typing(words),
        };
    }

    /// Look from this line on, round the end, and bring what is found to the screen. Capitals count only where there are some.
    fn look(&mut self, words: String, from: usize, way: Way) {
        let lines = self.drawn.newest();
        let exact = words.chars().any(char::is_uppercase);
        let holds = |line: &Line<'_>| {
            let text = line.to_string();
            if exact { text.contains(&words) } else { text.to_lowercase().contains(&words) }
        };
        let count = lines.len();
        let order = (0..count).map(|step| match way {
            Way::Down => (from + step) % count,
            Way::Up => (from + count - step) % count,
        });
        let line = order.into_iter().find(|at| holds(&lines[*at]));
        if let Some(line) = line {
            // A few lines above it stay in sight.
            self.scroll.go(line.saturating_sub(self.scroll.room() / 3));
        }
        self.search = Search::Done { words, line };
    }

    fn again(&mut self, way: Way) {
        let Search::Done { words, line: Some(line) } = self.search.clone() else { return };
        let count = self.drawn.newest().len().max(1);
        let from = match way {
            Way::Down => (line + 1) % count,
            Way::Up => (line + count - 1) % count,
        };
        self.look(words, from, way);
    }

    /// The last line of the screen: where the reader is and what may be pressed.
    fn status(&self, count: usize, width: u16, theme: &Theme) -> (Line<'static>, Option<u16>) {
        let width = usize::from(width);
        if let Search::Typing(words) = &self.search {
            let typed = one_line(words, usize::MAX);
            let column = u16::try_from((typed.width() + 1).min(width.saturating_sub(1))).unwrap_or(u16::MAX);
            return (fit(vec![Span::styled("/", theme.accent), Span::raw(typed)], width), Some(column));
        }
        let last = (self.scroll.top() + self.scroll.room()).min(count);
        let first = (self.scroll.top() + 1).min(count);
        let place = format!("{first}-{last} of {count}");
        let found = match &self.search {
            Search::Done { words, line: None } => format!(" · {} is nowhere", one_line(words, 40)),
            Search::Done { line: Some(line), .. } => format!(" · found in line {} · n N", line + 1),
            Search::Typing(_) | Search::Nothing => String::new(),
        };
        let words = format!("  {place}{found} · q closes · / searches · PgUp PgDn g G");
        (fit(vec![Span::styled(self.title.clone(), theme.strong), Span::styled(words, theme.dim)], width), None)
    }
}

impl Layer for Pager {
    fn key(&mut self, key: KeyEvent) -> Step {
        if let Search::Typing(words) = &self.search {
            let words = words.clone();
            self.typed(words, key);
            return Step::Stay;
        }
        match key.code {
            _ if key.modifiers.contains(KeyModifiers::CONTROL) => self.scrolled(key),
            KeyCode::Char('q') | KeyCode::Esc => return Step::Close,
            KeyCode::Char('/') => self.search = Search::Typing(String::new()),
            KeyCode::Char('n') => self.again(Way::Down),
            KeyCode::Char('N') => self.again(Way::Up),
            _ => self.scrolled(key),
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str) -> Step {
        if let Search::Typing(words) = &mut self.search {
            words.push_str(text.lines().next().unwrap_or_default());
        }
        Step::Stay
    }

    fn picture(&self, width: u16, height: u16, theme: &Theme) -> Picture {
        let lines = self.drawn.lines(width, theme, || (self.draw)(width, theme));
        let room = usize::from(height).saturating_sub(1);
        let mut seen = self.scroll.slice(&lines, room);
        if let Search::Done { line: Some(line), .. } = &self.search
            && let Some(found) = line.checked_sub(self.scroll.top()).and_then(|row| seen.get_mut(row))
        {
            *found = std::mem::take(found).patch_style(Modifier::REVERSED);
        }
        // The status stays at the bottom of a page that is shorter than the screen.
        seen.resize(room, Line::default());
        let (status, column) = self.status(lines.len(), width, theme);
        seen.push(status);
        seen.truncate(usize::from(height));
        let cursor = column.map(|x| Position { x, y: height.saturating_sub(1) });
        Picture { lines: seen, cursor }
    }

    fn is_page(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
