//! Asks answered in words, by clients that know nothing but A2A.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::thinks;
use crate::test_server::socket::TestSocket;
use crate::test_server::{NOW, ScriptedSession, TestRoster, who};
use pollux_server::RouterOptions;
use pollux_session::{CallOutcome, CallResult, Event, Right, Rights, SessionState, UnixMillis, Who};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

/// A task that waits for an answer, and whoever prompted it.
struct WaitingTask {
    roster: Arc<TestRoster>,
    session: Arc<ScriptedSession>,
    client: TestClient,
    task: Value,
    v10: bool,
}

impl WaitingTask {
    /// In 1.0, or in 0.3.
    async fn new(v10: bool) -> WaitingTask {
        let roster = TestRoster::new();
        let client = TestClient::new(many_sessions(&roster, "/"), who("crew"));
        let client = if v10 { client.speaking("1.0") } else { client };
        WaitingTask::with(roster, client, v10).await
    }

    async fn with(roster: Arc<TestRoster>, client: TestClient, v10: bool) -> WaitingTask {
        let method = if v10 { "SendStreamingMessage" } else { "message/stream" };
        let mut stream = client.stream(method, message(v10, "write hello.txt", "m1")).await;
        let first = stream.result().await;
        let task = if v10 { &first["task"] } else { &first }["id"].clone();
        let session = roster.newest();
        session.asks_to_write();
        drop(stream.results().await);
        WaitingTask { roster, session, client, task, v10 }
    }

    /// Say something to the task, and do not wait for what follows.
    async fn says(&self, text: &str, id: &str) -> Value {
        self.sends(&self.client, text, id, Value::Null).await
    }

    async fn sends(&self, client: &TestClient, text: &str, id: &str, metadata: Value) -> Value {
        let mut params = message(self.v10, text, id);
        params["message"]["taskId"] = self.task.clone();
        params["message"]["metadata"] = metadata;
        let (method, wait) = match self.v10 {
            true => ("SendMessage", json!({"returnImmediately": true})),
            false => ("message/send", json!({"blocking": false})),
        };
        params["configuration"] = wait;
        client.rpc(method, params).await
    }

    /// The choice for the call that asked, if it was decided.
    fn chosen(&self) -> Option<String> {
        let log = self.session.log();
        log.iter().find_map(|entry| match &entry.event {
            Event::Answered { choice, .. } => Some(choice.clone()),
            _ => None,
        })
    }

    /// True if it still waits, as far as its log says.
    fn asks(&self) -> bool {
        let state = SessionState::fold(self.session.log().iter().map(Arc::as_ref));
        state.only_asks_remain()
    }
}

fn message(v10: bool, text: &str, id: &str) -> Value {
    match v10 {
        true => json!({"message": {"role": "ROLE_USER", "messageId": id, "parts": [{ "text": text }]}}),
        false => json!({"message": {"role": "user", "messageId": id, "parts": [{"kind": "text", "text": text}]}}),
    }
}

#[tokio::test]
async fn a_generic_client_approves_and_declines_in_words() {
    for v10 in [true, false] {
        for (text, option) in [
            ("Yes.", "proceed_once"),
            ("yes, allow it once", "proceed_once"),
            ("1", "proceed_once"),
            ("no", "cancel"),
            ("CANCEL", "cancel"),
        ] {
            let waiting = WaitingTask::new(v10).await;
            let answered = waiting.says(text, "m2").await;
            assert_eq!(answered["error"], Value::Null, "{text}: {answered}");
            assert_eq!(waiting.chosen().as_deref(), Some(option), "{text} in 1.0: {v10}");
        }
    }
}

