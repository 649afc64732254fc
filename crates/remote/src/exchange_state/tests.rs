use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn hear(heard: &mut ExchangeState, version: InterfaceVersion, events: &[Value]) -> String {
    events.iter().filter_map(AgentUpdate::read).map(|told| heard.apply(told, version).unwrap()).collect()
}

fn status(state: &str, text: &str, last: bool) -> Value {
    json!({"kind": "status-update", "taskId": "t", "contextId": "c", "final": last, "status": {"state": state,
        "message": {"role": "agent", "parts": [{"kind": "text", "text": text}]}}})
}

fn noted(key: &str, kind: &str, state: &str, part: &Value) -> Value {
    json!({"kind": "status-update", "taskId": "t", "contextId": "c", "final": false, "metadata": {key: {"kind": kind}},
        "status": {"state": state, "message": {"role": "agent", "parts": [part]}}})
}

#[test]
fn an_agent_that_makes_something_is_told_by_what_it_made() {
    let mut heard = ExchangeState::default();
    let chunk = |text: &str, append: bool| {
        json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": append,
        "artifact": {"artifactId": "a", "parts": [{"text": text}]}}})
    };
    let shown = hear(
        &mut heard,
        InterfaceVersion::V10,
        &[
            json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING", "message":
            {"role": "ROLE_AGENT", "parts": [{"text": "looking"}]}}}}),
            chunk("one ", false),
            chunk("two", true),
            json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}}),
        ],
    );
    assert_eq!(shown, "• looking\none two");
    assert_eq!((heard.text().as_str(), heard.is_resting, heard.question()), ("one two", true, None));
    assert_eq!((heard.task.as_deref(), heard.context()), (Some("t"), Some("c")));
}

#[test]
fn what_was_said_is_not_shown_again_as_an_artifact() {
    let uri = pollux_wire::devtool::URI;
    let said = |text: &str| noted(uri, "TEXT_CONTENT", "working", &json!({"kind": "text", "text": text}));
    let made = |text: &str| json!({"kind": "artifact-update", "taskId": "t", "artifact": {"artifactId": "a", "parts": [{"text": text}]}});
    let mut heard = ExchangeState::default();
    let events = [said("Shell "), said("finished."), made("Shell finished."), status("completed", "", true)];
    assert_eq!(hear(&mut heard, InterfaceVersion::V03, &events), "Shell finished.");
    assert_eq!(heard.text(), "Shell finished.");

    // What is made anew is shown as far as it is new.
    let mut heard = ExchangeState::default();
    assert_eq!(hear(&mut heard, InterfaceVersion::V03, &[made("one"), made("one two"), made("three")]), "one twothree");
    assert_eq!(heard.text(), "three");
}

#[test]
fn texts_around_a_call_are_paragraphs_and_each_call_has_its_line() {
    let uri = pollux_wire::devtool::URI;
    let said = |text: &str| noted(uri, "TEXT_CONTENT", "working", &json!({"kind": "text", "text": text}));
    let call = json!({"kind": "data", "data": {"tool_call_id": "c1", "tool_name": "make", "status": "EXECUTING"}});
    let mut heard = ExchangeState::default();
    let events = [
        said("Working "),
        said("on it."),
        noted(uri, "TOOL_CALL_UPDATE", "working", &call),
        said("Far is "),
        said("finished."),
    ];
    assert_eq!(hear(&mut heard, InterfaceVersion::V03, &events), "Working on it.\n• make\nFar is finished.");
    assert_eq!(heard.text(), "Working on it.\n\nFar is finished.");
    heard.mark_answered(None);
    assert_eq!(hear(&mut heard, InterfaceVersion::V03, &[said("More.")]), "\n\nMore.");
    assert_eq!(heard.text(), "Working on it.\n\nFar is finished.\n\nMore.");
}

#[test]
fn what_comes_with_the_end_is_said_once() {
    let mut heard = ExchangeState::default();
    hear(
        &mut heard,
        InterfaceVersion::V03,
        &[
            json!({"kind": "artifact-update", "taskId": "t", "artifact": {"artifactId": "a", "parts": [{"text": "done"}]}}),
            status("completed", "done", true),
        ],
    );
    assert_eq!(heard.text(), "done");
}

#[test]
fn a_question_in_words_is_one_unless_googles_server_just_rests() {
    let mut heard = ExchangeState::default();
    hear(&mut heard, InterfaceVersion::V03, &[status("input-required", "Which colour?", true)]);
    assert_eq!(heard.question().map(|asked| asked.description).as_deref(), Some("Which colour?"));
    heard.mark_answered(None);
    assert_eq!((heard.is_resting, heard.question()), (false, None));

    let mut heard = ExchangeState::default();
    let said = noted("coderAgent", "text-content", "working", &json!({"kind": "text", "text": "hello"}));
    let rest = json!({"kind": "status-update", "taskId": "t", "final": true, "status": {"state": "input-required"},
        "metadata": {"coderAgent": {"kind": "state-change"}}});
    hear(&mut heard, InterfaceVersion::V03, &[said, rest]);
    assert_eq!((heard.is_resting, heard.question(), heard.text().as_str()), (true, None, "hello"));
}

