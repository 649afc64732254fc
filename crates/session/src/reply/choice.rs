//! One thing that a reply may choose: an option of an ask, or what can be said to a plan.

use super::{AskAnswer, FILLERS, normalized, words_of};
use crate::ask::{AnswerEdit, Ask, AskOption};
use crate::ids::CallId;
use crate::plan_verdict::PlanVerdict;
use serde_json::Value;

pub(super) struct ReplyChoice<'a> {
    pub(super) name: String,
    pub(super) option: &'a AskOption,
    /// What goes with the option.
    answers: Option<Value>,
    /// Whether it says nothing without words of the person's own.
    pub(super) needs_feedback: bool,
}

impl<'a> ReplyChoice<'a> {
    pub(super) fn of_option(option: &'a AskOption) -> ReplyChoice<'a> {
        ReplyChoice { name: option.name.clone(), option, answers: None, needs_feedback: false }
    }

    /// What can be said to the plan of `ask`, if it is about one.
    pub(super) fn of_plan(ask: &'a Ask) -> Option<Vec<ReplyChoice<'a>>> {
        let choice = |verdict: &PlanVerdict| {
            Some(ReplyChoice {
                name: verdict.label(ask),
                option: verdict.option(ask)?,
                answers: verdict.answers(None),
                needs_feedback: *verdict == PlanVerdict::SendBack,
            })
        };
        PlanVerdict::all_for(ask)?.iter().map(choice).collect()
    }

    /// The answer of `call` that it is, if it needs no more words.
    pub(super) fn answer(self, call: CallId) -> Option<AskAnswer> {
        let edit = self.answers.map(|answers| AnswerEdit::Answers { answers });
        (!self.needs_feedback).then(|| AskAnswer { call, option: self.option.id.clone(), edit })
    }

    /// The same with the person's own words, if there are any.
    pub(super) fn with_feedback(self, call: CallId, text: &str) -> Option<AskAnswer> {
        let feedback = Some(text.trim()).filter(|text| !text.is_empty());
        let answers = PlanVerdict::SendBack.answers(Some(feedback?))?;
        Some(AskAnswer { call, option: self.option.id.clone(), edit: Some(AnswerEdit::Answers { answers }) })
    }

    /// Whether its name begins with normalized `words`, those aside that mean nothing.
    pub(super) fn begins_with(&self, words: &str) -> bool {
        let name = normalized(&self.name);
        let means_something = |word: &&str| !FILLERS.contains(word);
        let mut own = words_of(&name).filter(means_something);
        let mut said = words_of(words).filter(means_something).peekable();
        said.peek().is_some() && said.all(|word| own.next() == Some(word))
    }

    /// Whether normalized `words` are all in its name, or mean nothing.
    pub(super) fn says_nothing_but(&self, words: &str) -> bool {
        let name = normalized(&self.name);
        let own: Vec<&str> = words_of(&name).collect();
        words_of(words).all(|word| own.contains(&word) || FILLERS.contains(&word))
    }
}
