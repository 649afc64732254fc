//! The asks that are open: what will happen, all of it, and what may be chosen. One is on the screen at a time; it stays
//! until the log says it is closed, then the next one comes.

mod content_drafts;
mod content_editor;
mod details;
mod instead_field;
mod key_target;
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
use key_target::{KeyTarget, KeyWhileWriting};
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

/// Why there is nothing to choose that lasts.
const TRUST_HINT: &str = "To allow it for longer than this session, trust the folder: `pollux trust`";

/// The hint while what is typed goes to the composer, without the way to leave.
pub(super) const WRITING_HINT: &str = "what you type goes to the composer; to answer, press ↑↓ first";

/// The same where there is little room.
const SHORT_WRITING_HINT: &str = "typing goes to the composer; ↑↓ first";

/// The same in a few words.
const SHORTEST_WRITING_HINT: &str = "↑↓ to answer";

/// The hint while keys do not count yet and would go to the composer, because a dialog has come in its place.
pub(super) const TYPING_AHEAD_HINT: &str = "just appeared: what you type now goes to the composer";

/// The same of a dialog that has been there for a while.
pub(super) const TYPING_HINT: &str = "what you type now goes to the composer";

/// The same where there is little room.
const SHORT_TYPING_AHEAD_HINT: &str = "what you type now is for the composer";

/// The open asks and the one on the screen.
#[derive(Debug)]
pub(crate) struct AskDialog {
    asks: Vec<OpenAsk>,
    at: usize,
    guard: KeyGuard,
    /// True if keys that do not count are for the composer: the dialog has come in its place, or letters came. After a key
    /// that was for this dialog, the next one is too.
    is_typing_ahead: bool,
    /// Whether a text stands in the composer.
    has_draft: bool,
    /// Whether the person trusts the folder, where that is known.
    is_folder_trusted: Option<bool>,
    key_target: KeyTarget,
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
            has_draft: false,
            is_folder_trusted: None,
            key_target: KeyTarget::Unknown,
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

    /// Whether the person writes in the composer, so that this dialog takes nothing that may be a part of that.
    fn is_writing(&self) -> bool {
        self.key_target.is_composer(self.has_draft)
    }

    /// A key was for this dialog, or letters were for the composer.
    fn set_key_target(&mut self, target: KeyTarget) {
        self.key_target = target;
        self.is_typing_ahead = target == KeyTarget::Composer;
    }

    /// What is said while the person writes in the composer.
    fn writing_hint(&self, ask: &OpenAsk, is_roomy: bool) -> String {
        match ask.declining() {
            Some(_) if is_roomy => format!("{WRITING_HINT}. Esc declines"),
            _ if is_roomy => WRITING_HINT.to_owned(),
            _ => SHORT_WRITING_HINT.to_owned(),
        }
    }

    /// A no to every ask that can be declined. A person who leaves means the turn: the next ask would only take the place of
    /// this one.
    fn decline_all(&mut self, now: Instant) -> Vec<Command> {
        let declined = self.asks.iter().filter_map(|ask| Some((ask.call, ask.declining()?.id.clone())));
        let declined: Vec<(CallId, String)> = declined.collect();
        self.sent.extend(declined.iter().map(|(call, _)| *call));
        // Until the log has it, another key would only be refused.
        self.guard.restart(now);
        declined.into_iter().map(|(call, option)| Command::Answer { call, option, edit: None }).collect()
    }

