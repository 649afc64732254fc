use super::describe_answers;
use crate::AskDetails;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// The description of `answers` to the questions of `schema`.
fn answers_text(schema: Value, answers: &Value) -> String {
    let asked = AskDetails::Generic { description: "Some things first".into(), schema: Some(schema) };
    describe_answers(Some(&asked), answers)
}

#[test]
fn answers_are_said_as_a_person_would() {
    let schema = json!({ "type": "object", "properties": {
        "0": { "title": "W", "type": "array", "x-options": [{ "label": "A" }, { "label": "B" }] },
        "1": { "title": "Sure", "type": "boolean" },
        "2": { "title": "Size", "type": "string", "oneOf": [{ "const": "l", "title": "Large" }] },
        "3": { "type": "integer" },
    } });
    let answers = json!({ "0": ["A", "B", "neither"], "1": true, "2": "l", "3": 7, "4": [1, "x"] });
    assert_eq!(answers_text(schema, &answers), "W: A, B, neither\nSure: Yes\nSize: Large\n3: 7\n4: 1, x");
    assert_eq!(answers_text(json!({}), &json!(["A", "B"])), "A, B");
}

#[test]
fn what_is_thought_of_a_plan_is_a_sentence() {
    let schema = json!({ "type": "object", "properties": {
        "approved": { "type": "boolean", "title": "Approve" },
        "approvalMode": { "type": "string", "title": "Then", "enum": ["default", "autoEdit"] },
        "feedback": { "type": "string", "title": "Feedback" },
    } });
    for (answers, sentence) in [
        (json!({ "approved": true, "approvalMode": "default" }), "the plan is approved; each change of a file asks"),
        (
            json!({ "approved": true, "approvalMode": "autoEdit", "feedback": "mind the tests" }),
            "the plan is approved; files are changed without asking: mind the tests",
        ),
        (json!({ "approvalMode": "else" }), "the plan is approved (else)"),
        (json!({ "feedback": " " }), "the plan is approved"),
        (json!({ "approved": false, "feedback": "smaller steps" }), "the plan was sent back: smaller steps"),
    ] {
        assert_eq!(answers_text(schema.clone(), &answers), sentence, "{answers}");
    }
}
