//! Every spelling of a message that is understood.

use super::{InboundAnswer, InboundContent, InboundMessage, MessageRules, PromptContent};
use pollux_session::{AnswerEdit, CallId, Seq};
use pollux_wire::a2a::Part;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn says(message: &Value) -> InboundContent {
    InboundMessage::read(&json!({ "message": message }), MessageRules::Seeds).expect("it is understood").content
}

fn prompt(text: &str) -> InboundContent {
    InboundContent::Prompt(PromptContent { text: text.into(), files: vec![], parts: vec![] })
}

/// One answer to the ninth entry's call.
fn answers(option: &str, edit: Option<AnswerEdit>) -> InboundContent {
    InboundContent::Answers {
        answers: vec![InboundAnswer { call: CallId(Seq(9)).into(), option: option.into(), edit }],
        then: None,
    }
}

#[test]
fn a_prompt_in_every_spelling() {
    for message in [
        json!({"parts": [{"kind": "text", "text": "hi"}]}),
        json!({"content": {"text": "hi"}}),
        json!({"content": [{"text": "hi"}]}),
        json!({"content": "hi", "parts": null}),
    ] {
        assert_eq!(says(&message), prompt("hi"), "{message}");
    }
}

#[test]
fn data_that_answers_nothing_is_told_to_the_agent() {
    for (parts, told) in [
        (json!([{"text": "hi"}, {"kind": "data", "data": {"unknown": 1}}]), "hi\n{\"unknown\":1}"),
        (json!([{"data": [1, "x"]}]), "[1,\"x\"]"),
        (json!([{"data": "x"}, {"data": null}]), "\"x\"\nnull"),
    ] {
        let InboundContent::Prompt(words) = says(&json!({ "parts": parts })) else { panic!("{parts} is a prompt") };
        assert_eq!(words.text, told, "{parts}");
        let written = |part: &Value| match part.get("text").and_then(Value::as_str) {
            Some(text) => Part::text(text),
            None => Part::data(part["data"].clone()),
        };
        assert_eq!(words.parts, Vec::from_iter(parts.as_array().unwrap().iter().map(written)), "{parts}");
    }
    let data = json!({"callId": "call-9", "approved": true});
    let beside = json!({"parts": [{"data": data}, {"data": {"note": 1}}]});
    assert_eq!(says(&beside), answers("proceed_once", None));
}

#[test]
fn an_answer_in_every_spelling() {
    let answer = |option: &str| answers(option, None);
    for (data, option) in [
        (json!({"tool_call_id": "call-9", "selected_option_id": "proceed_once"}), "proceed_once"),
        (json!({"toolCallId": "call-9", "selectedOptionId": "cancel"}), "cancel"),
        (json!({"callId": "call-9", "outcome": "proceed_always"}), "proceed_always"),
        (json!({"callId": "call-9", "approved": true}), "proceed_once"),
        (json!({"tool_call_id": "call-9", "approved": false, "more": null}), "cancel"),
        (
            json!({"kind": "TOOL_CALL_CONFIRMATION", "callId": "call-9", "taskId": "t", "metadata": {}, "outcome": "cancel"}),
            "cancel",
        ),
    ] {
        assert_eq!(says(&json!({"content": {"data": data}})), answer(option), "{data}");
        assert_eq!(says(&json!({"parts": [{"kind": "data", "data": data}]})), answer(option), "{data}");
    }
}

#[test]
fn what_is_said_beside_an_answer_comes_after_it() {
    let answer = json!({"kind": "data", "data": {"callId": "call-9", "outcome": "cancel"}});
    let note = json!({"kind": "data", "data": {"note": 1}});
    for (parts, told) in [
        (json!([answer, {"text": "and"}, {"text": "now"}]), Some("and\nnow")),
        (json!([{"text": "and"}, answer, note, {"text": "now"}]), Some("and\nnow")),
        (json!([answer, note, {"text": " "}]), None),
    ] {
        let InboundContent::Answers { answers, then } = says(&json!({ "parts": parts })) else {
            panic!("{parts} answers")
        };
        assert_eq!((answers.len(), answers[0].option.as_str()), (1, "cancel"), "{parts}");
        let two = || vec![Part::text("and"), Part::text("now")];
        let told = told.map(|text| PromptContent { text: text.into(), files: vec![], parts: two() });
        assert_eq!(then, told, "{parts}");
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
        let expected = answers("proceed_once", Some(AnswerEdit::Content { new: "x".into() }));
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
        let expected = self::answers("proceed_once", Some(AnswerEdit::Answers { answers }));
        assert_eq!(says(&json!({"content": {"data": data}})), expected, "{carried}");
    }
}

