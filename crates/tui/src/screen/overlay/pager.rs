//! A page to read, on the whole screen: scroll, search, close.

mod search;

use super::diff::write_diff;
use super::line_builder::{INDENT, LineBuilder, fit, keep_hints};
use super::line_cache::LineCache;
use super::scroll::ScrollState;
use super::{Overlay, OverlayStep, is_interrupt};
use crate::sanitize::one_line;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::FileDiff;
use ratatui::layout::Position;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use search::{PagerSearch, SearchDirection, contains_words};
use std::cell::Cell;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr;

/// Between a page's title and what may be pressed.
const TITLE_GAP: &str = "  ";

/// Makes the lines of a page; none is wider than the width given.
pub(crate) type DrawPage = Box<dyn Fn(u16, &Theme) -> Vec<Line<'static>> + Send>;

/// A page and where the reader is.
pub(crate) struct Pager {
    title: String,
    draw: DrawPage,
    drawn: LineCache,
    scroll: ScrollState,
    search: PagerSearch,
    /// The line in which it was found; it moves when the page is made for another width.
    found: Cell<Option<usize>>,
}

/// Rows of a name and what is said of it.
pub(crate) struct NamedList {
    pub(crate) name: String,
    pub(crate) rows: Vec<(String, String)>,
}

impl NamedList {
    /// The widest name that gets a column of its own.
    const WIDEST: usize = 28;

    fn draw(&self, line_builder: &mut LineBuilder<'_>, width: u16) {
        let fitting = |name: &&(String, String)| name.0.width() <= Self::WIDEST;
        let widest = self.rows.iter().filter(fitting).map(|(name, _)| name.width()).max().unwrap_or(0);
        // On a narrow screen the words get their half of it.
        let column = (widest + 4).min(usize::from(width) / 2);
        let style = line_builder.theme().text;
        for (name, words) in &self.rows {
            let name = one_line(name, 80);
            let rest = " ".repeat(column);
            if name.width() + 3 > column {
                line_builder.words_in(INDENT, INDENT, style, &name);
                line_builder.words_in(&rest, &rest, style, words);
            } else {
                let first = format!("{INDENT}{name}{}", " ".repeat(column - name.width() - INDENT.len()));
                line_builder.words_in(&first, &rest, style, words);
            }
        }
    }
}

impl Pager {
    /// A page whose lines are made for each width.
    pub(crate) fn new(title: &str, draw: DrawPage) -> Pager {
        let (drawn, scroll, found) = (LineCache::default(), ScrollState::default(), Cell::new(None));
        Pager { title: one_line(title, usize::MAX), draw, drawn, scroll, search: PagerSearch::Nothing, found }
    }

    /// A page of lists: what is named stands to the left, what is said of it beside it, broken between words.
    pub(crate) fn of_lists(title: &str, lists: Vec<NamedList>) -> Pager {
        let draw = move |width: u16, theme: &Theme| {
            let mut line_builder = LineBuilder::new(width, theme);
            for (at, list) in lists.iter().enumerate() {
                if at > 0 {
                    line_builder.gap();
                }
                line_builder.words(theme.strong, &list.name);
                line_builder.gap();
                list.draw(&mut line_builder, width);
            }
            line_builder.into_lines()
        };
        Pager::new(title, Box::new(draw))
    }

