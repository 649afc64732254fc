//! One script of commands over every binding, in every version: whoever listens is told the same.

#![cfg(feature = "grpc")]

mod binding;
mod normalize;

use crate::test_server::script::{diff_json, options_json, runs, thinks};
use binding::{ALL, ParityClient, ParityEvents, ParityMessage};
use normalize::{call, join_lines, normalize_event, parts_of, task, v03_state};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// All that a stream tells to its end.
async fn rest(mut events: ParityEvents<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    while let Some((_, event)) = events.next().await {
        lines.extend(normalize_event(&event));
    }
    join_lines(lines)
}

/// The lines that reach a wire: some bindings have no artifacts.
fn reaching(talk: &ParityClient, lines: &Value) -> Vec<Value> {
    let told = |line: &&Value| talk.tells_artifacts() || line.get("artifact").is_none();
    lines.as_array().unwrap().iter().filter(told).cloned().collect()
}

/// A call of the tool that writes, with these fields.
fn writes(id: &str, status: &str, more: &Value) -> Value {
    let mut call = json!({
        "tool_call_id": id, "status": status, "tool_name": "write_file", "input_parameters": {"file_path": "hello.txt"},
    });
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"call": call})
}

#[tokio::test]
async fn a_turn_that_asks_is_told_alike() {
    for wire in ALL {
        let mut talk = ParityClient::begin(wire).await;
        let roster = talk.house.clone();
        let mut asked = talk.say(ParityMessage::Prompt("write a file")).await;
        let session = roster.opened().await;
        session.owes(thinks).await;
        session.muses("**Looking** around");
        session.says("I will ");
        session.says("write it.");
        session.asks_to_write();
        let (_, first) = asked.next().await.unwrap();
        let id = task(&first);
        let mut lines: Vec<Value> = normalize_event(&first).into_iter().collect();
        lines.extend(rest(asked).await);
        let lines = join_lines(lines);
        let tool = call(&lines[3]);
        let request = json!({"confirmation_request": {"options": options_json(), "file_edit_details": diff_json()}});
        let expected = json!([
            {"state": "working"},
            {"thought": {"subject": "Looking", "description": "around"}},
            {"text": "I will write it."},
            writes(&tool, "PENDING", &request),
            {"state": "input-required"},
        ]);
        assert_eq!(lines, reaching(&talk, &expected), "{wire:?}");

        let answered = talk.say(ParityMessage::Allow { task: &id, call: &tool }).await;
        session.owes(runs).await;
        session.starts();
        session.has_written();
        session.owes(thinks).await;
        session.says("It is ");
        session.step_done("written.", &[]);
        let lines = rest(answered).await;
        let expected = json!([
            writes(&tool, "EXECUTING", &json!({})),
            writes(&tool, "SUCCEEDED", &json!({"output": {"diff": diff_json()}})),
            {"artifact": format!("file-{tool}"), "parts": [
                {"file": "aGVsbG8K", "name": "hello.txt", "type": "text/plain"},
                {"data": {"file_name": "hello.txt", "file_path": "/w/hello.txt", "formatted_diff": "+hello\n"}},
            ]},
            {"text": "It is written."},
            {"state": "completed"},
        ]);
        assert_eq!(lines, reaching(&talk, &expected), "{wire:?}");
    }
}

#[tokio::test]
async fn nothing_is_lost_or_told_twice_after_a_cut() {
    for wire in ALL {
        let mut talk = ParityClient::begin(wire).await;
        let roster = talk.house.clone();
        let mut before = talk.say(ParityMessage::Prompt("tell a story")).await;
        let session = roster.opened().await;
        session.owes(thinks).await;
        session.says("Once upon ");
        let (mut id, mut cursor, mut lines) = (String::new(), None, Vec::new());
        while lines.last() != Some(&json!({"text": "Once upon "})) {
            let (at, event) = before.next().await.unwrap();
            id = task(&event);
            cursor = at.or(cursor);
            lines.extend(normalize_event(&event));
        }
        before.cut();
        session.says("a time ");
        let after = talk.follow(&id, &cursor.expect("a cursor came")).await;
        session.step_done("it ended.", &[]);
        lines.extend(rest(after).await);
        let lines = join_lines(lines);
        let expected = json!([
            {"state": "working"},
            {"text": "Once upon a time it ended."},
            {"state": "completed"},
        ]);
        assert_eq!(lines, reaching(&talk, &expected), "{wire:?}");
    }
}

#[tokio::test]
async fn a_cancel_is_told_alike_and_a_second_client_may_send_it() {
    for wire in ALL {
        let mut talk = ParityClient::begin(wire).await;
        let roster = talk.house.clone();
        let mut begun = talk.say(ParityMessage::Prompt("go on for ever")).await;
        let session = roster.opened().await;
        session.owes(thinks).await;
        session.says("On and on.");
        let (mut id, mut cursor, mut lines) = (String::new(), None, Vec::new());
        while lines.last() != Some(&json!({"text": "On and on."})) {
            let (at, event) = begun.next().await.unwrap();
            id = task(&event);
            cursor = at.or(cursor);
            lines.extend(normalize_event(&event));
        }
        begun.cut();
        if let Some(answer) = talk.cancel(&id).await {
            assert_eq!(v03_state(&answer["status"]["state"]), "canceled", "{wire:?}");
        }
        // Whoever was away learns of it, however late.
        lines.extend(rest(talk.follow(&id, &cursor.expect("a cursor came")).await).await);
        let expected = json!([{"state": "working"}, {"text": "On and on."}, {"state": "canceled"}]);
        assert_eq!(join_lines(lines), reaching(&talk, &expected), "{wire:?}");
    }
}

#[tokio::test]
async fn a_turn_that_fails_says_why_to_those_who_follow_and_those_who_look() {
    const WHY: &str = "the model is away";
    for wire in ALL {
        let mut talk = ParityClient::begin(wire).await;
        let roster = talk.house.clone();
        let mut begun = talk.say(ParityMessage::Prompt("try it")).await;
        let session = roster.opened().await;
        session.owes(thinks).await;
        session.fails("api", WHY);
        let (mut id, mut last) = (String::new(), Value::Null);
        while let Some((_, event)) = begun.next().await {
            id = task(&event);
            last = event;
        }
        assert!(last.to_string().contains(WHY), "{wire:?} {last}");
        if let Some(task) = talk.get(&id).await {
            let status = &task["status"];
            // The `.proto` of 0.3 calls the message an update.
            let message = if status["message"].is_null() { &status["update"] } else { &status["message"] };
            assert_eq!(v03_state(&status["state"]), "failed", "{wire:?}");
            assert_eq!(parts_of(message)[0]["text"], WHY, "{wire:?} {task}");
        }
    }
}
