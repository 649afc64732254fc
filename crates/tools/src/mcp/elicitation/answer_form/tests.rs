use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn check(property: &Value, cases: &[(Value, Result<Value, &str>)]) {
    let schema = json!({ "type": "object", "properties": { "a": property } });
    for (given, expected) in cases {
        let expected = expected.clone().map(|value| Map::from_iter([("a".to_owned(), value)]));
        assert_eq!(fit(&schema, &json!({ "a": given })), expected.map_err(|why| format!("`a` {why}")), "{given}");
    }
}

#[test]
fn each_type_takes_its_own() {
    check(
        &json!({ "type": "integer", "minimum": 1, "maximum": 9 }),
        &[
            (json!(3), Ok(json!(3))),
            (json!(3.0), Ok(json!(3))),
            (json!(" 3 "), Ok(json!(3))),
            (json!(3.5), Err("must be a whole number")),
            (json!("three"), Err("must be a whole number")),
            (json!(true), Err("must be a whole number")),
            (json!(0), Err("must be at least 1")),
            (json!("10"), Err("must be at most 9")),
        ],
    );
    check(&json!({ "type": "number" }), &[(json!("2.5"), Ok(json!(2.5))), (json!([]), Err("must be a number"))]);
    check(
        &json!({ "type": "boolean" }),
        &[(json!(false), Ok(json!(false))), (json!("Yes"), Ok(json!(true))), (json!(1), Err("must be yes or no"))],
    );
    check(
        &json!({ "type": "string", "minLength": 2, "maxLength": 3 }),
        &[
            (json!("äö"), Ok(json!("äö"))),
            (json!(123), Ok(json!("123"))),
            (json!("a"), Err("must have at least 2 characters")),
            (json!("abcd"), Err("must have at most 3 characters")),
            (json!({}), Err("must be text")),
        ],
    );
}

#[test]
fn formats_are_looked_at() {
    let email = json!({ "type": "string", "format": "email" });
    check(&email, &[(json!("a@b.org"), Ok(json!("a@b.org"))), (json!("a b@c"), Err("must be an email address"))]);
    let date = json!({ "type": "string", "format": "date" });
    let bad = Err("must be a date such as 2026-01-31");
    check(
        &date,
        &[(json!("2026-01-31"), Ok(json!("2026-01-31"))), (json!("2026-13-01"), bad.clone()), (json!("soon"), bad)],
    );
    let moment = json!({ "type": "string", "format": "date-time" });
    let bad = Err("must be a date and time such as 2026-01-31T12:00:00Z");
    check(&moment, &[(json!("2026-01-31T12:00:00Z"), Ok(json!("2026-01-31T12:00:00Z"))), (json!("2026-01-31"), bad)]);
    let uri = json!({ "type": "string", "format": "uri" });
    check(
        &uri,
        &[
            (json!("https://a.b/"), Ok(json!("https://a.b/"))),
            (json!("a b"), Err("must be an address such as https://example.org/")),
        ],
    );
}

#[test]
fn a_choice_is_one_of_those_offered() {
    let plain = json!({ "type": "string", "enum": ["red", "blue"] });
    check(&plain, &[(json!("red"), Ok(json!("red"))), (json!("green"), Err(r#"must be one of "red", "blue""#))]);
    let named = json!({ "type": "string", "enum": ["r", "b"], "enumNames": ["Red", "Blue"] });
    check(&named, &[(json!("b"), Ok(json!("b"))), (json!("red"), Ok(json!("r")))]);
    let titled =
        json!({ "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "b", "title": "Blue" }] });
    check(&titled, &[(json!("BLUE"), Ok(json!("b"))), (json!("x"), Err(r#"must be one of "r", "b""#))]);
    let many = json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "enum": ["a", "b", "c"] } });
    check(
        &many,
        &[
            (json!(["a", "c"]), Ok(json!(["a", "c"]))),
            (json!("b"), Ok(json!(["b"]))),
            (json!([]), Err("must have at least 1 entries")),
            (json!(["a", "b", "c"]), Err("must have at most 2 entries")),
            (json!(["d"]), Err(r#"must be one of "a", "b", "c""#)),
        ],
    );
}

#[test]
fn what_is_missing_is_named_and_what_is_extra_stays_here() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "string" }, "b": { "type": "integer", "default": 4 }, "c": { "type": "boolean" } },
        "required": ["a", "b"],
    });
    let expected = json!({ "a": "x", "b": 4 }).as_object().unwrap().clone();
    assert_eq!(fit(&schema, &json!({ "a": "x", "c": null, "secret": 1 })), Ok(expected.clone()));
    assert_eq!(fit(&schema, &json!({ "answers": { "a": "x" } })), Ok(expected));
    assert_eq!(fit(&schema, &json!({ "a": "", "b": "x" })), Err("`a` is missing; `b` must be a whole number".into()));
    assert_eq!(fit(&schema, &Value::Null), Err("`a` is missing".into()));
}

#[test]
fn a_bare_answer_goes_to_the_only_property() {
    let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"] });
    let expected = json!({ "colour": "red" }).as_object().unwrap().clone();
    assert_eq!(fit(&schema, &json!("red")), Ok(expected));
}
