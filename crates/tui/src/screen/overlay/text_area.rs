//! A small text editor: for an answer in a person's own words, and for a file before it is written.

use super::line_builder::{break_anywhere, drawable};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;
use ratatui::text::{Line, Span};
use std::cell::Cell;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Whether the text may have several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextAreaMode {
    SingleLine,
    MultiLine,
}

/// How many lines are in sight above the one at which a change begins.
const LINES_ABOVE: usize = 3;

/// Text and a cursor in it.
#[derive(Debug)]
pub(super) struct TextArea {
    mode: TextAreaMode,
    lines: Vec<String>,
    line: usize,
    /// Where the cursor is in its line, in bytes; always between two characters as a person sees them.
    at: usize,
    /// The first line that was drawn.
    top: Cell<usize>,
}

impl TextArea {
    /// The cursor is at the end of a single line, and at the beginning of a text.
    pub(super) fn new(mode: TextAreaMode, text: &str) -> TextArea {
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let at = if mode == TextAreaMode::SingleLine { lines.first().map_or(0, String::len) } else { 0 };
        TextArea { mode, lines, line: 0, at, top: Cell::new(0) }
    }

    /// The same with the cursor in this line, from 0, and a little of what comes before it in sight.
    pub(super) fn at_line(mut self, line: usize) -> TextArea {
        self.line = line.min(self.lines.len() - 1);
        self.top.set(self.line.saturating_sub(LINES_ABOVE));
        self
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(String::is_empty)
    }

