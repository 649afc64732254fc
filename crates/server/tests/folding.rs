//! Every stream can be folded by itself, as the public SDKs do it: no chunk goes on with an artifact that its stream has not told of.

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{ScriptedSession, TestRoster, who};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

struct Conversation {
    client: TestClient,
    v10: bool,
}

impl Conversation {
    fn new(v10: bool) -> (Conversation, Arc<TestRoster>) {
        let roster = TestRoster::new();
        let client = TestClient::new(many_sessions(&roster, "/"), who("generic"));
        let client = if v10 { client.speaking("1.0") } else { client };
        (Conversation { client, v10 }, roster)
    }

    fn message(&self, text: &str, task: &Value) -> Value {
        let mut message = match self.v10 {
            true => json!({"role": "ROLE_USER", "messageId": text, "parts": [{ "text": text }]}),
            false => json!({"role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}]}),
        };
        if task.is_string() {
            message["taskId"] = task.clone();
        }
        json!({ "message": message })
    }

    async fn says(&self, text: &str, task: &Value) -> crate::test_server::client::SseReader {
        let method = if self.v10 { "SendStreamingMessage" } else { "message/stream" };
        self.client.stream(method, self.message(text, task)).await
    }

    async fn follows(&self, task: &Value, cursor: Option<&str>) -> crate::test_server::client::SseReader {
        let method = if self.v10 { "SubscribeToTask" } else { "tasks/resubscribe" };
        self.client.stream_after(method, json!({ "id": task }), cursor).await
    }

    /// The texts of the task's artifacts, as somebody reads them who asks for it.
    async fn read(&self, task: &Value) -> Vec<(String, String)> {
        let got = self.client.rpc(if self.v10 { "GetTask" } else { "tasks/get" }, json!({ "id": task })).await;
        texts(&got["result"]["artifacts"])
    }

    /// A task that has begun to answer, and its session.
    async fn begun(
        &self,
        roster: &TestRoster,
        said: &str,
    ) -> (Arc<ScriptedSession>, Value, Vec<(Option<String>, Value)>) {
        let mut stream = self.says("go", &Value::Null).await;
        let session = roster.newest();
        session.owes(thinks).await;
        session.says(said);
        let mut seen = Vec::new();
        while !seen.iter().any(|(_, event): &(_, Value)| event.to_string().contains("answer-turn-4")) {
            seen.push(stream.next().await.unwrap());
        }
        let first = &seen[0].1["result"];
        let task = if self.v10 { &first["task"] } else { first }["id"].clone();
        (session, task, seen)
    }
}

/// The ids and texts of `artifacts`, files left out.
fn texts(artifacts: &Value) -> Vec<(String, String)> {
    let text = |artifact: &Value| {
        let parts = artifact["parts"].as_array()?.iter().map(|part| part["text"].as_str());
        Some((artifact["artifactId"].as_str()?.to_owned(), parts.collect::<Option<String>>()?))
    };
    artifacts.as_array().into_iter().flatten().filter_map(text).collect()
}

/// The state of a client that folds the events of one stream.
fn folded(events: &[Value]) -> Vec<(String, String)> {
    let mut held: Vec<(String, String)> = Vec::new();
    for event in events {
        if let Some(task) = [&event["task"], event].into_iter().find(|task| task["id"].is_string()) {
            held = texts(&task["artifacts"]);
        }
        let update = if event["artifactUpdate"].is_object() { &event["artifactUpdate"] } else { event };
        for (id, text) in texts(&json!([update["artifact"]])) {
            let place = held.iter().position(|(known, _)| *known == id);
            match (place, update["append"] == true) {
                (Some(place), true) => held[place].1.push_str(&text),
                (Some(place), false) => held[place].1 = text,
                (None, false) => held.push((id, text)),
                (None, true) => panic!("{id} goes on and has never begun: {events:#?}"),
            }
        }
    }
    held
}

fn answer(id: &str, text: &str) -> (String, String) {
    (id.to_owned(), text.to_owned())
}

#[tokio::test]
async fn what_follows_an_approval_is_an_artifact_of_its_own() {
    for v10 in [true, false] {
        let (conversation, roster) = Conversation::new(v10);
        let mut stream = conversation.says("write", &Value::Null).await;
        let session = roster.newest();
        session.owes(thinks).await;
        session.says("Before the ask.");
        session.asks_to_write();
        let first = stream.result().await;
        let task = if v10 { &first["task"] } else { &first }["id"].clone();
        let mut events = vec![first];
        events.extend(stream.results().await);
        assert_eq!(folded(&events), [answer("answer-turn-4", "Before the ask.")], "1.0: {v10}");

        let stream = conversation.says("yes", &task).await;
        session.starts();
        session.has_written();
        session.says("After ");
        session.step_done("it.", &[]);
        assert_eq!(folded(&stream.results().await), [answer("answer-turn-4-2", "After it.")], "1.0: {v10}");
        let whole = [answer("answer-turn-4", "Before the ask."), answer("answer-turn-4-2", "After it.")];
        assert_eq!(conversation.read(&task).await, whole, "1.0: {v10}");
    }
}

#[tokio::test]
async fn a_stream_that_is_taken_up_in_the_middle_of_an_answer_holds_all_of_it() {
    for v10 in [true, false] {
        for by_cursor in [true, false] {
            let (conversation, roster) = Conversation::new(v10);
            let (session, task, seen) = conversation.begun(&roster, "One. ").await;
            session.says("Two. ");
            let cursor = seen.last().and_then(|(cursor, _)| cursor.as_deref()).filter(|_| by_cursor);
            let stream = conversation.follows(&task, cursor).await;
            session.says("Three.");
            session.step_done("", &[]);
            let events = stream.results().await;
            assert_eq!(folded(&events), [answer("answer-turn-4", "One. Two. Three.")], "1.0: {v10}, {by_cursor}");
        }
    }
}

#[tokio::test]
async fn a_message_in_the_middle_of_an_answer_gets_a_stream_that_holds_all_of_it() {
    for v10 in [true, false] {
        let (conversation, roster) = Conversation::new(v10);
        let (session, task, _) = conversation.begun(&roster, "One. ").await;
        let stream = conversation.says("and then", &task).await;
        session.says("Two.");
        session.step_done("", &[]);
        session.owes(thinks).await;
        session.step_done("Then.", &[]);
        let held = folded(&stream.results().await);
        let said: Vec<&str> = held.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(said, ["One. Two.", "Then."], "1.0: {v10}");
    }
}
