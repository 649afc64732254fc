#![allow(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

use super::*;
use pretty_assertions::assert_eq;

#[track_caller]
fn check(before: Value, after: Value) {
    let before: Vec<ModelMessage> = serde_json::from_value(before).unwrap();
    assert_eq!(serde_json::to_value(pair(before, PairingRules::strict())).unwrap(), after);
}

fn call(id: &str, name: &str) -> Value {
    json!({"functionCall": {"id": id, "name": name, "args": {}}})
}

fn nameless(name: &str) -> Value {
    json!({"functionCall": {"name": name, "args": {}}})
}

fn result(id: &str, name: &str, output: &str) -> Value {
    json!({"functionResponse": {"id": id, "name": name, "response": {"output": output}}})
}

fn nameless_result(name: &str, output: &str) -> Value {
    json!({"functionResponse": {"name": name, "response": {"output": output}}})
}

fn not_run(id: &str, name: &str) -> Value {
    json!({"functionResponse": {"id": id, "name": name, "response": {"error": "This call was not run."}}})
}

#[test]
fn results_follow_their_calls_in_order_and_before_anything_said() {
    check(
        json!([
            {"role": "user", "parts": [{"text": "a"}]},
            {"role": "user", "parts": [{"text": "b"}]},
            {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": ""}, call("1", "ls")]},
            {"role": "model", "parts": [call("2", "cat")]},
            {"role": "user", "parts": [{"text": "hint"}, result("2", "cat", "two")]},
            {"role": "user", "parts": [result("1", "ls", "one")]},
            {"role": "model", "parts": [{"text": "done"}]},
        ]),
        json!([
            {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
            {"role": "model", "parts": [call("1", "ls"), call("2", "cat")]},
            {"role": "user", "parts": [result("1", "ls", "one"), result("2", "cat", "two"), {"text": "hint"}]},
            {"role": "model", "parts": [{"text": "done"}]},
        ]),
    );
}

#[test]
fn ids_that_are_missing_are_made_and_pair_by_name_in_order() {
    check(
        json!([
            {"role": "model", "parts": [nameless("ls"), nameless("cat"), nameless("ls")]},
            {"role": "user", "parts": [
                nameless_result("ls", "one"), nameless_result("ls", "three"), nameless_result("cat", "two")]},
        ]),
        json!([
            {"role": "model", "parts": [call("made-1", "ls"), call("made-2", "cat"), call("made-3", "ls")]},
            {"role": "user", "parts": [
                result("made-1", "ls", "one"), result("made-2", "cat", "two"), result("made-3", "ls", "three")]},
        ]),
    );
}

#[test]
fn ids_that_are_used_twice_or_oddly_spelt_are_replaced_on_both_sides() {
    let long = "x".repeat(41);
    check(
        json!([
            {"role": "model", "parts": [call("made-1", "ls")]},
            {"role": "user", "parts": [result("made-1", "ls", "one")]},
            {"role": "model", "parts": [call("made-1", "ls"), call("a:b", "ls"), call(&long, "ls")]},
            {"role": "user", "parts": [
                result("a:b", "ls", "three"), result("made-1", "ls", "two"), result(&long, "ls", "four")]},
        ]),
        json!([
            {"role": "model", "parts": [call("made-1", "ls")]},
            {"role": "user", "parts": [result("made-1", "ls", "one")]},
            {"role": "model", "parts": [call("made-2", "ls"), call("made-3", "ls"), call("made-4", "ls")]},
            {"role": "user", "parts": [
                result("made-2", "ls", "two"), result("made-3", "ls", "three"), result("made-4", "ls", "four")]},
        ]),
    );
}

#[test]
fn a_call_without_a_result_gets_one_and_a_result_without_a_call_becomes_text() {
    check(
        json!([
            {"role": "user", "parts": [result("gone", "ls", "kept")]},
            {"role": "model", "parts": [call("1", "ls"), call("2", "ls")]},
            {"role": "user", "parts": [result("1", "ls", "one"), result("1", "ls", "again")]},
            {"role": "model", "parts": [call("3", "cat")]},
        ]),
        json!([
            {"role": "user", "parts": [{"text": "[result of ls] kept"}]},
            {"role": "model", "parts": [call("1", "ls"), call("2", "ls")]},
            {"role": "user", "parts": [
                result("1", "ls", "one"), not_run("2", "ls"), {"text": "[result of ls] again"}]},
            {"role": "model", "parts": [call("3", "cat")]},
            {"role": "user", "parts": [not_run("3", "cat")]},
        ]),
    );
}

#[test]
fn a_result_is_its_output_or_all_of_it() {
    assert_eq!(told(&json!({"output": "text"})), ("text".to_owned(), ToolResultStatus::Well));
    assert_eq!(told(&json!({"output": {"a": 1}})), (r#"{"a":1}"#.to_owned(), ToolResultStatus::Well));
    assert_eq!(told(&json!({"error": "no"})), ("no".to_owned(), ToolResultStatus::Wrong));
    assert_eq!(
        told(&json!({"error": "no", "output": "x"})),
        (r#"{"error":"no","output":"x"}"#.to_owned(), ToolResultStatus::Wrong)
    );
    assert_eq!(told(&json!("bare")), ("bare".to_owned(), ToolResultStatus::Well));
    assert_eq!(told(&Value::Null), ("null".to_owned(), ToolResultStatus::Well));
}

mod laws {
    use super::*;
    use proptest::prelude::*;

    fn part() -> impl Strategy<Value = MessagePart> {
        let id = || proptest::option::of(prop_oneof![Just("a"), Just("b"), Just("made-1"), Just("x:y"), Just("")]);
        let name = || prop_oneof![Just("ls"), Just("cat")];
        prop_oneof![
            "[ a]{0,2}".prop_map(MessagePart::text),
            Just(MessagePart::thought("hm")),
            (id(), name()).prop_map(|(id, name)| {
                PartData::FunctionCall { id: id.map(str::to_owned), name: name.into(), args: json!({}) }.into()
            }),
            (id(), name(), 0..1000_u32).prop_map(|(id, name, mark)| {
                let response = json!({"output": format!("mark-{mark}")});
                PartData::FunctionResponse { id: id.map(str::to_owned), name: name.into(), response }.into()
            }),
        ]
    }

    fn contents() -> impl Strategy<Value = Vec<ModelMessage>> {
        let role = prop_oneof![Just(MessageRole::User), Just(MessageRole::Model)];
        let content =
            (role, proptest::collection::vec(part(), 0..4)).prop_map(|(role, parts)| ModelMessage { role, parts });
        proptest::collection::vec(content, 0..8)
    }

    fn count(contents: &[ModelMessage], role: MessageRole, wanted: fn(&PartData) -> bool) -> usize {
        let of_role = contents.iter().filter(|content| content.role == role);
        of_role.flat_map(|content| &content.parts).filter(|part| !part.thought && wanted(&part.data)).count()
    }

    fn ids(content: Option<&ModelMessage>, is_call: bool) -> Vec<String> {
        let parts = content.map(|content| content.parts.as_slice()).unwrap_or_default();
        let id = |part: &MessagePart| match &part.data {
            PartData::FunctionCall { id, .. } if is_call => id.clone(),
            PartData::FunctionResponse { id, .. } if !is_call => id.clone(),
            _ => None,
        };
        parts.iter().filter_map(id).collect()
    }

    proptest! {
        #[test]
        fn every_call_is_answered_once_and_at_once_and_nothing_is_lost(before in contents()) {
            let after = pair(before.clone(), PairingRules::strict());
            let mut used = HashSet::new();
            for (at, content) in after.iter().enumerate() {
                prop_assert!(!content.parts.is_empty());
                prop_assert!(after.get(at + 1).is_none_or(|next| next.role != content.role));
                if content.role == MessageRole::Model {
                    let calls = ids(Some(content), true);
                    prop_assert_eq!(&calls, &ids(after.get(at + 1), false));
                    prop_assert!(calls.iter().all(|id| used.insert(id.clone())));
                    let is_result = |part: &MessagePart| matches!(part.data, PartData::FunctionResponse { .. });
                    let opening = after.get(at + 1).into_iter().flat_map(|next| next.parts.iter().take(calls.len()));
                    prop_assert!(opening.into_iter().all(is_result));
                }
            }
            let is_call = |data: &PartData| matches!(data, PartData::FunctionCall { .. });
            prop_assert_eq!(count(&before, MessageRole::Model, is_call), count(&after, MessageRole::Model, is_call));
            // Every result the user had is still there, as a result or as text.
            let told = serde_json::to_string(&after).unwrap().matches("mark-").count();
            let is_result = |data: &PartData| matches!(data, PartData::FunctionResponse { .. });
            prop_assert_eq!(told, count(&before, MessageRole::User, is_result));
            // What is in order stays as it is.
            prop_assert_eq!(pair(after.clone(), PairingRules::strict()), after);
        }
    }
}
