#![allow(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn contents(json: Value) -> Vec<ModelMessage> {
    serde_json::from_value(json).unwrap()
}

#[track_caller]
fn check_tidy(before: Value, after: Value) {
    assert_eq!(serde_json::to_value(tidy(contents(before))).unwrap(), after);
}

#[track_caller]
fn check_sign(before: Value, after: Value) {
    let mut signed = contents(before);
    sign(&mut signed);
    assert_eq!(serde_json::to_value(signed).unwrap(), after);
}

fn call(id: &str) -> Value {
    json!({"functionCall": {"id": id, "name": "ls", "args": {}}})
}

fn signed(id: &str, signature: &str) -> Value {
    json!({"functionCall": {"id": id, "name": "ls", "args": {}}, "thoughtSignature": signature})
}

fn result(id: &str) -> Value {
    json!({"functionResponse": {"id": id, "name": "ls", "response": {"output": "x"}}})
}

#[test]
fn neighbours_of_one_role_become_one_content() {
    check_tidy(
        json!([
            {"role": "user", "parts": [{"text": "a"}]},
            {"role": "user", "parts": [{"text": "b"}]},
            {"role": "model", "parts": [{"text": "c"}]},
            {"role": "model", "parts": [call("1")]},
            {"role": "user", "parts": [result("1")]},
            {"role": "user", "parts": [{"text": "d"}]},
        ]),
        json!([
            {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
            {"role": "model", "parts": [{"text": "c"}, call("1")]},
            {"role": "user", "parts": [result("1"), {"text": "d"}]},
        ]),
    );
}

#[test]
fn thoughts_and_nothings_stay_here_but_a_signature_is_sent() {
    check_tidy(
        json!([
            {"role": "user", "parts": [{"text": "a"}]},
            {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": ""}]},
            {"role": "user", "parts": [{"text": "b"}]},
            {"role": "model", "parts": [{"text": "c"}, {"text": "", "thoughtSignature": "S"}]},
        ]),
        json!([
            {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
            {"role": "model", "parts": [{"text": "c"}, {"text": "", "thoughtSignature": "S"}]},
        ]),
    );
}

#[test]
fn ids_made_here_are_not_sent_and_others_are() {
    check_tidy(
        json!([
            {"role": "model", "parts": [call("made-0-1"), call("fc_1")]},
            {"role": "user", "parts": [result("made-0-1"), result("fc_1")]},
        ]),
        json!([
            {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}, call("fc_1")]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "ls", "response": {"output": "x"}}}, result("fc_1")]},
        ]),
    );
}

#[test]
fn only_the_first_call_of_each_step_since_the_prompt_is_signed() {
    let skip = "skip_thought_signature_validator";
    check_sign(
        json!([
            {"role": "user", "parts": [{"text": "old"}]},
            {"role": "model", "parts": [call("0")]},
            {"role": "user", "parts": [result("0")]},
            {"role": "model", "parts": [{"text": "done"}]},
            {"role": "user", "parts": [{"text": "new"}]},
            {"role": "model", "parts": [{"text": "hm"}, call("1"), call("2")]},
            {"role": "user", "parts": [result("1"), result("2")]},
            {"role": "model", "parts": [signed("3", "MINE"), call("4")]},
            {"role": "user", "parts": [result("3"), result("4"), {"text": "a hint beside results"}]},
        ]),
        json!([
            {"role": "user", "parts": [{"text": "old"}]},
            {"role": "model", "parts": [call("0")]},
            {"role": "user", "parts": [result("0")]},
            {"role": "model", "parts": [{"text": "done"}]},
            {"role": "user", "parts": [{"text": "new"}]},
            {"role": "model", "parts": [{"text": "hm"}, signed("1", skip), call("2")]},
            {"role": "user", "parts": [result("1"), result("2")]},
            {"role": "model", "parts": [signed("3", "MINE"), call("4")]},
            {"role": "user", "parts": [result("3"), result("4"), {"text": "a hint beside results"}]},
        ]),
    );
}
