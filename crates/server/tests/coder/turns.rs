//! Turns, event for event.

use crate::coder::line::lines;
use crate::coder::{begin, choice, client, go_on};
use crate::test_server::script::{RESPONSE, response, runs, thinks, vets};
use pollux_session::{
    Ask, AskDetails, CallOutcome, CallResult, ModelUsage, PolicyVerdict, Report, ResultDisplay, ToolKind, TurnFailure,
    cancel_choice, once_choice,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[tokio::test]
async fn a_turn_ends_in_input_required_and_tells_what_it_cost() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("hi")).await;
    let session = roster.newest();
    session.muses("**Greeting** Say hi.");
    session.says("Hel");
    session.says("lo");
    let usage = ModelUsage { prompt: 10, cached: 4, output: 3, thoughts: 2 };
    let citations = vec!["https://example.com/".to_owned()];
    let (fragments, calls, finish) = (Vec::new(), Vec::new(), "STOP".into());
    let done = Report::StepDone { fragments, calls, finish, usage, citations, response: response() };
    session.report(thinks, done);
    let events = stream.results().await;
    assert_eq!(
        lines(&events),
        [
            "task submitted",
            "working state-change",
            r#"working thought {"subject":"Greeting","description":"Say hi."}"#,
            r#"working text-content "Hel""#,
            r#"working text-content "lo""#,
            r#"working citation "https://example.com/""#,
            "input-required state-change FINAL",
        ]
    );
    let id = |event: &Value| event["status"]["message"]["messageId"].clone();
    assert_eq!(id(&events[3]), id(&events[4]));
    assert_ne!(id(&events[2]), id(&events[3]));
    let traces: Vec<_> = events.iter().map(|event| event["metadata"].get("traceId").and_then(Value::as_str)).collect();
    assert_eq!(traces, [None, None, Some(RESPONSE), Some(RESPONSE), Some(RESPONSE), None, None]);
    let counted = json!({
        "promptTokenCount": 10, "candidatesTokenCount": 3, "totalTokenCount": 15, "cachedContentTokenCount": 4,
    });
    assert_eq!(
        events[6]["metadata"],
        json!({"coderAgent": {"kind": "state-change"}, "model": "script", "usageMetadata": counted})
    );
    assert_eq!(events[1]["metadata"], json!({"coderAgent": {"kind": "state-change"}, "model": "script"}));
}

#[tokio::test]
async fn an_ask_and_its_approval() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    let session = roster.newest();
    session.asks_to_write();
    let events = stream.results().await;
    assert_eq!(
        lines(&events),
        [
            "task submitted",
            "working state-change",
            "working state-change",
            "working tool-call-update call-6 scheduled",
            "working tool-call-confirmation call-6 awaiting_approval",
            "input-required state-change FINAL",
        ]
    );
    let task = &events[0]["id"];
    let request = json!({
        "callId": session.call_id(6), "name": "write_file", "args": {"file_path": "hello.txt"},
        "display": {"name": "WriteFile", "description": "hello.txt"}, "isClientInitiated": false,
        "prompt_id": format!("{}########3", task.as_str().unwrap()), "traceId": RESPONSE,
        "schedulerId": task,
    });
    let tool = json!({
        "name": "write_file", "displayName": "WriteFile", "kind": "edit", "isOutputMarkdown": true,
        "canUpdateOutput": false,
    });
    assert_eq!(
        events[4]["status"]["message"]["parts"],
        json!([{"kind": "data", "data": {
            "request": request, "status": "awaiting_approval",
            "confirmationDetails": {
                "type": "edit", "title": "Change hello.txt", "fileName": "hello.txt", "filePath": "/w/hello.txt",
                "fileDiff": "+hello\n", "originalContent": "", "newContent": "hello\n",
            },
            "tool": tool,
        }}])
    );

    let stream = client.stream("message/stream", go_on(task, "yes", json!([choice("call-6", "proceed_once")]))).await;
    session.starts();
    session.has_written();
    session.step_done("Done.", &[]);
    let events = stream.results().await;
    assert_eq!(
        lines(&events),
        [
            "input-required tool-call-confirmation call-6 awaiting_approval proceed_once",
            "input-required tool-call-update call-6 scheduled proceed_once",
            "input-required tool-call-update call-6 executing proceed_once",
            "input-required tool-call-update call-6 success proceed_once",
            "working state-change",
            r#"working text-content "Done.""#,
            "input-required state-change FINAL",
        ]
    );
    let ids: Vec<_> = events.iter().map(|event| &event["status"]["message"]["messageId"]).collect();
    assert_ne!(ids[0], ids[1]);
    assert_eq!(
        events[3]["status"]["message"]["parts"][0]["data"]["response"],
        json!({
            "callId": session.call_id(6),
            "responseParts": [{"functionResponse": {
                "id": session.call_id(6), "name": "write_file", "response": {"output": "written"},
            }}],
            "display": {
                "name": "WriteFile", "description": "hello.txt", "resultSummary": "1 lines added, 0 removed",
                "result": {"type": "diff", "path": "/w/hello.txt", "beforeText": "", "afterText": "hello\n"},
            },
            "resultDisplay": {
                "fileDiff": "+hello\n", "fileName": "hello.txt", "filePath": "/w/hello.txt", "originalContent": "",
                "newContent": "hello\n",
                "diffStat": {
                    "model_added_lines": 1, "model_removed_lines": 0, "model_added_chars": 5, "model_removed_chars": 0,
                    "user_added_lines": 0, "user_removed_lines": 0, "user_added_chars": 0, "user_removed_chars": 0,
                },
                "isNewFile": true,
            },
            "contentLength": 7,
        })
    );
}

