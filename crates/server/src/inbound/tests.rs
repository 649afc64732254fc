//! Every spelling of a message that is understood.

use super::{Inbound, MessageIds, Says};
use pollux_session::{CallId, Edit, Seq};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn says(message: &Value) -> Says {
    Inbound::read(&json!({ "message": message }), MessageIds::Optional).expect("it is understood").says
}

#[test]
fn a_prompt_in_every_spelling() {
    for message in [
        json!({"parts": [{"kind": "text", "text": "hi"}]}),
        json!({"parts": [{"text": "hi"}, {"kind": "data", "data": {"unknown": 1}}]}),
        json!({"content": {"text": "hi"}}),
        json!({"content": [{"text": "hi"}]}),
        json!({"content": "hi", "parts": null}),
    ] {
        assert_eq!(says(&message), Says::Prompt("hi".into()), "{message}");
    }
}

#[test]
fn an_answer_in_every_spelling() {
    let answer = |option: &str| Says::Answer { call: CallId(Seq(9)), option: option.into(), edit: None };
    for (data, option) in [
        (json!({"tool_call_id": "call-9", "selected_option_id": "proceed_once"}), "proceed_once"),
        (json!({"toolCallId": "call-9", "selectedOptionId": "cancel"}), "cancel"),
        (json!({"callId": "call-9", "outcome": "proceed_always"}), "proceed_always"),
        (json!({"callId": "call-9", "approved": true}), "proceed_once"),
        (json!({"tool_call_id": "call-9", "approved": false, "more": 1}), "cancel"),
    ] {
        assert_eq!(says(&json!({"content": {"data": data}})), answer(option), "{data}");
        assert_eq!(says(&json!({"parts": [{"kind": "data", "data": data}]})), answer(option), "{data}");
    }
}

#[test]
fn an_edit_in_every_spelling() {
    for edit in [
        json!({"modified_details": {"file_details": {"new_content": "x"}}}),
        json!({"modifiedDetails": {"fileDetails": {"newContent": "x"}}}),
        json!({"modified_details": {"new_content": "x"}}),
        json!({"file_details": {"new_content": "x"}}),
        json!({"newContent": "x"}),
        json!({"payload": {"newContent": "x"}}),
    ] {
        let mut data = json!({"tool_call_id": "call-9", "selected_option_id": "proceed_once"});
        data.as_object_mut().unwrap().extend(edit.as_object().unwrap().clone());
        let expected = Says::Answer {
            call: CallId(Seq(9)),
            option: "proceed_once".into(),
            edit: Some(Edit::Content { new: "x".into() }),
        };
        assert_eq!(says(&json!({"content": {"data": data}})), expected, "{edit}");
    }
}

#[test]
fn answers_in_every_spelling() {
    for (carried, answers) in [
        (json!({"answers": {"0": "red"}}), json!({"0": "red"})),
        (json!({"modified_details": {"answers": {"0": "red"}}}), json!({"0": "red"})),
        (json!({"modifiedDetails": {"answers": {"0": "red"}}}), json!({"0": "red"})),
        (json!({"payload": {"answers": {"0": "red"}}}), json!({"0": "red"})),
        (json!({"answers": ["red"], "payload": null}), json!(["red"])),
        (json!({"feedback": "shorter"}), json!({"feedback": "shorter"})),
        (json!({"answers": {"a": 1}, "feedback": "shorter"}), json!({"a": 1, "feedback": "shorter"})),
        (
            json!({"payload": {"approved": false, "feedback": "shorter"}}),
            json!({"approved": false, "feedback": "shorter"}),
        ),
    ] {
        let mut data = json!({"callId": "call-9", "outcome": "proceed_once"});
        data.as_object_mut().unwrap().extend(carried.as_object().unwrap().clone());
        let expected =
            Says::Answer { call: CallId(Seq(9)), option: "proceed_once".into(), edit: Some(Edit::Answers { answers }) };
        assert_eq!(says(&json!({"content": {"data": data}})), expected, "{carried}");
    }
}

#[test]
fn what_comes_with_a_choice_must_make_sense() {
    for carried in [
        json!({"answers": {}, "new_content": "x"}),
        json!({"payload": 5}),
        json!({"modified_details": []}),
        json!({"feedback": 5}),
        json!({"answers": ["red"], "feedback": "shorter"}),
        json!({"payload": {"newContent": 5}}),
    ] {
        let mut data = json!({"callId": "call-9", "outcome": "proceed_once"});
        data.as_object_mut().unwrap().extend(carried.as_object().unwrap().clone());
        let refused = Inbound::read(&json!({"message": {"content": {"data": data}}}), MessageIds::Optional);
        assert_eq!(refused.expect_err("it makes no sense").code, pollux_wire::jsonrpc::INVALID_PARAMS, "{carried}");
    }
}

#[test]
fn settings_from_the_message_or_the_parameters() {
    let uri = pollux_wire::devtool::URI;
    for (place, name) in [("message", "workspace_path"), ("message", "workspacePath"), ("params", "workspacePath")] {
        let mut params = json!({"message": {"content": {"text": "hi"}}});
        let holder = if place == "message" { &mut params["message"] } else { &mut params };
        holder["metadata"] = json!({uri: {name: "/w", "isTrusted": true}});
        let inbound = Inbound::read(&params, MessageIds::Optional).expect("it is understood");
        assert_eq!(inbound.settings.workspace_path.as_deref(), Some("/w"), "{place} {name}");
    }
}

#[test]
fn two_things_at_once_are_refused() {
    let answer = json!({"data": {"callId": "call-9", "outcome": "cancel"}});
    for parts in [json!([answer, answer]), json!([answer, {"text": "hi"}])] {
        let refused = Inbound::read(&json!({"message": {"parts": parts}}), MessageIds::Optional);
        assert_eq!(refused.expect_err("it is ambiguous").code, pollux_wire::jsonrpc::INVALID_PARAMS);
    }
}
