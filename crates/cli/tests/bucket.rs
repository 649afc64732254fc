//! A bucket behind the real program: the machine is lost, and the next one goes on.

use anyhow::{Context as _, Result};
use pollux_testkit::gcs::FakeGcs;
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::http;
use pollux_testkit::program::{ServerProcess, TIMEOUT, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::time::{sleep, timeout};

fn home() -> Result<TestHome> {
    TestHome::new(env!("CARGO_BIN_EXE_pollux"))
}

/// A server whose model is `google`.
async fn serve(home: &TestHome, google: &FakeGemini, bucket: &str, more: &[(&str, &str)]) -> Result<ServerProcess> {
    let workspace = home.workspace().display().to_string();
    let mut command =
        home.command(&["serve", "--port", "0", "--yolo", "-m", "gemini-2.5-flash", "--workspace", &workspace]);
    command.current_dir(home.path(""));
    command.env("GEMINI_API_KEY", "test-key").env("GOOGLE_GEMINI_BASE_URL", &google.base_url);
    command.env("GCS_BUCKET_NAME", bucket).envs(more.iter().copied());
    ServerProcess::start(command).await
}

fn say(text: &str, task: Option<&Value>) -> Value {
    let mut message = json!({"role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}]});
    if let Some(task) = task {
        message["taskId"] = task.clone();
    }
    json!({"message": message, "configuration": {"blocking": true}})
}

/// The names and the texts of all files below `dir`.
fn texts(dir: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(texts(&entry.path()));
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            found.push((entry.file_name().to_string_lossy().into_owned(), text));
        }
    }
    found
}

async fn health(server: &ServerProcess, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
    let waiting = async {
        loop {
            let told = http::get(&server.address, "/health").await?.json().await?;
            if wanted(&told) {
                return anyhow::Ok(told);
            }
            // Health has no wake-up: it is asked.
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(TIMEOUT, waiting).await.context("the health stays as it was")?
}

#[tokio::test]
async fn a_lost_machine_is_gone_on_with_from_its_bucket() -> Result<()> {
    let home = home()?;
    let bucket = format!("file://{}", home.path("bucket").display());
    let write = json!({"file_path": home.workspace().join("made.txt"), "content": "made by a tool\n"});
    let google = FakeGemini::start([
        script::call_answer("write_file", &write),
        script::text_answer("I made it."),
        script::repeat_forever(script::text_answer("I remember.")),
    ])
    .await?;
    let server = serve(&home, &google, &bucket, &[]).await?;
    let first = http::rpc(&server.address, "message/send", &say("make a file", None)).await?;
    let task = first["result"]["id"].clone();
    assert_eq!(first["result"]["status"]["state"], "completed", "{first}");
    let history = http::rpc(&server.address, "tasks/get", &json!({ "id": task })).await?["result"]["history"].clone();
    let carried = async {
        let there = |name: &str, word: &str| {
            texts(&home.path("bucket")).iter().any(|(file, text)| file == name && text.contains(word))
        };
        while !there("state.json", "completed") || !there("manifest.json", "made.txt") {
            // A bucket has no wake-up.
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(TIMEOUT, carried).await.context("the task does not get to the bucket")?;
    server.kill().await?;
    fs::remove_dir_all(home.path("state"))?;
    fs::remove_dir_all(home.workspace())?;

    let server = serve(&home, &google, &bucket, &[]).await?;
    assert_eq!(fs::read_to_string(home.workspace().join("made.txt"))?, "made by a tool\n");
    let listed = http::get(&server.address, "/health").await?.json().await?;
    assert_eq!(listed["totalTasks"], 1, "{listed}");
    let again = http::rpc(&server.address, "tasks/get", &json!({ "id": task })).await?;
    assert_eq!(again["result"]["history"], history, "{again}");
    // The files came with the bucket, the way back to what they were before did not, and that is said.
    let list = json!({"command": "restore", "args": ["list"], "taskId": task}).to_string();
    let headers = [("Content-Type", "application/json")];
    let listed = http::request(&server.address, "POST", "/executeCommand", &headers, list.as_bytes()).await?;
    let listed = listed.json().await?["data"]["content"].to_string();
    assert!(listed.contains("There is no checkpoint here to go back to."), "{listed}");
    assert!(listed.contains("`write_file made.txt` · +1 -0 (its files are not on this machine"), "{listed}");
    let second = http::rpc(&server.address, "message/send", &say("do you remember?", Some(&task))).await?;
    assert_eq!(second["result"]["id"], task, "{second}");
    let asked = google.requests().pop().context("the model was asked")?.body.to_string();
    for told in ["make a file", "write_file", "I made it.", "do you remember?"] {
        assert!(asked.contains(told), "{told} is not in {asked}");
    }
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_bucket_that_refuses_us_is_told_in_the_health_and_tried_again() -> Result<()> {
    let (home, gcs) = (home()?, FakeGcs::start().await?);
    gcs.deny(true);
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("done"))]).await?;
    let server = serve(&home, &google, "tasks", &[("STORAGE_EMULATOR_HOST", &gcs.address)]).await?;
    let told = health(&server, |told| told["status"] == "degraded").await?;
    let trouble = told["trouble"][0].as_str().context("a sentence")?;
    // Whose bucket it is, and what it said, is nobody's business without a token.
    assert_eq!(trouble, "the bucket cannot be used, and is tried again: see this server's log for why");
    let done = http::rpc(&server.address, "message/send", &say("work all the same", None)).await?;
    assert_eq!(done["result"]["status"]["state"], "completed", "{done}");
    gcs.deny(false);
    health(&server, |told| told["status"] == "healthy").await?;
    let state = format!("tasks/tasks/{}/state.json", done["result"]["id"].as_str().context("an id")?);
    assert_eq!(server.stop().await?, Some(0));
    assert!(gcs.keys().contains(&state), "{:?}", gcs.keys());
    Ok(())
}

#[tokio::test]
async fn an_address_that_names_no_bucket_is_refused_at_once() -> Result<()> {
    let home = home()?;
    let output = home.run(&["serve", "--port", "0", "--bucket", "ftp://tasks"]).await?;
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("\"ftp://tasks\" names no bucket") && told.contains("gs://NAME"), "{told}");
    Ok(())
}
