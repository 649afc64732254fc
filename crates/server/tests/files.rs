//! Files that come with messages, in every dialect: kept, named in the log, and shown again.

use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::memory_file_store::{MemoryFileStore, PNG};
use crate::test_server::{TestRoster, observer, who};
use axum::http::{Method, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_server::{CardConfig, RouterOptions, router_with};
use pollux_session::{Event, MediaContent};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn serve() -> (Arc<TestRoster>, Arc<MemoryFileStore>, TestClient) {
    let (roster, cabinet) = (TestRoster::new(), MemoryFileStore::new());
    let extras = RouterOptions { files: Some(Arc::clone(&cabinet) as _), ..RouterOptions::default() };
    let client = TestClient::offering(many_sessions(&roster, "/"), extras, who("zed"));
    (roster, cabinet, client)
}

/// A picture of about so many bytes, in base64.
fn picture(len: usize) -> String {
    STANDARD.encode([PNG, &vec![7; len]].concat())
}

fn in_0_3(bytes: &str) -> Value {
    json!({"kind": "file", "file": {"name": "a.png", "mimeType": "image/png", "bytes": bytes}})
}

fn in_1_0(bytes: &str) -> Value {
    json!({"raw": bytes, "filename": "a.png", "mediaType": "image/png"})
}

fn message(id: &str, parts: &Value) -> Value {
    json!({"message": {"messageId": id, "role": "user", "parts": parts}, "configuration": {"blocking": false}})
}

/// Every prompt in the log: its text and the names of its files.
fn prompts(roster: &TestRoster) -> Vec<(String, Vec<String>)> {
    let names = |media: &[MediaContent]| media.iter().map(|media| media.name.clone()).collect();
    let sessions = roster.sessions();
    let entries = sessions.iter().flat_map(|session| session.log());
    let prompts = entries.filter_map(|entry| match &entry.event {
        Event::Prompted { text, media, .. } => Some((text.clone(), names(media))),
        _ => None,
    });
    prompts.collect()
}

fn looked(text: &str) -> (String, Vec<String>) {
    (text.into(), vec!["a.png".into()])
}

#[tokio::test]
async fn a_picture_is_kept_and_shown_again_under_the_clients_own_id() {
    let (roster, cabinet, client) = serve();
    let (text, file) = (json!({"kind": "text", "text": "what is this?"}), in_0_3(&picture(9)));
    let sent = client.rpc("message/send", message("mine", &json!([text, file]))).await;
    let task = &sent["result"]["id"];
    assert_eq!(prompts(&roster), [looked("what is this?")]);
    for task in [sent["result"].clone(), client.rpc("tasks/get", json!({ "id": task })).await["result"].clone()] {
        assert_eq!(task["history"][0]["parts"], json!([text, file]));
        assert_eq!(task["history"][0]["messageId"], "mine");
    }
    let newer = client.speaking("1.0").rpc("GetTask", json!({ "id": task })).await;
    let shown = &newer["result"]["history"][0];
    assert_eq!(shown["parts"], json!([{"text": "what is this?"}, in_1_0(&picture(9))]));
    assert_eq!(shown["messageId"], "mine");
    // The same message sent again is the same message, files and all.
    let again = client.rpc("message/send", message("mine", &json!([text, file]))).await;
    assert_eq!((&again["result"]["id"], cabinet.count(), prompts(&roster).len()), (task, 1, 1));
    // With another file it is another one.
    let other = client.rpc("message/send", message("mine", &json!([text, in_0_3(&picture(8))]))).await;
    assert_ne!(&other["result"]["id"], task);
}

#[tokio::test]
async fn a_picture_without_a_name_comes_back_without_one() {
    let (_house, _cabinet, client) = serve();
    let (text, file) = (json!({"text": "look"}), json!({"raw": picture(9), "mediaType": "image/png"}));
    for parts in [json!([file]), json!([file, text])] {
        let sent = client.rpc("message/send", message("m", &parts)).await;
        let got = client.speaking("1.0").rpc("GetTask", json!({"id": sent["result"]["id"]})).await;
        assert_eq!(got["result"]["history"][0]["parts"], parts);
    }
}

#[tokio::test]
async fn a_stream_begins_with_the_whole_message() {
    let (roster, _cabinet, client) = serve();
    let mut stream = client.stream("message/stream", message("m", &json!([in_0_3(&picture(9))]))).await;
    let task = stream.result().await;
    assert_eq!(task["history"][0]["parts"], json!([in_0_3(&picture(9))]));
    assert_eq!(task["history"][0]["messageId"], "m");
    assert_eq!(prompts(&roster), [looked("")]);
    // Whoever else watches is told in words.
    let mut watched = client.stream("tasks/resubscribe", json!({ "id": roster.newest().id })).await;
    let more = json!({"message": {
        "messageId": "n", "role": "user", "taskId": task["id"], "parts": [{"text": "more"}, in_0_3(&picture(9))],
    }, "configuration": {"blocking": false}});
    client.rpc("message/send", more).await;
    roster.newest().step_done("A line.", &[]);
    roster.newest().step_done("Another.", &[]);
    let events = watched.take(3).await;
    let echoed = events.iter().find(|event| event["status"]["message"]["messageId"] == "n").expect("it is echoed");
    let told = "more\n[the file \"a.png\" (image/png, 18 bytes) came with this message]";
    assert_eq!(echoed["status"]["message"]["parts"], json!([{"kind": "text", "text": told}]));
}

#[tokio::test]
async fn every_dialect_takes_files() {
    let (roster, _cabinet, client) = serve();
    let (old, new) = (in_0_3(&picture(9)), in_1_0(&picture(9)));
    let text = |text: &str| json!({ "text": text });
    // 1.0, over JSON-RPC and over HTTP.
    let say = |parts: Value| {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": parts});
        json!({"message": message, "configuration": {"returnImmediately": true}})
    };
    let sent = client.speaking("1.0").rpc("SendMessage", say(json!([text("1.0"), new]))).await;
    assert_eq!(sent["result"]["task"]["history"][0]["parts"][1], new);
    let body = say(json!([text("rest"), new])).to_string();
    let (status, sent) = client.speaking("1.0").json(Method::POST, "/a2a/v1/message:send", &body).await;
    assert_eq!((status, &sent["task"]["history"][0]["parts"][1]), (StatusCode::OK, &new));
    // 0.3 as protobuf writes it.
    let file = json!({"file": {"fileWithBytes": picture(9), "mimeType": "image/png", "name": "a.png"}});
    let body = json!({"message": {"messageId": "p", "role": "ROLE_USER", "content": [text("proto"), file]}});
    drop(client.raw(Method::POST, "/v1/message:stream", &[], &body.to_string()).await);
    // Google's clients.
    let mut coder = message("c", &json!([text("coder"), old]));
    coder["message"]["metadata"] = json!({"coderAgent": {"kind": "agent-settings"}});
    let task = client.stream("message/stream", coder).await.result().await;
    assert_eq!((&task["history"][0]["parts"][1], &task["history"][0]["messageId"]), (&old, &json!("c")));
    let id = roster.newest().id;
    // The protocol page, the endpoint guide, the server reference.
    let parts = |said: &str| json!({"parts": [text(said), old]});
    drop(client.post_stream("/message/stream", &json!({"taskId": id, "userMessage": parts("page")})).await);
    let path = format!("/tasks/{id}/messages/stream");
    drop(client.post_stream(&path, &json!({"message": {"content": [text("flat"), old]}})).await);
    drop(client.post_stream(&format!("/tasks/{id}/execute"), &json!({"message": parts("named")})).await);
    let all = ["1.0", "rest", "proto", "coder", "page", "flat", "named"].map(looked);
    assert_eq!(prompts(&roster), all);
}

#[tokio::test]
async fn a_large_file_and_a_lost_one_leave_a_note() {
    let (roster, cabinet, client) = serve();
    let parts = json!([{"text": "look"}, in_0_3(&picture(1024 * 1024)), in_0_3(&picture(9))]);
    let sent = client.rpc("message/send", message("m", &parts)).await;
    let size = 1024 * 1024 + PNG.len();
    let large =
        format!("[the file \"a.png\" (image/png, {size} bytes) came with this message and is not repeated here]");
    assert_eq!(sent["result"]["history"][0]["parts"][1], json!({"kind": "text", "text": large}));
    assert_eq!(sent["result"]["history"][0]["parts"][2], in_0_3(&picture(9)));
    cabinet.lose();
    let task = client.rpc("tasks/get", json!({"id": roster.newest().id})).await;
    let lost = "[the file \"a.png\" (image/png, 18 bytes) came with this message and is no longer there]";
    assert_eq!(task["result"]["history"][0]["parts"][2], json!({"kind": "text", "text": lost}));
}

#[tokio::test]
async fn the_card_says_what_is_taken() {
    let (roster, _cabinet, mut client) = serve();
    let face = CardConfig { files: vec!["image/png".into()], ..card_config() };
    client.router = router_with(many_sessions(&roster, "/"), face, RouterOptions::default(), CancellationToken::new());
    let (_, card) = client.json(Method::GET, "/.well-known/agent-card.json", "").await;
    assert_eq!(card["defaultInputModes"], json!(["text/plain", "application/json", "image/png"]));
}

#[tokio::test]
async fn a_list_names_files_and_leaves_them_out() {
    let (_house, _cabinet, client) = serve();
    client.rpc("message/send", message("m", &json!([{"text": "look"}, in_0_3(&picture(9))]))).await;
    let listed = client.speaking("1.0").rpc("ListTasks", json!({"historyLength": 5})).await;
    let told = "[the file \"a.png\" (image/png, 18 bytes) came with this message and is not repeated here]";
    assert_eq!(listed["result"]["tasks"][0]["history"][0]["parts"], json!([{"text": "look"}, {"text": told}]));
}

#[tokio::test]
async fn a_history_repeats_only_so_much_the_newest_first() {
    let (_house, _cabinet, client) = serve();
    let most = 1024 * 1024 - PNG.len();
    let mut send = message("m0", &json!([{"text": "0"}, in_0_3(&picture(most))]));
    let first = client.rpc("message/send", send.clone()).await;
    for n in 1..6_u8 {
        let other = STANDARD.encode([PNG, &vec![n; most]].concat());
        send = message(&format!("m{n}"), &json!([{"text": "more"}, in_0_3(&other)]));
        send["message"]["taskId"] = first["result"]["id"].clone();
        client.rpc("message/send", send.clone()).await;
    }
    let task = client.rpc("tasks/get", json!({"id": first["result"]["id"]})).await;
    let history = task["result"]["history"].as_array().unwrap().clone();
    let kinds: Vec<_> = history.iter().map(|message| message["parts"][1]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "text", "file", "file", "file", "file"]);
}