    /// How many asks further a key turns, if it is one that turns.
    fn turned_asks(&self, key: KeyEvent) -> Option<usize> {
        let back = self.asks.len() - 1;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let plain = self.asks.get(self.at).is_some_and(OpenAsk::is_plain);
        match key.code {
            KeyCode::Char('n') if control => Some(1),
            KeyCode::Char('p') if control => Some(back),
            KeyCode::Right if plain => Some(1),
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
        let is_letter = matches!(unmodified_key(key), KeyCode::Char(letter) if !letter.is_ascii_digit());
        let turns = self.is_writing() && KeyWhileWriting::of(key) == KeyWhileWriting::TurnsToDialog;
        if !(turns && self.guard.lift(now) || self.guard.admit_key(now)) {
            // What is being written in this dialog is not parted, either.
            let writes_here =
                self.key_target == KeyTarget::Dialog && self.asks.get(self.at).is_some_and(OpenAsk::writes_text);
            if is_letter && !writes_here {
                self.set_key_target(KeyTarget::Composer);
            }
            return match self.is_typing_ahead || self.is_writing() {
                true => OverlayStep::ForComposer,
                false => OverlayStep::Stay,
            };
        }
        self.message = None;
        if self.is_writing() {
            match KeyWhileWriting::of(key) {
                KeyWhileWriting::TurnsToDialog => {
                    // It only turns: the Enter after it is for what the arrow has pointed at all the time.
                    self.set_key_target(KeyTarget::Dialog);
                    return OverlayStep::Stay;
                }
                KeyWhileWriting::ForDialog => {}
                KeyWhileWriting::Ignored => return OverlayStep::Stay,
                KeyWhileWriting::ForComposer => {
                    if is_letter {
                        self.set_key_target(KeyTarget::Composer);
                    }
                    self.guard.restart(now);
                    return OverlayStep::ForComposer;
                }
            }
        }
        self.is_typing_ahead = false;
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
        if ask.writes_text() {
            self.key_target = KeyTarget::Dialog;
        }
        match outcome {
            AskKeyOutcome::Nothing => OverlayStep::Stay,
            AskKeyOutcome::Stray => {
                self.set_key_target(KeyTarget::Composer);
                self.guard.restart(now);
                OverlayStep::ForComposer
            }
            AskKeyOutcome::Say(sentence) => {
                self.message = Some(sentence);
                OverlayStep::Stay
            }
            AskKeyOutcome::Editor { option, name, path, content, others } => {
                OverlayStep::Do(UiEffect::EditContent { call: ask.call, option, name, path, content, others })
            }
            AskKeyOutcome::DeclineAll(option) => {
                self.message = Some(format!("sent: {}", ask.label(&option)));
                OverlayStep::Do(UiEffect::SendEach(self.decline_all(now)))
            }
            AskKeyOutcome::Instead { option, text } => {
                self.message = Some(format!("sent: {}, with what to do instead", ask.label(&option)));
                OverlayStep::Do(UiEffect::Instead { declined: self.decline_all(now), text })
            }
            AskKeyOutcome::Answer { option, edit } => {
                let call = ask.call;
                self.message = Some(format!("sent: {}", ask.label(&option)));
                self.sent.push(call);
                // Until the log has it, another key would only be refused.
                self.guard.restart(now);
                OverlayStep::Do(UiEffect::Send(Command::Answer { call, option, edit }))
            }
        }
    }

    /// For an answer in words, or for the editor. An ask that takes neither treats it as letters.
    fn paste_at(&mut self, text: &str, now: Instant) -> OverlayStep {
        let is_writing = self.is_writing();
        let is_taken = self.asks.get(self.at).is_some_and(OpenAsk::takes_pasted);
        if !is_taken {
            self.key_target = KeyTarget::Composer;
        }
        let is_readable = self.space.get() == ReadableSpace::Enough;
        match self.asks.get_mut(self.at) {
            Some(ask) if !is_writing && self.guard.admit_key(now) && is_readable && is_taken => {
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
            if self.key_target == KeyTarget::Dialog {
                self.key_target = KeyTarget::Unknown;
            }
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
        // A text that is being written in this dialog goes on; otherwise whoever has written elsewhere meanwhile goes on there.
        let writes_here = self.asks.get(self.at).is_some_and(OpenAsk::writes_text);
        if !(writes_here && self.key_target == KeyTarget::Dialog) {
            self.key_target = KeyTarget::Unknown;
        }
    }

    fn tell_draft(&mut self, has_draft: bool) {
        self.has_draft = has_draft;
    }

    fn tell_trust(&mut self, is_folder_trusted: Option<bool>) {
        self.is_folder_trusted = is_folder_trusted;
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
        // What is typed goes elsewhere, whatever field is on the screen.
        let cursor = drawn.cursor.filter(|_| !self.is_writing());
        let mut foot = RenderedLines { lines: foot.into_lines(), cursor };
        let mut below = LineBuilder::new(width, theme);
        let is_roomy = height >= ROOMY_HEIGHT;
        let ignored = self.guard.status_message(now);
        if is_roomy && self.is_folder_trusted == Some(false) && ask.lacks_lasting_options() {
            below.words_in(INDENT, INDENT, theme.dim, TRUST_HINT);
        }
        if let Some(said) = &self.message {
            below.words_in(INDENT, INDENT, theme.warn, said);
        }
        match &self.message {
            _ if self.is_writing() => {
                below.words_in(INDENT, INDENT, theme.warn, &self.writing_hint(ask, is_roomy));
            }
            Some(_) => {}
            None if ignored.is_some() && self.is_typing_ahead => {
                let hint = match self.guard.has_just_appeared(now) {
                    _ if !is_roomy => SHORT_TYPING_AHEAD_HINT,
                    true => TYPING_AHEAD_HINT,
                    false => TYPING_HINT,
                };
                below.words_in(INDENT, INDENT, theme.dim, hint);
            }
            None => {
                let hint = ignored.map_or_else(|| self.hint(ask, width, is_roomy), str::to_owned);
                below.words_in(INDENT, INDENT, theme.dim, &hint);
            }
        }
        foot.stack(RenderedLines::without_cursor(below.into_lines()));
        let short_keys = if self.is_writing() { SHORTEST_WRITING_HINT.to_owned() } else { ask.short_keys() };
        let parts = DialogParts { head, body: drawn.body, foot, chosen: drawn.chosen, short_keys };
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
