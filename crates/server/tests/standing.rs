//! One state: where a task stands reads the same everywhere, in the words of whoever wrote to it last. And tasks that share
//! a session say for which they wait.

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{ScriptedSession, TestRoster, who};
use axum::http::Method;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn serve() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("ide"));
    (roster, client)
}

/// The answer of `tasks/get`.
async fn got(client: &TestClient, id: &str) -> Value {
    client.rpc("tasks/get", json!({ "id": id })).await["result"]["status"]["state"].clone()
}

/// The answers of `GET /tasks/:id` and of the metadata.
async fn standing(client: &TestClient, id: &str) -> [Value; 2] {
    let (_, task) = client.json(Method::GET, &format!("/tasks/{id}"), "").await;
    let (_, metadata) = client.json(Method::GET, &format!("/tasks/{id}/metadata"), "").await;
    [task["state"].clone(), metadata["metadata"]["taskState"].clone()]
}

async fn rest(session: &ScriptedSession) {
    session.owes(thinks).await;
    session.step_done("done", &[]);
}

#[tokio::test]
async fn a_task_reads_the_same_everywhere_in_the_words_of_its_newest_message() {
    let (roster, client) = serve();
    let settings = json!({"agentSettings": {"kind": "agent-settings", "workspacePath": "/"}});
    let (_, id) = client.json(Method::POST, "/tasks", &settings.to_string()).await;
    let (id, session) = (id.as_str().unwrap().to_owned(), roster.newest());

    let page = client.post_stream("/message/stream", &json!({"taskId": id, "userMessage": "hi"})).await;
    rest(&session).await;
    assert_eq!(page.events().await.last().unwrap().1["state"], "completed");
    assert_eq!(standing(&client, &id).await, ["completed", "completed"]);

    let part = json!({"kind": "text", "text": "again"});
    let coder = json!({"message": {"role": "user", "messageId": "m", "taskId": id, "parts": [part]}});
    let stream = client.stream("message/stream", coder).await;
    rest(&session).await;
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "input-required");
    assert_eq!(standing(&client, &id).await, ["input-required", "input-required"]);

    let named = client.post_stream(&format!("/tasks/{id}/execute"), &json!({"message": "more"})).await;
    session.owes(thinks).await;
    session.asks_to_run("ls");
    assert_eq!(named.events().await.last().unwrap().1["state"], "running");
    assert_eq!(standing(&client, &id).await, ["running", "running"]);

    let flat = client.post_stream(&format!("/tasks/{id}/messages/stream"), &json!({"text": "and more"})).await;
    drop(flat);
    assert_eq!(standing(&client, &id).await, ["input-required", "input-required"]);
}

/// Whichever dialect the task began in.
#[tokio::test]
async fn in_tasks_get_too_when_messages_of_several_dialects_come() {
    let (roster, client) = serve();
    let say = |task: Option<&str>, id: &str, metadata: Value| {
        let part = json!({"kind": "text", "text": "hi"});
        let message = json!({"role": "user", "messageId": id, "taskId": task, "parts": [part], "metadata": metadata});
        json!({ "message": message })
    };
    let mut stream = client.declaring().stream("message/stream", say(None, "m1", Value::Null)).await;
    let id = stream.result().await["id"].as_str().unwrap().to_owned();
    let session = roster.newest();
    rest(&session).await;
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "completed");
    let coder = json!({"coderAgent": {"kind": "agent-settings", "workspacePath": "/"}});
    let stream = client.stream("message/stream", say(Some(&id), "m2", coder)).await;
    rest(&session).await;
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "input-required");
    assert_eq!(standing(&client, &id).await, ["input-required", "input-required"]);
    assert_eq!(got(&client, &id).await, "input-required");

    let settings = json!({"agentSettings": {"kind": "agent-settings", "workspacePath": "/"}});
    let (_, id) = client.json(Method::POST, "/tasks", &settings.to_string()).await;
    let (id, session) = (id.as_str().unwrap().to_owned(), roster.newest());
    for (path, body) in [
        ("/message/stream".to_owned(), json!({"taskId": id, "userMessage": "hi"})),
        (format!("/tasks/{id}/execute"), json!({"message": "more"})),
        (format!("/tasks/{id}/messages/stream"), json!({"text": "and more"})),
    ] {
        let stream = client.post_stream(&path, &body).await;
        rest(&session).await;
        drop(stream.events().await);
        assert_eq!(standing(&client, &id).await, ["completed", "completed"], "{path}");
        assert_eq!(got(&client, &id).await, "completed", "{path}");
    }
}

#[tokio::test]
async fn in_the_rfcs_dialect_too_and_in_that_of_1_0() {
    let (roster, client) = serve();
    let part = json!({"kind": "text", "text": "hi"});
    let message = json!({"message": {"role": "user", "messageId": "m", "parts": [part]}});
    let mut stream = client.stream("message/stream", message).await;
    let id = stream.result().await["id"].as_str().unwrap().to_owned();
    let session = roster.newest();
    session.owes(thinks).await;
    assert_eq!(standing(&client, &id).await, ["working", "working"]);
    session.step_done("", &[]);
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "completed");
    assert_eq!(standing(&client, &id).await, ["completed", "completed"]);

    let message = json!({"message": {"role": "ROLE_USER", "messageId": "n", "taskId": id, "parts": [{"text": "hi"}]}});
    let stream = client.speaking("1.0").stream("SendStreamingMessage", message).await;
    rest(&session).await;
    let results = stream.results().await;
    assert_eq!(results.last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(standing(&client, &id).await, ["input-required", "input-required"]);
}

#[tokio::test]
async fn a_task_that_waits_says_behind_which() {
    let say = |text: &str| {
        let part = json!({"kind": "text", "text": text});
        json!({"message": {"role": "user", "messageId": text, "contextId": "shared", "parts": [part]}})
    };
    let (roster, client) = serve();
    let mut first = client.stream("message/stream", say("one")).await;
    let ahead = first.result().await["id"].as_str().unwrap().to_owned();
    let mut second = client.stream("message/stream", say("two")).await;
    let task = second.result().await["id"].as_str().unwrap().to_owned();
    let line = |task: &str, ahead: &str| {
        format!("task {task} waits until task {ahead} is done: tasks of context shared that share a session take turns")
    };
    let waits = second.result().await;
    assert_eq!(waits["metadata"]["pollux/remark"], json!({"level": "info"}));
    assert_eq!(
        (&waits["status"]["state"], &waits["status"]["message"]["parts"][0]["text"]),
        (&json!("submitted"), &json!(line(&task, &ahead)))
    );
    let got = client.rpc("tasks/get", json!({"id": task})).await["result"].clone();
    assert_eq!(got["status"]["message"]["parts"][0]["text"], line(&task, &ahead), "{got}");
    // The next one waits behind the one that waits; in the other documents' dialects it is told as well.
    let body = json!({"contextId": "shared", "userMessage": "three"});
    let mut third = client.post_stream("/message/stream", &body).await;
    let (_, told) = third.next().await.unwrap();
    let own = told["taskId"].as_str().unwrap();
    assert_eq!(
        (&told["kind"], &told["state"], &told["message"]),
        (&json!("state-change"), &json!("submitted"), &json!(line(own, &task)))
    );
    // Who is first says nothing of the kind.
    let session = roster.newest();
    rest(&session).await;
    let told = first.results().await;
    assert!(told.iter().all(|event| event["metadata"]["pollux/remark"].is_null()), "{told:?}");
}
