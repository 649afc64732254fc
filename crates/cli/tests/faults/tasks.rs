//! The content of a task, and the effects of looking at it: the original loses text and files, and overwrites the
//! workspace.

use crate::faults::fault_server::{FaultServer, choice, go_on, open_asks, result, streamed_text, task_of, text};
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::TestHome;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;

/// The beginning of a PNG, in base64.
const PICTURE: &str = "iVBORw0KGgoA";

#[tokio::test]
async fn text_lost_from_tasks_get() -> Result<()> {
    let stage = FaultServer::open(&[json!({"says": ["Hello", " from", " the fake model."]})]).await?;
    let events = stage.say(&stage.begin(&text("hello"))?).await?;
    assert_eq!(streamed_text(&events), "Hello from the fake model.");
    let task = stage.ask("tasks/get", &json!({"id": task_of(&events)?})).await?["result"].clone();
    let texts: Vec<&Value> =
        task["history"].as_array().into_iter().flatten().map(|message| &message["parts"][0]["text"]).collect();
    assert_eq!(texts, ["hello", "Hello from the fake model."]);
    Ok(())
}

#[tokio::test]
async fn file_parts_dropped() -> Result<()> {
    let lines = [json!({"says": "Read."}), json!({"says": "A dot."}), json!({"says": "Still a dot."})];
    let stage = FaultServer::open(&lines).await?;
    // What the model can be told is told to it, under its name.
    let file = |name: &str, media: &str| {
        let file = json!({"name": name, "mimeType": media, "bytes": "bWVldCBhdCBub29uCg=="});
        json!([{"kind": "text", "text": "when?"}, {"kind": "file", "file": file}])
    };
    stage.say(&stage.begin(&file("notes.txt", "text/plain"))?).await?;
    let asked = stage.upstream.requests().last().context("the model was asked")?.body.to_string();
    assert!(asked.contains("notes.txt") && asked.contains("meet at noon"), "{asked}");
    // What it can be shown is shown to it.
    let picture = json!({"name": "a.png", "mimeType": "image/png", "bytes": PICTURE});
    let parts = json!([{"kind": "text", "text": "what is this?"}, {"kind": "file", "file": picture}]);
    let task = task_of(&stage.say(&stage.begin(&parts)?).await?)?;
    let shown = |stage: &FaultServer| {
        let contents = stage.upstream.requests().last().map(|asked| asked.body["contents"].clone());
        let parts = contents.iter().filter_map(Value::as_array).flatten().filter_map(|one| one["parts"].as_array());
        let picture = json!({"inlineData": {"data": PICTURE, "mimeType": "image/png"}});
        parts.flatten().any(|part| *part == picture)
    };
    assert!(shown(&stage), "{:?}", stage.upstream.requests().last());
    // A server that starts anew still has it, for its clients and for the model.
    let FaultServer { home, server, upstream } = stage;
    assert_eq!(server.stop().await?, Some(0));
    let stage = FaultServer::reopen(home, upstream, &[]).await?;
    let kept = stage.ask("tasks/get", &json!({"id": task})).await?;
    assert_eq!(kept["result"]["history"][0]["parts"], parts);
    stage.say(&go_on(&task, "now", &text("and now?"))).await?;
    assert!(shown(&stage), "{:?}", stage.upstream.requests().last());
    // What it cannot be told is refused, in words, and nothing is begun.
    let refused = stage.ask("message/stream", &stage.begin(&file("a.zip", "application/zip"))?).await?;
    assert_eq!(refused["error"]["code"], -32005);
    let words = refused["error"]["message"].as_str().context("no words")?;
    assert!(words.contains("application/zip") && words.contains("put the file into the workspace"), "{words}");
    assert_eq!(stage.upstream.requests().len(), 3);
    Ok(())
}

#[tokio::test]
async fn a_checkpoint_is_gone_back_to_without_its_task() -> Result<()> {
    let args = json!({"file_path": "a.txt", "old_string": "old", "new_string": "new"});
    let replace = json!({"calls": [{"name": "replace", "args": args}]});
    let stage = FaultServer::open(&[replace, json!({"says": "Replaced."})]).await?;
    let file = stage.home.workspace().join("a.txt");
    std::fs::write(&file, "old\n")?;
    let yes = async |events: &[Value]| {
        let answer = choice(open_asks(events).first().context("it asks first")?, "proceed_once");
        stage.say(&go_on(&task_of(events)?, "yes", &json!([answer]))).await
    };
    let events = stage.say(&stage.begin(&text("write"))?).await?;
    yes(&events).await?;
    assert_eq!(std::fs::read_to_string(&file)?, "new\n");
    let execute = |body: Value| {
        let headers = [("Content-Type", "application/json")];
        let address = &stage.server.address;
        async move { http::request(address, "POST", "/executeCommand", &headers, body.to_string().as_bytes()).await }
    };
    let listed = execute(json!({"command": "restore list"})).await?.json().await?;
    let listed: Value = serde_json::from_str(listed["data"]["content"].as_str().context("a text")?)?;
    assert_eq!(listed[0]["messageId"], events[0]["id"]);
    let events = execute(json!({"command": "restore", "args": [listed[0]["checkpoint"]]})).await?.events().await?;
    let events: Vec<Value> = events.into_iter().map(result).collect();
    yes(&events).await?;
    assert_eq!(std::fs::read_to_string(&file)?, "old\n");
    let unnamed = execute(json!({"command": "restore"})).await?.json().await?;
    assert_eq!(unnamed["data"]["messageType"], "error", "{unnamed}");
    Ok(())
}

#[tokio::test]
async fn a_tasks_get_that_overwrites_the_workspace() -> Result<()> {
    // The original does it where tasks are kept in a bucket.
    let elsewhere = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let bucket = format!("file://{}", elsewhere.path("bucket").display());
    let bucket = [("GCS_BUCKET_NAME", bucket.as_str())];
    let write = json!({"calls": [{"name": "write_file", "args": {"file_path": "a.txt", "content": "the model's\n"}}]});
    let stage = FaultServer::open_with(&[write, json!({"says": "Written."})], &bucket).await?;
    let mut begin = stage.begin(&text("write"))?;
    begin["message"]["metadata"]["coderAgent"]["autoExecute"] = json!(true);
    let task = task_of(&stage.say(&begin).await?)?;
    let path = stage.home.workspace().join("a.txt");
    assert_eq!(std::fs::read_to_string(&path)?, "the model's\n");

    // Now all of it is in the bucket; the next server finds a file that is newer.
    let FaultServer { home, server, upstream } = stage;
    assert_eq!(server.stop().await?, Some(0));
    assert!(elsewhere.path("bucket").exists(), "nothing was carried to the bucket");
    std::fs::write(&path, "mine\n")?;
    let stage = FaultServer::reopen(home, upstream, &bucket).await?;
    let before = std::fs::metadata(&path)?;
    for _ in 0..2 {
        stage.ask("tasks/get", &json!({"id": task})).await?;
        http::get(&stage.server.address, &format!("/tasks/{task}/metadata")).await?.json().await?;
        http::get(&stage.server.address, "/tasks/metadata").await?.json().await?;
    }
    let after = std::fs::metadata(&path)?;
    assert_eq!(std::fs::read_to_string(&path)?, "mine\n");
    let stamp = |meta: &std::fs::Metadata| (meta.ino(), meta.mtime(), meta.mtime_nsec());
    assert_eq!(stamp(&after), stamp(&before), "the file was written again");
    Ok(())
}
