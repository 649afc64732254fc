//! A plan to approve, to send back or to reject: its text, its options and a word about it, on one screen.

use super::ask_form::AskFormOutcome;
use super::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use super::option_list::{OptionKeyOutcome, OptionList};
use super::text_area::{TextArea, TextAreaMode};
use super::unmodified_key;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{Ask, AskDetails, AskOption, choice_label, describe_plan_mode, is_plan_schema};
use ratatui::layout::Position;
use serde_json::{Value, json};

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

/// What a person may say to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PlanVerdict {
    /// It may be carried out, in this mode if the plan lets the person choose one.
    Approve(Option<String>),
    /// It has to be changed.
    SendBack,
    /// An option that does not allow it.
    Decline,
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
        let AskDetails::Generic { description, schema: Some(schema) } = &ask.details else { return None };
        let properties = schema.get("properties")?;
        let judged = is_plan_schema(schema);
        let mut allowing = ask.options.iter().filter(|option| option.allows);
        let (Some(option), None, true) = (allowing.next(), allowing.next(), judged) else { return None };
        let modes = properties.get("approvalMode").and_then(|mode| mode.get("enum")).and_then(Value::as_array);
        let modes = modes.into_iter().flatten().filter_map(Value::as_str).map(|mode| Some(mode.to_owned()));
        let mut verdicts: Vec<PlanVerdict> = modes.map(PlanVerdict::Approve).collect();
        if verdicts.is_empty() {
            verdicts.push(PlanVerdict::Approve(None));
        }
        verdicts.push(PlanVerdict::SendBack);
        let declining = ask.options.iter().find(|option| !option.allows);
        verdicts.extend(declining.map(|_| PlanVerdict::Decline));
        let options = OptionList::new(verdicts.iter().map(|verdict| verdict_label(verdict, declining)));
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

    pub(super) fn ignores_letters(&self) -> bool {
        self.focus == PlanFocus::Options
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.focus = PlanFocus::Feedback;
        self.feedback.insert(text);
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> AskFormOutcome {
        if matches!(key.code, KeyCode::Tab | KeyCode::BackTab) {
            self.focus = if self.focus == PlanFocus::Options { PlanFocus::Feedback } else { PlanFocus::Options };
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
        let sends_back = self.verdicts.get(self.options.at()) == Some(&PlanVerdict::SendBack);
        match key.code {
            // Sending it back was chosen before; only the words were missing.
            KeyCode::Enter if !breaks && sends_back => return self.choose(self.options.at()),
            KeyCode::Enter if !breaks => self.focus = PlanFocus::Options,
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
        let mut answers = match self.verdicts.get(at) {
            Some(PlanVerdict::Approve(Some(mode))) => json!({ "approved": true, "approvalMode": mode }),
            Some(PlanVerdict::Approve(None)) => json!({ "approved": true }),
            Some(PlanVerdict::SendBack) if feedback.is_none() => {
                self.focus = PlanFocus::Feedback;
                return AskFormOutcome::Say("say what should be different, then press Enter".into());
            }
            Some(PlanVerdict::SendBack) => json!({ "approved": false }),
            Some(PlanVerdict::Decline) => return AskFormOutcome::Decline,
            None => return AskFormOutcome::Nothing,
        };
        if let Some(feedback) = feedback {
            answers["feedback"] = feedback.into();
        }
        AskFormOutcome::Send { option: self.option.clone(), answers: Some(answers) }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        match self.focus {
            PlanFocus::Options => vec![format!("1-{} or ↑↓ and Enter", self.options.len()), "Tab feedback".to_owned()],
            PlanFocus::Feedback => {
                ["type what you think of it", "Enter when done", "Tab options"].map(str::to_owned).to_vec()
            }
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

fn verdict_label(verdict: &PlanVerdict, declining: Option<&AskOption>) -> String {
    match verdict {
        PlanVerdict::Approve(None) => "Approve the plan".into(),
        PlanVerdict::Approve(Some(mode)) => match describe_plan_mode(mode) {
            Some(after) => format!("Approve the plan; {after}"),
            None => format!("Approve the plan ({mode})"),
        },
        PlanVerdict::SendBack => "Send it back with feedback".into(),
        PlanVerdict::Decline => declining.map_or_else(String::new, choice_label),
    }
}

#[cfg(test)]
mod tests;
