//! A2A 0.3 at `/` in the rfc dialect.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::{diff_json, options_json, thinks};
use crate::test_server::{NOW_TEXT, TestRoster, who};
use pollux_session::{CallOutcome, CallResult, Command, PromptTarget, Report, Seq, TurnFailure};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn say(text: &str, id: &str) -> Value {
    json!({"message": {"kind": "message", "role": "user", "messageId": id, "parts": [{"kind": "text", "text": text}]}})
}

fn answer(task: &Value, call: &str, option: &str) -> Value {
    let data = json!({"tool_call_id": call, "selected_option_id": option});
    json!({"message": {"role": "user", "messageId": format!("answer-{call}"), "taskId": task, "parts": [{"kind": "data", "data": data}]}})
}

/// The sentence for clients of the RFC beside the ask itself.
const QUESTION: &str = "Ask 6: The agent wants to change hello.txt:\n    +hello\n\nAnswer with a data part that holds the call's \
    `tool_call_id` and the `selected_option_id`.";

/// The members that all events of one stream share.
struct Expected {
    session: String,
    task: Value,
    context: Value,
}

impl Expected {
    fn update(&self, seq: u64, state: &str, kind: &str, part: Option<Value>) -> Value {
        let mut status = json!({"state": state});
        if let Some(part) = part {
            status["message"] = json!({
                "kind": "message", "role": "agent", "parts": [part], "messageId": format!("{}-{seq}", self.session),
                "taskId": self.task, "contextId": self.context,
            });
        }
        status["timestamp"] = json!(NOW_TEXT);
        json!({
            "kind": "status-update", "taskId": self.task, "contextId": self.context, "status": status, "final": false,
            "metadata": {URI: {"kind": kind, "model": "script"}},
        })
    }

    fn state(&self, seq: u64, state: &str) -> Value {
        self.update(seq, state, "STATE_CHANGE", None)
    }

    fn last(&self, seq: u64, state: &str) -> Value {
        let mut event = self.state(seq, state);
        event["final"] = json!(true);
        event
    }

    fn call(&self, seq: u64, state: &str, call: &Value) -> Value {
        self.update(seq, state, "TOOL_CALL_UPDATE", Some(json!({"kind": "data", "data": call})))
    }

    /// The event, which also says what is asked.
    fn asking(&self, mut event: Value, seq: u64) -> Value {
        let asked = json!({"kind": "text", "text": QUESTION});
        match event["status"]["message"]["parts"].as_array_mut() {
            Some(parts) => parts.push(asked),
            None => event["status"] = self.update(seq, "input-required", "STATE_CHANGE", Some(asked))["status"].take(),
        }
        event
    }

    fn text(&self, seq: u64, text: &str) -> Value {
        self.update(seq, "working", "TEXT_CONTENT", Some(json!({"kind": "text", "text": text})))
    }
}

/// The final answer of a turn.
fn said(turn: u64, text: &str) -> Value {
    json!({"artifactId": format!("answer-turn-{turn}"), "name": "answer", "parts": [{"kind": "text", "text": text}]})
}

/// The file that every test writes.
fn written(call: u64) -> Value {
    json!({"artifactId": format!("file-call-{call}"), "name": "/w/hello.txt", "parts": [
        {"kind": "file", "file": {"name": "hello.txt", "mimeType": "text/plain", "bytes": "aGVsbG8K"}},
        {"kind": "data", "data": {"file_name": "hello.txt", "file_path": "/w/hello.txt", "formatted_diff": "+hello\n"}},
    ]})
}

