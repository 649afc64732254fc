//! A new task costs the same however many there are, and many at once are no trouble: in the original each new task
//! rebuilds the prompt of every other, and all of them wait for one lock.

use crate::faults::fault_server::{FaultServer, rest, text};
use anyhow::{Context as _, Result};
use futures_util::future::try_join_all;
use pollux_testkit::http;
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// The number of tasks that are counted together: background writes even out over them.
const GROUP: usize = 40;

/// A server whose model always says the same.
async fn serve(home: &TestHome) -> Result<ServerProcess> {
    let model = script::write(&home.path("script.jsonl"), &[script::repeat_forever(script::text_answer("ok"))])?;
    home.serve(&["-m", &model]).await
}

/// Begin a task and hear it to its rest.
async fn begin(home: &TestHome, server: &ServerProcess, number: usize) -> Result<String> {
    let params = json!({"message": {
        "kind": "message", "role": "user", "messageId": format!("m{number}"), "parts": text("hello"),
        "metadata": {"coderAgent": {"kind": "agent-settings", "workspacePath": home.workspace()}},
    }});
    let stream = http::rpc_stream(&server.address, "message/stream", &params, None).await?;
    let events: Vec<Value> = stream.events().await?.into_iter().map(crate::faults::fault_server::result).collect();
    assert_eq!(rest(&events), Some("input-required"), "{events:?}");
    crate::faults::fault_server::task_of(&events)
}

/// The server's work so far: the bytes it has read and written, and in how many pieces. The system counts.
fn work(server: &ServerProcess) -> Result<[u64; 4]> {
    let counted = std::fs::read_to_string(format!("/proc/{}/io", server.pid()))?;
    let figure = |name: &str| -> Result<u64> {
        let line = counted.lines().find_map(|line| line.strip_prefix(name)).context("the system does not count")?;
        Ok(line.trim_start_matches(':').trim().parse()?)
    };
    Ok([figure("rchar")?, figure("wchar")?, figure("syscr")?, figure("syscw")?])
}

#[tokio::test]
async fn cost_that_grows_with_the_number_of_tasks() -> Result<()> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let server = serve(&home).await?;
    let mut costs = Vec::new();
    for group in 0..6 {
        let before = work(&server)?;
        for number in 0..GROUP {
            begin(&home, &server, group * GROUP + number).await?;
        }
        let after = work(&server)?;
        costs.push(Vec::from_iter(after.iter().zip(before).map(|(after, before)| after - before)));
    }
    // The first group pays for what is made once. Work for every older task would be five times as much in the last
    // group as in the second; half as much again leaves room for what the database does now and then.
    let (early, late) = (&costs[1], &costs[5]);
    for (figure, (early, late)) in ["bytes read", "bytes written", "reads", "writes"].iter().zip(early.iter().zip(late))
    {
        assert!(late * 2 <= early * 3 + 2_000, "{figure} for {GROUP} tasks: {early}, later {late} of {costs:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_global_lock_at_task_creation() -> Result<()> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let server = serve(&home).await?;
    let mut tasks = try_join_all((0..64).map(|number| begin(&home, &server, number))).await?;
    tasks.sort();
    tasks.dedup();
    assert_eq!(tasks.len(), 64, "every client has a task of its own");
    Ok(())
}

#[tokio::test]
async fn silence_on_model_errors() -> Result<()> {
    for status in [429, 500] {
        let error = json!({"status": status, "error": {"code": status, "message": "try later"}});
        let stage = FaultServer::open(&[error, json!({"says": "Here I am."})]).await?;
        let mut stream = stage.stream(&stage.begin(&text("hello"))?).await?;
        // The second request is not made before its turn: so what is told now is told at once.
        let told = loop {
            let event = stream.event().await?.context("the stream ended without a word")?;
            let asked = stage.upstream.requests().len();
            let result = crate::faults::fault_server::result(event);
            if result["metadata"].get("error").is_some() {
                assert_eq!(asked, 1, "the model was asked again before anybody was told");
                break result;
            }
        };
        assert_eq!(told["status"]["state"], "working");
        assert_eq!(told["final"], false);
        let words = told["status"]["message"]["parts"][0]["text"].as_str().context("no words")?;
        assert!(words.contains(&status.to_string()) && words.contains("attempt 2"), "{words}");
        let events: Vec<Value> = stream.events().await?.into_iter().map(crate::faults::fault_server::result).collect();
        assert_eq!(crate::faults::fault_server::streamed_text(&events), "Here I am.");
        assert_eq!(rest(&events), Some("input-required"));
    }
    Ok(())
}
