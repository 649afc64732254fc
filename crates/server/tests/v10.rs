//! A2A 1.0 at `/`.

use crate::test_server::client::{SseReader, TestClient, many_sessions, shared_session};
use crate::test_server::script::{diff_json, options_json, thinks};
use crate::test_server::{NOW_TEXT, ScriptedSession, TestRoster, who};
use pollux_session::{Command, PromptTarget};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn say(text: &str, id: &str) -> Value {
    json!({"message": {"role": "ROLE_USER", "messageId": id, "parts": [{"text": text}]}})
}

/// A message to a task.
fn tell(task: &Value, text: &str, id: &str) -> Value {
    let mut params = say(text, id);
    params["message"]["taskId"] = task.clone();
    params
}

fn answer(task: &Value, call: &str, option: &str) -> Value {
    let data = json!({"tool_call_id": call, "selected_option_id": option});
    json!({"message": {
        "role": "ROLE_USER", "messageId": format!("answer-{call}"), "taskId": task, "parts": [{"data": data}],
    }})
}

fn serve() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed")).speaking("1.0");
    (roster, client)
}

/// The members that one task's events and messages share.
struct Expected {
    session: String,
    task: Value,
    context: Value,
}

impl Expected {
    fn of(session: &ScriptedSession, task: &Value) -> Expected {
        Expected { session: session.id.to_string(), task: task["id"].clone(), context: task["contextId"].clone() }
    }

    fn message(&self, seq: u64, role: &str, part: &Value) -> Value {
        json!({
            "messageId": format!("{}-{seq}", self.session), "contextId": self.context, "taskId": self.task,
            "role": role, "parts": [part],
        })
    }

    /// A client's message, under its own id.
    fn prompt(&self, id: &str, text: &str) -> Value {
        json!({
            "messageId": id, "contextId": self.context, "taskId": self.task, "role": "ROLE_USER",
            "parts": [{ "text": text }],
        })
    }

    fn task(&self, state: &str) -> Value {
        json!({
            "id": self.task, "contextId": self.context,
            "status": {"state": format!("TASK_STATE_{state}"), "timestamp": NOW_TEXT},
        })
    }

    fn update(&self, seq: u64, state: &str, kind: &str, part: Option<&Value>) -> Value {
        let mut status = json!({"state": format!("TASK_STATE_{state}")});
        if let Some(part) = part {
            status["message"] = self.message(seq, "ROLE_AGENT", part);
        }
        status["timestamp"] = json!(NOW_TEXT);
        json!({"statusUpdate": {
            "taskId": self.task, "contextId": self.context, "status": status,
            "metadata": {URI: {"kind": kind, "model": "script"}},
        }})
    }

    fn state(&self, seq: u64, state: &str) -> Value {
        self.update(seq, state, "STATE_CHANGE", None)
    }

    /// The event, which also says what is asked and which replies count.
    fn asking(&self, mut event: Value, seq: u64) -> Value {
        let (asked, status) = (json!({ "text": QUESTION }), &mut event["statusUpdate"]["status"]);
        match status["message"]["parts"].as_array_mut() {
            Some(parts) => parts.push(asked),
            None => status["message"] = self.message(seq, "ROLE_AGENT", &asked),
        }
        event
    }

    fn call(&self, seq: u64, state: &str, call: &Value) -> Value {
        self.update(seq, state, "TOOL_CALL_UPDATE", Some(&json!({ "data": call })))
    }

    fn made(&self, artifact: &Value) -> Value {
        json!({"artifactUpdate": {
            "taskId": self.task, "contextId": self.context, "artifact": artifact, "lastChunk": true,
        }})
    }
}

impl Expected {
    /// The first chunk of the answer of turn 4.
    fn chunk(&self, text: &str) -> Value {
        json!({"artifactUpdate": {"taskId": self.task, "contextId": self.context, "artifact": said(4, text)}})
    }

    fn next_chunk(&self, text: &str) -> Value {
        let mut event = self.chunk(text);
        event["artifactUpdate"]["append"] = json!(true);
        event
    }