#[tokio::test]
async fn what_is_not_taken_is_refused_and_begins_nothing() {
    let (roster, cabinet, client) = serve();
    let code = async |client: &TestClient, part: Value| {
        let refused = client.rpc("message/send", message("m", &json!([{"text": "look"}, part]))).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default().to_owned();
        (refused["error"]["code"].as_i64().unwrap_or_default(), message)
    };
    for (part, expected, why) in [
        (in_0_3("AP8="), -32005, "`params.message.parts[1]`: the file's bytes are those of no picture"),
        (in_0_3("AP8"), -32602, "the file is not base64"),
        (json!({"kind": "file", "file": {"mimeType": "application/zip", "bytes": picture(9)}}), -32005, "not taken"),
        (json!({"kind": "file", "file": {"uri": "file:///etc/passwd"}}), -32005, "must begin with https://"),
    ] {
        let (code, message) = code(&client, part).await;
        assert!(code == expected && message.contains(why), "{code} {message}");
    }
    // On a route of its own the HTTP status says it too.
    let body = json!({"userMessage": {"parts": [in_0_3("AP8=")]}}).to_string();
    let (status, refused) = client.json(Method::POST, "/message/stream", &body).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::UNSUPPORTED_MEDIA_TYPE, &json!(-32005)));
    let seventeen = message("m", &json!(vec![in_0_3(&picture(9)); 17]));
    let refused = client.rpc("message/send", seventeen).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "TOO_MANY_FILES");
    // Who may not prompt has nothing kept, and a disk that fails is told.
    let (refused, _) = code(&client.seen_by(observer()), in_0_3(&picture(9))).await;
    assert_eq!(refused, -32004);
    *cabinet.broken.lock() = Some("no space left");
    let (failed, message) = code(&client, in_0_3(&picture(9))).await;
    assert!(failed == -32603 && message.contains("no space left; send the message again"), "{failed} {message}");
    assert_eq!((cabinet.count(), roster.sessions().len()), (0, 0));
    // Where nobody keeps files, they are refused.
    let (refused, message) = code(&TestClient::new(many_sessions(&roster, "/"), who("zed")), in_0_3(&picture(9))).await;
    assert!(refused == -32005 && message.contains("image/png parts are not taken"), "{refused} {message}");
}

