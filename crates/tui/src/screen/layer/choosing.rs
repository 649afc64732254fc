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
    /// Whether letters came that mean nothing here: then only an arrow shows that the person means this question again.
    strayed: bool,
    pub(super) guard: Guard,
    scroll: Scroll,
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
        Choosing { options, lasting: false, strayed: false, guard: Guard::new(now), scroll: Scroll::default() }
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
        match bare(key) {
            KeyCode::Up | KeyCode::Down => self.strayed = false,
            KeyCode::Enter | KeyCode::Char(_) if self.strayed => {
                self.guard = Guard::new(now);
                return None;
            }
            _ => {}
        }
        match self.options.decide(key, &self.scroll, |_| lasting) {
            Decided::For(at) => Some(at),
            Decided::Stray => {
                self.guard = Guard::new(now);
                self.strayed = lasting;
                self.options.point_at(self.options.len().saturating_sub(1));
                None
            }
            Decided::NeedsEnter | Decided::Nothing => None,
        }
    }

    /// What is said in place of the keys, if anything is.
    fn says(&self, now: Instant) -> Option<&'static str> {
        let strayed = self.strayed.then_some("this waits for an answer first: choose with ↑↓, then Enter");
        strayed.or_else(|| self.guard.says(now))
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
