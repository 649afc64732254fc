//! A list to pick from: typing narrows it down, arrows and Enter choose.

use super::confirm_dialog::ConfirmDialog;
use super::line_builder::{INDENT, LineBuilder, fit};
use super::pickers::ClientRow;
use super::{Overlay, OverlayStep, UiEffect, is_leaving};
use crate::sanitize::one_line;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use pollux_session::plural;
use ratatui::layout::Position;
use ratatui::text::{Line, Span};
use std::cell::Cell;
use std::time::Instant;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The lines that are not rows: title, what is typed, hint.
const FRAME_LINES: usize = 3;

/// One thing to pick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PickerRow {
    /// What it is called.
    pub(crate) text: String,
    /// What else there is to know; may be empty.
    pub(crate) detail: String,
    /// What picking it does.
    pub(crate) effect: UiEffect,
}

/// What Enter does to a row.
#[derive(Debug)]
pub(super) enum OnEnter {
    /// The effect of the row.
    Do,
    /// The effect of the row, once the person is sure: these are the clients the rows stand for.
    Remove(Vec<ClientRow>),
}

/// What moving the arrow does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OnMove {
    Nothing,
    /// The effect of the row, at once, to see what it is like; leaving does this one instead.
    Preview(UiEffect),
}

/// A list and what has been typed.
#[derive(Debug)]
pub(crate) struct ListPicker {
    title: String,
    /// What to say when there is nothing to pick.
    empty: String,
    rows: Vec<PickerRow>,
    on_enter: OnEnter,
    on_move: OnMove,
    filter: String,
    /// The rows that match what is typed, best first.
    matching: Vec<usize>,
    at: usize,
    top: Cell<usize>,
    room: Cell<usize>,
    confirm: Option<ConfirmDialog>,
    /// A sentence below the rows; may be empty.
    note: String,
}

impl ListPicker {
    /// A list of `rows`; `empty` is said when there is none.
    pub(crate) fn new(title: &str, empty: &str, rows: Vec<PickerRow>) -> ListPicker {
        let matching = (0..rows.len()).collect();
        ListPicker {
            title: title.into(),
            empty: empty.into(),
            rows,
            on_enter: OnEnter::Do,
            on_move: OnMove::Nothing,
            filter: String::new(),
            matching,
            at: 0,
            top: Cell::new(0),
            room: Cell::new(1),
            confirm: None,
            note: String::new(),
        }
    }

    pub(super) fn noting(self, note: Option<&str>) -> ListPicker {
        ListPicker { note: note.unwrap_or_default().to_owned(), ..self }
    }

    pub(super) fn on_enter(self, on_enter: OnEnter) -> ListPicker {
        ListPicker { on_enter, ..self }
    }

    pub(super) fn on_move(self, on_move: OnMove) -> ListPicker {
        ListPicker { on_move, ..self }
    }

    /// Point the arrow at the row for which this holds.
    pub(super) fn pointing_at(mut self, wanted: impl Fn(&PickerRow) -> bool) -> ListPicker {
        self.at = self.rows.iter().position(wanted).unwrap_or(0);
        self
    }

    fn row(&self) -> Option<&PickerRow> {
        self.matching.get(self.at).and_then(|at| self.rows.get(*at))
    }

    fn choose(&mut self) -> OverlayStep {
        let Some(at) = self.matching.get(self.at).copied() else { return OverlayStep::Stay };
        match &self.on_enter {
            OnEnter::Do => OverlayStep::Finish(self.rows[at].effect.clone()),
            OnEnter::Remove(clients) => {
                self.confirm = clients.get(at).map(|client| ConfirmDialog::remove_client(client, Instant::now()));
                OverlayStep::Stay
            }
        }
    }

    fn go(&mut self, to: usize) -> OverlayStep {
        let to = to.min(self.matching.len().saturating_sub(1));
        if to == self.at {
            return OverlayStep::Stay;
        }
        self.at = to;
        self.moved()
    }

    fn moved(&self) -> OverlayStep {
        match (&self.on_move, self.row()) {
            (OnMove::Preview(_), Some(row)) => OverlayStep::Do(row.effect.clone()),
            (OnMove::Preview(_) | OnMove::Nothing, _) => OverlayStep::Stay,
        }
    }

    fn apply_filter(&mut self) -> OverlayStep {
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(&self.filter, CaseMatching::Smart, Normalization::Smart);
        let mut letters = Vec::new();
        let mut scored: Vec<(u32, usize)> = self
            .rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| {
                let words = format!("{} {}", row.text, row.detail);
                let score = pattern.score(Utf32Str::new(&words, &mut letters), &mut matcher)?;
                Some((score, at))
            })
            .collect();
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        self.matching = scored.into_iter().map(|(_, at)| at).collect();
        self.at = 0;
        self.moved()
    }

    fn leave(&self) -> OverlayStep {
        match &self.on_move {
            OnMove::Preview(before) => OverlayStep::Finish(before.clone()),
            OnMove::Nothing => OverlayStep::Close,
        }
    }

    /// One row on one line: its name, and as much of the rest as fits.
    fn line(&self, place: usize, row: &PickerRow, width: u16, theme: &Theme) -> Line<'static> {
        let here = place == self.at;
        let (sign, style) = if here { ("❯ ", theme.accent.patch(theme.strong)) } else { (INDENT, theme.text) };
        let mut spans = vec![Span::styled(sign, style), Span::styled(one_line(&row.text, usize::MAX), style)];
        if !row.detail.is_empty() {
            spans.push(Span::styled(format!("  {}", one_line(&row.detail, usize::MAX)), theme.dim));
        }
        fit(spans, usize::from(width))
    }
}