#[tokio::test]
async fn appendix_a_event_for_event() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed")).declaring();
    let mut stream = client.stream("message/stream", say("write hello.txt", "m1")).await;
    let session = roster.newest();
    session.asks_to_write();

    let (cursor, first) = stream.next().await.unwrap();
    assert_eq!(cursor.as_deref(), Some("1z.3"));
    let task = &first["result"];
    let expected =
        Expected { session: session.id.to_string(), task: task["id"].clone(), context: task["contextId"].clone() };
    let prompt = json!({
        "kind": "message", "role": "user", "parts": [{"kind": "text", "text": "write hello.txt"}],
        "messageId": "m1", "taskId": task["id"], "contextId": task["contextId"],
    });
    assert_eq!(
        first,
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "kind": "task", "id": task["id"], "contextId": task["contextId"],
            "status": {"state": "submitted", "timestamp": NOW_TEXT}, "history": [prompt],
        }})
    );
    let pending = json!({
        "tool_call_id": session.call_id(6), "status": "PENDING", "tool_name": "write_file",
        "input_parameters": {"file_path": "hello.txt"},
        "confirmation_request": {"options": options_json(), "file_edit_details": diff_json()},
    });
    assert_eq!(
        stream.results().await,
        vec![
            expected.state(4, "working"),
            expected.asking(expected.call(7, "input-required", &pending), 7),
            expected.asking(expected.last(7, "input-required"), 7),
        ]
    );

    let stream = client.stream("message/stream", answer(&expected.task, "call-6", "proceed_once")).await;
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
        vec![
            expected.call(9, "working", &call("EXECUTING")),
            expected.call(10, "working", &succeeded),
            expected.text(11, "Done."),
            expected.last(14, "completed"),
        ]
    );

    // A.10: the task is complete and goes on by its id.
    let mut again = say("and now?", "m2");
    again["message"]["taskId"] = expected.task.clone();
    let stream = client.stream("message/stream", again).await;
    session.step_done("Nothing.", &[]);
    assert_eq!(
        stream.results().await,
        vec![expected.state(16, "working"), expected.text(17, "Nothing."), expected.last(20, "completed"),]
    );
    let whole = client.rpc("tasks/get", json!({"id": expected.task, "historyLength": 0})).await;
    assert_eq!(whole["result"]["artifacts"], json!([written(6), said(4, "Done."), said(16, "Nothing.")]));
}

#[tokio::test]
async fn a_retry_streams_from_the_first_receipt() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let stream = client.stream("message/stream", say("hi", "m1")).await;
    roster.newest().step_done("Hello.", &[]);
    let first = stream.events().await;
    let log = roster.newest().log();
    let again = client.stream("message/stream", say("hi", "m1")).await.events().await;
    assert_eq!(again, first);
    assert_eq!(roster.sessions().len(), 1);
    assert_eq!(roster.newest().log(), log);
}

#[tokio::test]
async fn send_waits_until_the_turn_rests() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("script")).declaring();
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.rpc("message/send", say("hi", "m1")).await }
    });
    session.owes(thinks).await;
    session.muses("**Greeting** The person ");
    session.muses("says hi.");
    session.says("Hel");
    session.step_done("lo.", &[]);
    let id = session.id.to_string();
    let message = |seq: u64, role: &str, part: Value| {
        json!({
            "kind": "message", "role": role, "parts": [part], "messageId": format!("{id}-{seq}"),
            "taskId": id, "contextId": "ctx",
        })
    };
    let mut prompt = message(3, "user", json!({"kind": "text", "text": "hi"}));
    prompt["messageId"] = json!("m1");
    let mut thought = message(
        5,
        "agent",
        json!({"kind": "data", "data": {"subject": "Greeting", "description": "The person says hi."}}),
    );
    thought["metadata"] = json!({URI: {"kind": "THOUGHT", "model": "script"}});
    let mut text = message(8, "agent", json!({"kind": "text", "text": "Hello."}));
    text["metadata"] = json!({URI: {"kind": "TEXT_CONTENT", "model": "script"}});
    let task = json!({
        "kind": "task", "id": id, "contextId": "ctx", "status": {"state": "completed", "timestamp": NOW_TEXT},
        "artifacts": [said(4, "Hello.")],
        "history": [prompt, thought, text.clone()],
    });
    assert_eq!(waiting.await.unwrap(), json!({"jsonrpc": "2.0", "id": 1, "result": task}));

    let mut newest = task.clone();
    newest["history"] = json!([text]);
    assert_eq!(client.rpc("tasks/get", json!({"id": id, "historyLength": 1})).await["result"], newest);
    newest.as_object_mut().unwrap().remove("history");
    assert_eq!(client.rpc("tasks/get", json!({"id": id, "historyLength": 0})).await["result"], newest);
}

#[tokio::test]
async fn send_without_blocking_returns_at_once() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("script"));
    let mut params = say("hi", "m1");
    params["configuration"] = json!({"blocking": false});
    let answer = client.rpc("message/send", params).await;
    assert_eq!(answer["result"]["status"], json!({"state": "working", "timestamp": NOW_TEXT}));
}

