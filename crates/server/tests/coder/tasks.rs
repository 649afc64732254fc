//! Tasks: how they begin, are looked at, followed and cancelled.

use crate::coder::line::lines;
use crate::coder::{begin, choice, client, go_on};
use crate::test_server::NOW_TEXT;
use crate::test_server::client::{TestClient, shared_session};
use crate::test_server::script::vets;
use crate::test_server::{TestRoster, observer, who};
use axum::http::{Method, StatusCode};
use pollux_session::{PolicyVerdict, Report, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[tokio::test]
async fn a_new_task_comes_first_with_what_was_set() {
    let (roster, client) = client();
    let mut params = begin("hi");
    params["message"]["metadata"]["coderAgent"] = json!({
        "kind": "agent-settings", "workspacePath": "/", "isTrusted": true, "apiKey": "secret", "theirs": 1,
    });
    let mut stream = client.stream("message/stream", params).await;
    let (_, first) = stream.next().await.unwrap();
    let task = &first["result"];
    let session = roster.newest();
    let settings = r#"{"kind":"agent-settings","workspacePath":"/","theirs":1,"isTrusted":false}"#;
    assert_eq!(
        task.to_string(),
        format!(
            concat!(
                r#"{{"id":{id},"contextId":{context},"kind":"task","status":{{"state":"submitted","timestamp":"{now}"}},"#,
                r#""metadata":{{"__persistedState":{{"_agentSettings":{settings},"_taskState":"submitted"}},"#,
                r#""_contextId":{context},"_ignoredSettings":["theirs"]}},"history":[{{"kind":"message","role":"user","#,
                r#""parts":[{{"kind":"text","text":"hi"}}],"messageId":"hi","taskId":{id},"contextId":{context}}}],"#,
                r#""artifacts":[]}}"#
            ),
            id = task["id"],
            context = task["contextId"],
            now = NOW_TEXT,
            settings = settings,
        )
    );
    let log = serde_json::to_string(&session.log().iter().map(|entry| &entry.event).collect::<Vec<_>>()).unwrap();
    assert!(!log.contains("secret") && !log.contains("isTrusted"), "{log}");
}

#[tokio::test]
async fn later_messages_gets_and_streams_speak_it_too() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    let session = roster.newest();
    session.asks_to_write();
    let task = stream.results().await[0]["id"].clone();

    let asked = client.rpc("tasks/get", json!({"id": task, "historyLength": 1})).await["result"].clone();
    assert_eq!(asked["status"]["state"], "input-required");
    assert_eq!(asked["metadata"]["__persistedState"]["_taskState"], "input-required");
    let pending = &asked["status"]["message"]["parts"][0]["data"];
    assert_eq!(
        (&pending["request"]["callId"], &pending["status"]),
        (&json!(session.call_id(6)), &json!("awaiting_approval"))
    );
    assert_eq!(asked["history"][0]["parts"][0]["data"], *pending);
    assert_eq!(asked["artifacts"], json!([]));

    // Whoever follows gets the task, and nothing else while people are waited for.
    let followed = client.stream("tasks/resubscribe", json!({"id": task})).await.results().await;
    assert_eq!(lines(&followed), ["task input-required"]);
    assert_eq!(followed[0]["history"].as_array().unwrap().len(), 2);

    let answer = go_on(&task, "yes", json!([{"kind": "data", "data": {"toolCallId": "call-6", "approved": true}}]));
    let mut send = answer.clone();
    send["configuration"] = json!({"blocking": false});
    let sent = client.rpc("message/send", send).await["result"].clone();
    assert_eq!(sent["status"]["state"], "working");
    let following = client.stream("tasks/resubscribe", json!({"id": task})).await;
    session.starts();
    session.has_written();
    session.step_done("Done.", &[]);
    assert_eq!(
        lines(&following.results().await),
        [
            "task working",
            "input-required tool-call-update call-6 executing proceed_once",
            "input-required tool-call-update call-6 success proceed_once",
            "working state-change",
            r#"working text-content "Done.""#,
            "input-required state-change FINAL",
        ]
    );
    let rested = client.rpc("tasks/get", json!({"id": task})).await["result"].clone();
    let said: Vec<_> = rested["history"].as_array().unwrap().iter().map(|message| &message["parts"][0]).collect();
    assert_eq!(said[0], &json!({"kind": "text", "text": "write"}));
    assert_eq!(said[1]["data"]["status"], "success");
    assert_eq!(said[2], &json!({"kind": "text", "text": "Done."}));
    assert_eq!(rested["status"], json!({"state": "input-required", "timestamp": NOW_TEXT}));
}