#[tokio::test]
async fn a_declined_call_ends_the_turn() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    roster.newest().asks_to_write();
    let task = stream.results().await[0]["id"].clone();
    let stream = client.stream("message/stream", go_on(&task, "no", json!([choice("call-6", "cancel")]))).await;
    let events = stream.results().await;
    assert_eq!(
        lines(&events),
        [
            "input-required tool-call-confirmation call-6 awaiting_approval cancel",
            "input-required tool-call-update call-6 cancelled cancel",
            "input-required state-change FINAL",
        ]
    );
    let response = &events[1]["status"]["message"]["parts"][0]["data"]["response"];
    assert_eq!(response["responseParts"][0]["functionResponse"]["response"]["error"], "a person declined this call");
    assert_eq!(response["resultDisplay"]["newContent"], "hello\n");
}

#[tokio::test]
async fn a_no_does_not_hold_what_was_said_meanwhile() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    let session = roster.newest();
    session.asks_to_write();
    let task = stream.results().await[0]["id"].clone();
    let instead = json!([{"kind": "text", "text": "rather read it"}]);
    // It waits, and so does the task: for the answer.
    client.stream("message/stream", go_on(&task, "instead", instead)).await.results().await;
    client.stream("message/stream", go_on(&task, "no", json!([choice("call-6", "cancel")]))).await.results().await;
    session.step_done("Read.", &[]);
    let whole = client.rpc("tasks/get", json!({"id": task})).await;
    assert!(whole["result"]["history"].to_string().contains("Read."), "{whole}");
}

#[tokio::test]
async fn what_a_command_prints_is_told_whole_each_time() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("run")).await;
    let session = roster.newest();
    session.asks_to_run("echo one; exit 3");
    let task = stream.results().await[0]["id"].clone();
    let stream = client.stream("message/stream", go_on(&task, "yes", json!([choice("call-6", "proceed_once")]))).await;
    session.starts();
    session.prints("one\n");
    session.prints("\u{1b}[1mtwo\u{1b}[0m\n");
    let result = CallResult { text: "one\ntwo\n".into(), exit_code: Some(3), ..CallResult::default() };
    session.ends(CallOutcome::Succeeded { result });
    session.step_done("Done.", &[]);
    let events = stream.results().await;
    assert_eq!(
        lines(&events)[2..6],
        [
            "input-required tool-call-update call-6 executing proceed_once",
            r#"tool-call-6-output "one\n""#,
            r#"tool-call-6-output "one\ntwo\n""#,
            "input-required tool-call-update call-6 success proceed_once",
        ]
    );
    assert_eq!((&events[3]["append"], &events[3]["lastChunk"]), (&json!(true), &json!(false)));
    let response = &events[5]["status"]["message"]["parts"][0]["data"]["response"];
    assert_eq!(response["data"], json!({"exitCode": 3, "isError": true}));
    assert_eq!(response["display"]["resultSummary"], "exit code 3");
    let whole = client.rpc("tasks/get", json!({"id": task})).await;
    let printed = json!([{"artifactId": format!("tool-{}-output", session.call_id(6)), "parts": [{"kind": "text", "text": "one\ntwo\n"}]}]);
    assert_eq!(whole["result"]["artifacts"], printed);
}