#[tokio::test]
async fn a_stream_asks_once() {
    for (v10, declares, asked) in [(true, false, 1), (false, false, 1), (true, true, 2), (false, true, 2)] {
        let roster = TestRoster::new();
        let client = TestClient::new(many_sessions(&roster, "/"), who("crew"));
        let client = if v10 { client.speaking("1.0") } else { client };
        let client = if declares { client.declaring() } else { client };
        let method = if v10 { "SendStreamingMessage" } else { "message/stream" };
        let mut stream = client.stream(method, message(v10, "write hello.txt", "m1")).await;
        stream.result().await;
        roster.newest().asks_to_write();
        let events = stream.results().await;
        let asks = events.iter().filter(|event| event.to_string().contains("The agent wants to change"));
        assert_eq!(asks.count(), asked, "1.0: {v10}, declares: {declares}: {events:#?}");
        let last = events.last().unwrap().to_string().to_lowercase().replace('_', "-");
        assert!(last.contains("input-required") && last.contains("the agent wants to change"), "{last}");
    }
}

#[tokio::test]
async fn the_decider_is_named_and_a_retry_decides_nothing_twice() {
    let waiting = WaitingTask::new(true).await;
    waiting.says("yes", "m2").await;
    waiting.session.starts();
    waiting.session.has_written();
    let log = waiting.session.log();
    let answers = log.iter().filter(|entry| matches!(entry.event, Event::Answered { .. }));
    let by: Vec<String> = answers.map(|entry| entry.by.to_string()).collect();
    assert_eq!(by, ["crew"]);
    let again = waiting.says("yes", "m2").await;
    assert_eq!(again["error"], Value::Null, "{again}");
    assert_eq!(waiting.session.log(), log, "the retry says nothing to the agent either");
}

#[tokio::test]
async fn other_words_decline_and_are_the_next_prompt_of_the_same_task() {
    let waiting = WaitingTask::new(true).await;
    let told = waiting.says("no, write bye.txt instead", "m2").await["result"]["task"].clone();
    assert_eq!(told["status"]["state"], "TASK_STATE_WORKING", "{told}");
    assert_eq!(waiting.chosen().as_deref(), Some("cancel"));
    waiting.session.owes(thinks).await;
    waiting.session.step_done("Wrote it.", &[]);
    let ended = waiting.client.rpc("GetTask", json!({"id": waiting.task})).await["result"].clone();
    assert_eq!(ended["status"]["state"], "TASK_STATE_COMPLETED");
    let said: Vec<&Value> = ended["history"].as_array().unwrap().iter().map(|said| &said["parts"][0]["text"]).collect();
    assert!(said.contains(&&json!("no, write bye.txt instead")), "{ended}");
    assert_eq!(waiting.roster.sessions().len(), 1);
}

#[tokio::test]
async fn a_no_is_told_as_a_no_and_its_stream_never_goes_back() {
    let waiting = WaitingTask::new(true).await;
    let mut params = message(true, "no", "m2");
    params["message"]["taskId"] = waiting.task.clone();
    let events = waiting.client.stream("SendStreamingMessage", params).await.results().await;
    let states = events.iter().filter_map(|event| {
        let holder = if event["task"].is_object() { &event["task"] } else { &event["statusUpdate"] };
        holder["status"]["state"].as_str()
    });
    assert_eq!(Vec::from_iter(states), ["TASK_STATE_WORKING", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
    let said = "A tool call was declined, so the agent stopped here. To say what to do instead, send a new message in this context.";
    let last = &events.last().unwrap()["statusUpdate"]["status"];
    assert_eq!(last["message"]["parts"], json!([{ "text": said }]));
    let task = waiting.client.rpc("GetTask", json!({"id": waiting.task})).await["result"].clone();
    assert_eq!(task["status"]["message"]["parts"], json!([{ "text": said }]));
}

/// Two blocking calls for one task, the second of which waits behind the turn of the first; then a plain no.
#[tokio::test]
async fn after_a_plain_no_what_waits_in_the_task_goes_on_and_every_call_returns() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("crew")).speaking("1.0");
    let mut first = client.stream("SendStreamingMessage", message(true, "make a file", "m1")).await;
    let task = first.result().await["task"]["id"].clone();
    let session = roster.newest();
    let send = |text: &str, id: &str| {
        let (client, mut params) = (client.clone(), message(true, text, id));
        params["message"]["taskId"] = task.clone();
        tokio::spawn(async move { client.rpc("SendMessage", params).await["result"]["task"]["status"].clone() })
    };
    let second = send("and keep it short", "m2");
    session.holds(|state| state.queue.len() == 1).await;
    session.asks_to_write();
    assert_eq!(second.await.unwrap()["state"], "TASK_STATE_INPUT_REQUIRED");
    let no = send("no", "m3");
    session.holds(|state| state.decisions.len() == 1).await;
    session.owes(thinks).await;
    session.step_done("Short.", &[]);
    assert_eq!(no.await.unwrap()["state"], "TASK_STATE_COMPLETED");
}

