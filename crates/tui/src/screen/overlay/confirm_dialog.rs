//! A question with a yes and a no. The arrow points at no. It comes in the composer's place, so what is no answer is typed there.

use super::ask_dialog::{TYPING_AHEAD_HINT, TYPING_HINT, WRITING_HINT};
use super::choice_dialog::{ChoiceDialog, ChoiceKeyOutcome, ChoiceQuestion};
use super::key_guard::{GuardedOverlay, KeyGuard};
use super::line_builder::{INDENT, LineBuilder};
use super::pickers::ClientRow;
use super::{OverlayStep, UiEffect, is_leaving, unmodified_key};
use crate::sanitize::one_line;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent};
use pollux_session::{ApprovalMode, Command, SessionSetting, plural};
use std::time::Instant;

/// What is asked, and what happens then.
#[derive(Debug)]
pub(crate) struct ConfirmDialog {
    question: String,
    reasons: Vec<String>,
    tone: ConfirmTone,
    choice: ChoiceDialog,
    /// True if letters went to the composer: until an arrow shows that the person means this question, a `y` and a digit may be
    /// of a sentence too.
    is_writing: bool,
    /// What a yes does.
    effect: UiEffect,
    /// What Shift+Tab does, which may have led here.
    on_cycle: OverlayStep,
}

/// How much is at stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfirmTone {
    Plain,
    Dangerous,
}

/// Where the session's work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionLocation {
    /// In this program: it ends with it.
    Here,
    /// In another program, which this one has joined.
    Elsewhere,
}

/// What ends, waits or is lost when a person leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuitConsequences {
    /// Where a turn runs, if one does.
    pub(crate) turn: Option<SessionLocation>,
    /// How many prompts wait.
    pub(crate) waiting: usize,
    /// How many clients lose the session.
    pub(crate) clients: usize,
    /// How many commands in the background end.
    pub(crate) background: usize,
}

/// `2 clients are attached and lose the session`.
pub(crate) fn describe_lost_clients(clients: usize) -> String {
    let (are, lose) = if clients == 1 { ("is", "loses") } else { ("are", "lose") };
    format!("{} {are} attached and {lose} the session", plural(clients, "client"))
}

impl ConfirmDialog {
    /// Whether nothing shall ask any more. A no keeps the mode; Shift+Tab leads on to `after`, if one is named.
    pub(crate) fn yolo(after: Option<ApprovalMode>, now: Instant) -> ConfirmDialog {
        let reasons = [
            "Every command runs, every file is written and every tool of an MCP server is called without asking you.",
            "That holds for deleting, for commands that redirect, and for what other clients prompt.",
            "What a policy of yours denies stays denied, and questions meant for you are still asked.",
            "It ends with Shift+Tab.",
        ];
        let set = |mode| UiEffect::Send(Command::Set { setting: SessionSetting::Mode(mode) });
        let (ui_effect, answers) = (set(ApprovalMode::Yolo), ["Yes, nothing asks from now on", "No, keep asking"]);
        ConfirmDialog {
            tone: ConfirmTone::Dangerous,
            on_cycle: after.map_or(OverlayStep::Close, |mode| OverlayStep::Finish(set(mode))),
            ..ConfirmDialog::new("DANGER: let everything run without asking (yolo)?", &reasons, answers, ui_effect, now)
        }
    }

    /// Whether nobody else shall be able to join any more.
    pub(crate) fn close_endpoint(now: Instant) -> ConfirmDialog {
        let reasons =
            ["Other clients are disconnected, and nobody can join until you open it again.", "This terminal goes on."];
        ConfirmDialog::new("Close the endpoint?", &reasons, ["Yes, close it", "No"], UiEffect::CloseEndpoint, now)
    }

    /// Whether a client shall leave.
    pub(crate) fn remove_client(client: &ClientRow, now: Instant) -> ConfirmDialog {
        let named = one_line(&client.label, usize::MAX);
        let what = format!("It is {}.", client.describe());
        let told = "It is told that it was removed, and a terminal that has joined ends.";
        let again = "Whoever still has a way in may join anew; /a2a close lets nobody in.";
        let ui_effect = UiEffect::RemoveClient(client.id);
        let question = format!("Remove {named} from this session?");
        ConfirmDialog::new(&question, &[&what, told, again], ["Yes, remove it", "No"], ui_effect, now)
    }