impl Overlay for ListPicker {
    fn key(&mut self, key: KeyEvent) -> OverlayStep {
        if let Some(confirm) = &mut self.confirm {
            let step = confirm.key(key);
            if step == OverlayStep::Close {
                self.confirm = None;
                return OverlayStep::Stay;
            }
            return step;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = self.room.get().max(1);
        match key.code {
            KeyCode::Esc => self.leave(),
            _ if is_leaving(key) => self.leave(),
            KeyCode::Enter => self.choose(),
            KeyCode::Up => self.go(self.at.saturating_sub(1)),
            KeyCode::Down | KeyCode::Tab => self.go(self.at + 1),
            KeyCode::Char('p') if control => self.go(self.at.saturating_sub(1)),
            KeyCode::Char('n') if control => self.go(self.at + 1),
            KeyCode::PageUp => self.go(self.at.saturating_sub(page)),
            KeyCode::PageDown => self.go(self.at + page),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(usize::MAX),
            KeyCode::Char('u') if control => {
                self.filter.clear();
                self.apply_filter()
            }
            KeyCode::Backspace => {
                let last = self.filter.grapheme_indices(true).next_back().map(|(at, _)| at);
                let Some(last) = last else { return OverlayStep::Stay };
                self.filter.truncate(last);
                self.apply_filter()
            }
            KeyCode::Char(ch) if !control && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.filter.push(ch);
                self.apply_filter()
            }
            _ => OverlayStep::Stay,
        }
    }

    fn changes_at(&self) -> Option<Instant> {
        self.confirm.as_ref().and_then(ConfirmDialog::changes_at)
    }

    fn paste(&mut self, text: &str) -> OverlayStep {
        if self.confirm.is_some() {
            return OverlayStep::Stay;
        }
        self.filter.push_str(&text.replace(['\r', '\n'], " "));
        self.apply_filter()
    }

    fn render(&self, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        if let Some(confirm) = &self.confirm {
            return confirm.render(width, height, theme);
        }
        let mut line_builder = LineBuilder::new(width, theme);
        let count = match (self.filter.is_empty(), self.rows.len()) {
            (true, all) => all.to_string(),
            (false, all) => format!("{} of {all}", self.matching.len()),
        };
        line_builder.push_truncated(vec![
            Span::styled(self.title.clone(), theme.strong),
            Span::styled(format!("  {count}"), theme.dim),
        ]);
        let typed = one_line(&self.filter, usize::MAX);
        // The end of what is typed stays in sight, and the cursor with it.
        let room = usize::from(width).saturating_sub(3).max(1);
        let seen = tail(&typed, room);
        let column = u16::try_from(seen.width() + 2).unwrap_or(u16::MAX).min(width.saturating_sub(1));
        let typed = if typed.is_empty() { Span::styled("type to narrow it down", theme.dim) } else { Span::raw(seen) };
        line_builder.push_truncated(vec![Span::styled("/ ", theme.accent), typed]);
        let mut note = LineBuilder::new(width, theme);
        if !self.note.is_empty() {
            note.words_in(INDENT, INDENT, theme.dim, &self.note);
        }
        let note = note.into_lines();
        let room = usize::from(height).saturating_sub(FRAME_LINES + note.len()).max(1);
        self.room.set(room);
        let top = self.top.get().clamp((self.at + 1).saturating_sub(room), self.at);
        let top = top.min(self.matching.len().saturating_sub(room));
        self.top.set(top);
        for (place, at) in self.matching.iter().enumerate().skip(top).take(room) {
            line_builder.add([self.line(place, &self.rows[*at], width, theme)]);
        }
        if self.rows.is_empty() {
            line_builder.words_in(INDENT, INDENT, theme.dim, &self.empty);
        } else if self.matching.is_empty() {
            line_builder.words_in(INDENT, INDENT, theme.dim, "nothing matches; Backspace widens it");
        }
        line_builder.add(note);
        let below = self.matching.len().saturating_sub(top + room);
        let more = match (top, below) {
            (0, 0) => String::new(),
            (above, below) => format!("↑ {} above · ↓ {below} below · ", plural(above, "row")),
        };
        let enter = match &self.on_enter {
            OnEnter::Do => "Enter picks · ",
            OnEnter::Remove(_) => "Enter removes · ",
        };
        line_builder.push_truncated(vec![Span::styled(format!("{INDENT}{more}↑↓ · {enter}Esc leaves"), theme.dim)]);
        let mut lines = line_builder.into_lines();
        lines.truncate(usize::from(height));
        RenderedLines { lines, cursor: (height > 1).then_some(Position { x: column, y: 1 }) }
    }
}

/// The end of `text`, at most `room` columns of it.
fn tail(text: &str, room: usize) -> String {
    let mut left = room;
    let mut from = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        let Some(rest) = left.checked_sub(cluster.width()) else { break };
        (left, from) = (rest, at);
    }
    text[from..].to_owned()
}

#[cfg(test)]
mod tests;
