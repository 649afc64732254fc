use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

#[test]
fn a_schema_is_made_fit_to_be_declared() {
    assert_eq!(checked(json!({})), Ok(json!({ "type": "object", "properties": {} })));
    let schema = json!({ "type": "object", "properties": { "a": { "description": "x\u{1b}y" }, "b": true } });
    let fit = json!({ "type": "object", "properties": { "a": { "description": "xy" }, "b": true } });
    assert_eq!(checked(schema), Ok(fit));
}

#[test]
fn a_bad_schema_is_refused_with_the_reason() {
    let deep = (0..40).fold(json!({}), |inner, _| json!({ "type": "object", "properties": { "a": inner } }));
    let cases = [
        (json!("object"), "its schema is not a JSON object"),
        (json!({ "type": "string" }), "its schema is not for a JSON object"),
        (json!({ "type": ["object", "null"] }), "its schema is not for a JSON object"),
        (json!({ "properties": [] }), "its schema has `properties` that are not schemas"),
        (json!({ "properties": { "a": 1 } }), "its schema has `properties` that are not schemas"),
        (json!({ "required": "a" }), "its schema has a `required` that is not a list of names"),
        (json!({ "required": [1] }), "its schema has a `required` that is not a list of names"),
        (json!({ "properties": { "a\u{202e}b": {} } }), "its schema has a name that cannot be seen"),
        (deep, "its schema is nested more than 32 deep"),
        (json!({ "x": "y".repeat(70_000) }), "its schema has 70008 bytes, more than 65536"),
    ];
    for (schema, problem) in cases {
        assert_eq!(checked(schema), Err(problem.to_owned()));
    }
}
