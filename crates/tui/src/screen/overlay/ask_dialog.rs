//! The asks that are open: what will happen, all of it, and what may be chosen. One is on the screen at a time; it stays
//! until the log says it is closed, then the next one comes.

mod content_editor;
mod details;
mod open_ask;
mod unsent_text;

pub(crate) use unsent_text::UnsentText;

use super::key_guard::{GuardedOverlay, KeyGuard};
use super::line_builder::{INDENT, LineBuilder, fit, keep_hints};
use super::scroll::DialogParts;
use super::{OverlayStep, UiEffect, unmodified_key};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use open_ask::{AskKeyOutcome, OpenAsk};
use pollux_session::{CallId, Command, SessionView};
use ratatui::text::{Line, Span};
use std::cell::Cell;
use std::time::Instant;
use unicode_width::UnicodeWidthStr;
use unsent_text::{describe_decision, is_own_decision};

/// How a plan and a question become lines: no line is wider than the width given.
pub(crate) type RenderMarkdown = fn(&str, u16, &Theme) -> Vec<Line<'static>>;

/// Where there are at least so many lines, one stays empty above the options.
const ROOMY_HEIGHT: u16 = 16;

/// The fewest columns and rows in which a command and what may be chosen can be read, if only by scrolling.
const MIN_SIZE: (u16, u16) = (20, 5);

/// What a person is told whose letters mean nothing here.
const STRAY_LETTERS_HINT: &str = "letters go to the composer; a digit, or ↑↓ and Enter, answers. Esc declines";

/// The hint while keys go to the composer, because a dialog has come in its place.
const TYPING_AHEAD_HINT: &str = "just appeared: what you type goes to the composer until you pause";

/// The same hint where there is little room.
const TO_COMPOSER_HINT: &str = "what you type goes to the composer";

/// The open asks and the one on the screen.
#[derive(Debug)]
pub(crate) struct AskDialog {
    asks: Vec<OpenAsk>,
    at: usize,
    guard: KeyGuard,
    /// True if keys that do not count are for the composer: the dialog has come in its place, or letters came. After a key
    /// that was for this dialog, the next one is too.
    is_typing_ahead: bool,
    /// Whether letters came that mean nothing here. Enter then ends what the person believes to be writing, so it chooses
    /// nothing until a digit or an arrow shows that they mean this dialog.
    strayed: bool,
    /// What the newest key came to, or why this ask is on the screen.
    message: Option<String>,
    /// The asks this dialog has answered.
    sent: Vec<CallId>,
    markdown: RenderMarkdown,
    /// What was written for asks that others have closed.
    unsent: Vec<UnsentText>,
    /// Whether the newest picture had room for what is asked.
    space: Cell<ReadableSpace>,
}

/// Whether what is asked can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadableSpace {
    Enough,
    TooLittle,
}

impl AskDialog {
    /// The asks that are open, the oldest on the screen; `None` when there is none.
    pub(crate) fn new(view: &SessionView, now: Instant) -> Option<AskDialog> {
        let asks: Vec<OpenAsk> = view.asking().filter_map(|call| OpenAsk::from_call(view, call)).collect();
        let guard = KeyGuard::new(now);
        let (said, sent, unsent, room) = (None, Vec::new(), Vec::new(), Cell::new(ReadableSpace::Enough));
        (!asks.is_empty()).then_some(AskDialog {
            asks,
            at: 0,
            guard,
            is_typing_ahead: true,
            strayed: false,
            message: said,
            sent,
            markdown: wrap_plain_text,
            unsent,
            space: room,
        })
    }