    /// Nothing more is said.
    fn last_chunk(&self) -> Value {
        let mut event = self.next_chunk("");
        event["artifactUpdate"]["lastChunk"] = json!(true);
        event
    }
}

fn said(turn: u64, text: &str) -> Value {
    json!({"artifactId": format!("answer-turn-{turn}"), "name": "answer", "parts": [{"text": text}]})
}

fn written(call: u64) -> Value {
    json!({"artifactId": format!("file-call-{call}"), "name": "/w/hello.txt", "parts": [
        {"raw": "aGVsbG8K", "filename": "hello.txt", "mediaType": "text/plain"},
        {"data": {"file_name": "hello.txt", "file_path": "/w/hello.txt", "formatted_diff": "+hello\n"}},
    ]})
}

/// The code and the reasons of a refusal.
fn refused(answer: &Value) -> (i64, Vec<(&str, &str)>) {
    let error = &answer["error"];
    let text = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    assert!(text(error, "message").is_some_and(|message| !message.is_empty()), "{answer}");
    let reasons = error["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let reasons = reasons.iter().map(|info| {
        assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
        (info["domain"].as_str().unwrap(), info["reason"].as_str().unwrap())
    });
    (error["code"].as_i64().unwrap(), reasons.collect())
}

/// The question before hello.txt is written.
const QUESTION: &str = "Ask 6: The agent wants to change hello.txt:\n    +hello\nReply with one of these, by its number, its name or \
    its word:\n1. Allow once (\"yes\")\n2. Cancel (\"no\")\n\nA reply that only resembles one of these (\"ok\", \"yes, but …\", \"7\") decides nothing, \
    and you are asked again. Any other text means no, and tells the agent what to do instead.";

const A2A: &str = "a2a-protocol.org";

#[tokio::test]
async fn a_message_becomes_a_task_that_ends() {
    let (roster, client) = serve();
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.rpc("SendMessage", say("hi", "m1")).await }
    });
    let session = roster.opened().await;
    session.owes(thinks).await;
    session.step_done("Hello.", &[]);
    let answered = waiting.await.unwrap();
    let task = &answered["result"]["task"];
    let expected = Expected::of(&session, task);
    let prompt = expected.prompt("m1", "hi");
    let mut whole = expected.task("COMPLETED");
    whole["artifacts"] = json!([said(4, "Hello.")]);
    // The answer is in the artifact, and nowhere else.
    whole["history"] = json!([prompt]);
    assert_eq!(answered, json!({"jsonrpc": "2.0", "id": 1, "result": {"task": whole}}));

    let get = |length: Value| {
        let client = client.clone();
        let id = expected.task.clone();
        async move { client.rpc("GetTask", json!({"id": id, "historyLength": length})).await }
    };
    assert_eq!(get(json!(null)).await["result"], whole);
    assert_eq!(get(json!(1)).await["result"], whole);
    whole.as_object_mut().unwrap().remove("history");
    assert_eq!(get(json!(0)).await["result"], whole);
    assert_eq!(refused(&get(json!(-1)).await), (-32602, vec![(A2A, "INVALID_PARAMS")]));

    // It is over for good.
    let log = session.log();
    let more = client.rpc("SendMessage", tell(&expected.task, "more", "m2")).await;
    assert_eq!(refused(&more), (-32004, vec![(A2A, "UNSUPPORTED_OPERATION"), ("pollux.dev", "TASK_CLOSED")]));
    let more = client.rpc("SendStreamingMessage", tell(&expected.task, "more", "m2")).await;
    assert_eq!(refused(&more), (-32004, vec![(A2A, "UNSUPPORTED_OPERATION"), ("pollux.dev", "TASK_CLOSED")]));
    let followed = client.rpc("SubscribeToTask", json!({"id": expected.task})).await;
    assert_eq!(refused(&followed), (-32004, vec![(A2A, "UNSUPPORTED_OPERATION")]));
    let stopped = client.rpc("CancelTask", json!({"id": expected.task})).await;
    assert_eq!(refused(&stopped), (-32002, vec![(A2A, "TASK_NOT_CANCELABLE")]));
    assert_eq!(session.log(), log);
}

