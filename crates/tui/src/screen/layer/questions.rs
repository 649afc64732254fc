//! The questions of an ask: one tab each, and a look at all the answers before they are sent.

mod reply;

use super::inquiry::Given;
use super::options::{Options, Picked};
use super::sheet::{GUTTER, GUTTER_ON, INDENT, Sheet};
use crate::form::Form;
use crate::question::{Need, Question, questions};
use crate::sanitize::{count_gaps, one_line};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{Ask, Choice, Details};
use ratatui::layout::Position;
use reply::{Pressed, Reply};
use serde_json::{Map, Value};

/// The questions of one ask and the answers so far.
#[derive(Debug)]
pub(super) struct Questions {
    /// What is said before them, unless they say it themselves.
    preface: Option<String>,
    /// The options that send the answers. Where there are several (a plan), one is chosen first.
    ways: Vec<Choice>,
    way: Options,
    asked: Vec<(Question, Reply)>,
    tab: usize,
}

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Way,
    Question(usize),
    Review,
}

impl Questions {
    /// The questions of an ask, if it has any.
    pub(super) fn of(ask: &Ask) -> Option<Questions> {
        let form = Form::of(ask)?;
        let Details::Generic { description, schema: Some(schema) } = &ask.details else { return None };
        let ways: Vec<Choice> = ask.options.iter().filter(|option| option.allows).cloned().collect();
        let way = Options::new(ways.iter().map(|way| way.name.clone()));
        let asked = questions(schema).into_iter().map(|question| {
            let reply = Reply::to(&question);
            (question, reply)
        });
        let preface = (!form.restates(description)).then(|| description.clone());
        Some(Questions { preface, ways, way, asked: asked.collect(), tab: 0 })
    }

    pub(super) fn preface(&self) -> Option<&str> {
        self.preface.as_deref()
    }

