//! The asks that are open: what will happen, all of it, and what may be chosen. One is on the screen at a time; it stays
//! until the log says it is closed, then the next one comes.

mod details;
mod editor;
mod one;
mod unsent;

pub(crate) use unsent::Unsent;

use super::guard::{Guard, Guarded};
use super::scroll::Parts;
use super::sheet::{INDENT, Sheet, fit};
use super::{Deed, Step, bare};
use crate::screen::picture::Picture;
use crate::screen::theme::Theme;
use crate::view::View;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use one::{OpenAsk, Outcome};
use pollux_session::{CallId, Command};
use ratatui::text::{Line, Span};
use std::cell::Cell;
use std::time::Instant;
use unicode_width::UnicodeWidthStr;
use unsent::{fate, is_mine};

/// How a plan and a question become lines: no line is wider than the width given.
pub(crate) type Markdown = fn(&str, u16, &Theme) -> Vec<Line<'static>>;

/// Where there are at least so many lines, one stays empty above the options.
const ROOMY: u16 = 16;

/// The fewest columns and rows in which a command and what may be chosen can be read, if only by scrolling.
const LEAST: (u16, u16) = (20, 5);

/// What a person is told whose letters mean nothing here.
const LETTERS: &str = "letters do not answer: press a digit, or ↑↓ and then Enter. Esc declines";

/// The open asks and the one on the screen.
#[derive(Debug)]
pub(crate) struct AskDialog {
    asks: Vec<OpenAsk>,
    at: usize,
    guard: Guard,
    /// Whether letters came that mean nothing here. Enter then ends what the person believes to be writing, so it chooses
    /// nothing until a digit or an arrow shows that they mean this dialog.
    strayed: bool,
    /// What the newest key came to, or why this ask is on the screen.
    said: Option<String>,
    /// The asks this dialog has answered.
    sent: Vec<CallId>,
    markdown: Markdown,
    /// What was written for asks that others have closed.
    unsent: Vec<Unsent>,
    /// Whether the newest picture had room for what is asked.
    room: Cell<Room>,
}

/// Whether what is asked can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Enough,
    TooLittle,
}

impl AskDialog {
    /// The asks that are open, the oldest on the screen; `None` when there is none.
    pub(crate) fn new(view: &View, now: Instant) -> Option<AskDialog> {
        let asks: Vec<OpenAsk> = view.asking().filter_map(|call| OpenAsk::of(view, call)).collect();
        let guard = Guard::new(now);
        let (said, sent, unsent, room) = (None, Vec::new(), Vec::new(), Cell::new(Room::Enough));
        (!asks.is_empty()).then_some(AskDialog {
            asks,
            at: 0,
            guard,
            strayed: false,
            said,
            sent,
            markdown: in_words,
            unsent,
            room,
        })
    }

    /// Have plans and descriptions of questions drawn by `markdown`.
    pub(crate) fn with_markdown(self, markdown: Markdown) -> AskDialog {
        AskDialog { markdown, ..self }
    }

    /// What asks, in short: the rest is below. How many there are is always in sight.
    fn heading(&self, ask: &OpenAsk, width: u16, theme: &Theme) -> Line<'static> {
        let count = match self.asks.len() {
            1 => String::new(),
            many => format!("  ({} of {many} open asks)", self.at + 1),
        };
        let room = usize::from(width).saturating_sub(count.width());
        let mut line = fit(vec![Span::styled(format!("? {}", ask.heading), theme.strong)], room);
        line.spans.push(Span::styled(count, theme.accent));
        fit(line.spans, usize::from(width))
    }

    fn ignores_letters(&self) -> bool {
        self.asks.get(self.at).is_some_and(OpenAsk::ignores_letters)
    }

    /// Whether the person seems to be writing something that the ask on the screen does not take.
    fn is_astray(&self) -> bool {
        self.strayed && self.ignores_letters()
    }

    /// How many asks further a key turns, if it is one that turns.
    fn turns(&self, key: KeyEvent) -> Option<usize> {
        let back = self.asks.len() - 1;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let plain = self.asks.get(self.at).is_some_and(OpenAsk::is_plain);
        match key.code {
            KeyCode::Char('n') if control => Some(1),
            KeyCode::Char('p') if control => Some(back),
            KeyCode::Tab | KeyCode::Right if plain => Some(1),
            KeyCode::BackTab | KeyCode::Left if plain => Some(back),
            _ => None,
        }
    }
}

impl Guarded for AskDialog {
    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn key_at(&mut self, key: KeyEvent, now: Instant) -> Step {
        if !self.guard.admits(now) {
            let is_letter = matches!(bare(key), KeyCode::Char(letter) if !letter.is_ascii_digit());
            self.strayed |= is_letter && self.ignores_letters();
            return Step::Stay;
        }
        self.said = None;
        match bare(key) {
            KeyCode::Up | KeyCode::Down | KeyCode::Char('1'..='9') => self.strayed = false,
            KeyCode::Enter if self.is_astray() => return Step::Stay,
            _ => {}
        }
        let several = self.asks.len() > 1;
        if let Some(far) = Some(key).filter(|_| several).and_then(|key| self.turns(key)) {
            self.at = (self.at + far) % self.asks.len();
            self.guard = Guard::new(now);
            return Step::Stay;
        }
        let Some(ask) = self.asks.get_mut(self.at) else { return Step::Close };
        let outcome = match self.room.get() {
            Room::Enough => ask.key(key),
            Room::TooLittle => ask.key_unread(key),
        };
        match outcome {
            Outcome::Nothing => Step::Stay,
            Outcome::Stray => {
                self.strayed = true;
                self.guard = Guard::new(now);
                Step::Stay
            }
            Outcome::Say(sentence) => {
                self.said = Some(sentence);
                Step::Stay
            }
            Outcome::Editor { option, change } => {
                Step::Do(Deed::EditContent { call: ask.call, option, name: change.name, content: change.new })
            }
            Outcome::DeclineAll(option) => {
                self.said = Some(format!("sent: {}", ask.label(&option)));
                // A person who leaves means the turn: the next ask would only take the place of this one.
                let declined = self.asks.iter().filter_map(|ask| Some((ask.call, ask.declining()?.id.clone())));
                let answer = |(call, option)| Command::Answer { call, option, edit: None };
                let declined: Vec<(CallId, String)> = declined.collect();
                self.sent.extend(declined.iter().map(|(call, _)| *call));
                let answers = declined.into_iter().map(answer).collect();
                self.guard = Guard::new(now);
                Step::Do(Deed::SendEach(answers))
            }
            Outcome::Answer { option, edit } => {
                let call = ask.call;
                self.said = Some(format!("sent: {}", ask.label(&option)));
                self.sent.push(call);
                // Until the log has it, another key would only be refused.
                self.guard = Guard::new(now);
                Step::Do(Deed::Send(Command::Answer { call, option, edit }))
            }
        }
    }