    /// Put text where the cursor is. Line breaks are made ours; a single line has spaces for them.
    pub(super) fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = if self.mode == TextAreaMode::SingleLine { text.replace('\n', " ") } else { text };
        let rest = self.lines[self.line].split_off(self.at);
        let mut pieces = text.split('\n');
        if let Some(first) = pieces.next() {
            self.lines[self.line].push_str(first);
        }
        for piece in pieces {
            self.line += 1;
            self.lines.insert(self.line, piece.to_owned());
        }
        self.at = self.lines[self.line].len();
        self.lines[self.line].push_str(&rest);
    }

    /// Take a key; whether it was one for it.
    pub(super) fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if key.modifiers.contains(KeyModifiers::ALT) {
            return false;
        }
        match key.code {
            KeyCode::Left if control => self.at = self.word_before(),
            KeyCode::Right if control => self.at = self.word_after(),
            KeyCode::Char('a') if control => self.at = 0,
            KeyCode::Char('e') if control => self.at = self.current_line().len(),
            KeyCode::Char('u') if control => {
                let at = std::mem::take(&mut self.at);
                self.lines[self.line].drain(..at);
            }
            KeyCode::Char('k') if control => self.lines[self.line].truncate(self.at),
            KeyCode::Char('w') if control => {
                let to = self.word_before();
                self.lines[self.line].drain(to..self.at);
                self.at = to;
            }
            KeyCode::Char(_) if control => return false,
            KeyCode::Char(ch) => {
                self.lines[self.line].insert(self.at, ch);
                self.at += ch.len_utf8();
            }
            KeyCode::Enter if self.mode == TextAreaMode::MultiLine => self.insert("\n"),
            KeyCode::Tab if self.mode == TextAreaMode::MultiLine => self.insert("\t"),
            KeyCode::Backspace => self.backspace(),
            KeyCode::Delete => self.delete(),
            KeyCode::Left => self.step_left(),
            KeyCode::Right => self.step_right(),
            KeyCode::Home if control => (self.line, self.at) = (0, 0),
            KeyCode::End if control => {
                self.line = self.lines.len() - 1;
                self.at = self.current_line().len();
            }
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = self.current_line().len(),
            KeyCode::Up | KeyCode::PageUp | KeyCode::Down | KeyCode::PageDown
                if self.mode == TextAreaMode::MultiLine =>
            {
                let far = if matches!(key.code, KeyCode::Up | KeyCode::Down) { 1 } else { 10 };
                let last = self.lines.len() - 1;
                let up = matches!(key.code, KeyCode::Up | KeyCode::PageUp);
                let to = if up { self.line.saturating_sub(far) } else { (self.line + far).min(last) };
                self.go_to_line(to);
            }
            _ => return false,
        }
        true
    }

    /// The text from the line that has to be shown on, in at most `height` rows, and the cursor.
    pub(super) fn render(&self, first: &str, rest: &str, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        let (width, height) = (usize::from(width), usize::from(height).max(1));
        let margin = first.width().max(rest.width());
        let room = width.saturating_sub(margin + 1).max(1);
        let rows_of = |line: usize| break_anywhere(&drawable(&self.lines[line]), room);
        // Down to the cursor's line as few lines as needed are left out at the top.
        let mut top = self.top.get().min(self.line);
        let mut used = 0;
        for line in (top..=self.line).rev() {
            used += rows_of(line).len();
            if used > height {
                top = (line + 1).min(self.line);
                break;
            }
        }
        self.top.set(top);
        let before = break_anywhere(&drawable(&self.current_line()[..self.at]), room);
        let (mut rows, mut cursor) = (Vec::new(), Position::default());
        for line in top..self.lines.len() {
            if line == self.line {
                let column = before.last().map_or(0, |row| row.width()) + margin;
                let row = rows.len() + before.len() - 1;
                cursor = Position { x: to_u16(column), y: to_u16(row) };
            }
            for (at, row) in rows_of(line).into_iter().enumerate() {
                let margin = if at == 0 { first } else { rest };
                rows.push(Line::from(vec![Span::styled(margin.to_owned(), theme.dim), Span::styled(row, theme.text)]));
            }
            if rows.len() > height && line >= self.line {
                break;
            }
        }
        let hidden = (usize::from(cursor.y) + 1).saturating_sub(height);
        rows.drain(..hidden);
        rows.truncate(height);
        cursor.y -= to_u16(hidden);
        RenderedLines { lines: rows, cursor: Some(cursor) }
    }

    /// The number of the line with the cursor, from 1, and how many lines there are.
    pub(super) fn line_position(&self) -> (usize, usize) {
        (self.line + 1, self.lines.len())
    }

    fn current_line(&self) -> &str {
        &self.lines[self.line]
    }

    fn backspace(&mut self) {
        if self.at > 0 {
            let to = self.before();
            self.lines[self.line].drain(to..self.at);
            self.at = to;
        } else if self.line > 0 {
            let rest = self.lines.remove(self.line);
            self.line -= 1;
            self.at = self.current_line().len();
            self.lines[self.line].push_str(&rest);
        }
    }

    fn delete(&mut self) {
        if self.at < self.current_line().len() {
            let to = self.after();
            self.lines[self.line].drain(self.at..to);
        } else if self.line + 1 < self.lines.len() {
            let rest = self.lines.remove(self.line + 1);
            self.lines[self.line].push_str(&rest);
        }
    }

    fn step_left(&mut self) {
        if self.at > 0 {
            self.at = self.before();
        } else if self.line > 0 {
            self.line -= 1;
            self.at = self.current_line().len();
        }
    }

    fn step_right(&mut self) {
        if self.at < self.current_line().len() {
            self.at = self.after();
        } else if self.line + 1 < self.lines.len() {
            self.line += 1;
            self.at = 0;
        }
    }

    fn go_to_line(&mut self, line: usize) {
        let column = self.current_line()[..self.at].graphemes(true).count();
        self.line = line;
        let place = self.current_line().grapheme_indices(true).nth(column).map(|(at, _)| at);
        self.at = place.unwrap_or(self.current_line().len());
    }

    fn before(&self) -> usize {
        self.current_line()[..self.at].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.at + self.current_line()[self.at..].graphemes(true).next().map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let bare = self.current_line()[..self.at].trim_end();
        bare.char_indices().rev().find(|(_, ch)| ch.is_whitespace()).map_or(0, |(at, ch)| at + ch.len_utf8())
    }

    fn word_after(&self) -> usize {
        let rest = &self.current_line()[self.at..];
        let gap = rest.len() - rest.trim_start().len();
        let word = rest[gap..].find(char::is_whitespace).unwrap_or(rest.len() - gap);
        self.at + gap + word
    }
}

fn to_u16(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