    /// A page of changed files.
    pub(crate) fn of_changes(title: &str, changes: Vec<Arc<FileDiff>>) -> Pager {
        let draw = move |width: u16, theme: &Theme| {
            let mut line_builder = LineBuilder::new(width, theme);
            for change in &changes {
                line_builder.words(theme.strong, &one_line(&change.name, usize::MAX));
                write_diff(&mut line_builder, change);
            }
            line_builder.into_lines()
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

    /// The page was made anew, for another width: the reader stays where they were, and so does what was found.
    fn keep_position(&self, before: &[Line<'_>], now: &[Line<'static>], room: usize) {
        let (top, seen) = (self.scroll.top(), self.scroll.room());
        let was_at_end = top > 0 && top + seen >= before.len();
        let found = self.found.get();
        let was_seen = found.is_some_and(|line| (top..top + seen).contains(&line));
        // How far there is to scroll now.
        self.scroll.slice(now, room);
        self.scroll.go(if was_at_end { usize::MAX } else { same_place(before, top, now) });
        let (PagerSearch::Done(words), Some(line)) = (&self.search, found) else { return };
        let near = same_place(before, line, now);
        let around = (0..now.len()).flat_map(|far| [near.checked_add(far), near.checked_sub(far)]).flatten();
        // Words that are broken between two lines now are in neither.
        let line =
            around.into_iter().find(|at| now.get(*at).is_some_and(|line| contains_words(line, words))).unwrap_or(near);
        self.found.set(Some(line));
        let top = self.scroll.top();
        if was_seen && !(top..top + room).contains(&line) {
            self.scroll.go(line.saturating_sub(room / 3));
        }
    }

    /// The last line of the screen: where the reader is and what may be pressed.
    fn status(&self, count: usize, width: u16, theme: &Theme) -> (Line<'static>, Option<u16>) {
        let width = usize::from(width);
        if let PagerSearch::Typing(words) = &self.search {
            let typed = one_line(words, usize::MAX);
            let column = u16::try_from((typed.width() + 1).min(width.saturating_sub(1))).unwrap_or(u16::MAX);
            return (fit(vec![Span::styled("/", theme.accent), Span::raw(typed)], width), Some(column));
        }
        let last = (self.scroll.top() + self.scroll.room()).min(count);
        let first = (self.scroll.top() + 1).min(count);
        let place = format!("{first}-{last} of {count}");
        let found = match (&self.search, self.found.get()) {
            (PagerSearch::Done(words), None) => vec![format!("{} is nowhere", one_line(words, 40))],
            (PagerSearch::Done(_), Some(line)) => vec![format!("found in line {}", line + 1), "n N".to_owned()],
            (PagerSearch::Typing(_) | PagerSearch::Nothing, _) => Vec::new(),
        };
        let keys = ["/ searches", "PgUp PgDn g G", "q closes"].map(str::to_owned);
        let hints: Vec<String> = found.into_iter().chain([place]).chain(keys).collect();
        let at_least = hints.first().map_or(0, |first| first.width()) + " · q closes".width();
        // The way out is worth more than the title.
        let has_title = self.title.width() + TITLE_GAP.len() + at_least <= width;
        let title = if has_title { format!("{}{TITLE_GAP}", self.title) } else { String::new() };
        let words = keep_hints(hints, width.saturating_sub(title.width()));
        (fit(vec![Span::styled(title, theme.strong), Span::styled(words, theme.dim)], width), None)
    }
}

impl Overlay for Pager {
    fn key(&mut self, key: KeyEvent) -> OverlayStep {
        if is_interrupt(key) {
            return OverlayStep::Close;
        }
        if let PagerSearch::Typing(words) = &self.search {
            let words = words.clone();
            self.search_key(words, key);
            return OverlayStep::Stay;
        }
        match key.code {
            _ if key.modifiers.contains(KeyModifiers::CONTROL) => self.scrolled(key),
            KeyCode::Char('q') | KeyCode::Esc => return OverlayStep::Close,
            KeyCode::Char('/') => self.search = PagerSearch::Typing(String::new()),
            KeyCode::Char('n') => self.search_again(SearchDirection::Down),
            KeyCode::Char('N') => self.search_again(SearchDirection::Up),
            _ => self.scrolled(key),
        }
        OverlayStep::Stay
    }

    fn paste(&mut self, text: &str) -> OverlayStep {
        if let PagerSearch::Typing(words) = &mut self.search {
            words.push_str(text.lines().next().unwrap_or_default());
        }
        OverlayStep::Stay
    }

    fn render(&self, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        let before = self.drawn.newest();
        let lines = self.drawn.lines(width, theme, || (self.draw)(width, theme));
        let room = usize::from(height).saturating_sub(1);
        if !before.is_empty() && !Arc::ptr_eq(&before, &lines) {
            self.keep_position(&before, &lines, room);
        }
        let mut seen = self.scroll.slice(&lines, room);
        if let (PagerSearch::Done(_), Some(line)) = (&self.search, self.found.get())
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
        RenderedLines { lines: seen, cursor }
    }

    fn is_full_screen(&self) -> bool {
        true
    }
}

/// The line of `now` with what line `at` of `before` had: margins and breaks differ, letters do not.
fn same_place(before: &[Line<'_>], at: usize, now: &[Line<'_>]) -> usize {
    if at == 0 {
        return 0;
    }
    let letters = |line: &Line<'_>| -> usize {
        line.spans.iter().map(|span| span.content.chars().filter(|ch| ch.is_alphanumeric()).count()).sum()
    };
    let above: usize = before.iter().take(at).map(letters).sum();
    let mut so_far = 0;
    let reaches = |line: &Line<'_>| {
        so_far += letters(line);
        so_far > above
    };
    now.iter().position(reaches).unwrap_or(now.len().saturating_sub(1))
}

#[cfg(test)]
mod tests;