#[tokio::test]
async fn a_stream_from_the_task_to_its_end() {
    let (roster, client) = serve();
    let mut stream = client.stream("SendStreamingMessage", say("write hello.txt", "m1")).await;
    let session = roster.newest();
    session.asks_to_write();
    let (cursor, first) = stream.next().await.unwrap();
    let expected = Expected::of(&session, &first["result"]["task"]);
    let mut submitted = expected.task("SUBMITTED");
    submitted["history"] = json!([expected.prompt("m1", "write hello.txt")]);
    assert_eq!((cursor.as_deref(), &first["result"]), (Some("1z.3"), &json!({ "task": submitted })));
    let pending = json!({
        "tool_call_id": session.call_id(6), "status": "PENDING", "tool_name": "write_file",
        "input_parameters": {"file_path": "hello.txt"},
        "confirmation_request": {"options": options_json(), "file_edit_details": diff_json()},
    });
    assert_eq!(
        stream.results().await,
        [
            expected.state(4, "WORKING"),
            expected.call(7, "WORKING", &pending),
            expected.asking(expected.state(7, "INPUT_REQUIRED"), 7),
        ]
    );

    let stream = client.stream("SendStreamingMessage", answer(&expected.task, "call-6", "proceed_once")).await;
    session.starts();
    session.has_written();
    session.step_done("Done.", &[]);
    let call = |status: &str| {
        json!({
            "tool_call_id": session.call_id(6), "status": status, "tool_name": "write_file",
            "input_parameters": {"file_path": "hello.txt"},
        })
    };
    let mut succeeded = call("SUCCEEDED");
    succeeded["output"] = json!({"diff": diff_json()});
    assert_eq!(
        stream.results().await,
        [
            json!({"task": expected.task("WORKING")}),
            expected.call(9, "WORKING", &call("EXECUTING")),
            expected.call(10, "WORKING", &succeeded),
            expected.made(&written(6)),
            expected.chunk("Done."),
            expected.last_chunk(),
            expected.state(14, "COMPLETED"),
        ]
    );
    let task = client.rpc("GetTask", json!({"id": expected.task})).await;
    assert_eq!(task["result"]["artifacts"], json!([written(6), said(4, "Done.")]));
}

