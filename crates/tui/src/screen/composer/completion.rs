//! What is offered while a file or a command is being named.

mod commands;
mod files;
mod token;

use commands::{command_rows, value_rows};
use files::CompletionFiles;
use pollux_session::CommandInfo;
use std::ops::Range;
use std::sync::Arc;
use token::{CompletionToken, token_at};

/// What the composer needs to offer something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionRequest {
    /// The paths of the workspace.
    Files,
    /// The commands there are.
    Commands,
}

/// What there is to offer.
#[derive(Clone, Debug)]
pub(crate) enum CompletionCandidates {
    /// Paths from the workspace's root, with `/` between their parts. Folders are found by themselves.
    Files(Arc<Vec<String>>),
    /// Commands with those below them, and what their arguments can be.
    Commands(Vec<CommandInfo>, Vec<ArgumentValue>),
}

/// A value that an argument of a command can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentValue {
    /// The command, and what is below it.
    pub(crate) after: &'static [&'static str],
    pub(crate) value: String,
    /// Another name for it, which is completed as well.
    pub(crate) name: String,
    pub(crate) about: String,
}

/// One thing that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CompletionItem {
    /// What it is called.
    pub(super) name: String,
    /// What it does.
    pub(super) about: String,
    /// What is put into the text for it.
    text: String,
    /// What is typed after it.
    suffix: CompletionSuffix,
    /// How it is like what has been typed.
    quality: MatchQuality,
}

/// How something that is offered is like what has been typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchQuality {
    /// It is that.
    Exact,
    /// It begins with it.
    Begins,
    /// It has its letters, or what a path has.
    Letters,
}

/// What comes after something that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompletionSuffix {
    /// More of the same: a folder or a command with others below it.
    Continue,
    /// Something else, after a blank.
    Blank,
    Nothing,
}

/// What is open for choosing.
#[derive(Debug)]
pub(super) struct CompletionMenu {
    pub(super) rows: Vec<CompletionItem>,
    pub(super) chosen: usize,
    /// How many there are in all; the worst are left out.
    pub(super) total: usize,
    touched: bool,
    range: Range<usize>,
}

/// What is put into the text.
pub(super) struct AcceptedCompletion {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// Whether to offer on at once.
    pub(super) goes_on: bool,
}

/// What is known of what is being named.
#[derive(Debug, Default)]
pub(super) struct CompletionState {
    files: Option<CompletionFiles>,
    commands: Option<(Vec<CommandInfo>, Vec<ArgumentValue>)>,
    token: Option<CompletionToken>,
    /// Where something is named for which nothing shall be offered.
    closed: Option<usize>,
    menu: Option<CompletionMenu>,
}

impl CompletionState {
    /// The text changed under the person's hands: offer what fits.
    pub(super) fn typed(&mut self, text: &str, cursor: usize) {
        self.token = token_at(text, cursor);
        let Some(token) = &self.token else {
            // Files and commands come and go: the next time they are asked for again.
            *self = CompletionState::default();
            return;
        };
        if self.closed != Some(token.start()) {
            self.closed = None;
        }
        self.list();
    }

    /// The cursor went somewhere, or the text came from somewhere: nothing opens by itself.
    pub(super) fn moved(&mut self, text: &str, cursor: usize) {
        let before = self.menu.as_ref().and(self.token.as_ref()).map(CompletionToken::start);
        self.typed(text, cursor);
        if let Some(token) = &self.token
            && before != Some(token.start())
        {
            self.close();
        }
    }

    /// Offer nothing more for what is being named.
    pub(super) fn close(&mut self) {
        self.menu = None;
        self.closed = self.token.as_ref().map(CompletionToken::start);
    }

    /// Offer again what was closed; whether there is anything to name.
    pub(super) fn reopen(&mut self) -> bool {
        self.closed = None;
        self.list();
        self.token.is_some()
    }

