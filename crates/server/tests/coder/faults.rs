//! A request that cannot be done is refused at once; the original is silent, or worse.

use crate::coder::line::lines;
use crate::coder::{begin, choice, client, go_on};
use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::{TestRoster, observer, who};
use pollux_session::{AnswerEdit, Command, Right, Rights, Who};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

/// A task that asks whether it may write, as `call-6`.
async fn asking() -> (Arc<TestRoster>, TestClient, Value) {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("write")).await;
    roster.newest().asks_to_write();
    let task = stream.results().await[0]["id"].clone();
    (roster, client, task)
}

#[tokio::test]
async fn an_answer_to_nothing_or_of_nothing_is_refused() {
    let (roster, client, task) = asking().await;
    let before = roster.newest().log().len();
    for (part, reason) in [
        (choice("call-6", "approve_it"), "UNKNOWN_OPTION"),
        (choice("call-99", "proceed_once"), "UNKNOWN_CALL"),
        (choice("call-6", "modify_with_editor"), "UNKNOWN_OPTION"),
    ] {
        let refused = client.rpc("message/stream", go_on(&task, "m", json!([part]))).await;
        assert_eq!(refused["error"]["data"][1]["reason"], reason, "{part}");
    }
    let foreign = client.rpc("message/stream", go_on(&task, "m", json!([choice("write_file__1_0", "cancel")]))).await;
    assert_eq!(
        foreign["error"]["message"],
        "no tool call \"write_file__1_0\" is waiting for an answer; send the `tool_call_id` as it came"
    );
    // One of two that cannot be: neither is.
    let half = json!([choice("call-6", "proceed_once"), choice("call-99", "proceed_once")]);
    let refused = client.rpc("message/stream", go_on(&task, "half", half)).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "UNKNOWN_CALL");
    assert_eq!(roster.newest().log().len(), before);
}

#[tokio::test]
async fn a_losing_answer_learns_who_won() {
    let (_, client, task) = asking().await;
    client.stream("message/stream", go_on(&task, "a", json!([choice("call-6", "proceed_once")]))).await;
    let other = client.seen_by(who("browser"));
    let lost = other.rpc("message/stream", go_on(&task, "b", json!([choice("call-6", "cancel")]))).await;
    assert_eq!(lost["error"]["data"][1]["reason"], "ALREADY_DECIDED");
    assert_eq!(lost["error"]["data"][1]["metadata"], json!({"decided_by": "ide", "choice": "proceed_once"}));
}

#[tokio::test]
async fn new_content_runs_instead_of_what_was_shown() {
    for outcome in ["proceed_once", "modify_with_editor"] {
        let (roster, client, task) = asking().await;
        let part = json!({"kind": "data", "data": {"callId": "call-6", "outcome": outcome, "newContent": "mine\n"}});
        client.stream("message/stream", go_on(&task, "m", json!([part]))).await;
        let log = roster.newest().log();
        let edited = log.iter().find_map(|entry| match &entry.event {
            pollux_session::Event::Answered { edit, choice, .. } => Some((choice.clone(), edit.clone())),
            _ => None,
        });
        assert_eq!(edited, Some(("proceed_once".into(), Some(AnswerEdit::Content { new: "mine\n".into() }))));
    }
}

#[tokio::test]
async fn running_without_asking_takes_the_right_to_approve() {
    let roster = TestRoster::new();
    let prompter = Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..who("script") };
    let client = TestClient::new(many_sessions(&roster, "/"), prompter);
    let mut params = begin("hi");
    params["message"]["metadata"]["coderAgent"]["autoExecute"] = json!(true);
    let refused = client.rpc("message/stream", params.clone()).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "NOT_ALLOWED");
    assert!(roster.sessions().is_empty());
    let refused = client.seen_by(observer()).rpc("message/stream", begin("hi")).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "NOT_ALLOWED");
    client.seen_by(who("ide")).stream("message/stream", params).await;
    assert_eq!(roster.sessions().len(), 1);
}

#[tokio::test]
async fn a_workspace_that_cannot_be_is_an_error_and_opens_nothing() {
    let (roster, client) = client();
    for (path, why) in [("/does-not-exist", "does not exist"), ("relative", "is not absolute")] {
        let mut params = begin("hi");
        params["message"]["metadata"]["coderAgent"]["workspacePath"] = json!(path);
        let refused = client.rpc("message/stream", params).await;
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(why), "{message}");
    }
    assert!(roster.sessions().is_empty());
}

#[tokio::test]
async fn a_prompt_that_waits_and_is_taken_back_ends_its_stream() {
    let (roster, client) = client();
    let stream = client.stream("message/stream", begin("one")).await;
    let session = roster.newest();
    let log = session.log();
    let task = json!(log.last().unwrap().task.unwrap().0);
    let waiting = client.stream("message/stream", go_on(&task, "two", json!([{"kind": "text", "text": "two"}]))).await;
    let prompt = pollux_session::PromptId(session.head());
    session.command(&who("terminal"), "u", Command::Unqueue { prompt }).unwrap();
    assert_eq!(lines(&waiting.results().await), ["canceled state-change FINAL"]);
    session.step_done("Yes.", &[]);
    assert_eq!(lines(&stream.results().await).last().unwrap(), "input-required state-change FINAL");
}

#[tokio::test]
async fn a_text_to_a_task_that_asks_waits_behind_the_ask_and_its_client_does_not() {
    let (roster, client, task) = asking().await;
    let text = json!([{"kind": "text", "text": "and then?"}]);
    let stream = client.stream("message/stream", go_on(&task, "m", text.clone())).await;
    assert_eq!(lines(&stream.results().await), ["input-required state-change FINAL"]);
    let sent = client.rpc("message/send", go_on(&task, "m2", text)).await;
    assert_eq!(sent["result"]["status"]["state"], "input-required");
    // Nothing was decided by it, and both are kept.
    roster.newest().holds(|state| state.queue.len() == 2 && state.turn.is_some()).await;
}