#[test]
fn a_tool_call_asks_until_it_is_told_to_go_on() {
    let uri = pollux_wire::devtool::URI;
    let call = |status: &str| {
        let request =
            json!({"options": [{"id": "proceed_once", "name": "Allow"}], "generic_details": {"description": "d"}});
        noted(
            uri,
            "TOOL_CALL_UPDATE",
            "working",
            &json!({"kind": "data", "data": {"tool_call_id": "c", "tool_name": "web_fetch",
            "status": status, "input_parameters": {}, "confirmation_request": request}}),
        )
    };
    let mut heard = ExchangeState::default();
    hear(&mut heard, InterfaceVersion::V03, &[call("PENDING"), status("input-required", "", true)]);
    let asked = heard.question().unwrap();
    assert_eq!(asked.description, "d");
    heard.mark_answered(Some(&asked));
    assert_eq!(heard.pending_question(), None);
    assert_eq!(hear(&mut heard, InterfaceVersion::V03, &[call("EXECUTING"), call("EXECUTING")]), "• web_fetch\n");
    let thought =
        noted(uri, "THOUGHT", "working", &json!({"kind": "data", "data": {"subject": "Planning", "description": ""}}));
    assert_eq!(hear(&mut heard, InterfaceVersion::V03, &[thought]), "• Planning\n");
}

#[test]
fn after_a_gap_the_record_of_the_task_counts() {
    let mut heard = ExchangeState { gap: true, ..ExchangeState::default() };
    hear(
        &mut heard,
        InterfaceVersion::V03,
        &[json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"},
        "history": [{"role": "agent", "parts": [{"text": "before"}]}, {"role": "user", "parts": [{"text": "go"}]},
            {"role": "agent", "parts": [{"text": "all of it"}]}]})],
    );
    assert_eq!(heard.text(), "all of it");
}

#[test]
fn an_agent_cannot_change_the_task_or_the_conversation() {
    let status = |task: &str, context: &str| json!({"kind": "status-update", "taskId": task, "contextId": context, "status": {"state": "working"}});
    // What we ask for it may have forgotten.
    let mut heard = ExchangeState::within(Some("before".into()));
    assert_eq!(heard.context(), Some("before"));
    hear(&mut heard, InterfaceVersion::V03, &[status("t", "c"), status("t", "c")]);
    for (event, what) in [
        (status("other", "c"), "task"),
        (status("t", "other"), "conversation"),
        (json!({"kind": "task", "id": "other", "status": {"state": "input-required"}}), "task"),
        (json!({"kind": "artifact-update", "taskId": "other", "artifact": {"artifactId": "a", "parts": []}}), "task"),
        (json!({"kind": "message", "role": "agent", "contextId": "other", "parts": []}), "conversation"),
    ] {
        let told = AgentUpdate::read(&event).unwrap();
        assert_eq!(heard.apply(told, InterfaceVersion::V03), Err(RemoteError::ChangedId { what }), "{event}");
        assert_eq!((heard.task.as_deref(), heard.context()), (Some("t"), Some("c")));
    }
}

#[test]
fn what_an_agent_sends_without_end_is_kept_within_bounds() {
    let made = |number: usize| {
        json!({"kind": "artifact-update", "taskId": "t",
            "artifact": {"artifactId": format!("a{number}"), "parts": [{"text": format!("text {number}.")}]}})
    };
    let mut heard = ExchangeState::default();
    hear(&mut heard, InterfaceVersion::V03, &(0..20_000).map(made).collect::<Vec<_>>());
    let text = heard.text();
    assert!(text.starts_with("text 0.\n\ntext 1.\n\n") && text.ends_with(" more artifacts were left out.]"), "{text}");
    assert!(text.len() < 10_000, "{} bytes", text.len());

    let call = |number: usize, status: &str| {
        let data = json!({"tool_call_id": number.to_string(), "tool_name": "run", "status": status,
            "confirmation_request": {"options": []}});
        noted(pollux_wire::devtool::URI, "TOOL_CALL_UPDATE", "working", &json!({"kind": "data", "data": data}))
    };
    let mut heard = ExchangeState::default();
    for number in 0..5_000 {
        hear(&mut heard, InterfaceVersion::V03, &[call(number, "EXECUTING"), call(number + 10_000, "PENDING")]);
    }
    assert_eq!((heard.running.len(), heard.pending.len()), (CALLS, QUESTIONS));
    let long = "x".repeat(KEPT + 1);
    hear(&mut heard, InterfaceVersion::V03, &[status("completed", &long, true)]);
    assert_eq!(heard.closing.len(), KEPT);
}