/// In 1.0 the last state that a stream tells is one in which the task rests or asks.
#[tokio::test]
async fn a_stream_of_1_0_goes_on_with_what_waits_in_its_task() {
    for (v10, last) in [(true, "TASK_STATE_COMPLETED"), (false, "completed")] {
        let roster = TestRoster::new();
        let client = TestClient::new(many_sessions(&roster, "/"), who("crew"));
        let client = if v10 { client.speaking("1.0") } else { client };
        let method = if v10 { "SendStreamingMessage" } else { "message/stream" };
        let mut first = client.stream(method, message(v10, "make a file", "m1")).await;
        let begun = first.result().await;
        let task = if v10 { &begun["task"] } else { &begun }["id"].clone();
        let session = roster.newest();
        let mut params = message(v10, "and keep it short", "m2");
        params["message"]["taskId"] = task;
        let second = client.stream(method, params).await;
        session.holds(|state| state.queue.len() == 1).await;
        session.step_done("Made.", &[]);
        session.owes(thinks).await;
        session.step_done("Short.", &[]);
        for (stream, tells_both) in [(first, v10), (second, true)] {
            let events = stream.results().await;
            let ended = events.last().unwrap();
            let status = if v10 { &ended["statusUpdate"] } else { ended }["status"].clone();
            assert_eq!(status["state"], last, "{events:#?}");
            assert_eq!(json!(events).to_string().contains("Short."), tells_both, "{events:#?}");
        }
    }
}

#[tokio::test]
async fn the_stream_of_a_no_with_words_tells_the_no_and_goes_on_once() {
    for v10 in [true, false] {
        let waiting = WaitingTask::new(v10).await;
        let mut params = message(v10, "no, greet me instead", "m2");
        params["message"]["taskId"] = waiting.task.clone();
        let method = if v10 { "SendStreamingMessage" } else { "message/stream" };
        let stream = waiting.client.stream(method, params).await;
        waiting.session.owes(thinks).await;
        waiting.session.step_done("Hello.", &[]);
        let events = stream.results().await;
        let told = events.iter().filter_map(|event| {
            let update = if v10 { &event["statusUpdate"] } else { event };
            let state = update["status"]["state"].as_str()?.trim_start_matches("TASK_STATE_").to_lowercase();
            let call = update["status"]["message"]["parts"][0]["data"]["status"].as_str();
            Some(format!("{state} {}", call.unwrap_or("-")))
        });
        let expected = ["working CANCELLED", "working -", "completed -"];
        assert_eq!(Vec::from_iter(told), expected, "1.0: {v10}: {events:#?}");
        assert_eq!(waiting.says("no, greet me instead", "m2").await["error"], Value::Null);
    }
}

