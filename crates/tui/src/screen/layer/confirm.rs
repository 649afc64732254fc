//! A question with a yes and a no. The arrow points at no.

use super::guard::{Guard, IGNORED};
use super::lists::ClientRow;
use super::options::{Options, Picked};
use super::scroll::{Parts, Scroll};
use super::sheet::{INDENT, Sheet};
use super::{Deed, Layer, Step, bare};
use crate::render::plural;
use crate::sanitize::one_line;
use crate::screen::picture::Picture;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent};
use pollux_session::{Command, Mode, Setting};
use std::time::Instant;

/// What is asked, and what happens on yes.
#[derive(Debug)]
pub(crate) struct Confirm {
    question: String,
    reasons: Vec<String>,
    tone: Tone,
    options: Options,
    deed: Deed,
    guard: Guard,
    scroll: Scroll,
}

/// How much is at stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    Plain,
    Dangerous,
}

/// Where the session's work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    /// In this program: it ends with it.
    Here,
    /// In another program, which this one has joined.
    Elsewhere,
}

impl Confirm {
    /// Whether nothing shall ask any more.
    pub(crate) fn yolo(now: Instant) -> Confirm {
        let reasons = [
            "Every command runs, every file is written and every tool of an MCP server is called without asking you.",
            "That holds for deleting, for commands that redirect, and for what other clients prompt.",
            "What a policy of yours denies stays denied, and questions meant for you are still asked.",
            "It ends with Shift+Tab.",
        ];
        let deed = Deed::Send(Command::Set { setting: Setting::Mode(Mode::Yolo) });
        Confirm::new("DANGER: let everything run without asking (yolo)?", &reasons, Tone::Dangerous, deed, now)
            .naming("Yes, nothing asks from now on", "No, keep asking")
    }

    /// Whether a client shall leave.
    pub(crate) fn remove_client(client: &ClientRow, now: Instant) -> Confirm {
        let named = one_line(&client.label, usize::MAX);
        let what = format!("It is {}.", client.in_words());
        let told = "It is told that it was removed, and a terminal that has joined ends.";
        let again = "Whoever still has a way in may join anew; /a2a close lets nobody in.";
        let deed = Deed::RemoveClient(client.id);
        Confirm::new(&format!("Remove {named} from this session?"), &[&what, told, again], Tone::Plain, deed, now)
            .naming("Yes, remove it", "No")
    }

    /// Whether to leave while work is being done and so many prompts wait.
    pub(crate) fn quit(running: Running, waiting: usize, now: Instant) -> Confirm {
        let mut reasons = vec![match running {
            Running::Here => "A turn is running. It stops when you leave; what it has done stays done.".to_owned(),
            Running::Elsewhere => "A turn is running. It goes on without you.".to_owned(),
        }];
        if waiting > 0 {
            reasons.push(format!("In the queue: {}. Nothing of it is lost.", plural(waiting, "prompt")));
        }
        let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
        Confirm::new("Leave?", &reasons, Tone::Plain, Deed::Quit, now).naming("Yes, leave", "No, stay")
    }

    fn new(question: &str, reasons: &[&str], tone: Tone, deed: Deed, now: Instant) -> Confirm {
        let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
        let (options, scroll) = (Options::default(), Scroll::default());
        Confirm { question: question.into(), reasons, tone, options, deed, guard: Guard::new(now), scroll }
    }

    fn naming(mut self, yes: &str, no: &str) -> Confirm {
        self.options = Options::new([yes, no].map(str::to_owned));
        self.options.point_at(1);
        self
    }

    /// A key that was pressed at `now`.
    pub(crate) fn key_at(&mut self, key: KeyEvent, now: Instant) -> Step {
        // A no does no harm at any time; everything else may have been meant for the composer.
        if let KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc = bare(key) {
            return Step::Close;
        }
        if !self.guard.admits(now) {
            return Step::Stay;
        }
        if let KeyCode::Char('y' | 'Y') = bare(key) {
            return Step::Finish(self.deed.clone());
        }
        let before = self.options.at();
        match self.options.key(key) {
            Picked::Chosen(at) if at != before && self.scroll.hides_choices() => self.scroll.seek(),
            Picked::Chosen(_) if !self.scroll.shows_choice() => self.scroll.seek(),
            Picked::Chosen(0) => return Step::Finish(self.deed.clone()),
            Picked::Chosen(_) => return Step::Close,
            Picked::Moved => self.scroll.seek(),
            Picked::Nothing => {
                self.scroll.key(key.code);
            }
        }
        Step::Stay
    }

    /// What it looks like at `now`.
    pub(crate) fn picture_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> Picture {
        let style = match self.tone {
            Tone::Plain => theme.strong,
            Tone::Dangerous => theme.bad.patch(theme.strong),
        };
        let mut head = Sheet::new(width, theme);
        head.words_in("? ", INDENT, style, &self.question);
        let mut body = Sheet::new(width, theme);
        for reason in &self.reasons {
            let style = if self.tone == Tone::Dangerous { theme.bad } else { theme.text };
            body.words_in("  - ", "    ", style, reason);
        }
        let mut foot = Sheet::new(width, theme);
        let chosen = self.options.draw(&mut foot);
        let hint = if self.guard.holds(now) { IGNORED } else { "y yes · n or Esc no · ↑↓ and Enter" };
        foot.words_in(INDENT, INDENT, theme.dim, hint);
        let (head, body, foot) = (head.into_lines(), body.into_lines().into(), Picture::of(foot.into_lines()));
        self.scroll.lay(Parts { head, body, foot, chosen }, width, height, theme)
    }
}

impl Layer for Confirm {
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