/// Whoever sends something else means to change the call by it, and nothing else of a call can be changed.
#[test]
fn what_is_not_known_in_an_answer_is_refused_by_its_name() {
    for (carried, name) in [
        (json!({"more": 1}), "more"),
        (json!({"updated_args": {"command": "id"}}), "updated_args"),
        (json!({"tool_parameters": {"command": "id"}}), "tool_parameters"),
        (json!({"edited": "id"}), "edited"),
        (json!({"confirmed": true}), "confirmed"),
        (json!({"modified_details": {"command": "id"}}), "modified_details.command"),
        (json!({"modified_details": {"file_details": {"command": "id"}}}), "modified_details.file_details.command"),
        (json!({"file_details": {"new_content": "x", "file_path": "/y"}}), "file_details.file_path"),
        (json!({"payload": {"newContent": "x", "command": "id"}}), "payload.command"),
        (json!({"payload": {"fileDetails": {"command": "id"}}}), "payload.fileDetails.command"),
    ] {
        let mut data = json!({"callId": "call-9", "outcome": "proceed_once"});
        data.as_object_mut().unwrap().extend(carried.as_object().unwrap().clone());
        let refused = InboundMessage::read(&json!({"message": {"content": {"data": data}}}), MessageRules::Seeds);
        let refused = refused.expect_err("it is not known");
        assert_eq!(refused.code, pollux_wire::jsonrpc::INVALID_PARAMS, "{carried}");
        assert!(refused.message.contains(&format!(".{name}` is not known")), "{carried}: {}", refused.message);
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
        let refused = InboundMessage::read(&json!({"message": {"content": {"data": data}}}), MessageRules::Seeds);
        assert_eq!(refused.expect_err("it makes no sense").code, pollux_wire::jsonrpc::INVALID_PARAMS, "{carried}");
    }
}

#[test]
fn a_changed_command_is_refused_in_every_spelling() {
    for carried in [
        json!({"command": "rm -rf /"}),
        json!({"modified_details": {"command": "ls -l"}}),
        json!({"modifiedDetails": {"executeDetails": {"command": "ls -l"}}}),
        json!({"modified_details": {"execute_details": {"command": "ls -l"}, "new_content": "x"}}),
        json!({"execute_details": {"command": "ls -l"}}),
        json!({"args": {"command": "ls -l"}}),
        json!({"modifiedArgs": {"command": "ls -l"}}),
        json!({"updatedInput": {"command": "ls -l"}}),
        json!({"metadata": {"modified_details": {"execute_details": {"command": "ls -l"}}}}),
        json!({"metadata": {"command": "ls -l"}}),
        json!({"metadata": {"id": {"command": "ls -l"}}}),
        json!({"id": {"command": "ls -l"}}),
        json!({"kind": ["ls -l"]}),
    ] {
        let mut data = json!({"callId": "call-9", "outcome": "proceed_once"});
        data.as_object_mut().unwrap().extend(carried.as_object().unwrap().clone());
        let refused = InboundMessage::read(&json!({"message": {"content": {"data": data}}}), MessageRules::Seeds);
        let fault = refused.expect_err("the call runs as it was shown or not at all");
        assert_eq!(fault.code, pollux_wire::jsonrpc::INVALID_PARAMS, "{carried}");
        assert!(fault.message.contains("cannot change a tool call"), "{carried}: {}", fault.message);
    }
    // Nothing in one of these places changes nothing.
    let data =
        json!({"callId": "call-9", "outcome": "proceed_once", "command": null, "modified_details": {"args": null}});
    assert_eq!(says(&json!({"content": {"data": data}})), answers("proceed_once", None));
    let data =
        json!({"callId": "call-9", "outcome": "proceed_once", "id": 7, "metadata": {"messageId": "m", "timestamp": 1}});
    assert_eq!(says(&json!({"content": {"data": data}})), answers("proceed_once", None));
}

#[test]
fn settings_from_the_message_or_the_parameters() {
    let uri = pollux_wire::devtool::URI;
    for (place, name) in [("message", "workspace_path"), ("message", "workspacePath"), ("params", "workspacePath")] {
        let mut params = json!({"message": {"content": {"text": "hi"}}});
        let holder = if place == "message" { &mut params["message"] } else { &mut params };
        holder["metadata"] = json!({uri: {name: "/w", "isTrusted": true}});
        let inbound = InboundMessage::read(&params, MessageRules::Seeds).expect("it is understood");
        assert_eq!(inbound.settings.workspace_path.as_deref(), Some("/w"), "{place} {name}");
    }
}