#[tokio::test]
async fn other_watchers_see_a_prompt_and_its_sender_does_not() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let zed = TestClient::new(shared_session(&roster, session.id, "/"), who("zed")).declaring();
    let stream = zed.stream("message/stream", say("one", "m1")).await;
    let mut watching = zed.stream("tasks/resubscribe", json!({"id": session.id})).await;
    assert_eq!(watching.result().await["status"]["state"], "working");
    let second = Command::prompt(PromptTarget::Existing { task: session.id.main_task() }, "two");
    session.command(&who("terminal"), "t1", second).unwrap();
    session.step_done("Yes.", &[]);
    let expected = Expected { session: session.id.to_string(), task: json!(session.id), context: json!("ctx") };
    let echo = |seq: u64| {
        let mut event = expected.update(seq, "working", "TEXT_CONTENT", Some(json!({"kind": "text", "text": "two"})));
        event["status"]["message"]["role"] = json!("user");
        event["status"]["message"]["messageId"] = json!("t1");
        event["status"]["message"]["metadata"] = json!({"pollux/sender": {"label": "terminal", "principal": "local"}});
        event
    };
    let told = vec![echo(5), expected.text(6, "Yes."), expected.last(9, "completed")];
    let mut results = stream.results().await;
    assert_eq!(results.remove(0)["kind"], "task");
    assert_eq!(results.remove(0), expected.state(4, "working"));
    assert_eq!(results, told);

    // The watcher follows the session: it goes on with the turn that was waiting.
    session.step_done("Also.", &[]);
    assert_eq!(
        watching.take(6).await,
        vec![
            echo(5),
            expected.text(6, "Yes."),
            expected.state(9, "completed"),
            expected.state(10, "working"),
            expected.text(11, "Also."),
            expected.state(14, "completed"),
        ]
    );
}

#[tokio::test]
async fn resubscribe_goes_on_after_a_cursor() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed")).declaring();
    let mut stream = client.stream("message/stream", say("hi", "m1")).await;
    session.says("One. ");
    let (mut cursor, mut seen) = (None, Vec::new());
    while seen.len() < 3 {
        let (id, event) = stream.next().await.unwrap();
        cursor = id;
        seen.push(event);
    }
    drop(stream);
    session.says("Two.");
    session.step_done("", &[]);
    let expected = Expected { session: session.id.to_string(), task: json!(session.id), context: json!("ctx") };
    let bare = json!({
        "kind": "task", "id": session.id, "contextId": "ctx",
        "status": {"state": "completed", "timestamp": NOW_TEXT},
    });
    let mut rest = client.stream_after("tasks/resubscribe", json!({"id": session.id}), cursor.as_deref()).await;
    assert_eq!(rest.take(3).await, [bare.clone(), expected.text(6, "Two."), expected.state(9, "completed")]);

    let by_metadata = json!({"id": session.id, "metadata": {"lastEventId": "1z.9"}});
    assert_eq!(client.stream("tasks/resubscribe", by_metadata).await.result().await, bare);
}

#[tokio::test]
async fn a_cursor_of_another_life_gets_a_gap() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    for lost in ["20.2", "1z.99", "nonsense"] {
        let mut stream = client.stream_after("tasks/resubscribe", json!({"id": session.id}), Some(lost)).await;
        let gap = stream.result().await;
        assert_eq!(gap["metadata"]["pollux/gap"], true, "{lost}");
        assert_eq!(stream.result().await["kind"], "task");
    }
}

#[tokio::test]
async fn cancel_ends_a_task_or_only_the_turn() {
    let roster = TestRoster::new();
    let zed = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let mut stream = zed.stream("message/stream", say("hi", "m1")).await;
    let task = stream.result().await["id"].clone();
    roster.newest().asks_to_run("sleep 9");
    let canceled = zed.rpc("tasks/cancel", json!({"id": task})).await;
    assert_eq!(canceled["result"]["status"]["state"], "canceled");
    assert_eq!(zed.rpc("tasks/cancel", json!({"id": task})).await["error"]["code"], -32002);
    // The turn's end and the task's are two entries and one piece of news, told live or from a cursor.
    let ends = |events: Vec<Value>| {
        let told = events.into_iter().filter(|event| event["kind"] == "status-update");
        let told = told.filter(|event| event["status"]["state"] == "canceled");
        told.map(|event| event["final"].clone()).collect::<Vec<_>>()
    };
    let replayed = zed.stream_after("tasks/resubscribe", json!({"id": task}), Some("1z.3")).await;
    assert_eq!(ends(replayed.results().await), [json!(true)]);
    let mut more = say("go on", "m2");
    more["message"]["taskId"] = task.clone();
    let refused = zed.rpc("message/send", more).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"][1]["reason"]),
        (&json!(-32004), &json!("TASK_CLOSED"))
    );

    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let stream = client.stream("message/stream", say("hi", "m1")).await;
    assert_eq!(client.rpc("tasks/cancel", json!({"id": session.id})).await["result"]["status"]["state"], "canceled");
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "canceled");
    let stream = client.stream("message/stream", say("again", "m2")).await;
    session.step_done("Hello.", &[]);
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "completed");
}

