//! The questions of an ask, answered one after the other. Nothing is sent before the last one.

use crate::current_ask::{TypedReply, choose};
use pollux_session::{AnswerKind, AnswerNeed, Ask, AskDetails, CustomAnswers, FormQuestion, questions_from_schema};
use serde_json::{Map, Value};

/// A line that leaves the question on the screen out.
pub(crate) const SKIP: &str = "/skip";
/// A line that chooses the option that does not run the call.
pub(crate) const DECLINE: &str = "/decline";

/// The questions of one ask and the answers so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuestionForm {
    questions: Vec<FormQuestion>,
    /// The option the answers go with, once it is clear which.
    option: Option<String>,
    position: usize,
    answers: Map<String, Value>,
}

impl QuestionForm {
    /// The form of an ask; `None` when the ask has no questions, or no option that could carry the answers.
    pub(crate) fn from_ask(ask: &Ask) -> Option<QuestionForm> {
        let AskDetails::Generic { schema: Some(schema), .. } = &ask.details else { return None };
        let questions = questions_from_schema(schema);
        let mut allowing = ask.options.iter().filter(|option| option.allows);
        let first = allowing.next()?;
        // Several ways to say yes (a plan): the person chooses first and may then add to it.
        let option = allowing.next().is_none().then(|| first.id.clone());
        (!questions.is_empty()).then(|| QuestionForm { questions, option, position: 0, answers: Map::new() })
    }

    /// The question to answer now and its number, from 1; `None` while an option has to be chosen first.
    pub(crate) fn question(&self) -> Option<(usize, &FormQuestion)> {
        self.option.as_ref()?;
        self.questions.get(self.position).map(|question| (self.position + 1, question))
    }

    /// The number of questions.
    pub(crate) fn len(&self) -> usize {
        self.questions.len()
    }

    /// True if `description` says nothing but what the questions say themselves: without their words no letter is left.
    pub(crate) fn restates(&self, description: &str) -> bool {
        let mut words: Vec<&str> = self.questions.iter().flat_map(FormQuestion::words).collect();
        words.sort_by_key(|words| std::cmp::Reverse(words.len()));
        let words = words.into_iter().filter(|words| !words.is_empty());
        let rest = words.fold(description.to_owned(), |rest, words| rest.replace(words, ""));
        !rest.chars().any(char::is_alphabetic)
    }

    /// True if anything that is typed may be meant as an answer now.
    pub(crate) fn takes_text(&self) -> bool {
        self.question().is_some_and(|(_, question)| match question.kind {
            AnswerKind::Text
            | AnswerKind::One { custom: CustomAnswers::Allowed, .. }
            | AnswerKind::Many { custom: CustomAnswers::Allowed, .. } => true,
            AnswerKind::One { custom: CustomAnswers::Refused, .. }
            | AnswerKind::Many { custom: CustomAnswers::Refused, .. } => false,
            AnswerKind::Number | AnswerKind::Integer | AnswerKind::YesNo => false,
        })
    }

    /// Read a line as an answer, or as the choice of an option.
    pub(crate) fn read(&mut self, ask: &Ask, line: &str) -> TypedReply {
        let Some((_, question)) = self.question() else { return self.choose(ask, line) };
        match line.trim() {
            DECLINE => decline(ask),
            SKIP if question.need == AnswerNeed::Required => {
                TypedReply::Invalid(format!("this one has to be answered; {DECLINE} answers nothing at all"))
            }
            SKIP => self.next_question(ask),
            line => match question.read(line) {
                Ok(answer) => {
                    self.answers.insert(question.key.clone(), answer);
                    self.next_question(ask)
                }
                Err(sentence) => TypedReply::Invalid(sentence),
            },
        }
    }

    fn choose(&mut self, ask: &Ask, line: &str) -> TypedReply {
        match choose(&ask.options, line) {
            Some(choice) if choice.allows => {
                self.option = Some(choice.id.clone());
                TypedReply::Next
            }
            Some(choice) => TypedReply::Choose(choice.id.clone()),
            None => TypedReply::Unclear,
        }
    }

    /// After the last question the form is as it was: if the answers are refused, it is filled in again.
    fn next_question(&mut self, ask: &Ask) -> TypedReply {
        self.position += 1;
        if self.position < self.questions.len() {
            return TypedReply::Next;
        }
        let (option, answers) = (self.option.take().unwrap_or_default(), std::mem::take(&mut self.answers));
        if let Some(fresh) = QuestionForm::from_ask(ask) {
            *self = fresh;
        }
        match answers.is_empty() {
            true => TypedReply::Choose(option),
            false => TypedReply::Answers { option, answers: answers.into() },
        }
    }
}

fn decline(ask: &Ask) -> TypedReply {
    match ask.options.iter().find(|option| !option.allows) {
        Some(option) => TypedReply::Choose(option.id.clone()),
        None => TypedReply::Invalid("this cannot be declined; /cancel stops the turn".into()),
    }
}

#[cfg(test)]
mod tests;