#[test]
fn several_answers_in_one_message() {
    let part = |call: &str, outcome: &str| json!({"kind": "data", "data": {"callId": call, "outcome": outcome}});
    let message = json!({"parts": [part("call-9", "proceed_once"), part("call-8", "cancel")]});
    let answer =
        |call, option: &str| InboundAnswer { call: CallId(Seq(call)).into(), option: option.into(), edit: None };
    let answers = vec![answer(9, "proceed_once"), answer(8, "cancel")];
    assert_eq!(says(&message), InboundContent::Answers { answers, then: None });
    let twice = json!({"message": {"parts": [part("call-9", "proceed_once"), part("call-9", "cancel")]}});
    let refused = InboundMessage::read(&twice, MessageRules::Seeds).expect_err("it is refused");
    assert_eq!(refused.message, "the message answers call-9 twice: choose once");
}

#[test]
fn whoever_wants_to_edit_and_has_edited_approves() {
    let edited = json!({"callId": "call-9", "outcome": "modify_with_editor", "newContent": "x"});
    assert_eq!(
        says(&json!({"parts": [{"data": edited}]})),
        answers("proceed_once", Some(AnswerEdit::Content { new: "x".into() }))
    );
    let unedited = json!({"callId": "call-9", "outcome": "modify_with_editor"});
    assert_eq!(says(&json!({"parts": [{"data": unedited}]})), answers("modify_with_editor", None));
}

#[test]
fn settings_of_googles_clients_are_read_when_they_are_of_that_kind() {
    let read = |settings: Value| {
        let message = json!({"parts": [{"text": "hi"}], "metadata": {"coderAgent": settings}});
        InboundMessage::read(&json!({ "message": message }), MessageRules::Seeds)
    };
    let settings = json!({"kind": "agent-settings", "workspacePath": "/w", "autoExecute": true, "isTrusted": true});
    let inbound = read(settings.clone()).expect("it is understood");
    assert_eq!(inbound.coder, Some(settings));
    assert_eq!(inbound.settings.workspace_path.as_deref(), Some("/w"));
    assert_eq!(inbound.settings.auto_execute, Some(true));
    let other = read(json!({"kind": "AgentSettings", "workspacePath": "/w"})).expect("it is understood");
    assert!(other.coder.is_some());
    assert_eq!(other.settings.workspace_path, None);
    let no_object = read(json!("agent-settings")).expect_err("it is refused");
    assert_eq!(no_object.message, "`params.message.metadata.coderAgent` must be an object");
    let wrong = read(json!({"kind": "agent-settings", "workspacePath": 1})).expect_err("it is refused");
    assert!(wrong.message.starts_with("`params.message.metadata.coderAgent.workspacePath`"), "{}", wrong.message);
}

#[test]
fn on_a2a_s_own_bindings_a_message_is_a_users_and_its_parts_are_a2a_s() {
    let message = |change: Value| {
        let mut message = json!({"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hi"}]});
        message.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        json!({ "message": message })
    };
    let role = "`params.message.role`";
    for (change, place) in [
        (json!({"role": null}), role),
        (json!({"role": "agent"}), role),
        (json!({"role": "ROLE_AGENT"}), role),
        (json!({"role": 1}), role),
        (json!({"parts": [{"kind": "video", "text": "hi"}]}), "video parts are not taken"),
        (json!({"parts": [{"kind": 1, "text": "hi"}]}), "1 parts are not taken"),
    ] {
        let refused = InboundMessage::read(&message(change.clone()), MessageRules::A2a).expect_err("it is refused");
        assert!(refused.message.contains(place), "{change}: {}", refused.message);
    }
    for change in [json!({}), json!({"role": "ROLE_USER"})] {
        assert!(InboundMessage::read(&message(change.clone()), MessageRules::A2a).is_ok(), "{change}");
    }
    // The seeds' routes and frames have neither roles nor kinds in their examples.
    for change in [json!({"role": null}), json!({"role": "agent"}), json!({"parts": [{"kind": 1, "text": "hi"}]})] {
        assert!(InboundMessage::read(&message(change.clone()), MessageRules::Seeds).is_ok(), "{change}");
    }
}

#[test]
fn a_part_of_no_known_type_is_refused_on_a2a_and_read_by_its_text_elsewhere() {
    let message =
        |kind: &str| json!({"message": {"role": "user", "messageId": "m", "parts": [{"type": kind, "text": "hi"}]}});
    assert!(InboundMessage::read(&message("text"), MessageRules::A2a).is_ok());
    let refused = InboundMessage::read(&message("hologram"), MessageRules::A2a).unwrap_err();
    assert_eq!(refused.code, -32602);
    assert!(refused.message.contains("`params.message.parts[0].type` is \"hologram\""), "{}", refused.message);
    assert!(InboundMessage::read(&message("hologram"), MessageRules::Seeds).is_ok());
}
