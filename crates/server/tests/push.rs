//! News of tasks, pushed to a receiver on this machine.

pub(crate) mod memory_push_targets;
mod receiver;

use crate::test_server;
use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{ScriptedSession, TestRoster, observer, who};
use axum::http::Method;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use memory_push_targets::MemoryPushTargets;
use pollux_server::{PushRetryPolicy, PushSettings, Resolver, RouterOptions, router_with};
use pollux_session::{BoxFuture, Who};
use pretty_assertions::assert_eq;
use receiver::{PushReceiver, ReceiverReply};
use ring::hmac;
use serde_json::{Value, json};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The longest wait of a test for what must come.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

/// A server that pushes, and what it works with.
struct PushSite {
    roster: Arc<TestRoster>,
    book: Arc<MemoryPushTargets>,
    client: TestClient,
    shutdown: CancellationToken,
}

/// Failures are forgotten quickly.
fn quick_retries(attempts: u32) -> PushRetryPolicy {
    PushRetryPolicy {
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(2),
        attempts,
        ..PushRetryPolicy::default()
    }
}

impl PushSite {
    fn new() -> PushSite {
        PushSite::with(&TestRoster::new(), &MemoryPushTargets::new(), |settings| settings.retry = quick_retries(1000))
    }

    fn with(
        roster: &Arc<TestRoster>,
        book: &Arc<MemoryPushTargets>,
        change: impl FnOnce(&mut PushSettings),
    ) -> PushSite {
        let mut settings = PushSettings::new(Arc::clone(book) as _);
        settings.allowed_hosts = vec!["127.0.0.1".into()];
        change(&mut settings);
        let shutdown = CancellationToken::new();
        let mut client = TestClient::new(many_sessions(roster, "/w"), who("client"));
        client.router = router_with(
            many_sessions(roster, "/w"),
            card_config(),
            RouterOptions { push: Some(settings), ..RouterOptions::default() },
            shutdown.clone(),
        );
        PushSite { roster: Arc::clone(roster), book: Arc::clone(book), client, shutdown }
    }

