//! A recording, played against a real server.

use crate::transcripts::golden::GoldenRecording;
use crate::transcripts::lines::SeenIds;
use crate::transcripts::{http_requests, request};
use anyhow::{Context as _, Result};
use pollux_testkit::http::{self, HttpAnswer};
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::replay::ReplayProvider;
use serde_json::{Value, json};
use std::path::Path;

/// The id that the model behind the recordings gave each of its answers.
const RESPONSE: &str = "fake-response-id";

/// Pollux's answers to the requests of `golden`.
pub(crate) async fn on_pollux(golden: &GoldenRecording) -> Result<Vec<Vec<String>>> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let upstream = ReplayProvider::start(&answers(golden)).await?;
    let mut command = home.command(&["serve", "--port=0", "--model=gemini-2.5-flash"]);
    // Most of what was recorded was recorded without; a recording that has them says so in its environment.
    command.env("CHECKPOINTING", "false");
    command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &upstream.address);
    let workspace = std::fs::canonicalize(home.workspace())?.display().to_string();
    for (name, value) in &golden.environment {
        command.env(name, value.replace("$WS", &workspace));
    }
    let server = ServerProcess::start(command).await?;
    play(golden, &server, &upstream, &home.workspace()).await
}

/// The model's answers, each with the id that answers have in the recordings.
pub(crate) fn answers(golden: &GoldenRecording) -> Vec<Value> {
    let mut answers = golden.upstream.clone();
    answers.iter_mut().for_each(|answer| answer["id"] = json!(RESPONSE));
    answers
}

/// The answers of `server`, with `upstream` for a model, to the requests of `golden` in `workspace`.
pub(crate) async fn play(
    golden: &GoldenRecording,
    server: &ServerProcess,
    upstream: &ReplayProvider,
    workspace: &Path,
) -> Result<Vec<Vec<String>>> {
    for (path, bytes) in &golden.files {
        std::fs::write(workspace.join(path), bytes)?;
    }
    let workspace = std::fs::canonicalize(workspace)?.display().to_string();
    let mut names = SeenIds::default();
    let mut open: Vec<Option<HttpAnswer>> = Vec::new();
    // Clients of the original keep their connections: it takes a closed one for the wish to stop.
    let mut ended: Vec<HttpAnswer> = Vec::new();
    let mut heard = Vec::new();
    for (number, step) in golden.steps.iter().enumerate() {
        let step = &step.request;
        let said = if let Some(settings) = step.get("create") {
            let settings = settings.to_string().replace("$WS", &workspace);
            create(&server.address, &serde_json::from_str(&settings)?, &mut names).await?
        } else if step.get("fetch").is_some() {
            http_requests::fetch(&server.address, step, &workspace, &mut names, &mut ended).await?
        } else if let Some(index) = step.get("rest").and_then(Value::as_u64) {
            upstream.release_answer();
            let stream = open.get_mut(usize::try_from(index)?).and_then(Option::take).context("no such stream")?;
            let told = results(stream, &mut ended).await?;
            names.lines(&told)
        } else if let Some(index) = step.get("hang_up").and_then(Value::as_u64) {
            drop(open.get_mut(usize::try_from(index)?).and_then(Option::take).context("no such stream")?);
            // The turn goes on all the same; what follows asks about its end.
            to_the_end(server, upstream, names.tasks.first(), &mut ended).await?;
            Vec::new()
        } else if let Some(index) = step.get("wait").and_then(Value::as_u64) {
            to_the_end(server, upstream, names.tasks.get(usize::try_from(index)?), &mut ended).await?;
            Vec::new()
        } else {
            let (method, params) = request::build_request(step, number, &names, &workspace)?;
            match (method, step.get("until").and_then(Value::as_str)) {
                ("message/stream" | "tasks/resubscribe", until) => {
                    let mut stream = ask(&server.address, method, &params).await?;
                    match until {
                        None => {
                            let told = results(stream, &mut ended).await?;
                            names.lines(&told)
                        }
                        Some(until) => {
                            let begun = read_until(&mut stream, until).await?;
                            open.push(Some(stream));
                            names.lines(&begun)
                        }
                    }
                }
                (method, _) => names.lines(&[ask(&server.address, method, &params).await?.json().await?]),
            }
        };
        heard.push(said);
    }
    Ok(heard)
}

/// Let the model go on, and wait until the task's turn is over.
async fn to_the_end(
    server: &ServerProcess,
    upstream: &ReplayProvider,
    task: Option<&String>,
    ended: &mut Vec<HttpAnswer>,
) -> Result<()> {
    upstream.release_answer();
    let id = task.context("no such task was heard")?;
    let turn = ask(&server.address, "tasks/resubscribe", &json!({ "id": id })).await?;
    results(turn, ended).await.map(drop)
}

/// A JSON-RPC request with the headers that were recorded.
async fn ask(address: &str, method: &str, params: &Value) -> Result<HttpAnswer> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let headers = [("Content-Type", "application/json"), http_requests::ACCEPT];
    http::request(address, "POST", "/", &headers, request.to_string().as_bytes()).await
}

async fn create(address: &str, body: &Value, names: &mut SeenIds) -> Result<Vec<String>> {
    let headers = [("Content-Type", "application/json"), http_requests::ACCEPT];
    let answer = http::request(address, "POST", "/tasks", &headers, body.to_string().as_bytes()).await?;
    let status = answer.status;
    let id = answer.json().await?;
    names.tasks.extend(id.as_str().map(str::to_owned));
    Ok(vec![format!("{status} {}", if id.is_string() { "id" } else { "other" })])
}

/// Everything that is said to the end of a stream, which joins those that have `ended`.
pub(crate) async fn results(mut stream: HttpAnswer, ended: &mut Vec<HttpAnswer>) -> Result<Vec<Value>> {
    if stream.headers.get("content-type").is_some_and(|kind| kind.contains("json")) {
        return Ok(vec![stream.json().await?]);
    }
    let mut told = Vec::new();
    while let Some(event) = stream.event().await? {
        told.push(event.data);
    }
    ended.push(stream);
    Ok(told)
}

/// Everything up to the event that holds `words`.
async fn read_until(stream: &mut HttpAnswer, words: &str) -> Result<Vec<Value>> {
    let mut told = Vec::new();
    let mut text = String::new();
    while let Some(event) = stream.event().await? {
        let part = &event.data["result"]["status"]["message"]["parts"][0];
        let printed = &event.data["result"]["artifact"]["parts"][0]["text"];
        text.push_str(part["text"].as_str().or(printed.as_str()).unwrap_or_default());
        told.push(event.data);
        if text.contains(words) {
            return Ok(told);
        }
    }
    anyhow::bail!("the stream ended before {words:?} was said: {}", json!(told))
}
