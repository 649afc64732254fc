use super::*;
use pretty_assertions::assert_eq;

fn question(data: Value) -> AgentQuestion {
    read(data).unwrap()
}

fn read(data: Value) -> Result<AgentQuestion, RemoteError> {
    ToolCallView::read(&PartView::Data(data)).unwrap().question.unwrap()
}

fn chosen(option: &str, answers: Option<Value>) -> AgentQuestionAnswer {
    AgentQuestionAnswer::Chosen { option: option.into(), answers }
}

#[test]
fn a_confirmation_request_of_the_extension_is_asked_one_to_one() {
    let asked = question(json!({"tool_call_id": "call-6", "status": "PENDING", "tool_name": "run_shell_command",
        "input_parameters": {}, "confirmation_request": {"options": [{"id": "proceed_once", "name": "Allow once"},
        {"id": "proceed_always", "name": "Allow `ls`"}, {"id": "cancel", "name": "Cancel"}],
        "execute_details": {"command": "ls", "working_directory": "/w"}}}));
    assert_eq!(asked.description, "run in /w:\nls");
    let shown: Vec<_> = asked.options.iter().map(|option| (option.id.as_str(), option.allows)).collect();
    assert_eq!(shown, [("proceed_once", true), ("proceed_always", true), ("cancel", false)]);
    assert_eq!(
        asked.reply(&chosen("proceed_always", None)),
        Some(OutgoingPart::Data(json!({"tool_call_id": "call-6", "selected_option_id": "proceed_always"})))
    );
    assert_eq!(
        asked.reply(&AgentQuestionAnswer::Declined),
        Some(OutgoingPart::Data(json!({"tool_call_id": "call-6", "selected_option_id": "cancel"})))
    );
}

#[test]
fn a_schema_comes_along_and_its_answers_go_back() {
    let schema = json!({"type": "object"});
    let asked = question(
        json!({"tool_call_id": "c", "status": "PENDING", "tool_name": "ask_user", "confirmation_request":
        {"options": [{"id": "proceed_once", "name": "Send"}], "generic_details": {"description": "Which?", "schema": schema}}}),
    );
    assert_eq!((asked.description.as_str(), asked.schema.as_ref()), ("Which?", Some(&schema)));
    assert_eq!(
        asked.reply(&chosen("proceed_once", Some(json!({"0": "red"})))),
        Some(OutgoingPart::Data(
            json!({"tool_call_id": "c", "selected_option_id": "proceed_once", "answers": {"0": "red"}})
        ))
    );
}

#[test]
fn a_request_of_googles_server_is_answered_in_its_own_words() {
    let told = |status: &str, more: Value| {
        let mut data = json!({"request": {"callId": "w-1", "name": "write_file", "args": {}}, "status": status,
            "confirmationDetails": {"type": "edit", "filePath": "/w/a", "fileDiff": "+x"}});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ToolCallView::read(&PartView::Data(data)).unwrap()
    };
    let asked = told("awaiting_approval", json!({})).question.unwrap().unwrap();
    assert_eq!(asked.description, "change /w/a:\n+x");
    let ids: Vec<&str> = asked.options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(ids, ["proceed_once", "proceed_always", "cancel"]);
    assert_eq!(
        asked.reply(&chosen("proceed_once", None)),
        Some(OutgoingPart::Data(json!({"callId": "w-1", "outcome": "proceed_once"})))
    );
    assert_eq!(
        asked.reply(&AgentQuestionAnswer::Declined),
        Some(OutgoingPart::Data(json!({"callId": "w-1", "outcome": "cancel"})))
    );
    assert_eq!(told("awaiting_approval", json!({"outcome": "proceed_once"})).question, None);
    assert!(told("executing", json!({})).is_running);
}

#[test]
fn a_question_in_words_takes_text_and_a_permission_takes_nothing() {
    let asked = AgentQuestion::in_words("Which colour?");
    assert_eq!(
        asked.reply(&chosen("proceed_once", Some(json!({"answer": "red"})))),
        Some(OutgoingPart::Text("red".into()))
    );
    assert_eq!(asked.reply(&AgentQuestionAnswer::Declined), None);
    assert_eq!(AgentQuestion::permission("Log in.").reply(&chosen("proceed_once", None)), None);
}

#[test]
fn what_is_no_tool_call_is_none() {
    for data in [json!({}), json!(1), json!({"request": {}}), json!({"subject": "s", "description": "d"})] {
        assert_eq!(ToolCallView::read(&PartView::Data(data)), None);
    }
}

#[test]
fn a_question_beyond_its_limits_is_refused() {
    let asked = |count: usize, name: &str, id: &str, schema: &str| {
        let options: Vec<Value> = (0..count).map(|_| json!({"id": id, "name": name})).collect();
        read(json!({"tool_call_id": "c", "status": "PENDING", "confirmation_request":
            {"options": options, "generic_details": {"description": "?", "schema": {"title": schema}}}}))
    };
    let text = |length: usize| "ä".repeat(length);
    let of_schema = SCHEMA_BYTES - r#"{"title":""}"#.len();
    let most = asked(32, &text(200), &text(200), &"x".repeat(of_schema)).unwrap();
    assert_eq!(most.options.len(), 32);
    for (refused, why) in [
        (asked(33, "a", "a", ""), "it has 33 options, and 32 is the most"),
        (asked(1, &text(201), "a", ""), "an option's name or id has more than 200 characters"),
        (asked(1, "a", &text(201), ""), "an option's name or id has more than 200 characters"),
        (asked(1, "a", "a", &"x".repeat(of_schema + 1)), "the schema of its answer has more than 65536 bytes"),
    ] {
        assert_eq!(refused, Err(RemoteError::Question { why: why.into() }));
    }
}