    pub(super) fn request(&self) -> Option<CompletionRequest> {
        let token = self.token.as_ref().filter(|token| self.closed != Some(token.start()))?;
        match token {
            CompletionToken::File { .. } => self.files.is_none().then_some(CompletionRequest::Files),
            CompletionToken::Command { .. } => self.commands.is_none().then_some(CompletionRequest::Commands),
        }
    }

    pub(super) fn offer(&mut self, candidates: CompletionCandidates) {
        match candidates {
            CompletionCandidates::Files(paths) => self.files = Some(CompletionFiles::new(paths)),
            CompletionCandidates::Commands(commands, values) => self.commands = Some((commands, values)),
        }
        self.list();
    }

    pub(super) fn menu(&self) -> Option<&CompletionMenu> {
        self.menu.as_ref()
    }

    /// Choose another row, around the ends.
    pub(super) fn step(&mut self, step: MenuStep) {
        let is_next_word = self.token.as_ref().is_some_and(CompletionToken::is_next_word);
        if let Some(menu) = &mut self.menu {
            let last = menu.rows.len() - 1;
            menu.chosen = match step {
                // Nothing is pointed at while no word is begun, so the first is the next one.
                MenuStep::Down if is_next_word && !menu.touched => 0,
                MenuStep::Up => menu.chosen.checked_sub(1).unwrap_or(last),
                MenuStep::Down if menu.chosen == last => 0,
                MenuStep::Down => menu.chosen + 1,
            };
            menu.touched = true;
        }
    }

    /// Whether Enter means the text as it stands and not a row: it names one already, or nothing was begun.
    pub(super) fn is_complete(&self) -> bool {
        let Some(menu) = &self.menu else { return true };
        !menu.touched
            && (menu.rows.iter().any(|row| row.quality == MatchQuality::Exact)
                || self.token.as_ref().is_some_and(CompletionToken::is_next_word))
    }

    /// Whether Enter means to run the chosen row: a command that takes nothing, pointed at or the only one that begins with
    /// what was typed.
    pub(super) fn runs(&self) -> bool {
        let Some(menu) = &self.menu else { return false };
        let begins = |row: &&CompletionItem| row.quality == MatchQuality::Begins;
        let only = || menu.rows.iter().filter(begins).count() == 1;
        menu.rows.get(menu.chosen).is_some_and(|row| {
            row.suffix == CompletionSuffix::Nothing && (menu.touched || row.quality == MatchQuality::Begins && only())
        })
    }

    /// Take the chosen row.
    pub(super) fn take(&mut self, text: &str) -> Option<AcceptedCompletion> {
        let menu = self.menu.take()?;
        let row = menu.rows.get(menu.chosen)?;
        let blank_follows = text[menu.range.end..].starts_with(char::is_whitespace);
        let blank = row.suffix != CompletionSuffix::Nothing && !row.text.ends_with('/') && !blank_follows;
        let text = format!("{}{}", row.text, if blank { " " } else { "" });
        Some(AcceptedCompletion { range: menu.range, text, goes_on: row.suffix == CompletionSuffix::Continue })
    }

    fn list(&mut self) {
        self.menu = None;
        let Some(token) = self.token.as_ref().filter(|token| self.closed != Some(token.start())) else { return };
        let (rows, of) = match token {
            CompletionToken::File { path, quote, .. } => self.files.as_ref().map(|files| files.rows(path, *quote)),
            CompletionToken::Command { above, word, .. } => {
                self.commands.as_ref().map(|(commands, values)| {
                    let mut rows = value_rows(values, above, word);
                    rows.extend(command_rows(commands, above, word));
                    // A command that begins with what was typed is more than a value that only has it somewhere.
                    rows.sort_by_key(|row| row.quality == MatchQuality::Letters && !word.is_empty());
                    let of = rows.len();
                    (rows, of)
                })
            }
        }
        .unwrap_or_default();
        if !rows.is_empty() {
            self.menu = Some(CompletionMenu { rows, chosen: 0, total: of, touched: false, range: token.range() });
        }
    }
}

/// Which way to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MenuStep {
    Up,
    Down,
}