#[tokio::test]
async fn whoever_follows_sees_the_same_until_the_end() {
    let (roster, client) = serve();
    let mut stream = client.stream("SendStreamingMessage", say("run it", "m1")).await;
    let task = stream.result().await["task"].clone();
    let session = roster.newest();
    session.asks_to_run("make");
    assert_eq!(stream.results().await.last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");

    // Nothing runs: the task waits for a person, and can be followed all the same.
    let follow = || client.stream("SubscribeToTask", json!({"id": task["id"]}));
    let (mut one, mut two, gone) = (follow().await, follow().await, follow().await);
    for stream in [&mut one, &mut two] {
        let snapshot = &stream.result().await["task"];
        assert_eq!(snapshot["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
        assert_eq!(snapshot["history"].as_array().unwrap().len(), 2);
        assert_eq!(snapshot["status"]["message"]["parts"][0]["data"]["tool_call_id"], session.call_id(6));
    }
    drop(gone);
    client
        .rpc("SendMessage", {
            let mut params = answer(&task["id"], "call-6", "proceed_once");
            params["configuration"] = json!({"returnImmediately": true});
            params
        })
        .await;
    session.starts();
    session.has_written();
    session.asks_to_run("make install");
    let third = follow().await;
    let mut cancel = answer(&task["id"], "call-12", "cancel");
    cancel["message"]["messageId"] = json!("no");
    let ended = client.rpc("SendMessage", cancel).await;
    assert_eq!(ended["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let (one, two, third) = (one.results().await, two.results().await, third.results().await);
    assert_eq!(one, two);
    let states: Vec<&str> = one
        .iter()
        .filter_map(|event| event["statusUpdate"]["status"]["state"].as_str())
        .map(|state| state.trim_start_matches("TASK_STATE_"))
        .collect();
    assert_eq!(
        states,
        ["WORKING", "WORKING", "WORKING", "INPUT_REQUIRED", "WORKING", "COMPLETED"],
        "it stays open while people are asked"
    );
    assert_eq!(third[1..], one[one.len() - 2..]);
}

#[tokio::test]
async fn a_cut_stream_goes_on_without_a_gap() {
    let (roster, client) = serve();
    let mut stream = client.stream("SendStreamingMessage", say("count", "m1")).await;
    let session = roster.newest();
    session.says("One. ");
    let mut seen = Vec::new();
    while seen.len() < 3 {
        seen.push(stream.next().await.unwrap());
    }
    drop(stream);
    session.says("Two.");
    session.step_done("", &[]);
    let task = &seen[0].1["result"]["task"];
    let expected = Expected::of(&session, task);
    let (id, cursor) = (&task["id"], seen[2].0.as_deref());
    let mut begun = expected.task("COMPLETED");
    begun["artifacts"] = json!([said(4, "One. ")]);
    let rest = vec![
        json!({ "task": begun }),
        expected.next_chunk("Two."),
        expected.last_chunk(),
        expected.state(9, "COMPLETED"),
    ];
    let by_header = client.stream_after("SubscribeToTask", json!({ "id": id }), cursor).await;
    assert_eq!(by_header.results().await, rest);
    let named = json!({"id": id, "metadata": {"lastEventId": cursor}});
    assert_eq!(client.stream("SubscribeToTask", named).await.results().await, rest);

    // Who has seen the end gets the task alone; who has a cursor of another log gets a gap and the whole task.
    let at_end = client.stream_after("SubscribeToTask", json!({ "id": id }), Some("1z.10")).await;
    assert_eq!(at_end.results().await, [json!({"task": expected.task("COMPLETED")})]);
    for lost in ["20.2", "1z.99", "nonsense"] {
        let events = client.stream_after("SubscribeToTask", json!({ "id": id }), Some(lost)).await.results().await;
        assert_eq!(events[0]["statusUpdate"]["metadata"]["pollux/gap"], true, "{lost}");
        assert_eq!(events[1]["task"]["artifacts"], json!([said(4, "One. Two.")]));
        assert_eq!(events.len(), 2);
    }
}

#[tokio::test]
async fn an_answer_at_once_when_it_is_wanted() {
    let (roster, client) = serve();
    let mut params = say("hi", "m1");
    params["configuration"] = json!({"returnImmediately": true, "historyLength": 0});
    let answered = client.rpc("SendMessage", params).await;
    let expected = Expected::of(&roster.newest(), &answered["result"]["task"]);
    assert_eq!(answered["result"], json!({"task": expected.task("WORKING")}));
}

#[tokio::test]
async fn a_task_is_cancelled_as_often_as_one_likes() {
    let (roster, client) = serve();
    let mut stream = client.stream("SendStreamingMessage", say("hi", "m1")).await;
    let task = stream.result().await["task"].clone();
    let session = roster.newest();
    let follower = client.stream("SubscribeToTask", json!({"id": task["id"]})).await;
    let expected = Expected::of(&session, &task);
    let mut canceled = expected.task("CANCELED");
    canceled["history"] = json!([expected.prompt("m1", "hi")]);
    for _ in 0..2 {
        assert_eq!(client.rpc("CancelTask", json!({"id": task["id"]})).await["result"], canceled);
    }
    let last = expected.state(5, "CANCELED");
    assert_eq!(stream.results().await, [expected.state(4, "WORKING"), last.clone()]);
    assert_eq!(follower.results().await[1..], [last]);
    let unknown = client.rpc("CancelTask", json!({"id": "0197f000-0000-7000-8000-000000000000"})).await;
    assert_eq!(refused(&unknown), (-32001, vec![(A2A, "TASK_NOT_FOUND")]));
}

#[tokio::test]
async fn a_task_of_0_3_waits_for_input_when_it_rests() {
    let (roster, client) = serve();
    let old = TestClient::new(many_sessions(&roster, "/"), who("gemini"));
    let message = json!({"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "hi"}]});
    let stream = old.stream("message/stream", json!({ "message": message })).await;
    let session = roster.newest();
    session.step_done("Hello.", &[]);
    let task = stream.results().await[0].clone();
    let get = || client.rpc("GetTask", json!({"id": task["id"]}));
    assert_eq!(get().await["result"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let listed = client.rpc("ListTasks", json!({"status": "TASK_STATE_INPUT_REQUIRED"})).await;
    assert_eq!(listed["result"]["totalSize"], 1);
    let mut follower = client.stream("SubscribeToTask", json!({"id": task["id"]})).await;
    assert_eq!(follower.result().await["task"]["id"], task["id"]);

    // It goes on by its id, and is closed by a cancel.
    let stream = client.stream("SendStreamingMessage", tell(&task["id"], "more", "m2")).await;
    session.step_done("Yes.", &[]);
    let state = |event: &Value| event["statusUpdate"]["status"]["state"].clone();
    assert_eq!(state(stream.results().await.last().unwrap()), "TASK_STATE_INPUT_REQUIRED");
    let canceled = client.rpc("CancelTask", json!({"id": task["id"]})).await;
    assert_eq!(canceled["result"]["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(state(follower.results().await.last().unwrap()), "TASK_STATE_CANCELED");
}

#[tokio::test]
async fn a_second_message_goes_on_with_a_task_that_has_not_ended() {
    let (roster, client) = serve();
    let mut stream = client.stream("SendStreamingMessage", say("one", "m1")).await;
    let task = stream.result().await["task"].clone();
    let session = roster.newest();
    let mut second = tell(&task["id"], "two", "m2");
    second["configuration"] = json!({"returnImmediately": true});
    client.rpc("SendMessage", second).await;
    let follower = client.stream("SubscribeToTask", json!({"id": task["id"]})).await;
    session.step_done("1", &[]);
    session.step_done("2", &[]);
    let states: Vec<Value> = follower
        .results()
        .await
        .iter()
        .filter(|event| event["statusUpdate"]["metadata"][URI]["kind"] == "STATE_CHANGE")
        .map(|event| event["statusUpdate"]["status"]["state"].clone())
        .collect();
    assert_eq!(states, ["TASK_STATE_WORKING", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
    let ended = client.rpc("GetTask", json!({"id": task["id"], "historyLength": 0})).await;
    assert_eq!(ended["result"]["artifacts"], json!([said(4, "1"), said(10, "2")]));
}

#[tokio::test]
async fn who_waits_for_an_answer_waits_for_the_task() {
    let (roster, client) = serve();
    let mut stream = client.stream("SendStreamingMessage", say("one", "m1")).await;
    let task = stream.result().await["task"].clone();
    let session = roster.newest();
    let second = tokio::spawn({
        let (client, params) = (client.clone(), tell(&task["id"], "two", "m2"));
        async move { client.rpc("SendMessage", params).await }
    });
    session.holds(|state| state.queue.len() == 1).await;
    let mut third = tell(&task["id"], "three", "m3");
    third["configuration"] = json!({"returnImmediately": true});
    client.rpc("SendMessage", third).await;
    for text in ["1", "2", "3"] {
        session.step_done(text, &[]);
    }
    let answered = second.await.unwrap();
    assert_eq!(answered["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(answered["result"]["task"]["artifacts"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn data_may_be_any_value() {
    let (roster, client) = serve();
    for (number, data) in [json!([1]), json!("x"), json!(null), json!({"a": 1})].into_iter().enumerate() {
        let message = json!({"role": "ROLE_USER", "messageId": format!("m{number}"), "parts": [{ "data": data }]});
        let params = json!({"message": message, "configuration": {"returnImmediately": true}});
        let answered = client.rpc("SendMessage", params).await;
        let told = &answered["result"]["task"]["history"][0]["parts"];
        assert_eq!(*told, json!([{ "data": data }]), "{answered}");
    }
    assert_eq!(roster.sessions().len(), 4);
}

#[tokio::test]
async fn tasks_are_listed_a_page_at_a_time() {
    let (roster, client) = serve();
    let mut ids = Vec::new();
    for number in 0..3 {
        let mut params = say("hi", &format!("m{number}"));
        params["message"]["contextId"] = json!("mine");
        let stream = client.stream("SendStreamingMessage", params).await;
        roster.newest().step_done("Hello.", &[]);
        ids.push(stream.results().await[0]["task"]["id"].clone());
    }
    let session = roster.newest();
    let bare = |id: &Value| {
        let expected = Expected { session: session.id.to_string(), task: id.clone(), context: json!("mine") };
        expected.task("COMPLETED")
    };
    let first = client.rpc("ListTasks", json!({"pageSize": 2})).await;
    let token = first["result"]["nextPageToken"].clone();
    assert_eq!(
        first["result"],
        json!({"tasks": [bare(&ids[2]), bare(&ids[1])], "nextPageToken": token, "pageSize": 2, "totalSize": 3})
    );
    let second = client.rpc("ListTasks", json!({"pageSize": 2, "pageToken": token})).await;
    let last_page = json!({"tasks": [bare(&ids[0])], "nextPageToken": "", "pageSize": 2, "totalSize": 3});
    assert_eq!(second["result"], last_page);

    let rich = client.rpc("ListTasks", json!({"pageSize": 1, "includeArtifacts": true, "historyLength": 1})).await;
    let task = &rich["result"]["tasks"][0];
    assert_eq!(task["artifacts"].as_array().unwrap().len(), 1);
    assert_eq!(task["history"][0]["parts"], json!([{"text": "hi"}]));
    for (filter, total) in [
        (json!({"contextId": "mine", "status": "TASK_STATE_COMPLETED"}), 3),
        (json!({"contextId": "other"}), 0),
        (json!({"status": "TASK_STATE_WORKING"}), 0),
        (json!({"status": "TASK_STATE_AUTH_REQUIRED"}), 0),
        (json!({"statusTimestampAfter": NOW_TEXT}), 3),
        (json!({"statusTimestampAfter": "2099-01-01T00:00:00Z"}), 0),
    ] {
        let listed = client.rpc("ListTasks", filter.clone()).await;
        let tasks = listed["result"]["tasks"].as_array().unwrap().len();
        assert_eq!((&listed["result"]["totalSize"], tasks), (&json!(total), total), "{filter}");
        assert_eq!((&listed["result"]["pageSize"], &listed["result"]["nextPageToken"]), (&json!(50), &json!("")));
    }
    let mut other = who("else");
    other.owner = pollux_session::Owner("other".into());
    assert_eq!(client.seen_by(other).rpc("ListTasks", json!({})).await["result"]["totalSize"], 0);
    for wrong in [
        json!({"pageSize": 0}),
        json!({"pageSize": 101}),
        json!({"pageToken": "x"}),
        json!({"historyLength": -1}),
        json!({"status": "completed"}),
        json!({"statusTimestampAfter": "yesterday"}),
        json!({"contextId": "x".repeat(129)}),
        json!({"tenant": "acme"}),
    ] {
        assert_eq!(
            refused(&client.rpc("ListTasks", wrong.clone()).await),
            (-32602, vec![(A2A, "INVALID_PARAMS")]),
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn ids_are_the_servers_to_give() {
    let (roster, client) = serve();
    let mut params = say("hi", "m1");
    params["message"]["contextId"] = json!("mine");
    params["configuration"] = json!({"returnImmediately": true});
    let task = client.rpc("SendMessage", params).await["result"]["task"].clone();
    assert_eq!(task["contextId"], "mine");
    let session = roster.newest();
    let log = session.log();
    let with = |members: Value| {
        let mut params = say("more", "m2");
        params["message"].as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        params
    };
    let unknown = "0197f000-0000-7000-8000-000000000000";
    let long = "x".repeat(129);
    for (params, code) in [
        (with(json!({"taskId": unknown})), -32001),
        (with(json!({"taskId": "mine"})), -32001),
        (with(json!({"taskId": long})), -32602),
        (with(json!({"contextId": long})), -32602),
        (with(json!({"messageId": long})), -32602),
        (with(json!({"messageId": ""})), -32602),
        (with(json!({"messageId": null})), -32602),
        (with(json!({"taskId": task["id"], "contextId": "other"})), -32602),
        (with(json!({"parts": []})), -32602),
        (with(json!({"parts": [{}]})), -32602),
        (with(json!({"parts": [{"text": "a", "data": {}}]})), -32602),
        (with(json!({"parts": [{"text": "a\u{0}b"}]})), -32602),
        (with(json!({"role": "user"})), -32602),
        (with(json!({"parts": [{"text": "a", "mediaType": "application/x-unsupported"}]})), -32005),
        (with(json!({"parts": [{"raw": "aGk=", "mediaType": "image/png"}]})), -32005),
        (with(json!({"parts": [{"url": "file:///etc/passwd", "mediaType": "image/png"}]})), -32005),
        (json!({}), -32602),
        (json!([]), -32602),
        (json!({"message": with(json!({}))["message"], "configuration": {"historyLength": -1}}), -32602),
        (
            json!({"message": with(json!({}))["message"], "configuration": {"acceptedOutputModes": ["image/png"]}}),
            -32005,
        ),
        (json!({"message": with(json!({}))["message"], "tenant": "acme"}), -32602),
        (
            json!({"message": with(json!({}))["message"],
                "configuration": {"taskPushNotificationConfig": {"url": "https://example.com/"}}}),
            -32003,
        ),
    ] {
        for method in ["SendMessage", "SendStreamingMessage"] {
            let answered = client.rpc(method, params.clone()).await;
            assert_eq!(answered["error"]["code"], code, "{params} {answered}");
        }
    }
    for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
        assert_eq!(refused(&client.rpc(method, json!({"id": unknown})).await), (-32001, vec![(A2A, "TASK_NOT_FOUND")]));
        for wrong in [json!({}), json!({"id": long}), json!({"id": 5}), json!({"id": unknown, "tenant": "acme"})] {
            assert_eq!(
                refused(&client.rpc(method, wrong.clone()).await),
                (-32602, vec![(A2A, "INVALID_PARAMS")]),
                "{method} {wrong}"
            );
        }
    }
    assert_eq!(session.log(), log);
    assert_eq!(roster.sessions().len(), 1);

    // The context of a task that is named is known.
    let joined = client.rpc("SendMessage", {
        let mut params = with(json!({"taskId": task["id"], "contextId": ""}));
        params["configuration"] = json!({"returnImmediately": true});
        params
    });
    assert_eq!(joined.await["result"]["task"]["contextId"], "mine");
}

#[tokio::test]
async fn a_task_that_failed_says_why_for_ever() {
    let (roster, client) = serve();
    let (answered, session) = tokio::join!(client.rpc("SendMessage", say("hi", "m1")), async {
        let session = roster.opened().await;
        session.owes(thinks).await;
        session.fails("api", "the model is away");
        session
    });
    let task = &answered["result"]["task"];
    let expected = Expected::of(&session, task);
    let why = |seq| {
        let message = expected.message(seq, "ROLE_AGENT", &json!({"text": "the model is away"}));
        json!({"state": "TASK_STATE_FAILED", "message": message, "timestamp": NOW_TEXT})
    };
    assert_eq!(task["status"], why(session.head().0));
    let got = client.rpc("GetTask", json!({"id": task["id"]})).await;
    assert_eq!(got["result"]["status"], why(session.head().0));
    // A task that follows in the session changes nothing about it.
    let mut more = say("again", "m2");
    more["message"]["contextId"] = task["contextId"].clone();
    more["configuration"] = json!({"returnImmediately": true});
    client.rpc("SendMessage", more).await;
    session.owes(thinks).await;
    session.step_done("Hello.", &[]);
    let got = client.rpc("GetTask", json!({"id": task["id"]})).await;
    assert_eq!(got["result"]["status"], why(session.head().0));
}

#[tokio::test]
async fn push_that_is_not_offered_is_refused() {
    let (_house, client) = serve();
    for (method, params) in [
        ("CreateTaskPushNotificationConfig", json!({"taskId": "x", "url": "https://example.com/"})),
        ("GetTaskPushNotificationConfig", json!({"taskId": "x", "id": "y"})),
        ("ListTaskPushNotificationConfigs", json!({"taskId": "x"})),
        ("DeleteTaskPushNotificationConfig", json!({"taskId": "x", "id": "y"})),
    ] {
        let answered = client.rpc(method, params).await;
        assert_eq!(refused(&answered), (-32003, vec![(A2A, "PUSH_NOTIFICATION_NOT_SUPPORTED")]), "{method}");
    }
}

#[tokio::test]
async fn the_shared_session_gives_each_prompt_a_task() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed")).speaking("1.0");
    let mut first = client.stream("SendStreamingMessage", say("one", "m1")).await;
    let one = first.result().await["task"].clone();
    assert_eq!(one["contextId"], "ctx");
    assert_ne!(one["id"], json!(session.id));
    let by_person = Command::prompt(PromptTarget::Existing { task: session.id.main_task() }, "me");
    session.command(&who("terminal"), "t1", by_person).unwrap();
    let mut second = client.stream("SendStreamingMessage", say("two", "m2")).await;
    let two = second.result().await["task"].clone();
    assert_ne!(one["id"], two["id"]);

    // A cancel ends that task's turn; the session and what waits go on.
    let canceled = client.rpc("CancelTask", json!({"id": one["id"]})).await;
    assert_eq!(canceled["result"]["status"]["state"], "TASK_STATE_CANCELED");
    let last = first.results().await.pop().unwrap();
    assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_CANCELED");
    session.step_done("for the person", &[]);
    session.step_done("for the client", &[]);
    let events = second.results().await;
    assert_eq!(events.last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert!(events.iter().all(|event| !event.to_string().contains("for the person")), "{events:?}");
    let listed = client.rpc("ListTasks", json!({})).await;
    assert_eq!(listed["result"]["totalSize"], 3);

    let elsewhere = tempfile::tempdir().unwrap();
    let mut other = say("three", "m3");
    other["message"]["metadata"] = json!({URI: {"workspace_path": elsewhere.path()}});
    assert_eq!(client.rpc("SendMessage", other).await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_refused() {
    let (_house, client) = serve();
    for (version, code) in [("1.0", -32001), ("1.0.7", -32001), ("99.0", -32009), ("1", -32009), ("one", -32009)] {
        let answered = client.speaking(version).rpc("GetTask", json!({"id": "x"})).await;
        assert_eq!((&answered["id"], &answered["error"]["code"]), (&json!(1), &json!(code)), "{version}");
    }
    for version in ["", "0.3", "0.3.0"] {
        let answered = client.speaking(version).rpc("tasks/get", json!({"id": "x"})).await;
        assert_eq!(answered["error"]["code"], -32001, "{version}");
        let answered = client.speaking(version).rpc("GetTask", json!({"id": "x"})).await;
        assert_eq!(answered["error"]["code"], -32601, "{version}");
    }
    let unspoken = client.speaking("99.0").rpc("GetTask", json!({"id": "x"})).await;
    assert_eq!(refused(&unspoken), (-32009, vec![(A2A, "VERSION_NOT_SUPPORTED")]));
    assert_eq!(client.rpc("tasks/get", json!({"id": "x"})).await["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_shows_that_it_lives() {
    let (_house, client) = serve();
    let mut stream: SseReader = client.stream("SendStreamingMessage", say("hi", "m1")).await;
    stream.result().await;
    stream.result().await;
    let began = tokio::time::Instant::now();
    for _ in 0..2 {
        assert_eq!(stream.comment().await, ": keep-alive");
    }
    assert_eq!(began.elapsed().as_secs(), 30);
}
