//! Answers and text in one message: the answers come first, the text is a prompt that waits for its turn.

use crate::coder::line::lines;
use crate::coder::{begin, choice, client, go_on};
use crate::test_server::ScriptedSession;
use crate::test_server::client::TestClient;
use pollux_session::Event;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

/// A session whose task has a call, `call-6`, that asks.
async fn asking() -> (Arc<ScriptedSession>, TestClient, Value) {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    let session = roster.newest();
    session.asks_to_write();
    let task = stream.results().await[0]["id"].clone();
    (session, client, task)
}

/// Answers and prompts in the log, in order.
fn accepted(session: &ScriptedSession) -> Vec<String> {
    let told = session.log().into_iter().filter_map(|entry| match &entry.event {
        Event::Answered { choice, .. } => Some(format!("chose {choice}")),
        Event::Prompted { text, .. } => Some(format!("said {text}")),
        _ => None,
    });
    told.collect()
}

#[tokio::test]
async fn an_approval_and_a_text_are_one_stream() {
    let (session, client, task) = asking().await;
    let parts = json!([{"kind": "text", "text": "and hurry"}, choice("call-6", "proceed_once")]);
    let both = go_on(&task, "both", parts);
    let stream = client.stream("message/stream", both.clone()).await;
    session.starts();
    session.has_written();
    session.step_done("Done.", &[]);
    session.step_done("I hurried.", &[]);
    assert_eq!(
        lines(&stream.results().await),
        [
            "input-required tool-call-confirmation call-6 awaiting_approval proceed_once",
            "input-required tool-call-update call-6 scheduled proceed_once",
            "input-required tool-call-update call-6 executing proceed_once",
            "input-required tool-call-update call-6 success proceed_once",
            "working state-change",
            r#"working text-content "Done.""#,
            "input-required state-change",
            "working state-change",
            r#"working text-content "I hurried.""#,
            "input-required state-change FINAL",
        ]
    );
    assert_eq!(accepted(&session), ["said write", "chose proceed_once", "said and hurry"]);
    let whole = client.rpc("tasks/get", json!({"id": task})).await["result"]["history"].clone();
    let prompt = whole.as_array().unwrap().iter().find(|message| message["parts"][0]["text"] == "and hurry").unwrap();
    assert_eq!(prompt["messageId"], "both");

    // A retry is told the same, and does nothing.
    let (head, again) = (session.head(), client.stream("message/stream", both).await.results().await);
    assert_eq!((session.head(), again.len()), (head, 10));
}

#[tokio::test]
async fn a_text_beside_a_refusal_goes_on_instead_of_the_model() {
    let (session, client, task) = asking().await;
    let parts = json!([choice("call-6", "cancel"), {"kind": "text", "text": "read it instead"}]);
    let stream = client.stream("message/stream", go_on(&task, "both", parts)).await;
    session.step_done("I read it.", &[]);
    assert_eq!(
        lines(&stream.results().await),
        [
            "input-required tool-call-confirmation call-6 awaiting_approval cancel",
            "input-required tool-call-update call-6 cancelled cancel",
            "input-required state-change",
            "working state-change",
            r#"working text-content "I read it.""#,
            "input-required state-change FINAL",
        ]
    );
}

#[tokio::test]
async fn whoever_waits_for_the_answer_waits_for_the_text() {
    let (session, client, task) = asking().await;
    let parts = json!([choice("call-6", "cancel"), {"kind": "text", "text": "read it instead"}]);
    let (_, sent) = tokio::join!(
        async {
            session.holds(|state| state.turn.as_ref().is_some_and(|turn| turn.prompt.0.0 > 3)).await;
            session.step_done("I read it.", &[]);
        },
        client.rpc("message/send", go_on(&task, "both", parts))
    );
    let history = sent["result"]["history"].as_array().unwrap().clone();
    assert_eq!(history.last().unwrap()["parts"][0]["text"], "I read it.");
}

#[tokio::test]
async fn half_of_it_is_never_done() {
    let (session, client, task) = asking().await;
    let text = json!({"kind": "text", "text": "and hurry"});
    let head = session.head();
    for parts in [
        json!([choice("call-6", "unheard_of"), text]),
        json!([choice("call-7", "proceed_once"), text]),
        json!([choice("nothing", "proceed_once"), text]),
        json!([choice("call-6", "proceed_once"), choice("call-6", "cancel"), text]),
        json!([choice("call-6", "proceed_once"), {"kind": "text", "text": 5}]),
        json!([choice("call-6", "proceed_once"), {"kind": "file", "file": {"name": "x", "bytes": "?"}}]),
    ] {
        let refused = client.rpc("message/send", go_on(&task, "both", parts.clone())).await;
        assert!(refused["error"]["code"].is_number(), "{parts}: {refused}");
        assert_eq!(session.head(), head, "{parts}");
    }
}

/// In 1.0 a task ends with its turn, and this turn ends with the answer; but the text comes in the same commit, so the task
/// goes on with it.
#[tokio::test]
async fn a_task_that_the_answer_would_end_goes_on_with_the_text() {
    let (roster, client) = client();
    let client = client.speaking("1.0");
    let begin = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "write"}]}});
    let (_, sent) = tokio::join!(
        async {
            roster.opened().await;
            roster.newest().owes(crate::test_server::script::thinks).await;
            roster.newest().asks_to_write();
        },
        client.rpc("SendMessage", begin)
    );
    let session = roster.newest();
    let parts = json!([{"data": {"tool_call_id": "call-6", "selected_option_id": "cancel"}}, {"text": "read it"}]);
    let task = &sent["result"]["task"]["id"];
    let both = json!({"message": {"messageId": "both", "role": "ROLE_USER", "taskId": task, "parts": parts}});
    let (_, sent) = tokio::join!(
        async {
            session.holds(|state| state.turn.as_ref().is_some_and(|turn| turn.prompt.0.0 > 3)).await;
            session.step_done("I read it.", &[]);
        },
        client.rpc("SendMessage", both)
    );
    assert_eq!(sent["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{sent}");
    assert_eq!(accepted(&session), ["said write", "chose cancel", "said read it"]);
}