#[tokio::test]
async fn a_history_keeps_every_part_as_it_was_and_where_it_was() {
    let (roster, _cabinet, client) = serve();
    let link = json!({"kind": "file", "file": {"uri": "https://example.com/b.pdf", "name": "b.pdf"}});
    let note = json!({"kind": "file", "file": {"name": "n.md", "mimeType": "text/markdown", "bytes": "IyBBCg=="}});
    let mut marked = in_0_3(&picture(9));
    marked["metadata"] = json!({"page": 1});
    let data = json!({"kind": "data", "data": {"line": 3}, "metadata": {"of": "editor"}});
    let text = |text: &str| json!({"kind": "text", "text": text});
    let parts = json!([marked, text("look"), data, link, text("and"), note]);
    let sent = client.rpc("message/send", message("mine", &parts)).await;
    let task = &sent["result"]["id"];
    assert_eq!(sent["result"]["history"][0]["parts"], parts);
    assert_eq!(client.rpc("tasks/get", json!({ "id": task })).await["result"]["history"][0]["parts"], parts);
    // The agent is told all of it in words, as before.
    let told = "look\nand\n{\"line\":3}\n[a link to the file \"b.pdf\" came with this message; it was not fetched: \
        https://example.com/b.pdf]\n[the file \"n.md\" came with this message]\n# A\n";
    assert_eq!(prompts(&roster), [looked(told)]);
    let newer = client.speaking("1.0").rpc("GetTask", json!({ "id": task })).await;
    let picture = json!({
        "raw": picture(9), "filename": "a.png", "mediaType": "image/png", "metadata": {"page": 1},
    });
    assert_eq!(
        newer["result"]["history"][0]["parts"],
        json!([
            picture,
            {"text": "look"},
            {"data": {"line": 3}, "metadata": {"of": "editor"}},
            {"url": "https://example.com/b.pdf", "filename": "b.pdf"},
            {"text": "and"},
            {"raw": "IyBBCg==", "filename": "n.md", "mediaType": "text/markdown"},
        ])
    );
}

