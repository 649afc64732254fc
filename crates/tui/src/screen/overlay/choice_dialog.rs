//! A question of our own with a few options below it, behind a guard: what confirming and trusting have in common.

use super::key_guard::KeyGuard;
use super::line_builder::{INDENT, LineBuilder};
use super::option_list::{OptionDecision, OptionList};
use super::scroll::{DialogParts, ScrollState};
use super::unmodified_key;
use crate::screen::rendered_lines::RenderedLines;
use crossterm::event::{KeyCode, KeyEvent};
use std::time::Instant;

/// The options, and how far the person has come.
#[derive(Debug)]
pub(super) struct ChoiceDialog {
    options: OptionList,
    /// Whether a choice holds beyond this session.
    lasting: bool,
    strayed: Strayed,
    pub(super) guard: KeyGuard,
    scroll: ScrollState,
}

/// Whether letters came that mean nothing here, so that the next Enter may end what the person believes to be writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strayed {
    /// None, or an arrow has shown since that they mean this question.
    No,
    /// Enter chooses nothing.
    Letters,
    /// A digit points at an option since, which may be of a sentence too: one Enter chooses nothing, the next one does.
    Digit,
}

/// The result of a key that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChoiceKeyOutcome {
    Nothing,
    /// A letter that means nothing here: the person is writing something else.
    Stray,
    /// This option is chosen.
    Chosen(usize),
}

/// What stands above the options.
pub(super) struct ChoiceQuestion<'t> {
    /// The question: it stays at the top.
    pub(super) head: LineBuilder<'t>,
    /// What there is to know about it: it scrolls.
    pub(super) body: LineBuilder<'t>,
}

impl ChoiceDialog {
    /// Between these, from `now` on. The arrow points at the last, which does no harm.
    pub(super) fn new(names: Vec<String>, now: Instant) -> ChoiceDialog {
        let mut options = OptionList::new(names);
        options.point_at(options.len().saturating_sub(1));
        ChoiceDialog {
            options,
            lasting: false,
            strayed: Strayed::No,
            guard: KeyGuard::new(now),
            scroll: ScrollState::default(),
        }
    }

    /// The same between what holds beyond this session: digits and arrows only point, Enter chooses.
    pub(super) fn new_lasting(names: Vec<String>, now: Instant) -> ChoiceDialog {
        ChoiceDialog { lasting: true, ..ChoiceDialog::new(names, now) }
    }

    pub(super) fn len(&self) -> usize {
        self.options.len()
    }

    /// A key that does not count yet. Whoever writes something else goes on with it, digits and all.
    pub(super) fn ignore(&mut self, key: KeyEvent) -> ChoiceKeyOutcome {
        let KeyCode::Char(letter) = unmodified_key(key) else { return ChoiceKeyOutcome::Nothing };
        if !letter.is_ascii_digit() {
            self.strayed = Strayed::Letters;
        }
        match self.strayed {
            Strayed::Letters => ChoiceKeyOutcome::Stray,
            Strayed::No | Strayed::Digit => ChoiceKeyOutcome::Nothing,
        }
    }

    /// Take a key that counts, at `now`.
    pub(super) fn key(&mut self, key: KeyEvent, now: Instant) -> ChoiceKeyOutcome {
        let lasting = self.lasting;
        match (unmodified_key(key), self.strayed) {
            (KeyCode::Up | KeyCode::Down, _) => self.strayed = Strayed::No,
            (KeyCode::Char('1'..='9'), Strayed::Letters) => self.strayed = Strayed::Digit,
            (KeyCode::Enter, Strayed::Letters) => {
                self.guard.restart(now);
                return ChoiceKeyOutcome::Nothing;
            }
            (KeyCode::Enter, Strayed::Digit) => {
                self.strayed = Strayed::No;
                return ChoiceKeyOutcome::Nothing;
            }
            _ => {}
        }
        match self.options.decide(key, &self.scroll, |_| lasting) {
            OptionDecision::Chosen(at) => ChoiceKeyOutcome::Chosen(at),
            OptionDecision::Stray => {
                self.guard.restart(now);
                self.strayed = if lasting { Strayed::Letters } else { Strayed::No };
                self.options.point_at(self.options.len().saturating_sub(1));
                ChoiceKeyOutcome::Stray
            }
            OptionDecision::NeedsEnter | OptionDecision::Nothing => ChoiceKeyOutcome::Nothing,
        }
    }

    /// What is said in place of the keys, if anything is.
    pub(super) fn status_message(&self, now: Instant) -> Option<&'static str> {
        match self.strayed {
            Strayed::No => self.guard.status_message(now),
            Strayed::Letters => Some("this waits for an answer first: choose with a digit or ↑↓, then Enter"),
            Strayed::Digit => Some("letters came before: press Enter twice to choose this"),
        }
    }

    /// All of it; `hint` says what may be pressed, or why nothing may.
    pub(super) fn render(&self, asked: ChoiceQuestion<'_>, hint: &str, (width, height): (u16, u16)) -> RenderedLines {
        let theme = asked.head.theme();
        let mut foot = LineBuilder::new(width, theme);
        let chosen = self.options.draw(&mut foot);
        foot.words_in(INDENT, INDENT, theme.dim, hint);
        let (head, body) = (asked.head.into_lines(), asked.body.into_lines().into());
        let foot = RenderedLines::without_cursor(foot.into_lines());
        let short_keys = format!("1-{} Enter · Esc", self.options.len());
        let parts = DialogParts { head, body, foot, chosen, short_keys };
        self.scroll.lay_out(parts, width, height, theme)
    }
}
