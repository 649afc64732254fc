//! A question of our own with a few options below it, behind a guard: what confirming and trusting have in common.

use super::guard::Guard;
use super::options::{Decided, Options};
use super::scroll::{Parts, Scroll};
use super::sheet::{INDENT, Sheet};
use crate::screen::picture::Picture;
use crossterm::event::KeyEvent;
use std::time::Instant;

/// The options, and how far the person has come.
#[derive(Debug)]
pub(super) struct Choosing {
    options: Options,
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
        Choosing { options, guard: Guard::new(now), scroll: Scroll::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.options.len()
    }

    /// Take a key that counts; the option it chooses.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<usize> {
        match self.options.decide(key, &self.scroll, |_| false) {
            Decided::For(at) => Some(at),
            Decided::NeedsEnter | Decided::Nothing => None,
        }
    }

    /// All of it at `now`; `keys` says what may be pressed.
    pub(super) fn picture(&self, asked: Asked<'_>, keys: &str, (width, height): (u16, u16), now: Instant) -> Picture {
        let theme = asked.head.theme();
        let mut foot = Sheet::new(width, theme);
        let chosen = self.options.draw(&mut foot);
        foot.words_in(INDENT, INDENT, theme.dim, self.guard.says(now).unwrap_or(keys));
        let (head, body) = (asked.head.into_lines(), asked.body.into_lines().into());
        let parts = Parts { head, body, foot: Picture::of(foot.into_lines()), chosen };
        self.scroll.lay(parts, width, height, theme)
    }
}