#[tokio::test]
async fn base64_text_in_the_bytes_of_the_proto_is_recognised_and_goes_back_so() {
    let (roster, _cabinet, client) = serve();
    let (once, twice) = (picture(9), STANDARD.encode(picture(9)));
    for (number, bytes) in [&once, &twice].into_iter().enumerate() {
        let file = json!({"file": {"fileWithBytes": bytes, "mimeType": "image/png", "name": "a.png"}});
        let message = json!({"messageId": format!("m{number}"), "role": "ROLE_USER", "content": [file]});
        let body = json!({"message": message, "configuration": {"blocking": false}}).to_string();
        let (status, sent) = client.json(Method::POST, "/v1/message:send", &body).await;
        assert_eq!(status, StatusCode::OK, "{sent}");
        let path = format!("/v1/tasks/{}", sent["task"]["id"].as_str().unwrap());
        let (_, task) = client.json(Method::GET, &path, "").await;
        assert_eq!(task["history"][0]["content"], json!([file]));
        // Others read the picture itself.
        let newer = client.speaking("1.0").rpc("GetTask", json!({ "id": sent["task"]["id"] })).await;
        assert_eq!(newer["result"]["history"][0]["parts"][0]["raw"], once);
    }
    assert_eq!(prompts(&roster), [looked(""), looked("")]);
}