    /// Send a message whose task's news goes to `config`; its task.
    async fn prompt(&self, config: Value) -> (Arc<ScriptedSession>, String) {
        let params = json!({
            "message": {"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "hi"}]},
            "configuration": {"blocking": false, "pushNotificationConfig": config},
        });
        let answer = self.client.declaring().rpc("message/send", params).await;
        let task = answer["result"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        (self.roster.newest(), task)
    }

    /// Prompt with a push configuration in 1.0.
    async fn prompt_v10(&self, config: Value) -> (Arc<ScriptedSession>, String) {
        let params = json!({
            "message": {"role": "ROLE_USER", "messageId": "m1", "parts": [{"text": "hi"}]},
            "configuration": {"returnImmediately": true, "taskPushNotificationConfig": config},
        });
        let answer = rpc_v10(&self.client, "SendMessage", params).await;
        let task = answer["result"]["task"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        (self.roster.newest(), task)
    }

    async fn set(&self, task: &str, config: Value) -> Value {
        set_as(&self.client, task, config).await
    }
}

async fn set_as(client: &TestClient, task: &str, config: Value) -> Value {
    let params = json!({"taskId": task, "pushNotificationConfig": config});
    client.declaring().rpc("tasks/pushNotificationConfig/set", params).await
}

async fn rpc_v10(client: &TestClient, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let response = client.raw(Method::POST, "/", &[("a2a-version", "1.0")], &body).await;
    serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

/// The agent answers "Hello", in two pieces.
async fn answers(session: &ScriptedSession) {
    session.owes(thinks).await;
    session.says("Hel");
    session.says("lo");
    session.step_done("", &[]);
}

/// Where a pushed task of 0.3 stands, and what it says.
fn status_and_text(task: &Value) -> (&str, Option<&str>) {
    assert_eq!(task["kind"], "task", "{task}");
    (task["status"]["state"].as_str().unwrap(), task["status"]["message"]["parts"][0]["text"].as_str())
}

#[tokio::test]
async fn a_receiver_of_0_3_is_told_the_task_as_it_stands() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let (session, task) = site.prompt(json!({"url": receiver.url, "token": "mine"})).await;
    answers(&session).await;
    let first = receiver.next().await;
    assert_eq!(first.header("content-type"), Some("application/json"));
    assert_eq!(first.header("x-a2a-notification-token"), Some("mine"));
    assert_eq!(first.header("a2a-notification-token"), Some("mine"));
    assert_eq!(first.header("authorization"), None);
    assert_eq!(first.path, "/hook");
    let [text, over] = receiver.bodies().await;
    let first = first.json();
    assert_eq!(first["id"], task);
    assert_eq!(
        [&first, &text, &over].map(status_and_text),
        [("working", None), ("working", Some("Hello")), ("completed", None)]
    );
    assert_eq!(over["artifacts"][0]["parts"], json!([{"kind": "text", "text": "Hello"}]));
}

/// Section 2.1 of the RFC: the first message brings the target, and its sender may leave.
#[tokio::test]
async fn a_client_that_leaves_its_stream_is_called_back() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let params = json!({
        "message": {"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "hi"}]},
        "configuration": {"pushNotificationConfig": {"url": receiver.url}},
    });
    let mut stream = site.client.declaring().stream("message/stream", params).await;
    let task = stream.result().await["id"].clone();
    drop(stream);
    answers(&site.roster.newest()).await;
    let told: [Value; 3] = receiver.bodies().await;
    assert!(told.iter().all(|body| body["id"] == task), "{told:?}");
    assert_eq!(status_and_text(&told[2]), ("completed", None));
}

/// A task's status has no room for a chunk of an artifact.
#[tokio::test]
async fn a_receiver_of_0_3_without_the_extension_gets_the_answer_when_the_task_rests() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let message = json!({"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "hi"}]});
    let configuration = json!({"blocking": false, "pushNotificationConfig": {"url": receiver.url}});
    site.client.rpc("message/send", json!({"message": message, "configuration": configuration})).await;
    answers(&site.roster.newest()).await;
    let [first, over] = receiver.bodies().await;
    assert_eq!([status_and_text(&first), status_and_text(&over)], [("working", None), ("completed", None)]);
    assert_eq!(over["artifacts"][0]["parts"], json!([{"kind": "text", "text": "Hello"}]));
}

#[tokio::test]
async fn a_receiver_of_1_0_is_told_events_and_forgotten_when_the_task_is_over() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let auth = json!({"scheme": "Bearer", "credentials": "abc"});
    let (session, task) = site.prompt_v10(json!({"url": receiver.url, "token": "t", "authentication": auth})).await;
    answers(&session).await;
    let first = receiver.next().await;
    assert_eq!(first.header("content-type"), Some("application/a2a+json"));
    assert_eq!(first.header("authorization"), Some("Bearer abc"));
    let [said, over] = receiver.bodies().await;
    let status = |event: &Value| event["statusUpdate"]["status"].clone();
    assert_eq!(first.json()["statusUpdate"]["taskId"], task);
    assert_eq!(status(&first.json())["state"], "TASK_STATE_WORKING");
    let answer = &said["artifactUpdate"];
    assert_eq!(
        (&answer["artifact"]["parts"], &answer["append"], &answer["lastChunk"]),
        (&json!([{"text": "Hello"}]), &json!(false), &json!(true))
    );
    assert_eq!(status(&over)["state"], "TASK_STATE_COMPLETED");
    site.book.until(<[_]>::is_empty).await;
}

/// A receiver is one more reader of an ask, with the name of whoever wants the notifications.
#[tokio::test]
async fn a_late_yes_of_a_client_that_was_notified_does_not_answer_the_next_ask() {
    for (set_by, refusal) in [
        ("client", "may have been shown to several clients with your name"),
        ("zed", "of your last reply"),
        ("an older release", "may have been shown to several clients with your name"),
    ] {
        let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
        let message =
            |text: &str| json!({"role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}]});
        let mut stream = site.client.stream("message/stream", json!({"message": message("write")})).await;
        let task = stream.result().await["id"].clone();
        let config = json!({"taskId": task, "pushNotificationConfig": {"url": receiver.url}});
        let mut sets = site.client.clone();
        let mut client = site.client.clone();
        if set_by == "zed" {
            sets = sets.seen_by(who("zed"));
        }
        sets.rpc("tasks/pushNotificationConfig/set", config).await;
        if set_by == "an older release" {
            site.shutdown.cancel();
            site.book.change_forms(|form| drop(form.as_object_mut().unwrap().remove("set_by")));
            client = PushSite::with(&site.roster, &site.book, |settings| settings.retry = quick_retries(1000)).client;
        }
        let session = site.roster.newest();
        session.asks_to_write();
        drop(stream);
        while !receiver.next().await.json().to_string().contains("input-required") {}
        let reply = async |text: &str, id: &str| {
            let mut message = message(text);
            message["taskId"] = task.clone();
            message["messageId"] = id.into();
            client.rpc("message/send", json!({"message": message, "configuration": {"blocking": false}})).await
        };
        client.rpc("tasks/get", json!({"id": task})).await;
        assert_eq!(reply("yes", "m2").await["error"], Value::Null);
        session.starts();
        session.has_written();
        session.asks_to_run("ls");
        let late = reply("yes", "m3").await;
        assert!(late["error"]["message"].as_str().unwrap_or_default().contains(refusal), "{set_by}: {late}");
    }
}

#[tokio::test]
async fn an_ask_and_the_end_of_its_call_are_told_and_what_it_prints_is_not() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let (session, _) = site.prompt(json!({"url": receiver.url})).await;
    session.owes(thinks).await;
    session.asks_to_write();
    let [working, asks, waits] = receiver.bodies().await;
    let call = |task: &Value| task["status"]["message"]["parts"][0]["data"]["status"].clone();
    assert_eq!(
        [status_and_text(&working).0, status_and_text(&asks).0, status_and_text(&waits).0],
        ["working", "input-required", "input-required"]
    );
    assert!(asks["status"]["message"]["parts"][0]["data"]["confirmation_request"].is_object());
    let id = asks["status"]["message"]["parts"][0]["data"]["tool_call_id"].as_str().unwrap();
    let (call_id, option) = (test_server::within_session(id).parse().unwrap(), "proceed_once".into());
    let answer = pollux_session::Command::Answer { call: call_id, option, edit: None };
    session.command(&who("person"), "yes", answer).unwrap();
    session.starts();
    session.prints("one\n");
    session.prints("two\n");
    session.has_written();
    session.owes(thinks).await;
    session.step_done("done", &[]);
    let ended = receiver.next().await.json();
    assert_eq!(call(&ended), "SUCCEEDED");
    let [text, over] = receiver.bodies().await;
    assert_eq!([status_and_text(&text), status_and_text(&over)], [("working", Some("done")), ("completed", None)]);
}

#[tokio::test]
async fn what_fails_is_tried_again_in_order() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    receiver.answers([
        ReceiverReply::Status(500),
        ReceiverReply::Status(503),
        ReceiverReply::With(429, "retry-after", "0".into()),
    ]);
    let (session, _) = site.prompt(json!({"url": receiver.url})).await;
    answers(&session).await;
    let first = receiver.next().await;
    for _ in 0..3 {
        let again = receiver.next().await;
        assert_eq!(again.body, first.body);
        assert_eq!(again.header("x-a2a-notification-id"), first.header("x-a2a-notification-id"));
    }
    let [text, over] = receiver.bodies().await;
    assert_eq!([status_and_text(&text), status_and_text(&over)], [("working", Some("Hello")), ("completed", None)]);
}

#[tokio::test]
async fn a_body_that_is_not_wanted_is_passed_over() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    receiver.answers([(); 3].map(|()| ReceiverReply::Status(413)));
    let (session, _) = site.prompt(json!({"url": receiver.url})).await;
    answers(&session).await;
    let [first, second, third, text, over] = receiver.bodies().await;
    assert_eq!([&first, &second, &third].map(status_and_text), [("working", None); 3]);
    assert_eq!([status_and_text(&text), status_and_text(&over)], [("working", Some("Hello")), ("completed", None)]);
}

#[tokio::test]
async fn a_restart_goes_on_after_what_was_taken() {
    let (roster, book) = (TestRoster::new(), MemoryPushTargets::new());
    let mut receiver = PushReceiver::new().await;
    let site = PushSite::with(&roster, &book, |settings| settings.retry = quick_retries(1_000_000));
    receiver.answers([ReceiverReply::Status(204)]);
    receiver.answers_always(ReceiverReply::Status(500));
    let (session, _) = site.prompt(json!({"url": receiver.url})).await;
    answers(&session).await;
    assert_eq!(status_and_text(&receiver.next().await.json()), ("working", None));
    let text = receiver.next().await;
    assert_eq!(status_and_text(&text.json()), ("working", Some("Hello")));
    site.shutdown.cancel();
    drop(site);

    let kept = book.cursors();
    receiver.answers_always(ReceiverReply::Status(204));
    let _site = PushSite::with(&roster, &book, |settings| settings.retry = quick_retries(1000));
    book.until(|targets| targets.iter().all(|target| target.cursor > kept[0].1 && target.cursor >= session.head()))
        .await;
    let mut told: Vec<Value> = receiver.rest().iter().map(receiver::ReceivedPush::json).collect();
    told.dedup();
    assert_eq!(told.iter().map(status_and_text).collect::<Vec<_>>(), [("working", Some("Hello")), ("completed", None)]);
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_forgotten() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    receiver.answers_always(ReceiverReply::Status(410));
    let (session, _) = site.prompt(json!({"url": receiver.url})).await;
    answers(&session).await;
    receiver.next().await;
    site.book.until(<[_]>::is_empty).await;
    assert_eq!(receiver.rest().len(), 0);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_a_receiver_that_fails_for_long_is_forgotten() {
    let site =
        PushSite::with(&TestRoster::new(), &MemoryPushTargets::new(), |settings| settings.retry = quick_retries(3));
    let (mut receiver, mut elsewhere) = (PushReceiver::new().await, PushReceiver::new().await);
    receiver.answers_always(ReceiverReply::With(307, "location", elsewhere.url.clone()));
    site.prompt(json!({"url": receiver.url})).await;
    site.book.until(<[_]>::is_empty).await;
    assert_eq!(receiver.rest().len(), 3);
    assert_eq!(elsewhere.rest().len(), 0);
}

#[tokio::test]
async fn what_was_deleted_is_told_nothing_more() {
    let (site, mut receiver, mut other) = (PushSite::new(), PushReceiver::new().await, PushReceiver::new().await);
    let (session, task) = site.prompt(json!({"url": receiver.url, "id": "one"})).await;
    site.set(&task, json!({"url": other.url, "id": "two"})).await;
    receiver.next().await;
    let params = json!({"id": task, "pushNotificationConfigId": "one"});
    for _ in 0..2 {
        let answer = site.client.rpc("tasks/pushNotificationConfig/delete", params.clone()).await;
        assert_eq!(answer["result"], Value::Null, "{answer}");
    }
    answers(&session).await;
    let [text, over] = other.bodies().await;
    assert_eq!([status_and_text(&text), status_and_text(&over)], [("working", Some("Hello")), ("completed", None)]);
    assert_eq!(receiver.rest().len(), 0);
}

#[tokio::test]
async fn a_slow_receiver_slows_nobody() {
    let (site, mut slow, mut other) = (PushSite::new(), PushReceiver::new().await, PushReceiver::new().await);
    slow.answers_always(ReceiverReply::Never);
    let (session, task) = site.prompt(json!({"url": slow.url, "id": "slow"})).await;
    slow.next().await;
    site.set(&task, json!({"url": other.url, "id": "other"})).await;
    answers(&session).await;
    let [text, over] = other.bodies().await;
    assert_eq!([status_and_text(&text), status_and_text(&over)], [("working", Some("Hello")), ("completed", None)]);
}

#[tokio::test]
async fn an_open_ended_task_is_told_about_turn_after_turn() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let (session, task) = site.prompt(json!({"url": receiver.url})).await;
    answers(&session).await;
    receiver.bodies::<3>().await;
    let message = json!({"role": "user", "messageId": "m2", "taskId": task, "parts": [{"kind": "text", "text": "on"}]});
    let params = json!({"message": message, "configuration": {"blocking": false}});
    site.client.rpc("message/send", params).await;
    answers(&session).await;
    let told: [Value; 3] = receiver.bodies().await;
    assert_eq!(
        told.each_ref().map(status_and_text),
        [("working", None), ("working", Some("Hello")), ("completed", None)]
    );
}

#[tokio::test]
async fn a_signature_can_be_verified() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let secret = "a secret of both sides";
    let auth = json!({"schemes": ["HMAC-SHA256"], "credentials": secret});
    site.prompt(json!({"url": receiver.url, "authentication": auth})).await;
    let got = receiver.next().await;
    assert_eq!(got.header("authorization"), None);
    let (timestamp, nonce) =
        (got.header("x-a2a-notification-timestamp").unwrap(), got.header("x-a2a-notification-nonce").unwrap());
    let signed = [format!("{timestamp}.{nonce}.").as_bytes(), &got.body].concat();
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), &signed);
    let expected: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(got.header("x-a2a-notification-signature"), Some(format!("sha256={expected}").as_str()));
    assert!(!format!("{:?}", got.headers).contains(secret));
}

