//! What an ask wants to know besides a choice: questions, or what is thought of a plan.

use super::line_builder::LineBuilder;
use super::plan_review::PlanReview;
use super::question_tabs::QuestionTabs;
use crossterm::event::KeyEvent;
use pollux_session::Ask;
use ratatui::layout::Position;
use serde_json::Value;

/// What is asked, and the answers so far.
#[derive(Debug)]
pub(super) enum AskForm {
    Plan(PlanReview),
    Questions(QuestionTabs),
}

/// What a key came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AskFormOutcome {
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

impl AskForm {
    /// What an ask wants to know, if it is anything.
    pub(super) fn from_ask(ask: &Ask) -> Option<AskForm> {
        PlanReview::from_ask(ask).map(AskForm::Plan).or_else(|| QuestionTabs::from_ask(ask).map(AskForm::Questions))
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> AskFormOutcome {
        match self {
            AskForm::Plan(plan) => plan.key(key),
            AskForm::Questions(questions) => questions.key(key),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self {
            AskForm::Plan(plan) => plan.paste(text),
            AskForm::Questions(questions) => questions.paste(text),
        }
    }

    /// Whether the keys go to a field for text.
    pub(super) fn writes_text(&self) -> bool {
        match self {
            AskForm::Plan(plan) => plan.writes_text(),
            AskForm::Questions(questions) => questions.writes_text(),
        }
    }

    /// Whether `y` and `n` answer what is asked now.
    pub(super) fn takes_yes_or_no(&self) -> bool {
        match self {
            AskForm::Plan(_) => false,
            AskForm::Questions(questions) => questions.takes_yes_or_no(),
        }
    }

    /// Whether pasted text has a place to go to.
    pub(super) fn takes_pasted(&self) -> bool {
        match self {
            // It is feedback, wherever the keys go.
            AskForm::Plan(_) => true,
            AskForm::Questions(questions) => questions.takes_text(),
        }
    }

    /// What the person has written in their own words so far.
    pub(super) fn written(&self) -> String {
        match self {
            AskForm::Plan(plan) => plan.written(),
            AskForm::Questions(questions) => questions.written(),
        }
    }

    /// What is said before the questions: it scrolls.
    pub(super) fn preface(&self) -> Option<&str> {
        match self {
            AskForm::Plan(plan) => Some(plan.text()),
            AskForm::Questions(questions) => questions.preface(),
        }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        match self {
            AskForm::Plan(plan) => plan.hints(),
            AskForm::Questions(questions) => questions.hints(),
        }
    }

    /// Draw what is asked now. Returns the cursor and the lines that hold what is chosen.
    pub(super) fn draw(&self, width: u16, line_builder: &mut LineBuilder<'_>) -> (Option<Position>, (usize, usize)) {
        match self {
            AskForm::Plan(plan) => plan.draw(width, line_builder),
            AskForm::Questions(questions) => questions.draw(width, line_builder),
        }
    }
}