    pub(super) fn written(&self) -> String {
        let texts = self.asked.iter().map(|(_, reply)| reply.written()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }

    fn tabs(&self) -> Vec<Tab> {
        let way = (self.ways.len() > 1).then_some(Tab::Way);
        let mut tabs: Vec<Tab> = way.into_iter().chain((0..self.asked.len()).map(Tab::Question)).collect();
        // A single question is its own review.
        if tabs.len() > 1 {
            tabs.push(Tab::Review);
        }
        tabs
    }

    fn tab(&self) -> Tab {
        self.tabs().get(self.tab).copied().unwrap_or(Tab::Review)
    }

    /// Whether the question on the screen takes the person's own words.
    pub(super) fn takes_text(&self) -> bool {
        matches!(self.tab(), Tab::Question(at) if self.asked[at].1.takes_text())
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Tab::Question(at) = self.tab() {
            self.asked[at].1.paste(text);
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Given {
        let count = self.tabs().len();
        match key.code {
            KeyCode::Tab => return self.turn((self.tab + 1) % count),
            KeyCode::BackTab => return self.turn((self.tab + count - 1) % count),
            KeyCode::Char('s') if key.modifiers.contains(KeyModifiers::CONTROL) => return self.send(),
            _ => {}
        }
        match self.tab() {
            Tab::Way => match self.way.key(key) {
                Picked::Nothing => self.aside(key),
                Picked::Moved => Given::Changed,
                Picked::Chosen(_) => self.turn(self.tab + 1),
            },
            Tab::Question(at) => {
                let (question, reply) = &mut self.asked[at];
                match reply.key(question, key) {
                    Pressed::Nothing => self.aside(key),
                    Pressed::Changed => Given::Changed,
                    Pressed::Decline => Given::Decline,
                    Pressed::Done => match reply.answer(question) {
                        Err(sentence) => Given::Say(sentence),
                        Ok(_) if self.tab + 1 < count => self.turn(self.tab + 1),
                        Ok(_) => self.send(),
                    },
                }
            }
            Tab::Review if key.code == KeyCode::Enter => self.send(),
            Tab::Review => self.aside(key),
        }
    }

    /// Arrows to the side turn where nothing is being written.
    fn aside(&mut self, key: KeyEvent) -> Given {
        let count = self.tabs().len();
        match key.code {
            KeyCode::Left if count > 1 => self.turn((self.tab + count - 1) % count),
            KeyCode::Right if count > 1 => self.turn((self.tab + 1) % count),
            _ => Given::Nothing,
        }
    }

    fn turn(&mut self, tab: usize) -> Given {
        self.tab = tab;
        Given::Changed
    }

    /// All answers, or a look at the question whose answer is none yet.
    fn send(&mut self) -> Given {
        let mut answers = Map::new();
        for (at, (question, reply)) in self.asked.iter().enumerate() {
            match reply.answer(question) {
                Ok(Some(answer)) => {
                    answers.insert(question.key.clone(), answer);
                }
                Ok(None) => {}
                Err(sentence) => {
                    self.tab = self.tabs().iter().position(|tab| *tab == Tab::Question(at)).unwrap_or(0);
                    return Given::Say(sentence);
                }
            }
        }
        let Some(way) = self.ways.get(self.way.at()) else { return Given::Nothing };
        Given::Send { option: way.id.clone(), answers: (!answers.is_empty()).then(|| answers.into()) }
    }

    pub(super) fn hint(&self) -> String {
        let last = self.tab + 1 >= self.tabs().len();
        let enter = if last { "Enter sends" } else { "Enter next" };
        let keys = match self.tab() {
            Tab::Way => "1-9 or ↑↓".to_owned(),
            Tab::Question(at) => self.asked[at].1.hint().to_owned(),
            Tab::Review => String::new(),
        };
        let tabs = if self.tabs().len() > 1 { "Tab another question" } else { "" };
        let words = [keys.as_str(), enter, tabs];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// Draw the tab on the screen. Returns the cursor and the lines that hold what is chosen.
    pub(super) fn draw(&self, width: u16, sheet: &mut Sheet<'_>) -> (Option<Position>, (usize, usize)) {
        let theme = sheet.theme();
        if self.tabs().len() > 1 {
            sheet.words_in(INDENT, INDENT, theme.dim, &self.bar());
        }
        match self.tab() {
            Tab::Way => {
                sheet.words_in(INDENT, INDENT, theme.strong, "Which one?");
                (None, self.way.draw(sheet))
            }
            Tab::Question(at) => {
                let (question, reply) = &self.asked[at];
                let need = if question.need == Need::Required { "  (has to be answered)" } else { "" };
                sheet.words_in(INDENT, INDENT, theme.strong, &format!("{}{need}", title(question)));
                if !question.text.is_empty() {
                    sheet.words_in(GUTTER, GUTTER_ON, theme.text, &count_gaps(&question.text));
                }
                if !question.hint.is_empty() {
                    sheet.words_in(INDENT, INDENT, theme.dim, &one_line(&question.hint, usize::MAX));
                }
                reply.draw(width, sheet)
            }
            Tab::Review => {
                self.review(sheet);
                (None, (sheet.len().saturating_sub(1), sheet.len()))
            }
        }
    }

    /// `✓ Auth · [Where] · Review`: what is answered has a tick, what is on the screen has brackets.
    fn bar(&self) -> String {
        let name = |(at, tab): (usize, &Tab)| {
            let name = match tab {
                Tab::Way => "Choice".to_owned(),
                Tab::Question(at) => {
                    let (question, reply) = &self.asked[*at];
                    let tick = if matches!(reply.answer(question), Ok(Some(_))) { "✓" } else { "□" };
                    format!("{tick} {}", title(question))
                }
                Tab::Review => "Review".to_owned(),
            };
            if at == self.tab { format!("[{name}]") } else { name }
        };
        self.tabs().iter().enumerate().map(name).collect::<Vec<_>>().join(" · ")
    }

    fn review(&self, sheet: &mut Sheet<'_>) {
        let theme = sheet.theme();
        sheet.words_in(INDENT, INDENT, theme.strong, "Your answers");
        for (question, reply) in &self.asked {
            let (style, words) = match reply.answer(question) {
                Ok(Some(answer)) => (theme.text, in_words(&answer)),
                Ok(None) => (theme.dim, "left out".to_owned()),
                Err(sentence) => (theme.bad, sentence),
            };
            sheet.words_in(GUTTER, GUTTER_ON, style, &format!("{}: {words}", title(question)));
        }
        let way = self.ways.get(self.way.at()).map_or("", |way| &way.name);
        sheet.words_in("❯ ", INDENT, theme.accent.patch(theme.strong), &one_line(way, usize::MAX));
    }
}

/// What a question is called.
fn title(question: &Question) -> String {
    one_line(if question.header.is_empty() { &question.key } else { &question.header }, usize::MAX)
}

/// An answer as a person would say it.
fn in_words(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Array(several) => several.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Number(_) | Value::Object(_) => answer.to_string(),
    }
}

#[cfg(test)]
mod tests;