#[tokio::test]
async fn this_machine_is_out_of_reach_unless_the_operator_says_otherwise() {
    let site = PushSite::with(&TestRoster::new(), &MemoryPushTargets::new(), |settings| settings.allowed_hosts.clear());
    let mut receiver = PushReceiver::new().await;
    let params = json!({
        "message": {"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "hi"}]},
        "configuration": {"blocking": false, "pushNotificationConfig": {"url": receiver.url}},
    });
    let answer = site.client.rpc("message/send", params).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(site.roster.sessions().len(), 0, "a message with a bad target opens nothing");
    let secure = receiver.url.replace("http:", "https:");
    let session = site.roster.session("c", "/w");
    let answer = site.set(&session.id.to_string(), json!({"url": secure})).await;
    let why = "`url` leads to an address that is not on the public internet";
    assert_eq!((&answer["error"]["code"], &answer["error"]["message"]), (&json!(-32602), &json!(why)));
    assert_eq!(receiver.rest().len(), 0);
}

/// A name that is public when it is set and on this machine when it is called.
#[derive(Default)]
struct RebindingResolver(AtomicUsize);

impl Resolver for RebindingResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
        let address = if first { Ipv4Addr::new(93, 184, 216, 34) } else { Ipv4Addr::LOCALHOST };
        Box::pin(async move { Ok(vec![address.into()]) })
    }
}