#[tokio::test]
async fn a_call_that_needs_no_ask_is_told_with_what_policy_chose() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("read")).await;
    let session = roster.newest();
    session.step_done("", &[("read_file", json!({"file_path": "a.txt"}))]);
    session.report(vets, Report::Vetted { kind: ToolKind::Read, verdict: PolicyVerdict::allow("reads") });
    session.starts();
    let display = Some(ResultDisplay::Text { text: "1 line read".into() });
    session
        .ends(CallOutcome::Succeeded { result: CallResult { text: "a\n".into(), display, ..CallResult::default() } });
    session.step_done("Done.", &[]);
    let events = stream.results().await;
    assert_eq!(
        lines(&events),
        [
            "task submitted",
            "working state-change",
            "working state-change",
            "working tool-call-update call-6 scheduled",
            "working tool-call-update call-6 scheduled proceed_once",
            "working tool-call-update call-6 executing proceed_once",
            "working tool-call-update call-6 success proceed_once",
            "working state-change",
            r#"working text-content "Done.""#,
            "input-required state-change FINAL",
        ]
    );
    let response = &events[6]["status"]["message"]["parts"][0]["data"]["response"];
    assert_eq!(response["display"]["resultSummary"], "1 line read");
}

#[tokio::test]
async fn two_asks_in_one_turn_are_answered_in_two_messages_or_in_one() {
    for at_once in [false, true] {
        let (roster, client) = client();
        let stream = client.stream("message/stream", begin("two")).await;
        let session = roster.newest();
        let file = |name: &str| ("write_file", json!({ "file_path": name }));
        session.step_done("", &[file("a.txt"), file("b.txt")]);
        for _ in 0..2 {
            let ask = Ask::new(AskDetails::generic("Write it?"), vec![once_choice(), cancel_choice()]);
            session.report(vets, Report::Vetted { kind: ToolKind::Edit, verdict: PolicyVerdict::Ask(ask) });
        }
        let events = stream.results().await;
        assert_eq!(
            lines(&events)[2..],
            [
                "working state-change",
                "working tool-call-update call-6 scheduled",
                "working tool-call-update call-7 scheduled",
                "working tool-call-confirmation call-6 awaiting_approval",
                "working tool-call-confirmation call-7 awaiting_approval",
                "input-required state-change FINAL",
            ]
        );
        let task = &events[0]["id"];
        let (first, second) = (choice("call-6", "proceed_once"), choice("call-7", "proceed_once"));
        let wrote = || {
            session.starts();
            session.report(runs, Report::Done { outcome: CallOutcome::Succeeded { result: CallResult::default() } });
        };
        let told = if at_once {
            let stream = client.stream("message/stream", go_on(task, "both", json!([first, second]))).await;
            wrote();
            wrote();
            session.step_done("Both.", &[]);
            lines(&stream.results().await)
        } else {
            let one = client.stream("message/stream", go_on(task, "one", json!([first]))).await;
            wrote();
            let mut told = lines(&one.results().await);
            assert_eq!(told.pop().unwrap(), "input-required state-change FINAL");
            let other = client.stream("message/stream", go_on(task, "other", json!([second]))).await;
            wrote();
            session.step_done("Both.", &[]);
            told.extend(lines(&other.results().await));
            told
        };
        let both: Vec<_> = told.iter().filter(|line| line.contains(" success ")).collect();
        assert_eq!(both.len(), 2, "{told:#?}");
        assert_eq!(
            told[told.len() - 3..],
            ["working state-change", r#"working text-content "Both.""#, "input-required state-change FINAL"]
        );
    }
}

#[tokio::test]
async fn a_failed_turn_says_why_and_the_task_goes_on() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("hi")).await;
    let session = roster.newest();
    session.report(thinks, Report::Retrying { reason: "503".into(), attempt: 2, wait_ms: 10 });
    let failure = TurnFailure { kind: "model_refused".into(), message: "the model said no; try another".into() };
    session.report(thinks, Report::StepFailed { failure });
    let events = stream.results().await;
    assert_eq!(
        lines(&events)[2..],
        [
            r#"working state-change error="503" "the model call failed: 503\ntrying again in 10 ms (attempt 2)""#,
            r#"working state-change error="the model said no; try another" "the model said no; try another""#,
            r#"failed state-change FINAL "the model said no; try another""#,
        ]
    );
    let task = &events[0]["id"];
    let stream =
        client.stream("message/stream", go_on(task, "again", json!([{"kind": "text", "text": "again"}]))).await;
    session.step_done("Yes.", &[]);
    assert_eq!(
        lines(&stream.results().await),
        ["working state-change", r#"working text-content "Yes.""#, "input-required state-change FINAL"]
    );
}

#[tokio::test]
async fn every_event_tells_the_plan_of_the_person_where_it_is_known() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("hi")).await;
    let session = roster.newest();
    session.wakes_with_tier("free-tier");
    session.says("Hi.");
    session.step_done("", &[]);
    let events = stream.results().await;
    let tiers: Vec<_> = events[1..].iter().map(|event| event["metadata"].get("userTier").cloned()).collect();
    assert_eq!(tiers, [None, Some(json!("free-tier")), Some(json!("free-tier"))], "{events:#?}");
}
