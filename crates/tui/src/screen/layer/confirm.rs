//! A question with a yes and a no. The arrow points at no.

use super::choosing::{Asked, Choosing};
use super::guard::{Guard, Guarded};
use super::lists::ClientRow;
use super::sheet::{INDENT, Sheet};
use super::{Deed, Step, bare, is_leaving};
use crate::render::plural;
use crate::sanitize::one_line;
use crate::screen::picture::Picture;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent};
use pollux_session::{Command, Mode, Setting};
use std::time::Instant;

/// What is asked, and what happens then.
#[derive(Debug)]
pub(crate) struct Confirm {
    question: String,
    reasons: Vec<String>,
    tone: Tone,
    choosing: Choosing,
    /// What a yes does.
    deed: Deed,
    /// What Shift+Tab does, which may have led here.
    on_cycle: Step,
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

/// What ends, waits or is lost when a person leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtStake {
    /// Where a turn runs, if one does.
    pub(crate) turn: Option<Running>,
    /// How many prompts wait.
    pub(crate) waiting: usize,
    /// How many clients lose the session.
    pub(crate) clients: usize,
}

/// `2 clients are attached and lose the session`.
pub(crate) fn loss(clients: usize) -> String {
    let (are, lose) = if clients == 1 { ("is", "loses") } else { ("are", "lose") };
    format!("{} {are} attached and {lose} the session", plural(clients, "client"))
}

impl Confirm {
    /// Whether nothing shall ask any more. A no keeps the mode; Shift+Tab leads on to `after`, if one is named.
    pub(crate) fn yolo(after: Option<Mode>, now: Instant) -> Confirm {
        let reasons = [
            "Every command runs, every file is written and every tool of an MCP server is called without asking you.",
            "That holds for deleting, for commands that redirect, and for what other clients prompt.",
            "What a policy of yours denies stays denied, and questions meant for you are still asked.",
            "It ends with Shift+Tab.",
        ];
        let set = |mode| Deed::Send(Command::Set { setting: Setting::Mode(mode) });
        let (deed, answers) = (set(Mode::Yolo), ["Yes, nothing asks from now on", "No, keep asking"]);
        Confirm {
            tone: Tone::Dangerous,
            on_cycle: after.map_or(Step::Close, |mode| Step::Finish(set(mode))),
            ..Confirm::new("DANGER: let everything run without asking (yolo)?", &reasons, answers, deed, now)
        }
    }

    /// Whether nobody else shall be able to join any more.
    pub(crate) fn close_endpoint(now: Instant) -> Confirm {
        let reasons =
            ["Other clients are disconnected, and nobody can join until you open it again.", "This terminal goes on."];
        Confirm::new("Close the endpoint?", &reasons, ["Yes, close it", "No"], Deed::CloseDoor, now)
    }

    /// Whether a client shall leave.
    pub(crate) fn remove_client(client: &ClientRow, now: Instant) -> Confirm {
        let named = one_line(&client.label, usize::MAX);
        let what = format!("It is {}.", client.in_words());
        let told = "It is told that it was removed, and a terminal that has joined ends.";
        let again = "Whoever still has a way in may join anew; /a2a close lets nobody in.";
        let deed = Deed::RemoveClient(client.id);
        let question = format!("Remove {named} from this session?");
        Confirm::new(&question, &[&what, told, again], ["Yes, remove it", "No"], deed, now)
    }

    /// Whether to leave although something is at stake.
    pub(crate) fn quit(stake: &AtStake, now: Instant) -> Confirm {
        let mut reasons = Vec::new();
        reasons.extend(stake.turn.map(|running| match running {
            Running::Here => "A turn is running. It stops when you leave; what it has done stays done.".to_owned(),
            Running::Elsewhere => "A turn is running. It goes on without you.".to_owned(),
        }));
        if stake.waiting > 0 {
            reasons.push(format!("In the queue: {}. Nothing of it is lost.", plural(stake.waiting, "prompt")));
        }
        if stake.clients > 0 {
            reasons.push(format!("{}.", loss(stake.clients)));
        }
        let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
        Confirm::new("Leave?", &reasons, ["Yes, leave", "No, stay"], Deed::Quit, now)
    }

    fn new(question: &str, reasons: &[&str], answers: [&str; 2], deed: Deed, now: Instant) -> Confirm {
        let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
        let choosing = Choosing::new(answers.map(str::to_owned).into(), now);
        Confirm { question: question.into(), reasons, tone: Tone::Plain, choosing, deed, on_cycle: Step::Close }
    }
}

impl Guarded for Confirm {
    fn guard(&self) -> &Guard {
        &self.choosing.guard
    }

    fn key_at(&mut self, key: KeyEvent, now: Instant) -> Step {
        // A no does no harm at any time; everything else may have been meant for the composer.
        match bare(key) {
            KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc => return Step::Close,
            KeyCode::BackTab => return self.on_cycle.clone(),
            _ if is_leaving(key) => return Step::Close,
            _ => {}
        }
        if !self.choosing.guard.admits(now) {
            return Step::Stay;
        }
        if let KeyCode::Char('y' | 'Y') = bare(key) {
            return Step::Finish(self.deed.clone());
        }
        match self.choosing.key(key, now) {
            Some(0) => Step::Finish(self.deed.clone()),
            Some(_) => Step::Close,
            None => Step::Stay,
        }
    }

    fn picture_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> Picture {
        let (question, reason) = match self.tone {
            Tone::Plain => (theme.strong, theme.text),
            Tone::Dangerous => (theme.bad.patch(theme.strong), theme.bad),
        };
        let mut head = Sheet::new(width, theme);
        head.words_in("? ", INDENT, question, &self.question);
        let mut body = Sheet::new(width, theme);
        for words in &self.reasons {
            body.words_in("  - ", "    ", reason, words);
        }
        let keys = "y yes · n or Esc no · ↑↓ and Enter";
        self.choosing.picture(Asked { head, body }, keys, (width, height), now)
    }
}

#[cfg(test)]
mod tests;
