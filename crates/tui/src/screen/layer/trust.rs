//! The first look at a folder: what it would turn on if it were trusted, and whether it is.

use super::guard::{Guard, IGNORED};
use super::options::{Options, Picked};
use super::scroll::{Parts, Scroll};
use super::sheet::{INDENT, Sheet};
use super::{Deed, Layer, Step, TrustChoice};
use crate::sanitize::one_line;
use crate::screen::picture::Picture;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent};
use std::path::Path;
use std::time::Instant;

/// Asks what the person thinks of a folder.
#[derive(Debug)]
pub(crate) struct TrustDialog {
    folder: String,
    found: Vec<String>,
    choices: Vec<TrustChoice>,
    options: Options,
    guard: Guard,
    scroll: Scroll,
}

impl TrustDialog {
    /// About `folder`, an absolute path; `found` says what it has that trusting it would turn on, one line for each thing.
    pub(crate) fn new(folder: &str, found: Vec<String>, now: Instant) -> TrustDialog {
        let named = |path: &Path| {
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        };
        let path = Path::new(folder);
        let mut choices = vec![TrustChoice::Folder];
        let mut names = vec![format!("Trust this folder ({})", named(path))];
        if let Some(parent) = path.parent() {
            choices.push(TrustChoice::Parent);
            names.push(format!("Trust the folder above and all in it ({})", named(parent)));
        }
        choices.push(TrustChoice::Never);
        names.push("Do not trust it".into());
        let mut options = Options::new(names);
        // Trust is given, never stumbled into.
        options.point_at(choices.len() - 1);
        let folder = folder.to_owned();
        TrustDialog { folder, found, choices, options, guard: Guard::new(now), scroll: Scroll::default() }
    }

    /// A key that was pressed at `now`.
    pub(crate) fn key_at(&mut self, key: KeyEvent, now: Instant) -> Step {
        if !self.guard.admits(now) {
            return Step::Stay;
        }
        if key.code == KeyCode::Esc {
            return Step::Finish(Deed::Trust(TrustChoice::Never));
        }
        let before = self.options.at();
        match self.options.key(key) {
            Picked::Chosen(at) if at != before && self.scroll.hides_choices() => self.scroll.seek(),
            Picked::Chosen(_) if !self.scroll.shows_choice() => self.scroll.seek(),
            Picked::Chosen(at) => {
                let choice = self.choices.get(at).copied().unwrap_or(TrustChoice::Never);
                return Step::Finish(Deed::Trust(choice));
            }
            Picked::Moved => self.scroll.seek(),
            Picked::Nothing => {
                self.scroll.key(key.code);
            }
        }
        Step::Stay
    }

    /// What it looks like at `now`.
    pub(crate) fn picture_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> Picture {
        let mut head = Sheet::new(width, theme);
        head.words_in("? ", INDENT, theme.strong, "Do you trust the files in this folder?");
        head.exact_in(INDENT, INDENT, theme.code, &one_line(&self.folder, usize::MAX));
        let mut body = Sheet::new(width, theme);
        let turns_on = "Trusting it turns on its settings, commands, agents, extensions and .env. They decide what the \
                        agent is told and which variables programs get; nothing in it can widen what you allow.";
        body.words_in(INDENT, INDENT, theme.text, turns_on);
        match self.found.as_slice() {
            [] => body.words_in(INDENT, INDENT, theme.dim, "It has none of these yet; what is added later counts too."),
            found => {
                body.words_in(INDENT, INDENT, theme.text, "It has:");
                for thing in found {
                    body.words_in("  - ", "    ", theme.warn, &one_line(thing, usize::MAX));
                }
            }
        }
        body.words_in(
            INDENT,
            INDENT,
            theme.text,
            "Without trust you can work here all the same; none of this is read.",
        );
        let mut foot = Sheet::new(width, theme);
        let chosen = self.options.draw(&mut foot);
        let keys = format!("1-{} or ↑↓ and Enter · Esc does not trust it", self.options.len());
        let hint = if self.guard.holds(now) { IGNORED } else { keys.as_str() };
        foot.words_in(INDENT, INDENT, theme.dim, hint);
        let (head, body, foot) = (head.into_lines(), body.into_lines().into(), Picture::of(foot.into_lines()));
        self.scroll.lay(Parts { head, body, foot, chosen }, width, height, theme)
    }
}

impl Layer for TrustDialog {
    fn key(&mut self, key: KeyEvent) -> Step {
        self.key_at(key, Instant::now())
    }

    fn picture(&self, width: u16, height: u16, theme: &Theme) -> Picture {
        self.picture_at(width, height, theme, Instant::now())
    }

    fn changes_at(&self) -> Option<Instant> {
        Some(self.guard.ends())
    }
}

#[cfg(test)]
mod tests;
