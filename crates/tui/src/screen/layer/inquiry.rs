//! What an ask wants to know besides a choice: questions, or what is thought of a plan.

use super::plan::Plan;
use super::questions::Questions;
use super::sheet::Sheet;
use crossterm::event::KeyEvent;
use pollux_session::Ask;
use ratatui::layout::Position;
use serde_json::Value;

/// What is asked, and the answers so far.
#[derive(Debug)]
pub(super) enum Inquiry {
    Plan(Plan),
    Questions(Questions),
}

/// What a key came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    /// The key means nothing here.
    Nothing,
    Changed,
    /// The answer is none; the sentence says why.
    Say(String),
    Decline,
    Send {
        option: String,
        /// `None` when everything was left out.
        answers: Option<Value>,
    },
}

impl Inquiry {
    /// What an ask wants to know, if it is anything.
    pub(super) fn of(ask: &Ask) -> Option<Inquiry> {
        Plan::of(ask).map(Inquiry::Plan).or_else(|| Questions::of(ask).map(Inquiry::Questions))
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Given {
        match self {
            Inquiry::Plan(plan) => plan.key(key),
            Inquiry::Questions(questions) => questions.key(key),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self {
            Inquiry::Plan(plan) => plan.paste(text),
            Inquiry::Questions(questions) => questions.paste(text),
        }
    }

    /// Whether letters mean nothing to what the keys go to now.
    pub(super) fn ignores_letters(&self) -> bool {
        match self {
            Inquiry::Plan(plan) => plan.ignores_letters(),
            Inquiry::Questions(questions) => !questions.takes_text(),
        }
    }

    /// Whether pasted text has a place to go to.
    pub(super) fn takes_pasted(&self) -> bool {
        match self {
            // It is feedback, wherever the keys go.
            Inquiry::Plan(_) => true,
            Inquiry::Questions(questions) => questions.takes_text(),
        }
    }

    /// What the person has written in their own words so far.
    pub(super) fn written(&self) -> String {
        match self {
            Inquiry::Plan(plan) => plan.written(),
            Inquiry::Questions(questions) => questions.written(),
        }
    }

    /// What is said before the questions: it scrolls.
    pub(super) fn preface(&self) -> Option<&str> {
        match self {
            Inquiry::Plan(plan) => Some(plan.text()),
            Inquiry::Questions(questions) => questions.preface(),
        }
    }

    pub(super) fn hint(&self) -> String {
        match self {
            Inquiry::Plan(plan) => plan.hint(),
            Inquiry::Questions(questions) => questions.hint(),
        }
    }

    /// Draw what is asked now. Returns the cursor and the lines that hold what is chosen.
    pub(super) fn draw(&self, width: u16, sheet: &mut Sheet<'_>) -> (Option<Position>, (usize, usize)) {
        match self {
            Inquiry::Plan(plan) => plan.draw(width, sheet),
            Inquiry::Questions(questions) => questions.draw(width, sheet),
        }
    }
}
