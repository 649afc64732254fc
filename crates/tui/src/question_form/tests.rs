use super::QuestionForm;
use crate::current_ask::TypedReply;
use pollux_session::{Ask, AskDetails, AskOption, cancel_choice, once_choice};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn ask(schema: Value, options: Vec<AskOption>) -> Ask {
    Ask::new(AskDetails::Generic { description: "Some questions".into(), schema: Some(schema) }, options)
}

fn two_questions() -> Value {
    json!({ "properties": { "0": { "type": "string" }, "1": { "type": "boolean" } } })
}

fn answers(option: &str, answers: Value) -> TypedReply {
    TypedReply::Answers { option: option.into(), answers }
}

/// The reply of each line.
fn replies(ask: &Ask, lines: &[&str]) -> Vec<TypedReply> {
    let mut form = QuestionForm::from_ask(ask).unwrap();
    lines.iter().map(|line| form.read(ask, line)).collect()
}

#[test]
fn one_question_comes_after_the_other() {
    let ask = ask(two_questions(), vec![once_choice(), cancel_choice()]);
    assert_eq!(
        replies(&ask, &["blue", "maybe", "yes"]),
        [
            TypedReply::Next,
            TypedReply::Invalid("say yes or no".into()),
            answers("proceed_once", json!({ "0": "blue", "1": true })),
        ]
    );
}

#[test]
fn what_is_skipped_is_left_out() {
    let ask = ask(two_questions(), vec![once_choice(), cancel_choice()]);
    assert_eq!(replies(&ask, &["/skip", "no"]), [TypedReply::Next, answers("proceed_once", json!({ "1": false }))]);
    assert_eq!(replies(&ask, &["/skip", "/skip"]), [TypedReply::Next, TypedReply::Choose("proceed_once".into())]);
}

#[test]
fn what_is_required_is_not_skipped() {
    let schema = json!({ "properties": { "0": {} }, "required": ["0"] });
    let ask = ask(schema, vec![once_choice(), cancel_choice()]);
    let sentence = "this one has to be answered; /decline answers nothing at all";
    assert_eq!(
        replies(&ask, &["/skip", "/decline"]),
        [TypedReply::Invalid(sentence.into()), TypedReply::Choose("cancel".into())]
    );
}

#[test]
fn an_ask_that_offers_no_way_out_cannot_be_declined() {
    let ask = ask(two_questions(), vec![once_choice()]);
    let sentence = "this cannot be declined; /cancel stops the turn";
    assert_eq!(replies(&ask, &["/decline"]), [TypedReply::Invalid(sentence.into())]);
}

#[test]
fn where_several_options_allow_it_one_is_chosen_first() {
    let freely = AskOption { id: "freely".into(), ..once_choice() };
    let plan = ask(json!({ "properties": { "feedback": {} } }), vec![freely, once_choice(), cancel_choice()]);
    assert_eq!(
        replies(&plan, &["what?", "1", "mind the tests"]),
        [TypedReply::Unclear, TypedReply::Next, answers("freely", json!({ "feedback": "mind the tests" }))]
    );
    assert_eq!(replies(&plan, &["2", "/skip"]), [TypedReply::Next, TypedReply::Choose("proceed_once".into())]);
    assert_eq!(replies(&plan, &["3"]), [TypedReply::Choose("cancel".into())]);
}

#[test]
fn a_form_that_was_filled_in_can_be_filled_in_again() {
    let ask = ask(json!({ "properties": { "0": {} } }), vec![once_choice(), cancel_choice()]);
    assert_eq!(
        replies(&ask, &["a", "b"]),
        [answers("proceed_once", json!({ "0": "a" })), answers("proceed_once", json!({ "0": "b" }))]
    );
}

#[test]
fn only_an_ask_with_questions_and_a_yes_is_a_form() {
    assert_eq!(QuestionForm::from_ask(&ask(json!({}), vec![once_choice()])), None);
    assert_eq!(QuestionForm::from_ask(&ask(two_questions(), vec![cancel_choice()])), None);
    assert_eq!(QuestionForm::from_ask(&Ask::new(AskDetails::generic("x"), vec![once_choice()])), None);
}

#[test]
fn a_description_restates_the_questions_or_says_more() {
    let schema = json!({ "properties": { "0": {
        "title": "Auth",
        "description": "Which one?",
        "anyOf": [{ "const": "OAuth", "description": "OAuth in the browser" }, {}],
    } } });
    let form = QuestionForm::from_ask(&ask(schema, vec![once_choice()])).unwrap();
    assert!(form.restates("1. Which one?\n   - OAuth: OAuth in the browser"));
    assert!(!form.restates("1. Which one?\n   - OAuth: OAuth in the browser\nI will also delete everything."));
}