#[tokio::test]
async fn a_name_that_turns_inward_is_not_followed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let rebinding = Arc::new(RebindingResolver::default());
    let resolver = Arc::clone(&rebinding);
    let site = PushSite::with(&TestRoster::new(), &MemoryPushTargets::new(), |settings| {
        settings.allowed_hosts.clear();
        settings.retry = quick_retries(2);
        settings.resolver = resolver;
    });
    site.prompt(json!({"url": format!("https://hook.example.com:{port}/")})).await;
    site.book.until(<[_]>::is_empty).await;
    assert_eq!(rebinding.0.load(Ordering::SeqCst), 3, "looked up when it was set and at each of two attempts");
    assert!(listener.accept().now_or_never().is_none(), "nobody was called");
}

#[tokio::test]
async fn secrets_are_kept_and_tokens_are_told() {
    let (site, receiver) = (PushSite::new(), PushReceiver::new().await);
    let session = site.roster.session("c", "/w");
    let task = session.id.to_string();
    let auth = json!({"schemes": ["Bearer"], "credentials": "secret"});
    let told = json!({"taskId": task, "pushNotificationConfig": {
        "id": "one", "url": receiver.url, "token": "t", "authentication": {"schemes": ["Bearer"]},
    }});
    let config = json!({"id": "one", "url": receiver.url, "token": "t", "authentication": auth});
    assert_eq!(site.set(&task, config).await["result"], told);
    let get = json!({"id": task, "pushNotificationConfigId": "one"});
    assert_eq!(site.client.rpc("tasks/pushNotificationConfig/get", get).await["result"], told);
    let list = site.client.rpc("tasks/pushNotificationConfig/list", json!({"id": task})).await;
    assert_eq!(list["result"], json!([told]));
    let unknown = json!({"id": task, "pushNotificationConfigId": "two"});
    let answer = site.client.rpc("tasks/pushNotificationConfig/get", unknown).await;
    assert_eq!(answer["error"]["code"], -32001);
}