    /// Have plans and descriptions of questions drawn by `markdown`.
    pub(crate) fn with_markdown(self, markdown: RenderMarkdown) -> AskDialog {
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

    /// The keys that may be pressed. Where there is little room, the question needs it more.
    fn hint(&self, ask: &OpenAsk, width: u16, is_roomy: bool) -> String {
        let mut hints = ask.hints();
        if self.asks.len() > 1 {
            hints.insert(hints.len().saturating_sub(1), "Ctrl+N next ask".to_owned());
        }
        let room = if is_roomy { usize::MAX } else { usize::from(width).saturating_sub(INDENT.width()) };
        keep_hints(hints, room)
    }

    fn ignores_letters(&self) -> bool {
        self.asks.get(self.at).is_some_and(OpenAsk::ignores_letters)
    }

    /// Whether the person seems to be writing something that the ask on the screen does not take.
    fn is_astray(&self) -> bool {
        self.strayed && self.ignores_letters()
    }

    /// How many asks further a key turns, if it is one that turns.
    fn turned_asks(&self, key: KeyEvent) -> Option<usize> {
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

impl GuardedOverlay for AskDialog {
    fn guard(&self) -> &KeyGuard {
        &self.guard
    }

    fn key_at(&mut self, key: KeyEvent, now: Instant) -> OverlayStep {
        if !self.guard.admit_key(now) {
            let is_letter = matches!(unmodified_key(key), KeyCode::Char(letter) if !letter.is_ascii_digit());
            self.strayed |= is_letter && self.ignores_letters();
            self.is_typing_ahead |= is_letter;
            return if self.is_typing_ahead { OverlayStep::ForComposer } else { OverlayStep::Stay };
        }
        self.is_typing_ahead = false;
        self.message = None;
        match unmodified_key(key) {
            KeyCode::Up | KeyCode::Down | KeyCode::Char('1'..='9') => self.strayed = false,
            KeyCode::Enter if self.is_astray() => return OverlayStep::Stay,
            KeyCode::Backspace if self.is_astray() => return OverlayStep::ForComposer,
            _ => {}
        }
        let several = self.asks.len() > 1;
        if let Some(far) = Some(key).filter(|_| several).and_then(|key| self.turned_asks(key)) {
            self.at = (self.at + far) % self.asks.len();
            self.guard = KeyGuard::new(now);
            return OverlayStep::Stay;
        }
        let Some(ask) = self.asks.get_mut(self.at) else { return OverlayStep::Close };
        let outcome = match self.space.get() {
            ReadableSpace::Enough => ask.key(key),
            ReadableSpace::TooLittle => ask.key_while_unreadable(key),
        };
        match outcome {
            AskKeyOutcome::Nothing => OverlayStep::Stay,
            AskKeyOutcome::Stray => {
                (self.strayed, self.is_typing_ahead) = (true, true);
                self.guard = KeyGuard::new(now);
                OverlayStep::ForComposer
            }
            AskKeyOutcome::Say(sentence) => {
                self.message = Some(sentence);
                OverlayStep::Stay
            }
            AskKeyOutcome::Editor { option, change } => OverlayStep::Do(UiEffect::EditContent {
                call: ask.call,
                option,
                name: change.name,
                content: change.new,
            }),
            AskKeyOutcome::DeclineAll(option) => {
                self.message = Some(format!("sent: {}", ask.label(&option)));
                // A person who leaves means the turn: the next ask would only take the place of this one.
                let declined = self.asks.iter().filter_map(|ask| Some((ask.call, ask.declining()?.id.clone())));
                let answer = |(call, option)| Command::Answer { call, option, edit: None };
                let declined: Vec<(CallId, String)> = declined.collect();
                self.sent.extend(declined.iter().map(|(call, _)| *call));
                let answers = declined.into_iter().map(answer).collect();
                self.guard = KeyGuard::new(now);
                OverlayStep::Do(UiEffect::SendEach(answers))
            }
            AskKeyOutcome::Answer { option, edit } => {
                let call = ask.call;
                self.message = Some(format!("sent: {}", ask.label(&option)));
                self.sent.push(call);
                // Until the log has it, another key would only be refused.
                self.guard = KeyGuard::new(now);
                OverlayStep::Do(UiEffect::Send(Command::Answer { call, option, edit }))
            }
        }
    }

    /// For an answer in words, or for the editor. An ask that takes neither treats it as letters.
    fn paste_at(&mut self, text: &str, now: Instant) -> OverlayStep {
        let is_taken = self.asks.get(self.at).is_some_and(OpenAsk::takes_pasted);
        self.strayed |= !is_taken;
        let is_readable = self.space.get() == ReadableSpace::Enough;
        match self.asks.get_mut(self.at) {
            Some(ask) if self.guard.admit_key(now) && is_readable && is_taken => {
                ask.paste(text);
                OverlayStep::Stay
            }
            _ => OverlayStep::ForComposer,
        }
    }

    fn follow_at(&mut self, view: &SessionView, now: Instant) -> OverlayStep {
        let shown = self.asks.get(self.at).map(|ask| ask.call);
        let mut known: Vec<OpenAsk> = std::mem::take(&mut self.asks);
        let (mut place, mut same) = (None, false);
        for call in view.asking() {
            let Some(fresh) = OpenAsk::from_call(view, call) else { continue };
            // What a person has filled in stays while the ask is the same.
            let old = known.iter().position(|ask| ask.is_same(&fresh));
            if Some(call.id) == shown {
                (place, same) = (Some(self.asks.len()), old.is_some());
            }
            self.asks.push(old.map_or(fresh, |at| known.remove(at)));
        }
        let closed = known.iter().filter(|ask| !self.sent.contains(&ask.call) && !is_own_decision(view, ask.call));
        self.unsent.extend(closed.filter_map(|ask| UnsentText::from_closed_ask(view, ask)));
        if self.asks.is_empty() {
            return OverlayStep::Close;
        }
        self.at = place.unwrap_or(0);
        if !same {
            // Whoever has paused was about to answer.
            self.is_typing_ahead &= self.guard.is_active(now);
            self.guard = KeyGuard::new(now);
            let gone = shown.filter(|call| place.is_none() && !self.sent.contains(call));
            let before = |call| {
                describe_decision(view, call).map_or_else(|| "was closed".to_owned(), |fate| format!("was {fate}"))
            };
            self.message = gone.map(|call| format!("another one now: the one before {}", before(call)));
        }
        OverlayStep::Stay
    }

    fn unsent(&mut self) -> Vec<UnsentText> {
        std::mem::take(&mut self.unsent)
    }

    fn appears_at(&mut self, now: Instant) {
        self.guard = KeyGuard::new(now);
        self.is_typing_ahead = false;
    }

    fn render_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> RenderedLines {
        let Some(ask) = self.asks.get(self.at) else { return RenderedLines::default() };
        let fits = width >= MIN_SIZE.0 && height >= MIN_SIZE.1;
        self.space.set(if fits { ReadableSpace::Enough } else { ReadableSpace::TooLittle });
        if !fits {
            return too_small(width, height, theme);
        }
        let head = vec![self.heading(ask, width, theme)];
        let mut foot = LineBuilder::new(width, theme);
        if height >= ROOMY_HEIGHT {
            foot.gap();
        }
        let room = usize::from(height).saturating_sub(head.len());
        let drawn = ask.draw(width, room, theme, self.markdown, &mut foot);
        let mut foot = RenderedLines { lines: foot.into_lines(), cursor: drawn.cursor };
        let mut below = LineBuilder::new(width, theme);
        let is_roomy = height >= ROOMY_HEIGHT;
        let ignored = self.guard.status_message(now);
        match &self.message {
            Some(said) => below.words_in(INDENT, INDENT, theme.warn, said),
            None if self.is_astray() => {
                let hint = if is_roomy { STRAY_LETTERS_HINT } else { TO_COMPOSER_HINT };
                below.words_in(INDENT, INDENT, theme.warn, hint);
            }
            None if ignored.is_some() && self.is_typing_ahead => {
                let hint = if is_roomy { TYPING_AHEAD_HINT } else { TO_COMPOSER_HINT };
                below.words_in(INDENT, INDENT, theme.dim, hint);
            }
            None => {
                let hint = ignored.map_or_else(|| self.hint(ask, width, is_roomy), str::to_owned);
                below.words_in(INDENT, INDENT, theme.dim, &hint);
            }
        }
        foot.stack(RenderedLines::without_cursor(below.into_lines()));
        let parts = DialogParts { head, body: drawn.body, foot, chosen: drawn.chosen };
        ask.scroll.lay_out(parts, width, height, theme)
    }
}

/// What stands there while what is asked cannot be read.
fn too_small(width: u16, height: u16, theme: &Theme) -> RenderedLines {
    let mut line_builder = LineBuilder::new(width, theme);
    // The status line has a row too.
    let (columns, rows) = (MIN_SIZE.0, MIN_SIZE.1 + 1);
    line_builder
        .words(theme.warn, &format!("? enlarge the window to {columns}x{rows} to read what asks. Esc declines"));
    let mut lines = line_builder.into_lines();
    lines.truncate(usize::from(height));
    RenderedLines::without_cursor(lines)
}

/// Text as it is, broken between words.
fn wrap_plain_text(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut line_builder = LineBuilder::new(width, theme);
    line_builder.words(theme.text, text);
    line_builder.into_lines()
}

#[cfg(test)]
mod tests;
