//! The questions of an ask: one tab each, and a look at all the answers before they are sent.

mod answer_field;

use super::ask_form::AskFormOutcome;
use super::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use super::option_list::{OptionKeyOutcome, OptionList};
use crate::question_form::QuestionForm;
use crate::sanitize::{count_gaps, one_line};
use answer_field::{AnswerField, AnswerFieldOutcome, is_yes_or_no};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{AnswerNeed, Ask, AskDetails, AskOption, FormQuestion, questions_from_schema};
use ratatui::layout::Position;
use serde_json::{Map, Value};

/// The questions of one ask and the answers so far.
#[derive(Debug)]
pub(super) struct QuestionTabs {
    /// What is said before them, unless they say it themselves.
    preface: Option<String>,
    /// The options that send the answers. Where there are several (a plan), one is chosen first.
    sending_options: Vec<AskOption>,
    option_list: OptionList,
    asked: Vec<(FormQuestion, AnswerField)>,
    tab: usize,
}

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuestionTab {
    Way,
    Question(usize),
    Review,
}

impl QuestionTabs {
    /// The questions of an ask, if it has any.
    pub(super) fn from_ask(ask: &Ask) -> Option<QuestionTabs> {
        let form = QuestionForm::from_ask(ask)?;
        let AskDetails::Generic { description, schema: Some(schema) } = &ask.details else { return None };
        let ways: Vec<AskOption> = ask.options.iter().filter(|option| option.allows).cloned().collect();
        let way = OptionList::new(ways.iter().map(|way| way.name.clone()));
        let asked = questions_from_schema(schema).into_iter().map(|question| {
            let reply = AnswerField::for_question(&question);
            (question, reply)
        });
        let preface = (!form.restates(description)).then(|| description.clone());
        Some(QuestionTabs { preface, sending_options: ways, option_list: way, asked: asked.collect(), tab: 0 })
    }

    pub(super) fn preface(&self) -> Option<&str> {
        self.preface.as_deref()
    }