#[tokio::test]
async fn in_0_3_the_nameless_target_is_changed_and_in_1_0_each_gets_a_name() {
    let (site, receiver) = (PushSite::new(), PushReceiver::new().await);
    let task = site.roster.session("c", "/w").id.to_string();
    for _ in 0..2 {
        let answer = site.set(&task, json!({"url": receiver.url})).await;
        assert_eq!(answer["result"]["pushNotificationConfig"]["id"], json!(task));
    }
    for _ in 0..2 {
        let params = json!({"taskId": task, "url": receiver.url});
        let answer = rpc_v10(&site.client, "CreateTaskPushNotificationConfig", params).await;
        assert_ne!(answer["result"]["id"], json!(task), "{answer}");
    }
    assert_eq!(site.book.cursors().len(), 3);
}

#[tokio::test]
async fn a_target_of_a_closed_task_can_be_set_and_stays() {
    let (site, mut receiver) = (PushSite::new(), PushReceiver::new().await);
    let (session, task) = site.prompt_v10(json!({"url": receiver.url})).await;
    answers(&session).await;
    receiver.bodies::<3>().await;
    site.book.until(<[_]>::is_empty).await;
    let params = json!({"taskId": task, "id": "late", "url": receiver.url});
    rpc_v10(&site.client, "CreateTaskPushNotificationConfig", params).await;
    let params = json!({"taskId": task, "id": "late"});
    let answer = rpc_v10(&site.client, "GetTaskPushNotificationConfig", params).await;
    assert_eq!(answer["result"]["url"], json!(receiver.url));
    assert_eq!(receiver.rest().len(), 0);
}

