//! The examples of HTTP+JSON in docs/PROTOCOL.md: every route has one, each is sent as it stands there, and the answer is
//! the one that stands there. An `…` in an example stands for anything.

use crate::push::memory_push_targets::MemoryPushTargets;
use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::script::thinks;
use crate::test_server::{ScriptedSession, TestRoster, who};
use axum::http::Method;
use http_body_util::BodyExt;
use pollux_server::{
    CardConfig, ExtendedCard, PushSettings, RouterOptions, SkillCatalogue, SkillListing, rest_routes, router_with,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const PROTOCOL: &str = include_str!("../../../docs/PROTOCOL.md");
/// The task that the examples speak of.
const TASK: &str = "0198…";

/// One request of the page, and what it says comes of it.
struct Example {
    method: Method,
    path: String,
    body: String,
    answer: ExampleAnswer,
}

enum ExampleAnswer {
    /// A status and JSON.
    Plain(u16, Value),
    /// The events of a stream, each with whether it has a cursor.
    Stream(Vec<(bool, Value)>),
}

/// The examples: blocks of code of the chapter that begin with a request.
fn examples() -> Vec<Example> {
    let chapter = PROTOCOL.split("\n## ").find(|chapter| chapter.starts_with("HTTP+JSON")).expect("there is a chapter");
    chapter.split("```\n").skip(1).step_by(2).filter_map(example).collect()
}

fn example(block: &str) -> Option<Example> {
    let (request, answer) = block.split_once("\n\n")?;
    let (line, body) = request.split_once('\n').unwrap_or((request, ""));
    let (method, path) = line.split_once(' ')?;
    let answer = match answer.split_once(' ').and_then(|(status, json)| Some((status.parse().ok()?, json))) {
        Some((status, json)) => ExampleAnswer::Plain(status, read(json)),
        None => ExampleAnswer::Stream(answer.trim().split("\n\n").map(event).collect()),
    };
    Some(Example { method: method.parse().unwrap(), path: path.to_owned(), body: body.to_owned(), answer })
}

fn event(text: &str) -> (bool, Value) {
    let data = text.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event has data");
    (text.starts_with("id: "), read(data))
}

/// The JSON of an example, in which a bare `…` stands for members or elements.
fn read(json: &str) -> Value {
    let json = json.replace("[…]", r#"["…"]"#).replace("{…}", r#"{"…": "…"}"#).replace(", …", r#", "…""#);
    let json = json.replace(r#", "…"}"#, r#", "…": "…"}"#);
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// True if `real` is what the example shows of `task`; of one that only the answer names when there is none.
fn fits(shown: &Value, real: &Value, task: Option<&str>) -> bool {
    match (shown, real) {
        (Value::String(shown), Value::String(real)) => {
            let shown = shown.replace(TASK, task.unwrap_or("…"));
            match shown.split_once('…') {
                Some((begins, ends)) => real.starts_with(begins) && real.ends_with(ends),
                None => shown == *real,
            }
        }
        (Value::Number(_), Value::Number(_)) => true,
        (Value::Array(shown), Value::Array(real)) => {
            let left_out = shown.last() == Some(&json!("…"));
            let shown = if left_out { &shown[..shown.len() - 1] } else { shown };
            (left_out || shown.len() == real.len())
                && shown.len() <= real.len()
                && shown.iter().zip(real).all(|(shown, real)| fits(shown, real, task))
        }
        (Value::Object(shown), Value::Object(real)) => {
            let left_out = shown.contains_key("…");
            let mut told = shown.iter().filter(|(name, _)| *name != "…");
            (left_out || shown.len() == real.len())
                && told.all(|(name, shown)| real.get(name).is_some_and(|real| fits(shown, real, task)))
        }
        (shown, real) => shown == real,
    }
}

/// A server that offers everything, and a task at work that news is pushed of.
struct ExampleServer {
    roster: Arc<TestRoster>,
    client: TestClient,
    task: String,
    session: Arc<ScriptedSession>,
}

impl ExampleServer {
    async fn start(example: &Example) -> ExampleServer {
        let roster = TestRoster::new();
        let mut client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
        let mut push = PushSettings::new(MemoryPushTargets::new());
        push.allowed_hosts = vec!["client.example.com".into()];
        let tools = vec![SkillListing { name: "read_file".into(), description: "Reads a file.".into() }];
        let catalogue = SkillCatalogue { tools, ..SkillCatalogue::default() };
        let extended = ExtendedCard::Listing(Arc::new(move || catalogue.clone()));
        let extras = RouterOptions { push: Some(push), ..RouterOptions::default() };
        client.router = router_with(
            many_sessions(&roster, "/"),
            CardConfig { extended, ..card_config() },
            extras,
            CancellationToken::new(),
        );
        let (version, method, role, wait) = match example.path.starts_with("/a2a/") {
            true => ("1.0", "SendMessage", "ROLE_USER", json!({"returnImmediately": true})),
            false => ("0.3", "message/send", "user", json!({"blocking": false})),
        };
        let mut task = String::new();
        for context in ["other", "mine"] {
            let message = json!({"role": role, "messageId": context, "contextId": context, "parts": [{"text": "hi"}]});
            let told = client.speaking(version).rpc(method, json!({"message": message, "configuration": wait})).await;
            let begun = if version == "1.0" { &told["result"]["task"] } else { &told["result"] };
            task = begun["id"].as_str().unwrap().to_owned();
        }
        let session = roster.newest();
        session.owes(thinks).await;
        let mine = example.path.contains("/mine") || example.method == Method::GET;
        if mine {
            let config = json!({"id": "mine", "url": "https://client.example.com/hook", "token": "t1"});
            let params = json!({"taskId": task, "pushNotificationConfig": config});
            client.speaking("0.3").rpc("tasks/pushNotificationConfig/set", params).await;
        }
        ExampleServer { roster, client, task, session }
    }

    /// The agent answers whatever runs: a message that opened a session, or the task that is followed.
    async fn agent(&self, sends: bool) {
        let session = if sends { self.roster.third().await } else { Arc::clone(&self.session) };
        session.owes(thinks).await;
        session.says("Hello.");
        session.step_done("", &[]);
    }
}

/// Send the example, and hold the answer to what it shows.
async fn check_example(example: &Example) {
    let wire_state = ExampleServer::start(example).await;
    let at = format!("{} {}", example.method, example.path);
    let [path, body] = [&example.path, &example.body].map(|text| text.replace(TASK, &wire_state.task));
    let path = path.replace('…', "-0000");
    let sends = path.contains("/message:");
    let task = (!sends).then_some(wire_state.task.as_str());
    let asked = wire_state.client.raw(example.method.clone(), &path, &[], &body);
    let streams = matches!(example.answer, ExampleAnswer::Stream(_));
    let answered = async {
        let response = asked.await;
        let status = response.status().as_u16();
        (status, response.into_body().collect().await.unwrap().to_bytes())
    };
    let (status, told) =
        if sends || streams { tokio::join!(answered, wire_state.agent(sends)).0 } else { answered.await };
    let told = String::from_utf8(told.to_vec()).unwrap();
    match &example.answer {
        ExampleAnswer::Plain(expected, shown) => {
            let real: Value = serde_json::from_str(&told).unwrap();
            assert!(status == *expected && fits(shown, &real, task), "{at} is answered {status} {real}");
        }
        ExampleAnswer::Stream(shown) => {
            let real: Vec<(bool, Value)> = told.trim().split("\n\n").map(event).collect();
            let same = |((cursor, shown), (real_cursor, real)): (&(bool, Value), &(bool, Value))| {
                cursor == real_cursor && fits(shown, real, task)
            };
            let fits = shown.len() == real.len() && shown.iter().zip(&real).all(same);
            assert!(status == 200 && fits, "{at} is answered {status}\n{told}");
        }
    }
}

#[tokio::test]
async fn every_example_is_answered_as_the_page_shows() {
    for example in examples() {
        check_example(&example).await;
    }
}

#[test]
fn every_route_has_an_example() {
    let shown: Vec<(String, String)> = examples()
        .into_iter()
        .map(|Example { method, path, .. }| {
            let path = path.split('?').next().unwrap_or_default();
            (method.to_string(), path.replace(TASK, "{id}").replace("/mine", "/{configId}"))
        })
        .collect();
    let missing: Vec<(String, String)> = rest_routes().into_iter().filter(|route| !shown.contains(route)).collect();
    assert_eq!(missing, []);
}