#[tokio::test]
async fn every_new_task_is_a_session_of_its_own_whatever_its_label() {
    let (roster, client) = client();
    let mut first = begin("one");
    first["message"]["contextId"] = json!("label");
    let mut second = begin("two");
    second["message"]["contextId"] = json!("label");
    client.stream("message/stream", first).await;
    let stream = client.stream("message/stream", second).await;
    assert_eq!(roster.sessions().len(), 2);
    roster.newest().step_done("Yes.", &[]);
    let events = stream.results().await;
    assert_eq!(events[0]["contextId"], "label");

    // A label that is not the task's own is not minded.
    let mut third = go_on(&events[0]["id"], "three", json!([{"kind": "text", "text": "three"}]));
    third["message"]["contextId"] = json!("other");
    let stream = client.stream("message/stream", third).await;
    roster.newest().step_done("Yes.", &[]);
    assert_eq!(stream.results().await[0]["contextId"], "label");
}

#[tokio::test]
async fn a_task_made_by_post_tasks_is_one_like_any_other() {
    let (roster, client) = client();
    let body = json!({"contextId": "label", "agentSettings": {"kind": "agent-settings", "workspacePath": "/"}});
    let (status, id) = client.json(Method::POST, "/tasks", &body.to_string()).await;
    assert_eq!(status, StatusCode::CREATED);
    let fresh = client.rpc("tasks/get", json!({"id": id})).await["result"].clone();
    assert_eq!((&fresh["status"]["state"], &fresh["contextId"]), (&json!("submitted"), &json!("label")));
    assert_eq!(fresh["history"], json!([]));
    let stream = client.stream("message/stream", go_on(&id, "m", json!([{"kind": "text", "text": "hi"}]))).await;
    roster.newest().step_done("Hello.", &[]);
    assert_eq!(
        lines(&stream.results().await),
        ["working state-change", r#"working text-content "Hello.""#, "input-required state-change FINAL"]
    );
    let cancelled = client.rpc("tasks/cancel", json!({"id": id})).await["result"].clone();
    assert_eq!(cancelled["status"]["state"], "canceled");
}

#[tokio::test]
async fn a_cancel_ends_the_stream_and_the_task() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("run")).await;
    let session = roster.newest();
    session.says("I will");
    let log = session.log();
    let Some((task, _)) = log.last().unwrap().task else { panic!("a task") };
    let cancelled = client.rpc("tasks/cancel", json!({"id": task})).await["result"].clone();
    assert_eq!(cancelled["status"]["state"], "canceled");
    assert_eq!(cancelled["status"]["message"]["parts"], json!([{"kind": "text", "text": "a client cancelled this"}]));
    assert_eq!(
        lines(&stream.results().await)[2..],
        [r#"working text-content "I will""#, r#"canceled state-change FINAL "a client cancelled this""#]
    );
    // What was said is not lost.
    assert_eq!(cancelled["history"][1]["parts"], json!([{"kind": "text", "text": "I will"}]));
    let again = client.rpc("tasks/cancel", json!({"id": task})).await;
    assert_eq!(again["error"]["code"], -32002);
    let closed = client.rpc("message/send", go_on(&json!(task), "m", json!([{"text": "hi"}]))).await;
    assert_eq!(closed["error"]["data"][1]["reason"], "TASK_CLOSED");
}

#[tokio::test]
async fn a_task_that_asks_or_rests_can_be_cancelled() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    roster.newest().asks_to_write();
    let task = stream.results().await[0]["id"].clone();
    let cancelled = client.rpc("tasks/cancel", json!({"id": task})).await["result"].clone();
    assert_eq!(cancelled["status"]["state"], "canceled");
    assert_eq!(cancelled["history"][1]["parts"][0]["data"]["status"], "cancelled");

    let stream = client.stream("message/stream", begin("hi")).await;
    roster.newest().step_done("Hello.", &[]);
    let task = stream.results().await[0]["id"].clone();
    let cancelled = client.rpc("tasks/cancel", json!({"id": task})).await["result"].clone();
    assert_eq!(cancelled["status"]["state"], "canceled");
}

#[tokio::test]
async fn in_a_shared_session_a_message_that_says_so_is_answered_in_it() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("ide"));
    let mut say = go_on(&json!(session.id), "go", json!([{"kind": "text", "text": "write"}]));
    say["message"]["metadata"] = json!({"coderAgent": {"kind": "agent-settings"}});
    let stream = client.stream("message/stream", say).await;
    session.says("I will");
    // Whoever ends the turn does not end the task.
    let cancel = pollux_session::Command::Cancel { scope: pollux_session::CancelScope::Turn };
    session.command(&who("terminal"), "c", cancel).unwrap();
    let told: Vec<Value> = stream.results().await;
    assert_eq!(lines(&told).last().unwrap(), r#"input-required state-change FINAL "a client cancelled this""#);
}