#[tokio::test]
async fn first_answer_wins_and_the_loser_learns_who() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed")).declaring();
    let stream = client.stream("message/stream", say("run it", "m1")).await;
    session.asks_to_run("ls");
    assert_eq!(stream.results().await.last().unwrap()["status"]["state"], "input-required");
    let won =
        client.seen_by(who("phone")).stream("message/stream", answer(&json!(session.id), "call-6", "cancel")).await;
    let expected = Expected { session: session.id.to_string(), task: json!(session.id), context: json!("ctx") };
    let cancelled = json!({
        "tool_call_id": session.call_id(6), "status": "CANCELLED", "tool_name": "run_shell_command",
        "input_parameters": {"command": "ls"},
    });
    assert_eq!(won.results().await, vec![expected.call(9, "working", &cancelled), expected.last(10, "completed")]);
    let mut late = answer(&json!(session.id), "call-6", "proceed_once");
    late["message"]["messageId"] = json!("late");
    assert_eq!(
        client.rpc("message/stream", late).await,
        json!({"jsonrpc": "2.0", "id": 1, "error": {
            "code": -32004,
            "message": "call-6 was already decided: phone chose cancel",
            "data": [
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "UNSUPPORTED_OPERATION",
                    "domain": "a2a-protocol.org",
                },
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ALREADY_DECIDED",
                    "domain": "pollux.dev", "metadata": {"decided_by": "phone", "choice": "cancel"},
                },
            ],
        }})
    );
}

#[tokio::test]
async fn live_output_failure_and_retry_are_shown() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let stream = client.stream("message/stream", say("run it", "m1")).await;
    session.report(thinks, Report::Retrying { reason: "503".into(), attempt: 2, wait_ms: 100 });
    session.asks_to_run("make");
    let results = stream.results().await;
    let retry = &results[2];
    assert_eq!(retry["metadata"][URI], json!({"kind": "STATE_CHANGE", "model": "script", "error": "503"}));
    assert_eq!(
        retry["status"]["message"]["parts"],
        json!([{"kind": "text", "text": "the model call failed: 503\ntrying again in 100 ms (attempt 2)"}])
    );
    let stream = client.stream("message/stream", answer(&json!(session.id), "call-7", "proceed_once")).await;
    session.starts();
    session.prints(&"x".repeat(64 * 1024));
    session.prints("tail\n");
    let result = CallResult { text: "boom".into(), exit_code: Some(2), ..Default::default() };
    let error = pollux_session::CallError { kind: "exit".into(), message: "exit code 2".into() };
    session.ends(CallOutcome::Failed { error, result: Some(result) });
    let failure = TurnFailure { kind: "model_refused".into(), message: "no more quota; try later".into() };
    session.report(thinks, Report::StepFailed { failure });
    let results = stream.results().await;
    let call = |index: usize| &results[index]["status"]["message"]["parts"][0]["data"];
    assert_eq!(call(0)["status"], "EXECUTING");
    assert_eq!(call(1)["live_content"], "x".repeat(64 * 1024));
    let tail = format!("[… 5 bytes before this are not shown …]\n{}tail\n", "x".repeat(64 * 1024 - 5));
    assert_eq!(call(2)["live_content"], tail.as_str());
    assert_eq!(call(3)["error"], json!({"message": "exit code 2:\nboom", "type": "exit", "status_code": 2}));
    assert_eq!(results[4]["status"]["state"], "failed");
    assert_eq!(results[4]["metadata"][URI]["error"], "no more quota; try later");
    assert_eq!(results[4]["final"], true);
    let task = client.rpc("tasks/get", json!({"id": session.id})).await;
    assert_eq!(
        task["result"]["status"]["message"]["parts"],
        json!([{"kind": "text", "text": "no more quota; try later"}])
    );
}