#[tokio::test]
async fn a_task_has_ten_targets_at_most() {
    let (site, receiver) = (PushSite::new(), PushReceiver::new().await);
    let task = site.roster.session("c", "/w").id.to_string();
    for number in 0..10 {
        let answer = site.set(&task, json!({"url": receiver.url, "id": number.to_string()})).await;
        assert!(answer["error"].is_null(), "{answer}");
    }
    let answer = site.set(&task, json!({"url": receiver.url, "id": "10"})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = site.set(&task, json!({"url": receiver.url, "id": "9", "token": "new"})).await;
    assert!(answer["error"].is_null(), "{answer}");
}

#[tokio::test]
async fn only_who_may_prompt_sets_targets_and_only_in_their_own_tasks() {
    let (site, receiver) = (PushSite::new(), PushReceiver::new().await);
    let task = site.roster.session("c", "/w").id.to_string();
    let answer = set_as(&site.client.seen_by(observer()), &task, json!({"url": receiver.url})).await;
    assert_eq!(answer["error"]["code"], -32004, "{answer}");
    let stranger = Who { owner: pollux_session::Owner("other".into()), ..who("stranger") };
    let answer = set_as(&site.client.seen_by(stranger), &task, json!({"url": receiver.url})).await;
    assert_eq!(answer["error"]["code"], -32001, "{answer}");
    assert_eq!(site.book.cursors(), []);
}

#[tokio::test]
async fn what_cannot_be_a_target_is_refused() {
    let site = PushSite::new();
    let task = site.roster.session("c", "/w").id.to_string();
    let bad = [
        json!({"url": ""}),
        json!({"url": "not a url"}),
        json!({"url": "http://127.0.0.1/", "id": "x".repeat(129)}),
        json!({"url": "http://127.0.0.1/", "token": "a\r\nb: c"}),
        json!({"url": "http://127.0.0.1/", "authentication": {"schemes": ["a b"], "credentials": "c"}}),
    ];
    for config in bad {
        let answer = site.set(&task, config.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{config}: {answer}");
    }
    assert_eq!(site.book.cursors(), []);
}
