//! What is offered while a file or a command is being named.

mod commands;
mod files;
mod token;

use commands::command_rows;
use files::FileList;
use pollux_session::CommandInfo;
use std::ops::Range;
use std::sync::Arc;
use token::{Token, token_at};

/// What the composer needs to offer something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    /// The paths of the workspace.
    Files,
    /// The commands there are.
    Commands,
}

/// What there is to offer.
#[derive(Clone, Debug)]
pub(crate) enum Candidates {
    /// Paths from the workspace's root, with `/` between their parts. Folders are found by themselves.
    Files(Arc<Vec<String>>),
    /// Commands with those below them.
    Commands(Vec<CommandInfo>),
}

/// One thing that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// What it is called.
    pub(super) name: String,
    /// What it does.
    pub(super) about: String,
    /// What is put into the text for it.
    text: String,
    /// What is typed after it.
    then: Then,
    /// How it is like what has been typed.
    like: Like,
}

/// How something that is offered is like what has been typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Like {
    /// It is that.
    Exact,
    /// It begins with it.
    Begins,
    /// It has its letters, or what a path has.
    Letters,
}

/// What comes after something that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// More of the same: a folder or a command with others below it.
    Goes,
    /// Something else, after a blank.
    Blank,
    Nothing,
}

/// What is open for choosing.
#[derive(Debug)]
pub(super) struct Menu {
    pub(super) rows: Vec<Row>,
    pub(super) chosen: usize,
    /// How many there are in all; the worst are left out.
    pub(super) of: usize,
    touched: bool,
    range: Range<usize>,
}

/// What is put into the text.
pub(super) struct Taken {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// Whether to offer on at once.
    pub(super) goes_on: bool,
}

/// What is known of what is being named.
#[derive(Debug, Default)]
pub(super) struct Completion {
    files: Option<FileList>,
    commands: Option<Vec<CommandInfo>>,
    token: Option<Token>,
    /// Where something is named for which nothing shall be offered.
    closed: Option<usize>,
    menu: Option<Menu>,
}

impl Completion {
    /// The text changed under the person's hands: offer what fits.
    pub(super) fn typed(&mut self, text: &str, cursor: usize) {
        self.token = token_at(text, cursor);
        let Some(token) = &self.token else {
            // Files and commands come and go: the next time they are asked for again.
            *self = Completion::default();
            return;
        };
        if self.closed != Some(token.start()) {
            self.closed = None;
        }
        self.list();
    }

    /// The cursor went somewhere, or the text came from somewhere: nothing opens by itself.
    pub(super) fn moved(&mut self, text: &str, cursor: usize) {
        let before = self.menu.as_ref().and(self.token.as_ref()).map(Token::start);
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
        self.closed = self.token.as_ref().map(Token::start);
    }

    /// Offer again what was closed; whether there is anything to name.
    pub(super) fn reopen(&mut self) -> bool {
        self.closed = None;
        self.list();
        self.token.is_some()
    }

    pub(super) fn wants(&self) -> Option<Wants> {
        let token = self.token.as_ref().filter(|token| self.closed != Some(token.start()))?;
        match token {
            Token::File { .. } => self.files.is_none().then_some(Wants::Files),
            Token::Command { .. } => self.commands.is_none().then_some(Wants::Commands),
        }
    }

    pub(super) fn offer(&mut self, candidates: Candidates) {
        match candidates {
            Candidates::Files(paths) => self.files = Some(FileList::new(paths)),
            Candidates::Commands(commands) => self.commands = Some(commands),
        }
        self.list();
    }

    pub(super) fn menu(&self) -> Option<&Menu> {
        self.menu.as_ref()
    }

    /// Choose another row, around the ends.
    pub(super) fn step(&mut self, step: Step) {
        if let Some(menu) = &mut self.menu {
            let last = menu.rows.len() - 1;
            menu.chosen = match step {
                Step::Up => menu.chosen.checked_sub(1).unwrap_or(last),
                Step::Down if menu.chosen == last => 0,
                Step::Down => menu.chosen + 1,
            };
            menu.touched = true;
        }
    }

    /// Whether Enter means the text as it stands and not a row: it names one already, or nothing was begun.
    pub(super) fn is_complete(&self) -> bool {
        let Some(menu) = &self.menu else { return true };
        !menu.touched
            && (menu.rows.iter().any(|row| row.like == Like::Exact)
                || self.token.as_ref().is_some_and(Token::is_next_word))
    }

    /// Whether Enter means to run the chosen row: a command that takes nothing, pointed at or the only one that begins with
    /// what was typed.
    pub(super) fn runs(&self) -> bool {
        let Some(menu) = &self.menu else { return false };
        let begins = |row: &&Row| row.like == Like::Begins;
        let only = || menu.rows.iter().filter(begins).count() == 1;
        menu.rows
            .get(menu.chosen)
            .is_some_and(|row| row.then == Then::Nothing && (menu.touched || row.like == Like::Begins && only()))
    }

    /// Take the chosen row.
    pub(super) fn take(&mut self, text: &str) -> Option<Taken> {
        let menu = self.menu.take()?;
        let row = menu.rows.get(menu.chosen)?;
        let blank_follows = text[menu.range.end..].starts_with(char::is_whitespace);
        let blank = row.then != Then::Nothing && !row.text.ends_with('/') && !blank_follows;
        let text = format!("{}{}", row.text, if blank { " " } else { "" });
        Some(Taken { range: menu.range, text, goes_on: row.then == Then::Goes })
    }

    fn list(&mut self) {
        self.menu = None;
        let Some(token) = self.token.as_ref().filter(|token| self.closed != Some(token.start())) else { return };
        let (rows, of) = match token {
            Token::File { path, .. } => self.files.as_ref().map(|files| files.rows(path)),
            Token::Command { above, word, .. } => {
                self.commands.as_ref().map(|commands| command_rows(commands, above, word))
            }
        }
        .unwrap_or_default();
        if !rows.is_empty() {
            self.menu = Some(Menu { rows, chosen: 0, of, touched: false, range: token.range() });
        }
    }
}

/// Which way to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Up,
    Down,
}
