//! A window on more lines than fit. How far a key goes depends on what was drawn last, so drawing writes that down.

use super::line_builder::INDENT;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::KeyCode;
use ratatui::layout::Position;
use ratatui::text::{Line, Span};
use std::cell::Cell;
use std::sync::Arc;

/// The fewest rows in which something may scroll, the one that says so among them.
const MIN_SCROLL_ROWS: usize = 4;

/// Where a window stands.
#[derive(Debug, Default)]
pub(super) struct ScrollState {
    top: Cell<usize>,
    /// How many lines were on the screen, and how many there are.
    room: Cell<usize>,
    total: Cell<usize>,
    /// Whether the next picture has to show what is chosen.
    seeks_choice: Cell<bool>,
    /// Whether the newest picture showed it.
    shows_choice: Cell<bool>,
    /// Whether some of the choices were off the screen.
    hides_choices: Cell<bool>,
    /// How many of the lines come before the choices, where those scroll too.
    text_end: Cell<usize>,
    /// Whether the last line above the choices has been on the screen.
    has_shown_end: Cell<bool>,
}

/// What a dialog consists of.
#[derive(Debug, Default)]
pub(super) struct DialogParts {
    /// Stays at the top.
    pub(super) head: Vec<Line<'static>>,
    /// Scrolls when there is not enough room.
    pub(super) body: Arc<Vec<Line<'static>>>,
    /// Stays at the bottom.
    pub(super) foot: RenderedLines,
    /// The lines of the foot that hold what is chosen: the first, and the one after the last.
    pub(super) chosen: (usize, usize),
    /// The keys in a few words, for a screen on which the line that names them scrolls away.
    pub(super) short_keys: String,
}

impl ScrollState {
    /// Take a key that scrolls; whether it was one.
    pub(super) fn key(&self, code: KeyCode) -> bool {
        let page = self.room.get().saturating_sub(1).max(1);
        let top = self.top.get();
        let to = match code {
            KeyCode::PageUp => top.saturating_sub(page),
            KeyCode::PageDown => top.saturating_add(page),
            KeyCode::Home => 0,
            KeyCode::End => usize::MAX,
            _ => return false,
        };
        self.go(to);
        true
    }

    /// Put this line at the top, or as far down as there are lines.
    pub(super) fn go(&self, top: usize) {
        self.top.set(top.min(self.total.get().saturating_sub(self.room.get())));
        self.seeks_choice.set(false);
    }

    pub(super) fn top(&self) -> usize {
        self.top.get()
    }

    /// How many lines were on the screen.
    pub(super) fn room(&self) -> usize {
        self.room.get()
    }

    /// Show what is chosen in the next picture.
    pub(super) fn seek(&self) {
        self.seeks_choice.set(true);
    }

    /// Whether what is chosen was on the screen.
    pub(super) fn shows_choice(&self) -> bool {
        self.shows_choice.get()
    }

    /// Whether some of the choices were off the screen: then a digit names what nobody has read.
    pub(super) fn hides_choices(&self) -> bool {
        self.hides_choices.get()
    }

    /// Show the end of what stands above the choices, if it has not been on the screen yet; whether it had not.
    pub(super) fn show_unread_end(&self) -> bool {
        let is_unread = !self.has_shown_end.get();
        if is_unread {
            self.go(self.text_end.get().saturating_sub(self.room.get()));
        }
        is_unread
    }

    fn note_shown(&self, text_end: usize) {
        self.text_end.set(text_end);
        let is_shown = self.top.get() + self.room.get() >= text_end;
        self.has_shown_end.set(self.has_shown_end.get() || is_shown);
    }

    /// Begin at the end of whatever is drawn first.
    pub(super) fn start_at_end(&self) {
        self.top.set(usize::MAX);
    }

    /// The part of `lines` that fits in `room`, from where the window stands.
    pub(super) fn slice(&self, lines: &[Line<'static>], room: usize) -> Vec<Line<'static>> {
        self.room.set(room);
        self.total.set(lines.len());
        let top = self.top.get().min(lines.len().saturating_sub(room));
        self.top.set(top);
        lines.iter().skip(top).take(room).cloned().collect()
    }

    /// Put the parts of a dialog on a screen of this height. Nothing is out of reach: what does not fit scrolls, and a line
    /// says how much of it is above and below.
    pub(super) fn lay_out(&self, parts: DialogParts, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        let height = usize::from(height);
        let DialogParts { head, body, foot, chosen, short_keys } = parts;
        let fixed = head.len() + foot.lines.len();
        self.shows_choice.set(true);
        self.hides_choices.set(false);
        let mut picture = RenderedLines::without_cursor(head);
        if fixed + body.len() <= height {
            self.slice(&[], 0);
            self.note_shown(0);
            picture.lines.extend(body.iter().cloned());
            picture.stack(foot);
        } else if fixed + MIN_SCROLL_ROWS <= height {
            let room = height - fixed - 1;
            picture.lines.extend(self.slice(&body, room));
            self.note_shown(body.len());
            picture.lines.push(self.position_line("", width, theme));
            picture.stack(foot);
        } else {
            let first = picture.lines.len() + body.len();
            picture.lines.extend(body.iter().cloned());
            picture.stack(foot);
            let chosen = (first + chosen.0, first + chosen.1);
            picture = self.scroll_all(picture, chosen, &short_keys, (width, height), theme);
            self.note_shown(first);
        }
        picture.lines.truncate(height);
        picture
    }

    /// Scroll everything.
    fn scroll_all(
        &self,
        whole: RenderedLines,
        chosen: (usize, usize),
        short_keys: &str,
        (width, height): (u16, usize),
        theme: &Theme,
    ) -> RenderedLines {
        let room = height.saturating_sub(1);
        self.hides_choices.set(true);
        if self.seeks_choice.get() {
            let top = self.top.get().max(chosen.1.saturating_sub(room));
            self.top.set(top.min(chosen.0));
        }
        let RenderedLines { lines, cursor } = whole;
        let mut picture = RenderedLines::without_cursor(self.slice(&lines, room));
        picture.lines.push(self.position_line(short_keys, width, theme));
        let top = self.top.get();
        self.shows_choice.set(top <= chosen.0 && chosen.0 < top + room);
        picture.cursor = cursor.and_then(|Position { x, y }| {
            let y = usize::from(y).checked_sub(top).filter(|y| *y < room)?;
            Some(Position { x, y: u16::try_from(y).ok()? })
        });
        picture
    }

    /// `↑ 3 above · ↓ 12 below · PgUp PgDn`, and the keys that answer, if they are on no other line.
    fn position_line(&self, short_keys: &str, width: u16, theme: &Theme) -> Line<'static> {
        let above = self.top.get();
        let below = self.total.get().saturating_sub(above + self.room.get());
        let words = match short_keys {
            "" => format!("{INDENT}↑ {above} above · ↓ {below} below · PgUp PgDn"),
            keys => format!("{INDENT}↑ {above} ↓ {below} PgDn · {keys}"),
        };
        super::line_builder::fit(vec![Span::styled(words, theme.warn)], usize::from(width))
    }
}
