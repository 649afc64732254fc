//! Why a reply decides nothing: a sentence about it, which stands before the question.

use super::{NumberedAsk, QUESTION_TOOL, is_nearly_yes, leading_number, misfit, normalized, open_asks, place_in_list};
use crate::sanitize::one_line;
use crate::state::{AskDecision, TurnState};
use std::collections::VecDeque;

/// How many characters of a number are repeated.
const NUMBER_CHARS: usize = 20;

/// Why `text` is no answer to the open asks of `turn`.
pub(crate) fn explain_unclear(turn: &TurnState, decisions: &VecDeque<AskDecision>, text: &str) -> String {
    let asks = open_asks(turn);
    if let Some(AskDecision { call, closing, .. }) = closed_ask(turn, decisions, text) {
        return format!("Ask {} is closed: {}; {}.", call.0, closing.describe(), list_open(&asks));
    }
    if let Some(misfit) = misfit(turn, text) {
        return format!("In it {misfit}.");
    }
    let named = leading_number(text)
        .and_then(|(number, rest)| asks.iter().find(|ask| ask.number == number).map(|ask| (ask, rest)));
    match (named, asks.as_slice()) {
        (Some((ask, rest)), _) => ask.explain(&normalized(rest)),
        (None, [only]) if only.is_question() && only.tool != QUESTION_TOOL => {
            format!("It does not begin with {}, the number of the question.", only.number)
        }
        (None, [only]) if only.read(text).is_some_and(|answer| only.is_allowed_unseen_by(&answer)) => {
            format!("The question does not show all of it, so a reply that allows it begins with {}.", only.number)
        }
        (None, [only]) => only.explain(&normalized(text)),
        (None, several) => format!("It does not begin with the number of an open ask: {}.", list_open(several)),
    }
}

/// The ask that is no longer open and whose number `text` begins with, if it does: it was meant for that ask and for no other.
pub(crate) fn closed_ask<'a>(
    turn: &TurnState,
    decisions: &'a VecDeque<AskDecision>,
    text: &str,
) -> Option<&'a AskDecision> {
    let (number, _) = leading_number(text).filter(|_| !names_open_ask(turn, text))?;
    decisions.iter().rev().find(|decision| decision.call.0.0 == number)
}

/// Whether `text` begins with the number of an open ask, and goes on.
pub(crate) fn names_open_ask(turn: &TurnState, text: &str) -> bool {
    leading_number(text).is_some_and(|(number, _)| open_asks(turn).iter().any(|ask| ask.number == number))
}

fn list_open(asks: &[NumberedAsk<'_>]) -> String {
    let numbers: Vec<String> = asks.iter().map(|ask| ask.number.to_string()).collect();
    match numbers.as_slice() {
        [only] => format!("ask {only} is open"),
        [others @ .., last] => format!("asks {} and {last} are open", others.join(", ")),
        [] => "no ask is open".into(),
    }
}

impl NumberedAsk<'_> {
    /// Why normalized `words` do not answer it.
    fn explain(&self, words: &str) -> String {
        if self.chosen(words).is_some_and(|choice| choice.needs_feedback) {
            return "Say what should be different, in your own words.".into();
        }
        if place_in_list(words).is_some() {
            return format!("There is no option {}.", one_line(words, NUMBER_CHARS));
        }
        if words.starts_with("always") && self.always().is_none() {
            return "There is no \"always\" here.".into();
        }
        if is_nearly_yes(words) {
            return "It agrees and does not say to what: reply \"yes\" to allow this once.".into();
        }
        "It begins like an answer and says something else.".into()
    }
}
