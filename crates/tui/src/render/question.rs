//! One question of an ask, and the sign that waits for its answer.

use crate::current_ask::choose;
use crate::draw_list::{DrawList, GUTTER, TextStyle};
use crate::question_form::{DECLINE, QuestionForm, SKIP};
use crate::sanitize::{count_gaps, one_line};
use pollux_session::{AnswerKind, AnswerNeed, AnswerOption, Ask, CustomAnswers, FormQuestion};

/// One question: what is asked and what may be answered. Nothing in it is ever cut.
pub(super) fn draw_question(page: &mut DrawList, number: usize, count: usize, asked: &FormQuestion) {
    let header = one_line(if asked.header.is_empty() { &asked.key } else { &asked.header }, usize::MAX);
    let place = if count > 1 { format!("  ({number} of {count} questions)") } else { String::new() };
    page.fresh().put(TextStyle::Bold, format!("  {header}")).put(TextStyle::Dim, place).fresh();
    if !asked.text.is_empty() {
        page.line_in(GUTTER, TextStyle::Plain, count_gaps(&asked.text));
    }
    match &asked.kind {
        AnswerKind::One { options: offers, .. } | AnswerKind::Many { options: offers, .. } => {
            draw_options(page, offers);
        }
        AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer | AnswerKind::YesNo => {}
    }
    let own = match &asked.kind {
        AnswerKind::One { custom: CustomAnswers::Allowed, .. }
        | AnswerKind::Many { custom: CustomAnswers::Allowed, .. } => "or type an answer of your own; ",
        AnswerKind::One { .. }
        | AnswerKind::Many { .. }
        | AnswerKind::Text
        | AnswerKind::Number
        | AnswerKind::Integer
        | AnswerKind::YesNo => "",
    };
    if !asked.hint.is_empty() {
        page.line(TextStyle::Dim, format!("  {}", one_line(&asked.hint, usize::MAX)));
    }
    let skip = match asked.need {
        AnswerNeed::Optional => format!("{SKIP} leaves it out, "),
        AnswerNeed::Required => String::new(),
    };
    page.line(TextStyle::Dim, format!("  {own}{skip}{DECLINE} answers nothing"));
}

fn draw_options(page: &mut DrawList, offers: &[AnswerOption]) {
    for (at, offer) in offers.iter().enumerate() {
        let about = if offer.about.is_empty() { String::new() } else { format!(": {}", offer.about) };
        page.line(
            TextStyle::Plain,
            format!("  {}. {}", at + 1, one_line(&format!("{}{about}", offer.label), usize::MAX)),
        );
    }
}

/// The sign that waits for an answer: `answer 1-3: `.
pub(crate) fn answer_sign(ask: &Ask, form: Option<&QuestionForm>) -> String {
    match form.and_then(QuestionForm::question).map(|(_, question)| &question.kind) {
        None => format!("answer {}: ", numbers(ask.options.len())),
        Some(AnswerKind::One { options: offers, .. }) => format!("answer {}: ", numbers(offers.len())),
        Some(AnswerKind::Many { options: offers, .. }) => {
            format!("answer {}, several with commas: ", numbers(offers.len()))
        }
        Some(AnswerKind::YesNo) => "answer yes or no: ".into(),
        Some(AnswerKind::Number) => "answer with a number: ".into(),
        Some(AnswerKind::Integer) => "answer with a whole number: ".into(),
        Some(AnswerKind::Text) => "answer: ".into(),
    }
}

/// The input that chooses an option, in words: `1-3, y or n`.
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
