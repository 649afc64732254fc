//! A question of our own with a few options below it, behind a guard: what confirming and trusting have in common.

use super::bare;
use super::guard::Guard;
use super::options::{Decided, Options};
use super::scroll::{Parts, Scroll};
use super::sheet::{INDENT, Sheet};
use crate::screen::picture::Picture;
use crossterm::event::{KeyCode, KeyEvent};
use std::time::Instant;

/// The options, and how far the person has come.
#[derive(Debug)]
pub(super) struct Choosing {
    options: Options,
    /// Whether a choice holds beyond this session.
    lasting: bool,
    strayed: Strayed,
    pub(super) guard: Guard,
    scroll: Scroll,
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

/// What stands above the options.
pub(super) struct Asked<'t> {
    /// The question: it stays at the top.
    pub(super) head: Sheet<'t>,
    /// What there is to know about it: it scrolls.
    pub(super) body: Sheet<'t>,
}

impl Choosing {
    /// Between these, from `now` on. The arrow points at the last, which does no harm.
    pub(super) fn new(names: Vec<String>, now: Instant) -> Choosing {
        let mut options = Options::new(names);
        options.point_at(options.len().saturating_sub(1));
        Choosing { options, lasting: false, strayed: Strayed::No, guard: Guard::new(now), scroll: Scroll::default() }
    }

    /// The same between what holds beyond this session: digits and arrows only point, Enter chooses.
    pub(super) fn lasting(names: Vec<String>, now: Instant) -> Choosing {
        Choosing { lasting: true, ..Choosing::new(names, now) }
    }

    pub(super) fn len(&self) -> usize {
        self.options.len()
    }

    /// Take a key that counts, at `now`; the option it chooses.
    pub(super) fn key(&mut self, key: KeyEvent, now: Instant) -> Option<usize> {
        let lasting = self.lasting;
        match (bare(key), self.strayed) {
            (KeyCode::Up | KeyCode::Down, _) => self.strayed = Strayed::No,
            (KeyCode::Char('1'..='9'), Strayed::Letters) => self.strayed = Strayed::Digit,
            (KeyCode::Enter, Strayed::Letters) => {
                self.guard = Guard::new(now);
                return None;
            }
            (KeyCode::Enter, Strayed::Digit) => {
                self.strayed = Strayed::No;
                return None;
            }
            _ => {}
        }
        match self.options.decide(key, &self.scroll, |_| lasting) {
            Decided::For(at) => Some(at),
            Decided::Stray => {
                self.guard = Guard::new(now);
                self.strayed = if lasting { Strayed::Letters } else { Strayed::No };
                self.options.point_at(self.options.len().saturating_sub(1));
                None
            }
            Decided::NeedsEnter | Decided::Nothing => None,
        }
    }

    /// What is said in place of the keys, if anything is.
    fn says(&self, now: Instant) -> Option<&'static str> {
        match self.strayed {
            Strayed::No => self.guard.says(now),
            Strayed::Letters => Some("this waits for an answer first: choose with a digit or ↑↓, then Enter"),
            Strayed::Digit => Some("letters came before: press Enter twice to choose this"),
        }
    }

    /// All of it at `now`; `keys` says what may be pressed.
    pub(super) fn picture(&self, asked: Asked<'_>, keys: &str, (width, height): (u16, u16), now: Instant) -> Picture {
        let theme = asked.head.theme();
        let mut foot = Sheet::new(width, theme);
        let chosen = self.options.draw(&mut foot);
        foot.words_in(INDENT, INDENT, theme.dim, self.says(now).unwrap_or(keys));
        let (head, body) = (asked.head.into_lines(), asked.body.into_lines().into());
        let parts = Parts { head, body, foot: Picture::of(foot.into_lines()), chosen };
        self.scroll.lay(parts, width, height, theme)
    }
}
