//! A plan to approve, to send back or to reject: its text, its options and a word about it, on one screen.

use super::bare;
use super::inquiry::Given;
use super::options::{Options, Picked};
use super::pad::{Pad, Rows};
use super::sheet::{GUTTER, GUTTER_ON, INDENT, Sheet};
use crate::render::{after_approval, judges_a_plan};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{Ask, Choice, Details};
use ratatui::layout::Position;
use serde_json::{Value, json};

/// How many lines of feedback are on the screen at once.
const FEEDBACK_ROWS: u16 = 4;

/// A plan and what the person thinks of it.
#[derive(Debug)]
pub(super) struct Plan {
    text: String,
    /// The option that carries the answers.
    option: String,
    verdicts: Vec<Verdict>,
    options: Options,
    feedback: Pad,
    focus: Focus,
}

/// What a person may say to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// It may be carried out, in this mode if the plan lets the person choose one.
    Approve(Option<String>),
    /// It has to be changed.
    SendBack,
    /// An option that does not allow it.
    Decline,
}

/// What the keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    Options,
    Feedback,
}

impl Plan {
    /// The plan of an ask whose schema has room for a verdict and for feedback.
    pub(super) fn of(ask: &Ask) -> Option<Plan> {
        let Details::Generic { description, schema: Some(schema) } = &ask.details else { return None };
        let properties = schema.get("properties")?;
        let judged = judges_a_plan(schema);
        let mut allowing = ask.options.iter().filter(|option| option.allows);
        let (Some(option), None, true) = (allowing.next(), allowing.next(), judged) else { return None };
        let modes = properties.get("approvalMode").and_then(|mode| mode.get("enum")).and_then(Value::as_array);
        let modes = modes.into_iter().flatten().filter_map(Value::as_str).map(|mode| Some(mode.to_owned()));
        let mut verdicts: Vec<Verdict> = modes.map(Verdict::Approve).collect();
        if verdicts.is_empty() {
            verdicts.push(Verdict::Approve(None));
        }
        verdicts.push(Verdict::SendBack);
        let declining = ask.options.iter().find(|option| !option.allows);
        verdicts.extend(declining.map(|_| Verdict::Decline));
        let options = Options::new(verdicts.iter().map(|verdict| name(verdict, declining)));
        let (text, option, feedback) = (description.clone(), option.id.clone(), Pad::new(Rows::Many, ""));
        Some(Plan { text, option, verdicts, options, feedback, focus: Focus::Options })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn written(&self) -> String {
        self.feedback.text().trim().to_owned()
    }

    pub(super) fn ignores_letters(&self) -> bool {
        self.focus == Focus::Options
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.focus = Focus::Feedback;
        self.feedback.insert(text);
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Given {
        if matches!(key.code, KeyCode::Tab | KeyCode::BackTab) {
            self.focus = if self.focus == Focus::Options { Focus::Feedback } else { Focus::Options };
            return Given::Changed;
        }
        match self.focus {
            Focus::Feedback => self.write(key),
            Focus::Options => match self.options.key(key) {
                Picked::Nothing => Given::Nothing,
                Picked::Moved => Given::Changed,
                Picked::Chosen(at) => self.choose(at),
            },
        }
    }

    fn write(&mut self, key: KeyEvent) -> Given {
        let breaks = !(key.modifiers & (KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::CONTROL)).is_empty();
        let sends_back = self.verdicts.get(self.options.at()) == Some(&Verdict::SendBack);
        match key.code {
            // Sending it back was chosen before; only the words were missing.
            KeyCode::Enter if !breaks && sends_back => return self.choose(self.options.at()),
            KeyCode::Enter if !breaks => self.focus = Focus::Options,
            KeyCode::Enter => self.feedback.insert("\n"),
            KeyCode::Char('j') if bare(key) != key.code => self.feedback.insert("\n"),
            _ if self.feedback.key(key) => {}
            _ => return Given::Nothing,
        }
        Given::Changed
    }

    fn choose(&mut self, at: usize) -> Given {
        let said = self.feedback.text().trim().to_owned();
        let feedback = (!said.is_empty()).then_some(said);
        let mut answers = match self.verdicts.get(at) {
            Some(Verdict::Approve(Some(mode))) => json!({ "approved": true, "approvalMode": mode }),
            Some(Verdict::Approve(None)) => json!({ "approved": true }),
            Some(Verdict::SendBack) if feedback.is_none() => {
                self.focus = Focus::Feedback;
                return Given::Say("say what should be different, then press Enter".into());
            }
            Some(Verdict::SendBack) => json!({ "approved": false }),
            Some(Verdict::Decline) => return Given::Decline,
            None => return Given::Nothing,
        };
        if let Some(feedback) = feedback {
            answers["feedback"] = feedback.into();
        }
        Given::Send { option: self.option.clone(), answers: Some(answers) }
    }

    pub(super) fn hint(&self) -> String {
        match self.focus {
            Focus::Options => format!("1-{} or ↑↓ and Enter · Tab feedback", self.options.len()),
            Focus::Feedback => "type what you think of it · Enter when done · Tab options".into(),
        }
    }

    pub(super) fn draw(&self, width: u16, sheet: &mut Sheet<'_>) -> (Option<Position>, (usize, usize)) {
        let theme = sheet.theme();
        let chosen = self.options.draw(sheet);
        if self.focus == Focus::Options && self.feedback.is_empty() {
            return (None, chosen);
        }
        sheet.words_in(INDENT, INDENT, theme.text, "feedback that goes with it:");
        let above = sheet.len();
        let picture = self.feedback.picture(GUTTER, GUTTER_ON, width, FEEDBACK_ROWS, theme);
        sheet.add(picture.lines);
        if self.focus == Focus::Options {
            return (None, chosen);
        }
        let below = u16::try_from(above).unwrap_or(u16::MAX);
        let cursor = picture.cursor.map(|Position { x, y }| Position { x, y: y.saturating_add(below) });
        (cursor, (above, sheet.len()))
    }
}

fn name(verdict: &Verdict, declining: Option<&Choice>) -> String {
    match verdict {
        Verdict::Approve(None) => "Approve the plan".into(),
        Verdict::Approve(Some(mode)) => match after_approval(mode) {
            Some(after) => format!("Approve the plan; {after}"),
            None => format!("Approve the plan ({mode})"),
        },
        Verdict::SendBack => "Send it back with feedback".into(),
        Verdict::Decline => declining.map_or_else(String::new, |option| option.name.clone()),
    }
}

#[cfg(test)]
mod tests;