    pub(super) fn written(&self) -> String {
        let texts = self.asked.iter().map(|(_, reply)| reply.written()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }

    fn tabs(&self) -> Vec<QuestionTab> {
        let way = (self.sending_options.len() > 1).then_some(QuestionTab::Way);
        let mut tabs: Vec<QuestionTab> =
            way.into_iter().chain((0..self.asked.len()).map(QuestionTab::Question)).collect();
        // A single question is its own review.
        if tabs.len() > 1 {
            tabs.push(QuestionTab::Review);
        }
        tabs
    }

    fn tab(&self) -> QuestionTab {
        self.tabs().get(self.tab).copied().unwrap_or(QuestionTab::Review)
    }

    /// Whether the question on the screen takes the person's own words.
    pub(super) fn takes_text(&self) -> bool {
        matches!(self.tab(), QuestionTab::Question(at) if self.asked[at].1.takes_text())
    }

    /// Whether the keys go to its field for text.
    pub(super) fn writes_text(&self) -> bool {
        matches!(self.tab(), QuestionTab::Question(at) if self.asked[at].1.writes())
    }

    /// Whether `y` and `n` answer the question on the screen.
    pub(super) fn takes_yes_or_no(&self) -> bool {
        let QuestionTab::Question(at) = self.tab() else { return false };
        let (question, reply) = &self.asked[at];
        is_yes_or_no(&question.kind) && !reply.writes()
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let QuestionTab::Question(at) = self.tab() {
            self.asked[at].1.paste(text);
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> AskFormOutcome {
        let count = self.tabs().len();
        match key.code {
            KeyCode::Tab => return self.turn((self.tab + 1) % count),
            KeyCode::BackTab => return self.turn((self.tab + count - 1) % count),
            KeyCode::Char('s') if key.modifiers.contains(KeyModifiers::CONTROL) => return self.send(),
            _ => {}
        }
        match self.tab() {
            QuestionTab::Way => match self.option_list.key(key) {
                OptionKeyOutcome::Nothing => self.turn_by_arrow(key),
                OptionKeyOutcome::Moved => AskFormOutcome::Changed,
                OptionKeyOutcome::Chosen(_) => self.turn(self.tab + 1),
            },
            QuestionTab::Question(at) => {
                let (question, reply) = &mut self.asked[at];
                match reply.key(question, key) {
                    AnswerFieldOutcome::Nothing => self.turn_by_arrow(key),
                    AnswerFieldOutcome::Changed => AskFormOutcome::Changed,
                    AnswerFieldOutcome::Decline => AskFormOutcome::Decline,
                    AnswerFieldOutcome::Done => match reply.answer(question) {
                        Err(sentence) => AskFormOutcome::Say(sentence),
                        Ok(_) if self.tab + 1 < count => self.turn(self.tab + 1),
                        Ok(_) => self.send(),
                    },
                }
            }
            QuestionTab::Review if key.code == KeyCode::Enter => self.send(),
            QuestionTab::Review => self.turn_by_arrow(key),
        }
    }

    /// Arrows to the side turn where nothing is being written.
    fn turn_by_arrow(&mut self, key: KeyEvent) -> AskFormOutcome {
        let count = self.tabs().len();
        match key.code {
            KeyCode::Left if count > 1 => self.turn((self.tab + count - 1) % count),
            KeyCode::Right if count > 1 => self.turn((self.tab + 1) % count),
            _ => AskFormOutcome::Nothing,
        }
    }

    fn turn(&mut self, tab: usize) -> AskFormOutcome {
        self.tab = tab;
        AskFormOutcome::Changed
    }

    /// All answers, or a look at the question whose answer is none yet.
    fn send(&mut self) -> AskFormOutcome {
        let mut answers = Map::new();
        for (at, (question, reply)) in self.asked.iter().enumerate() {
            match reply.answer(question) {
                Ok(Some(answer)) => {
                    answers.insert(question.key.clone(), answer);
                }
                Ok(None) => {}
                Err(sentence) => {
                    self.tab = self.tabs().iter().position(|tab| *tab == QuestionTab::Question(at)).unwrap_or(0);
                    return AskFormOutcome::Say(sentence);
                }
            }
        }
        let Some(way) = self.sending_options.get(self.option_list.at()) else { return AskFormOutcome::Nothing };
        AskFormOutcome::Send { option: way.id.clone(), answers: (!answers.is_empty()).then(|| answers.into()) }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        let last = self.tab + 1 >= self.tabs().len();
        let (enter, choosing) = match last {
            true => ("Enter sends", "a digit chooses and sends, or ↑↓ Enter"),
            false => ("Enter next", "a digit chooses and goes on, or ↑↓ Enter"),
        };
        let (keys, enter) = match self.tab() {
            QuestionTab::Way => (choosing, ""),
            QuestionTab::Question(at) => {
                let (question, reply) = &self.asked[at];
                let choosing = match (is_yes_or_no(&question.kind), last) {
                    (true, true) => "y, n or a digit chooses and sends, or ↑↓ Enter",
                    (true, false) => "y, n or a digit chooses and goes on, or ↑↓ Enter",
                    (false, _) => choosing,
                };
                reply.hint().map_or((choosing, ""), |keys| (keys, enter))
            }
            QuestionTab::Review => ("", enter),
        };
        let tabs = if self.tabs().len() > 1 { "Tab another question" } else { "" };
        let words = [keys, enter, tabs];
        words.into_iter().filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// Draw the tab on the screen. Returns the cursor and the lines that hold what is chosen.
    pub(super) fn draw(&self, width: u16, line_builder: &mut LineBuilder<'_>) -> (Option<Position>, (usize, usize)) {
        let theme = line_builder.theme();
        if self.tabs().len() > 1 {
            line_builder.words_in(INDENT, INDENT, theme.dim, &self.bar());
        }
        match self.tab() {
            QuestionTab::Way => {
                line_builder.words_in(INDENT, INDENT, theme.strong, "Which one?");
                (None, self.option_list.draw(line_builder))
            }
            QuestionTab::Question(at) => {
                let (question, reply) = &self.asked[at];
                let need = if question.need == AnswerNeed::Required { "  (has to be answered)" } else { "" };
                line_builder.words_in(INDENT, INDENT, theme.strong, &format!("{}{need}", title(question)));
                if !question.text.is_empty() {
                    line_builder.words_in(GUTTER, GUTTER_ON, theme.text, &count_gaps(&question.text));
                }
                if !question.hint.is_empty() {
                    line_builder.words_in(INDENT, INDENT, theme.dim, &one_line(&question.hint, usize::MAX));
                }
                reply.draw(width, line_builder)
            }
            QuestionTab::Review => {
                self.review(line_builder);
                (None, (line_builder.len().saturating_sub(1), line_builder.len()))
            }
        }
    }

    /// `✓ Auth · [Where] · Review`: what is answered has a tick, what is on the screen has brackets.
    fn bar(&self) -> String {
        let name = |(at, tab): (usize, &QuestionTab)| {
            let name = match tab {
                QuestionTab::Way => "Choice".to_owned(),
                QuestionTab::Question(at) => {
                    let (question, reply) = &self.asked[*at];
                    let tick = if matches!(reply.answer(question), Ok(Some(_))) { "✓" } else { "□" };
                    format!("{tick} {}", title(question))
                }
                QuestionTab::Review => "Review".to_owned(),
            };
            if at == self.tab { format!("[{name}]") } else { name }
        };
        self.tabs().iter().enumerate().map(name).collect::<Vec<_>>().join(" · ")
    }

    fn review(&self, line_builder: &mut LineBuilder<'_>) {
        let theme = line_builder.theme();
        line_builder.words_in(INDENT, INDENT, theme.strong, "Your answers");
        for (question, reply) in &self.asked {
            let (style, words) = match reply.answer(question) {
                Ok(Some(answer)) => (theme.text, answer_text(&answer)),
                Ok(None) => (theme.dim, "left out".to_owned()),
                Err(sentence) => (theme.bad, sentence),
            };
            line_builder.words_in(GUTTER, GUTTER_ON, style, &format!("{}: {words}", title(question)));
        }
        let way = self.sending_options.get(self.option_list.at()).map_or("", |way| &way.name);
        line_builder.words_in("❯ ", INDENT, theme.accent.patch(theme.strong), &one_line(way, usize::MAX));
    }
}

/// What a question is called.
fn title(question: &FormQuestion) -> String {
    one_line(if question.header.is_empty() { &question.key } else { &question.header }, usize::MAX)
}

/// An answer as a person would say it.
fn answer_text(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Array(several) => several.iter().map(answer_text).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Number(_) | Value::Object(_) => answer.to_string(),
    }
}

#[cfg(test)]
mod tests;