#[tokio::test]
async fn the_stream_of_a_reply_tells_what_comes_of_it() {
    let waiting = WaitingTask::new(true).await;
    let mut params = message(true, "yes", "m2");
    params["message"]["taskId"] = waiting.task.clone();
    let stream = waiting.client.stream("SendStreamingMessage", params).await;
    waiting.session.starts();
    waiting.session.has_written();
    waiting.session.step_done("Done.", &[]);
    let events = stream.results().await;
    assert_eq!(events[0]["task"]["id"], waiting.task);
    assert_eq!(events.last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn an_unclear_reply_is_an_error_that_repeats_the_question() {
    for v10 in [true, false] {
        let waiting = WaitingTask::new(v10).await;
        for text in ["yes, and everything else too", "always", "3", "2 files are missing"] {
            let refused = waiting.says(text, text).await;
            let error = refused["error"]["message"].as_str().unwrap_or_default();
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
            assert!(
                error.contains("The agent wants to change hello.txt:") && error.contains("1. Allow once"),
                "{error}"
            );
            assert!(waiting.asks());
        }
    }
}

/// Two clients with one name, as two scripts with the same library have it. Both are shown the first ask, one answers it, and the
/// other's yes comes when the next ask is open.
#[tokio::test]
async fn a_late_yes_of_another_client_with_the_same_name_does_not_answer_the_next_ask() {
    const SEVERAL: &str = "may have been shown to several clients with your name";
    for v10 in [true, false] {
        let (get, subscribe) = if v10 { ("GetTask", "SubscribeToTask") } else { ("tasks/get", "tasks/resubscribe") };
        for others_look in ["nobody", "get", "list", "socket", "subscribe", "unclear", "somebody of another name"] {
            let waiting = WaitingTask::new(v10).await;
            let id = json!({"id": waiting.task});
            match others_look {
                "get" => drop(waiting.client.rpc(get, id).await),
                "list" => {
                    let listed = waiting.client.speaking("1.0").rpc("ListTasks", json!({"historyLength": 9})).await;
                    assert!(listed.to_string().contains("confirmation_request"), "{listed}");
                }
                "socket" => {
                    let query = format!("?taskId={}", waiting.task.as_str().unwrap());
                    drop(TestSocket::join(&waiting.client, &query).await.next().await);
                }
                "subscribe" => drop(waiting.client.stream(subscribe, id).await.result().await),
                "unclear" => {
                    let refused = waiting.says("ok", "m9").await["error"]["message"].to_string();
                    assert!(refused.contains("The agent wants to change"), "{refused}");
                }
                "somebody of another name" => drop(waiting.client.seen_by(who("zed")).rpc(get, id).await),
                _ => {}
            }
            waiting.says("yes", "m2").await;
            waiting.session.starts();
            waiting.session.has_written();
            waiting.session.asks_to_run("ls");
            let late = waiting.says("yes", "m3").await;
            let error = late["error"]["message"].as_str().unwrap_or_default();
            let is_shared = ["get", "list", "socket", "subscribe", "unclear"].contains(&others_look);
            assert_eq!(error.contains(SEVERAL), is_shared, "{others_look}: {late}");
            assert_eq!(!error.contains(SEVERAL), error.contains("of your last reply"), "{others_look}: {late}");
            let number = error.split("Ask ").nth(1).unwrap().split(':').next().unwrap();
            waiting.says(&format!("{number} yes"), "m4").await;
            waiting.session.holds(|state| state.decisions.len() == 2).await;
        }
    }
}

/// Who read what is not in the log: a process that has just started knows nothing of the readers of older asks.
#[tokio::test]
async fn a_late_yes_after_a_restart_does_not_answer_the_next_ask() {
    for (started, refusal) in [(NOW.0, "of your last reply"), (NOW.0 + 1, "may have been shown to several clients")] {
        let waiting = WaitingTask::new(true).await;
        waiting.says("yes", "m2").await;
        waiting.session.starts();
        waiting.session.has_written();
        let options = RouterOptions { started: UnixMillis(started), ..RouterOptions::default() };
        let restarted = TestClient::offering(many_sessions(&waiting.roster, "/"), options, who("crew")).speaking("1.0");
        waiting.session.asks_to_run("ls");
        let late = waiting.sends(&restarted, "yes", "m3", Value::Null).await;
        assert!(late["error"]["message"].as_str().unwrap_or_default().contains(refusal), "{late}");
    }
}

/// The stream of an answer shows its sender what is still open: that is no other reader.
#[tokio::test]
async fn a_client_that_answers_one_of_two_asks_is_one_reader_of_the_other() {
    let waiting = WaitingTask::new(true).await;
    let answers = async |text: &str| {
        let mut params = message(true, text, text);
        params["message"]["taskId"] = waiting.task.clone();
        waiting.client.stream("SendStreamingMessage", params).await
    };
    let stream = answers("yes").await;
    waiting.session.starts();
    waiting.session.has_written();
    waiting.session.asks_to_run_all(&["ls", "pwd"]);
    let shown = stream.results().await.last().unwrap().to_string();
    for ask in shown.split("Ask ").skip(1) {
        let stream = answers(&format!("{} yes", ask.split(':').next().unwrap())).await;
        waiting.session.starts();
        waiting.session.ends(CallOutcome::Succeeded { result: CallResult::default() });
        if ask.contains("2 asks wait") {
            break;
        }
        drop(stream.results().await);
    }
    waiting.session.asks_to_run("id");
    let refused = waiting.says("yes", "m9").await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("of your last reply"), "{refused}");
}

#[tokio::test]
async fn text_of_clients_with_another_way_to_answer_never_answers() {
    // Whoever declares the extension, in this message or in the first one of the task.
    let waiting = WaitingTask::new(false).await;
    waiting.sends(&waiting.client.declaring(), "yes", "m2", Value::Null).await;
    waiting.sends(&waiting.client, "yes", "m3", json!({URI: {}})).await;
    assert!(waiting.asks());
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let first = WaitingTask::with(roster, client.declaring(), false).await;
    first.sends(&client, "yes", "m2", Value::Null).await;
    assert!(first.asks());
    // 1.0 clients answer in words either way.
    first.session.holds(|state| state.queue.len() == 1).await;
    let waiting = WaitingTask::new(true).await;
    waiting.sends(&waiting.client.declaring(), "yes", "m2", Value::Null).await;
    assert_eq!(waiting.chosen().as_deref(), Some("proceed_once"));
    // Routes of the seeds, and clients of Google's server.
    let waiting = WaitingTask::new(false).await;
    let coder = json!({"coderAgent": {"kind": "agent-settings", "workspacePath": "/"}});
    waiting.sends(&waiting.client, "yes", "m2", coder).await;
    let path = format!("/tasks/{}/messages/stream", waiting.task.as_str().unwrap());
    let body = json!({"message": {"content": {"text": "yes"}}});
    drop(waiting.client.post_stream(&path, &body).await);
    let page = json!({"taskId": waiting.task, "userMessage": {"role": "user", "messageId": "p", "taskId": waiting.task, "parts": [{"kind": "text", "text": "yes"}]}});
    drop(waiting.client.raw(axum::http::Method::POST, "/message/stream", &[], &page.to_string()).await);
    waiting.session.holds(|state| state.queue.len() == 3).await;
    assert!(waiting.asks());
}

#[tokio::test]
async fn a_text_that_names_no_task_never_answers() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("crew"));
    drop(client.stream("message/stream", message(false, "write it", "m1")).await);
    session.asks_to_write();
    let mut params = message(false, "yes", "m2");
    params["configuration"] = json!({"blocking": false});
    client.rpc("message/send", params.clone()).await;
    session.holds(|state| state.queue.len() == 1).await;
    // By the session's own id it does.
    params["message"]["taskId"] = json!(session.id);
    params["message"]["messageId"] = json!("m3");
    client.rpc("message/send", params).await;
    session.holds(|state| state.decisions.len() == 1).await;
}

#[tokio::test]
async fn who_may_not_approve_is_refused() {
    let waiting = WaitingTask::new(true).await;
    let rights = Rights::of([Right::Observe, Right::Prompt]);
    let prompter = waiting.client.seen_by(Who { rights, ..who("crew") });
    let refused = waiting.sends(&prompter, "yes", "m2", Value::Null).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("lacks the right to approve"), "{refused}");
    assert!(waiting.asks());
}