#[tokio::test]
async fn a_context_opens_a_second_task_in_its_session() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let mut params = say("one", "m1");
    params["message"]["contextId"] = json!("mine");
    let stream = client.stream("message/stream", params.clone()).await;
    roster.newest().step_done("1", &[]);
    let first = stream.results().await;
    params["message"]["messageId"] = json!("m2");
    let stream = client.stream("message/stream", params.clone()).await;
    roster.newest().step_done("2", &[]);
    let second = stream.results().await;
    assert_eq!(roster.sessions().len(), 1);
    assert_ne!(first[0]["id"], second[0]["id"]);
    assert_eq!(second[0]["contextId"], "mine");
    // Somebody else's context of the same name is another session.
    let mut other = who("else");
    other.owner = pollux_session::Owner("other".into());
    let found = client.seen_by(other.clone()).rpc("tasks/get", json!({"id": first[0]["id"]})).await;
    assert_eq!(found["error"]["code"], -32001);
    params["configuration"] = json!({"blocking": false});
    client.seen_by(other).rpc("message/send", params).await;
    assert_eq!(roster.sessions().len(), 2);
}

#[tokio::test]
async fn a_reader_far_behind_gets_everything_once() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed")).declaring();
    let mut slow = client.stream("message/stream", say("count", "m1")).await;
    assert_eq!(slow.result().await["kind"], "task");
    let mut whole = String::new();
    for number in 0..3000 {
        let piece = format!("{number} ");
        session.says(&piece);
        whole.push_str(&piece);
    }
    session.step_done("", &[]);
    let (mut text, mut events) = (String::new(), 0);
    for event in slow.results().await {
        events += 1;
        if event["metadata"][URI]["kind"] == "TEXT_CONTENT" {
            text.push_str(event["status"]["message"]["parts"][0]["text"].as_str().unwrap());
        }
    }
    assert_eq!(text, whole);
    assert!(events < 3000, "what lies side by side is merged for a reader that is behind");
    assert!(session.head() > Seq(3000));
}

#[tokio::test]
async fn every_event_tells_the_plan_of_the_person_where_it_is_known() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed")).declaring();
    let stream = client.stream("message/stream", say("hi", "m1")).await;
    let session = roster.opened().await;
    session.wakes_with_tier("free-tier");
    session.says("Hi.");
    session.step_done("", &[]);
    let events = stream.results().await;
    let updates = events.iter().filter(|event| event["kind"] == "status-update");
    let tiers: Vec<_> = updates.map(|event| event["metadata"][URI].get("user_tier").cloned()).collect();
    assert_eq!(tiers, [None, Some(json!("free-tier")), Some(json!("free-tier"))], "{events:#?}");
}

#[tokio::test]
async fn without_the_extension_the_answer_is_an_artifact_in_0_3_too() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("generic"));
    let stream = client.stream("message/stream", say("hi", "m1")).await;
    session.owes(thinks).await;
    session.says("Hel");
    session.step_done("lo.", &[]);
    let chunk = |text: &str, more: Value| {
        let parts = json!([{"kind": "text", "text": text}]);
        let mut event = json!({
            "kind": "artifact-update", "taskId": session.id, "contextId": "ctx",
            "artifact": {"artifactId": "answer-turn-4", "name": "answer", "parts": parts},
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let events = stream.results().await;
    let (status, told): (Vec<Value>, Vec<Value>) =
        events.into_iter().skip(1).partition(|event| event["kind"] == "status-update");
    assert_eq!(
        told,
        [
            chunk("Hel", json!({})),
            chunk("lo.", json!({"append": true})),
            chunk("", json!({"append": true, "lastChunk": true})),
        ]
    );
    assert!(status.iter().all(|event| event["status"].get("message").is_none()), "{status:#?}");
    let task = &client.rpc("tasks/get", json!({"id": session.id})).await["result"];
    assert_eq!(task["artifacts"][0]["parts"], json!([{"kind": "text", "text": "Hello."}]));
    assert_eq!(task["history"].as_array().unwrap().len(), 1, "only the prompt: {task}");
}

/// A client that declares the extension once is known by it, also where somebody else has said something before.
#[tokio::test]
async fn a_client_that_has_declared_the_extension_in_a_shared_session_keeps_its_status_updates() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let target = PromptTarget::Existing { task: session.id.main_task() };
    session.command(&who("terminal"), "t1", Command::prompt(target, "one")).unwrap();
    session.step_done("Yes.", &[]);
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    drop(client.declaring().stream("message/stream", say("two", "m1")).await);
    session.step_done("Also.", &[]);
    let stream = client.stream("message/stream", say("three", "m2")).await;
    session.step_done("Again.", &[]);
    let kinds: Vec<Value> = stream.results().await.iter().map(|event| event["metadata"][URI]["kind"].clone()).collect();
    assert_eq!(kinds, [Value::Null, json!("STATE_CHANGE"), json!("TEXT_CONTENT"), json!("STATE_CHANGE")]);
}
