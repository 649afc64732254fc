//! The first look at a folder: what it would turn on if it were trusted, and whether it is.

use super::choice_dialog::{ChoiceDialog, ChoiceKeyOutcome, ChoiceQuestion};
use super::key_guard::{GuardedOverlay, KeyGuard};
use super::line_builder::{INDENT, LineBuilder};
use super::{OverlayStep, TrustChoice, UiEffect, is_leaving};
use crate::sanitize::one_line;
use crate::screen::rendered_lines::RenderedLines;
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
    choice: ChoiceDialog,
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
        // Trust is given, never stumbled into: the arrow points here.
        names.push("Do not trust it".into());
        TrustDialog { folder: folder.to_owned(), found, choices, choice: ChoiceDialog::new_lasting(names, now) }
    }
}

impl GuardedOverlay for TrustDialog {
    fn guard(&self) -> &KeyGuard {
        &self.choice.guard
    }

    fn key_at(&mut self, key: KeyEvent, now: Instant) -> OverlayStep {
        // Whoever leaves has decided nothing, and is asked again next time.
        if is_leaving(key) {
            return OverlayStep::Finish(UiEffect::Quit);
        }
        if !self.choice.guard.admit_key(now) {
            return match self.choice.ignore(key) {
                ChoiceKeyOutcome::Stray => OverlayStep::ForComposer,
                ChoiceKeyOutcome::Nothing | ChoiceKeyOutcome::Chosen(_) => OverlayStep::Stay,
            };
        }
        if key.code == KeyCode::Esc {
            return OverlayStep::Finish(UiEffect::Trust(TrustChoice::Never));
        }
        match self.choice.key(key, now) {
            ChoiceKeyOutcome::Chosen(at) => {
                OverlayStep::Finish(UiEffect::Trust(self.choices.get(at).copied().unwrap_or(TrustChoice::Never)))
            }
            ChoiceKeyOutcome::Stray => OverlayStep::ForComposer,
            ChoiceKeyOutcome::Nothing => OverlayStep::Stay,
        }
    }

    fn render_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> RenderedLines {
        let mut head = LineBuilder::new(width, theme);
        head.words_in("? ", INDENT, theme.strong, "Do you trust the files in this folder?");
        head.exact_in(INDENT, INDENT, theme.code, &one_line(&self.folder, usize::MAX));
        let mut body = LineBuilder::new(width, theme);
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
        let git = "With trust, read-only git commands (status, log, diff …) run without asking.";
        body.words_in(INDENT, INDENT, theme.text, git);
        let memory = "GEMINI.md and AGENTS.md are read either way, marked as the project's word.";
        body.words_in(INDENT, INDENT, theme.text, memory);
        let keys = format!("1-{} or ↑↓, then Enter · Esc: not trusted, remembered · Ctrl+C leaves", self.choice.len());
        let hint = self.choice.status_message(now).unwrap_or(&keys);
        self.choice.render(ChoiceQuestion { head, body }, hint, (width, height))
    }
}

#[cfg(test)]
mod tests;