    /// Whether to leave although something is at stake.
    pub(crate) fn quit(stake: &QuitConsequences, now: Instant) -> ConfirmDialog {
        let mut reasons = Vec::new();
        reasons.extend(stake.turn.map(|running| match running {
            SessionLocation::Here => {
                "A turn is running. It stops when you leave; what it has done stays done.".to_owned()
            }
            SessionLocation::Elsewhere => "A turn is running. It goes on without you.".to_owned(),
        }));
        if stake.waiting > 0 {
            reasons.push(format!("In the queue: {}. Nothing of it is lost.", plural(stake.waiting, "prompt")));
        }
        if stake.clients > 0 {
            reasons.push(format!("{}.", describe_lost_clients(stake.clients)));
        }
        if stake.background > 0 {
            let end = if stake.background == 1 { "ends" } else { "end" };
            reasons.push(format!("{} in the background {end}.", plural(stake.background, "command")));
        }
        let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
        ConfirmDialog::new("Leave?", &reasons, ["Yes, leave", "No, stay"], UiEffect::Quit, now)
    }

    fn new(question: &str, reasons: &[&str], answers: [&str; 2], effect: UiEffect, now: Instant) -> ConfirmDialog {
        let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
        let choice = ChoiceDialog::new(answers.map(str::to_owned).into(), now);
        ConfirmDialog {
            question: question.into(),
            reasons,
            tone: ConfirmTone::Plain,
            choice,
            is_writing: false,
            effect,
            on_cycle: OverlayStep::Close,
        }
    }
}

impl GuardedOverlay for ConfirmDialog {
    fn guard(&self) -> &KeyGuard {
        &self.choice.guard
    }

    fn key_at(&mut self, key: KeyEvent, now: Instant) -> OverlayStep {
        // Leaving does no harm at any time; everything else may have been meant for the composer.
        match unmodified_key(key) {
            KeyCode::Esc => return OverlayStep::Close,
            KeyCode::BackTab => return self.on_cycle.clone(),
            _ if is_leaving(key) => return OverlayStep::Close,
            _ => {}
        }
        let admits = self.choice.guard.admit_key(now);
        match unmodified_key(key) {
            KeyCode::Up | KeyCode::Down if self.is_writing => {
                self.is_writing = !admits;
                OverlayStep::Stay
            }
            KeyCode::Enter | KeyCode::Tab if self.is_writing => OverlayStep::Stay,
            KeyCode::Char(letter) if self.is_writing || !admits => {
                self.is_writing |= !letter.is_ascii_digit();
                self.choice.guard.restart(now);
                OverlayStep::ForComposer
            }
            _ if self.is_writing => OverlayStep::ForComposer,
            _ if !admits => OverlayStep::Stay,
            KeyCode::Char('y' | 'Y') => OverlayStep::Finish(self.effect.clone()),
            KeyCode::Char('n' | 'N') => OverlayStep::Close,
            _ => match self.choice.key(key, now) {
                ChoiceKeyOutcome::Chosen(0) => OverlayStep::Finish(self.effect.clone()),
                ChoiceKeyOutcome::Chosen(_) => OverlayStep::Close,
                ChoiceKeyOutcome::Stray => {
                    self.is_writing = true;
                    OverlayStep::ForComposer
                }
                ChoiceKeyOutcome::Nothing => OverlayStep::Stay,
            },
        }
    }

    fn render_at(&self, width: u16, height: u16, theme: &Theme, now: Instant) -> RenderedLines {
        let (question, reason) = match self.tone {
            ConfirmTone::Plain => (theme.strong, theme.text),
            ConfirmTone::Dangerous => (theme.bad.patch(theme.strong), theme.bad),
        };
        let mut head = LineBuilder::new(width, theme);
        head.words_in("? ", INDENT, question, &self.question);
        let mut body = LineBuilder::new(width, theme);
        for words in &self.reasons {
            body.words_in("  - ", "    ", reason, words);
        }
        let guard = &self.choice.guard;
        let hint = match guard.is_active(now) {
            _ if self.is_writing => WRITING_HINT,
            true if guard.has_just_appeared(now) => TYPING_AHEAD_HINT,
            true => TYPING_HINT,
            false => "y yes · n or Esc no · ↑↓ and Enter",
        };
        self.choice.render(ChoiceQuestion { head, body }, hint, (width, height))
    }
}

#[cfg(test)]
mod tests;
