//! A plan to approve, to send back or to reject: its text, its options and a word about it, on one screen.

use super::ask_form::AskFormOutcome;
use super::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use super::option_list::{OptionKeyOutcome, OptionList};
use super::text_area::{TextArea, TextAreaMode};
use super::unmodified_key;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{Ask, AskDetails, PlanVerdict};
use ratatui::layout::Position;

/// How many lines of feedback are on the screen at once.
const FEEDBACK_ROWS: u16 = 4;

/// A plan and what the person thinks of it.
#[derive(Debug)]
pub(super) struct PlanReview {
    text: String,
    /// The option that carries the answers.
    option: String,
    verdicts: Vec<PlanVerdict>,
    options: OptionList,
    feedback: TextArea,
    focus: PlanFocus,
}

/// What the keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlanFocus {
    Options,
    Feedback,
}

impl PlanReview {
    /// The plan of an ask whose schema has room for a verdict and for feedback.
    pub(super) fn from_ask(ask: &Ask) -> Option<PlanReview> {
        let AskDetails::Generic { description, .. } = &ask.details else { return None };
        let verdicts = PlanVerdict::all_for(ask)?;
        let option = PlanVerdict::SendBack.option(ask)?;
        let options = OptionList::new(verdicts.iter().map(|verdict| verdict.label(ask)));
        let (text, option, feedback) =
            (description.clone(), option.id.clone(), TextArea::new(TextAreaMode::MultiLine, ""));
        Some(PlanReview { text, option, verdicts, options, feedback, focus: PlanFocus::Options })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn written(&self) -> String {
        self.feedback.text().trim().to_owned()
    }

    pub(super) fn writes_text(&self) -> bool {
        self.focus == PlanFocus::Feedback
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.focus_feedback();
        self.feedback.insert(text);
    }

    /// Go to the field for words. As in every other dialog they go with a no: whoever wants to approve the plan with a word about
    /// it chooses that afterwards.
    fn focus_feedback(&mut self) {
        self.focus = PlanFocus::Feedback;
        let send_back = self.verdicts.iter().position(|verdict| *verdict == PlanVerdict::SendBack);
        self.options.point_at(send_back.unwrap_or_default());
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> AskFormOutcome {
        if matches!(key.code, KeyCode::Tab | KeyCode::BackTab) {
            match self.focus {
                PlanFocus::Options => self.focus_feedback(),
                PlanFocus::Feedback => self.focus = PlanFocus::Options,
            }
            return AskFormOutcome::Changed;
        }
        match self.focus {
            PlanFocus::Feedback => self.write(key),
            PlanFocus::Options => match self.options.key(key) {
                OptionKeyOutcome::Nothing => AskFormOutcome::Nothing,
                OptionKeyOutcome::Moved => AskFormOutcome::Changed,
                OptionKeyOutcome::Chosen(at) => self.choose(at),
            },
        }
    }

    fn write(&mut self, key: KeyEvent) -> AskFormOutcome {
        let breaks = !(key.modifiers & (KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::CONTROL)).is_empty();
        match key.code {
            KeyCode::Enter if !breaks => return self.choose(self.options.at()),
            KeyCode::Enter => self.feedback.insert("\n"),
            KeyCode::Char('j') if unmodified_key(key) != key.code => self.feedback.insert("\n"),
            _ if self.feedback.key(key) => {}
            _ => return AskFormOutcome::Nothing,
        }
        AskFormOutcome::Changed
    }

    fn choose(&mut self, at: usize) -> AskFormOutcome {
        let said = self.feedback.text().trim().to_owned();
        let feedback = (!said.is_empty()).then_some(said);
        match self.verdicts.get(at) {
            Some(PlanVerdict::SendBack) if feedback.is_none() => {
                self.focus_feedback();
                AskFormOutcome::Say("say what should be different, then press Enter".into())
            }
            Some(verdict) => match verdict.answers(feedback.as_deref()) {
                None => AskFormOutcome::Decline,
                answers => AskFormOutcome::Send { option: self.option.clone(), answers },
            },
            None => AskFormOutcome::Nothing,
        }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        match self.focus {
            PlanFocus::Options => vec![format!("1-{} or ↑↓ and Enter", self.options.len()), "Tab feedback".to_owned()],
            PlanFocus::Feedback => ["Enter sends it back with this", "Tab options"].map(str::to_owned).to_vec(),
        }
    }

    pub(super) fn draw(&self, width: u16, line_builder: &mut LineBuilder<'_>) -> (Option<Position>, (usize, usize)) {
        let theme = line_builder.theme();
        let chosen = self.options.draw(line_builder);
        if self.focus == PlanFocus::Options && self.feedback.is_empty() {
            return (None, chosen);
        }
        line_builder.words_in(INDENT, INDENT, theme.text, "feedback that goes with it:");
        let above = line_builder.len();
        let picture = self.feedback.render(GUTTER, GUTTER_ON, width, FEEDBACK_ROWS, theme);
        line_builder.add(picture.lines);
        if self.focus == PlanFocus::Options {
            return (None, chosen);
        }
        let below = u16::try_from(above).unwrap_or(u16::MAX);
        let cursor = picture.cursor.map(|Position { x, y }| Position { x, y: y.saturating_add(below) });
        (cursor, (above, line_builder.len()))
    }
}

#[cfg(test)]
mod tests;