    /// For an answer in words, or for the editor. An ask that takes neither treats it as letters.
    fn paste_at(&mut self, text: &str, now: Instant) -> Step {
        self.strayed |= self.asks.get(self.at).is_some_and(|ask| !ask.takes_pasted());
        if self.guard.admits(now)
            && self.room.get() == Room::Enough
            && let Some(ask) = self.asks.get_mut(self.at)
        {
            ask.paste(text);
        }
        Step::Stay
    }

    fn follow_at(&mut self, view: &View, now: Instant) -> Step {
        let shown = self.asks.get(self.at).map(|ask| ask.call);
        let mut known: Vec<OpenAsk> = std::mem::take(&mut self.asks);
        let (mut place, mut same) = (None, false);
        for call in view.asking() {
            let Some(fresh) = OpenAsk::of(view, call) else { continue };
            // What a person has filled in stays while the ask is the same.
            let old = known.iter().position(|ask| ask.is_same(&fresh));
            if Some(call.id) == shown {
                (place, same) = (Some(self.asks.len()), old.is_some());
            }
            self.asks.push(old.map_or(fresh, |at| known.remove(at)));
        }
        let closed = known.iter().filter(|ask| !self.sent.contains(&ask.call) && !is_mine(view, ask.call));
        self.unsent.extend(closed.filter_map(|ask| Unsent::of(view, ask)));
        if self.asks.is_empty() {
            return Step::Close;
        }
        self.at = place.unwrap_or(0);
        if !same {
            self.guard = Guard::new(now);
            let gone = shown.filter(|call| place.is_none() && !self.sent.contains(call));
            let before = |call| fate(view, call).map_or_else(|| "was closed".to_owned(), |fate| format!("was {fate}"));
            self.said = gone.map(|call| format!("another one now: the one before {}", before(call)));
        }
        Step::Stay
    }

    fn unsent(&mut self) -> Vec<Unsent> {
        std::mem::take(&mut self.unsent)
    }

    fn appears_at(&mut self, now: Instant) {
        self.guard = Guard::new(now);
    }

    fn picture_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> Picture {
        let Some(ask) = self.asks.get(self.at) else { return Picture::default() };
        let fits = width >= LEAST.0 && height >= LEAST.1;
        self.room.set(if fits { Room::Enough } else { Room::TooLittle });
        if !fits {
            return too_small(width, height, theme);
        }
        let head = vec![self.heading(ask, width, theme)];
        let mut foot = Sheet::new(width, theme);
        if height >= ROOMY {
            foot.gap();
        }
        let room = usize::from(height).saturating_sub(head.len());
        let drawn = ask.draw(width, room, theme, self.markdown, &mut foot);
        let mut foot = Picture { lines: foot.into_lines(), cursor: drawn.cursor };
        let mut below = Sheet::new(width, theme);
        match (&self.said, self.guard.says(now)) {
            (Some(said), _) => below.words_in(INDENT, INDENT, theme.warn, said),
            (None, _) if self.is_astray() => below.words_in(INDENT, INDENT, theme.warn, LETTERS),
            (None, Some(ignored)) => below.words_in(INDENT, INDENT, theme.dim, ignored),
            (None, None) => {
                let turn = if self.asks.len() > 1 { " · Ctrl+N next ask" } else { "" };
                let hint = format!("{}{turn}", ask.hint());
                match height >= ROOMY {
                    true => below.words_in(INDENT, INDENT, theme.dim, &hint),
                    // Where there is little room, what is asked needs it more.
                    false => below.one(vec![Span::styled(format!("{INDENT}{hint}"), theme.dim)]),
                }
            }
        }
        foot.stack(Picture::of(below.into_lines()));
        let parts = Parts { head, body: drawn.body, foot, chosen: drawn.chosen };
        ask.scroll.lay(parts, width, height, theme)
    }
}

/// What stands there while what is asked cannot be read.
fn too_small(width: u16, height: u16, theme: &Theme) -> Picture {
    let mut sheet = Sheet::new(width, theme);
    // The status line has a row too.
    let (columns, rows) = (LEAST.0, LEAST.1 + 1);
    sheet.words(theme.warn, &format!("? enlarge the window to {columns}x{rows} to read what asks. Esc declines"));
    let mut lines = sheet.into_lines();
    lines.truncate(usize::from(height));
    Picture::of(lines)
}

/// Text as it is, broken between words.
fn in_words(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut sheet = Sheet::new(width, theme);
    sheet.words(theme.text, text);
    sheet.into_lines()
}

#[cfg(test)]
mod tests;