/// However it begins a task of a session that others share, and whoever reads the log: later messages say nothing of the
/// dialect, and need not.
#[tokio::test]
async fn in_a_shared_session_a_task_goes_on_in_it() {
    for way in ["a message", "POST /tasks"] {
        let roster = TestRoster::new();
        let session = roster.session("ctx", "/");
        let ide = || TestClient::new(shared_session(&roster, session.id, "/"), who("ide"));
        let (task, began) = match way {
            "a message" => {
                let stream = ide().stream("message/stream", begin("write")).await;
                session.asks_to_write();
                let events = stream.results().await;
                assert_eq!(lines(&events)[..2], ["task submitted", "working state-change"], "{way}");
                (events[0]["id"].clone(), events)
            }
            _ => {
                let body = json!({"agentSettings": {"kind": "agent-settings", "workspacePath": "/", "theirs": 1}});
                let (status, task) = ide().json(Method::POST, "/tasks", &body.to_string()).await;
                assert_eq!(status, StatusCode::CREATED);
                let fresh = ide().rpc("tasks/get", json!({"id": task})).await["result"].clone();
                assert_eq!(fresh["status"]["state"], "submitted");
                assert_eq!(fresh["metadata"]["__persistedState"]["_agentSettings"]["theirs"], 1);
                let (_, listed) = ide().json(Method::GET, "/tasks/metadata", "").await;
                let ids: Vec<_> =
                    listed.as_array().unwrap().iter().map(|told| (&told["id"], &told["taskState"])).collect();
                assert!(ids.contains(&(&task, &json!("submitted"))), "{listed}");
                let say = go_on(&task, "go", json!([{"kind": "text", "text": "write"}]));
                let stream = ide().stream("message/stream", say).await;
                session.asks_to_write();
                (task, stream.results().await)
            }
        };
        assert_ne!(task, json!(session.id), "{way}");
        assert_eq!(lines(&began).last().unwrap(), "input-required state-change FINAL", "{way}");
        let call = began[began.len() - 2]["status"]["message"]["parts"][0]["data"]["request"]["callId"].clone();
        let answer = go_on(&task, "yes", json!([choice(call.as_str().unwrap(), "proceed_once")]));
        let stream = ide().stream("message/stream", answer).await;
        session.starts();
        session.has_written();
        session.step_done("Done.", &[]);
        let told = stream.results().await;
        assert_eq!(
            lines(&told)[5..],
            [r#"working text-content "Done.""#, "input-required state-change FINAL"],
            "{way}"
        );

        let mut more = go_on(&task, "more", json!([{"kind": "text", "text": "more"}]));
        more["message"]["contextId"] = json!("any label");
        let stream = ide().stream("message/stream", more).await;
        session.step_done("Yes.", &[]);
        let told = stream.results().await;
        assert_eq!(lines(&told)[1..], [r#"working text-content "Yes.""#, "input-required state-change FINAL"], "{way}");
        assert_eq!(told[0]["taskId"], task);
        let whole = ide().rpc("tasks/get", json!({"id": task})).await["result"].clone();
        assert_eq!(whole["history"].as_array().unwrap().len(), 5, "{way}");
        assert_eq!(whole["metadata"]["__persistedState"]["_taskState"], "input-required", "{way}");
        let (_, metadata) = ide().json(Method::GET, &format!("/tasks/{}/metadata", task.as_str().unwrap()), "").await;
        assert_eq!(metadata["metadata"]["taskState"], "input-required", "{way}");

        // The session itself speaks as it did, and outlives the task.
        let cancelled = ide().rpc("tasks/cancel", json!({"id": task})).await["result"].clone();
        assert_eq!(cancelled["status"]["state"], "canceled", "{way}");
        let whole = ide().rpc("tasks/get", json!({"id": session.id})).await["result"].clone();
        assert_eq!((&whole["status"]["state"], &whole["metadata"]), (&json!("completed"), &Value::Null), "{way}");
    }
}

#[tokio::test]
async fn a_retry_begins_no_second_task_in_a_shared_session() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("ide"));
    let mut send = begin("hi");
    send["configuration"] = json!({"blocking": false});
    let first = client.rpc("message/send", send.clone()).await["result"]["id"].clone();
    assert_eq!(client.rpc("message/send", send).await["result"]["id"], first);
}

#[tokio::test]
async fn whoever_may_only_look_begins_no_task() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), observer());
    let body = json!({"agentSettings": {"kind": "agent-settings", "workspacePath": "/"}});
    let head = session.head();
    let (status, _) = client.json(Method::POST, "/tasks", &body.to_string()).await;
    assert_eq!((status, session.head()), (StatusCode::CONFLICT, head));
}

#[tokio::test]
async fn a_cancelled_call_is_told_before_the_end_and_nothing_else_is() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("run")).await;
    let session = roster.newest();
    session.step_done("", &[("run_shell_command", json!({"command": "sleep 9"}))]);
    let verdict = PolicyVerdict::allow("all");
    session.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict });
    session.starts();
    session.prints("start\n");
    let task = json!(session.log().last().unwrap().task.unwrap().0);
    client.rpc("tasks/cancel", json!({"id": task})).await;
    let events = stream.results().await;
    assert_eq!(
        lines(&events)[5..],
        [
            "working tool-call-update call-6 executing proceed_once",
            r#"tool-call-6-output "start\n""#,
            "working tool-call-update call-6 cancelled proceed_once",
            r#"canceled state-change FINAL "a client cancelled this""#,
        ]
    );
    let response = &events[7]["status"]["message"]["parts"][0]["data"]["response"];
    assert_eq!(response["resultDisplay"], "start\n");
}
