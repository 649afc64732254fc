//! One question of an ask, and the sign that waits for its answer.

use crate::dialog::choose;
use crate::form::{DECLINE, Form, SKIP};
use crate::page::{GUTTER, Page, Style};
use crate::question::{Need, Offer, Others, Question, Takes};
use crate::sanitize::{count_gaps, one_line};
use pollux_session::Ask;

/// One question: what is asked and what may be answered. Nothing in it is ever cut.
pub(super) fn question(page: &mut Page, number: usize, count: usize, asked: &Question) {
    let header = one_line(if asked.header.is_empty() { &asked.key } else { &asked.header }, usize::MAX);
    let place = if count > 1 { format!("  ({number} of {count} questions)") } else { String::new() };
    page.fresh().put(Style::Bold, format!("  {header}")).put(Style::Dim, place).fresh();
    if !asked.text.is_empty() {
        page.line_in(GUTTER, Style::Plain, count_gaps(&asked.text));
    }
    match &asked.takes {
        Takes::One { offers, .. } | Takes::Many { offers, .. } => list(page, offers),
        Takes::Text | Takes::Number | Takes::Whole | Takes::YesNo => {}
    }
    let own = match &asked.takes {
        Takes::One { others: Others::Welcome, .. } | Takes::Many { others: Others::Welcome, .. } => {
            "or type an answer of your own; "
        }
        Takes::One { .. } | Takes::Many { .. } | Takes::Text | Takes::Number | Takes::Whole | Takes::YesNo => "",
    };
    if !asked.hint.is_empty() {
        page.line(Style::Dim, format!("  {}", one_line(&asked.hint, usize::MAX)));
    }
    let skip = match asked.need {
        Need::Optional => format!("{SKIP} leaves it out, "),
        Need::Required => String::new(),
    };
    page.line(Style::Dim, format!("  {own}{skip}{DECLINE} answers nothing"));
}

fn list(page: &mut Page, offers: &[Offer]) {
    for (at, offer) in offers.iter().enumerate() {
        let about = if offer.about.is_empty() { String::new() } else { format!(": {}", offer.about) };
        page.line(Style::Plain, format!("  {}. {}", at + 1, one_line(&format!("{}{about}", offer.label), usize::MAX)));
    }
}

/// The sign that waits for an answer: `answer 1-3: `.
pub(crate) fn answer_sign(ask: &Ask, form: Option<&Form>) -> String {
    match form.and_then(Form::question).map(|(_, question)| &question.takes) {
        None => format!("answer {}: ", numbers(ask.options.len())),
        Some(Takes::One { offers, .. }) => format!("answer {}: ", numbers(offers.len())),
        Some(Takes::Many { offers, .. }) => format!("answer {}, several with commas: ", numbers(offers.len())),
        Some(Takes::YesNo) => "answer yes or no: ".into(),
        Some(Takes::Number) => "answer with a number: ".into(),
        Some(Takes::Whole) => "answer with a whole number: ".into(),
        Some(Takes::Text) => "answer: ".into(),
    }
}

/// What counts as the choice of an option, in words: `1-3, y or n`.
pub(crate) fn accepted_answers(ask: &Ask) -> String {
    let words = ["y", "n"].into_iter().filter(|word| choose(&ask.options, word).is_some());
    let mut accepted: Vec<String> =
        std::iter::once(numbers(ask.options.len())).chain(words.map(str::to_owned)).collect();
    match accepted.pop() {
        Some(last) if !accepted.is_empty() => format!("{} or {last}", accepted.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn numbers(count: usize) -> String {
    if count < 2 { "1".into() } else { format!("1-{count}") }
}
