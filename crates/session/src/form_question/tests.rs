use super::{AnswerKind, AnswerNeed, AnswerOption, CustomAnswers, FormQuestion, questions_from_schema};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn takes(property: &Value) -> AnswerKind {
    questions_from_schema(&json!({ "properties": { "q": property } })).remove(0).kind
}

fn offer(label: &str, about: &str) -> AnswerOption {
    AnswerOption { value: label.into(), label: label.into(), about: about.into() }
}

#[test]
fn a_schema_is_read_in_its_order() {
    let schema = json!({
        "type": "object",
        "properties": {
            "1": { "title": "Name", "description": "What is it called?", "type": "string", "examples": ["castor"] },
            "0": { "type": "integer", "default": 3 },
        },
        "required": ["0"],
    });
    let named = FormQuestion {
        key: "1".into(),
        header: "Name".into(),
        text: "What is it called?".into(),
        kind: AnswerKind::Text,
        hint: "for example castor".into(),
        need: AnswerNeed::Optional,
    };
    let counted = FormQuestion {
        key: "0".into(),
        header: String::new(),
        text: String::new(),
        kind: AnswerKind::Integer,
        hint: "left out, it is 3".into(),
        need: AnswerNeed::Required,
    };
    assert_eq!(questions_from_schema(&schema), [named, counted]);
}

#[test]
fn choices_are_found_however_they_are_written() {
    let offers = vec![offer("OAuth", "in the browser"), offer("Key", "")];
    let strict = || AnswerKind::One { options: offers.clone(), custom: CustomAnswers::Refused };
    let free = || AnswerKind::One { options: offers.clone(), custom: CustomAnswers::Allowed };
    let options = json!([{ "label": "OAuth", "description": "in the browser" }, { "label": "Key" }]);
    let constants = json!([{ "const": "OAuth", "description": "in the browser" }, { "const": "Key" }]);
    let or_other =
        json!([{ "const": "OAuth", "description": "in the browser" }, { "const": "Key" }, { "type": "string" }]);
    assert_eq!(takes(&json!({ "type": "string", "enum": ["OAuth", "Key"], "x-options": options })), strict());
    assert_eq!(takes(&json!({ "type": "string", "oneOf": constants })), strict());
    assert_eq!(takes(&json!({ "type": "string", "anyOf": or_other })), free());
    assert_eq!(takes(&json!({ "type": "string", "x-options": options })), free());
    let many = |others| AnswerKind::Many { options: offers.clone(), custom: others };
    assert_eq!(takes(&json!({ "type": "array", "items": { "anyOf": or_other } })), many(CustomAnswers::Allowed));
    let listed = json!({ "type": "array", "items": { "enum": ["OAuth", "Key"] }, "x-options": options });
    assert_eq!(takes(&listed), many(CustomAnswers::Refused));
}

#[test]
fn a_value_keeps_its_type_and_may_have_a_name() {
    let takes = takes(&json!({ "enum": [1, "two"], "enumNames": ["One"] }));
    let one = AnswerOption { value: json!(1), label: "One".into(), about: String::new() };
    assert_eq!(takes, AnswerKind::One { options: vec![one, offer("two", "")], custom: CustomAnswers::Refused });
}

#[test]
fn odd_schemas_ask_for_text_or_for_nothing() {
    for odd in [json!({ "type": "object" }), json!({ "type": ["string", "null"] }), json!(true), json!({ "enum": [] })]
    {
        assert_eq!(takes(&odd), AnswerKind::Text);
    }
    for odd in [json!(null), json!({}), json!({ "properties": [] }), json!("x")] {
        assert_eq!(questions_from_schema(&odd), []);
    }
}

#[test]
fn answers_are_read_by_what_the_question_takes() {
    let read = |property: &Value, line: &str| {
        questions_from_schema(&json!({ "properties": { "q": property } }))[0].read(line).map_err(|_| ())
    };
    let check = |property: Value, cases: &[(&str, Result<Value, ()>)]| {
        for (line, wanted) in cases {
            assert_eq!(read(&property, line), *wanted, "{line} for {property}");
        }
    };
    check(json!({ "type": "string" }), &[(" two words ", Ok(json!("two words"))), ("1", Ok(json!("1")))]);
    check(json!({ "type": "integer" }), &[("-7", Ok(json!(-7))), ("7.5", Err(())), ("x", Err(()))]);
    check(json!({ "type": "number" }), &[("7.5", Ok(json!(7.5))), ("inf", Err(())), ("x", Err(()))]);
    check(json!({ "type": "boolean" }), &[("y", Ok(json!(true))), ("No", Ok(json!(false))), ("1", Err(()))]);
    check(
        json!({ "enum": ["a", "b"] }),
        &[("2", Ok(json!("b"))), ("A", Ok(json!("a"))), ("0", Err(())), ("3", Err(())), ("c", Err(()))],
    );
    check(
        json!({ "anyOf": [{ "const": "a" }, {}] }),
        &[("1", Ok(json!("a"))), ("c d", Ok(json!("c d"))), ("2", Err(()))],
    );
    check(
        json!({ "type": "array", "items": { "enum": ["a", "b c"] } }),
        &[
            ("1, 2,1", Ok(json!(["a", "b c"]))),
            ("2", Ok(json!(["b c"]))),
            ("B C", Ok(json!(["b c"]))),
            ("1 3", Err(())),
            ("d", Err(())),
        ],
    );
    check(
        json!({ "type": "array", "items": { "anyOf": [{ "const": "a" }, {}] } }),
        &[("1", Ok(json!(["a"]))), ("neither, really", Ok(json!(["neither, really"]))), ("1, x", Err(()))],
    );
}
