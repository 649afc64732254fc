//! SIGTERM while a turn runs.

use crate::deploy::{home, say};
use anyhow::{Context as _, Result};
use pollux_testkit::http::{self, HttpAnswer};
use pollux_testkit::program::{ServerProcess, TestHome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// A prompt whose command runs until the gate is opened.
const GATED: &str = "run mkfifo gate && echo at the gate && cat gate";

/// A turn that waits at its gate, the id of its task, and the stream of who sent the prompt.
async fn at_the_gate(server: &ServerProcess) -> Result<(HttpAnswer, Value)> {
    let mut stream = http::rpc_stream(&server.address, "message/stream", &say(GATED), None).await?;
    let mut task = Value::Null;
    while let Some(event) = stream.event().await? {
        let result = &event.data["result"];
        if result["kind"] == "task" {
            task = result["id"].clone();
        }
        if result.to_string().contains("at the gate\\n") {
            return Ok((stream, task));
        }
    }
    anyhow::bail!("the command does not come to its gate")
}

/// Let the command go on. To open the pipe waits for its reader: the command says that it is at the gate a moment before it reads.
fn open_gate(home: &TestHome) -> Result<()> {
    Ok(std::fs::write(home.workspace().join("gate"), "")?)
}

#[tokio::test]
async fn a_turn_that_runs_is_let_finish_and_everybody_is_served_meanwhile() -> Result<()> {
    let home = home()?;
    let server = home.serve(&["--yolo", "--drain", "60"]).await?;
    let (stream, task) = at_the_gate(&server).await?;
    let address = server.address.clone();
    let stopping = tokio::spawn(server.stop());
    let working = http::rpc(&address, "tasks/get", &json!({ "id": task })).await?;
    assert_eq!(working["result"]["status"]["state"], "working");
    open_gate(&home)?;
    let last = stream.events().await?.pop().context("the turn goes on")?.data["result"].clone();
    assert_eq!((&last["status"]["state"], &last["final"]), (&json!("completed"), &json!(true)));
    assert_eq!(stopping.await??, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_turn_that_takes_longer_is_cut_told_and_gone_on_with() -> Result<()> {
    let home = home()?;
    let server = home.serve(&["--yolo", "--drain", "0"]).await?;
    let (stream, task) = at_the_gate(&server).await?;
    assert_eq!(server.stop().await?, Some(0));
    let told = stream.text().await?;
    assert!(told.ends_with(": the server is stopping; go on later with the last id as Last-Event-ID\n"), "{told}");

    let server = home.serve(&["--yolo"]).await?;
    let stream = http::rpc_stream(&server.address, "tasks/resubscribe", &json!({ "id": task }), Some("1.1")).await?;
    let events = stream.events().await?;
    let last = &events.last().context("the turn goes on")?.data["result"]["status"]["state"];
    assert_eq!(last, "completed");
    let whole = http::rpc(&server.address, "tasks/get", &json!({ "id": task })).await?.to_string();
    assert!(whole.contains("interrupted"), "{whole}");
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn an_open_ask_keeps_nobody_waiting_and_is_still_open_afterwards() -> Result<()> {
    let home = home()?;
    let server = home.serve(&["--drain", "60"]).await?;
    let sent = http::rpc(&server.address, "message/send", &say("create kept.txt with forever")).await?;
    assert_eq!(sent["result"]["status"]["state"], "input-required");
    assert_eq!(server.stop().await?, Some(0));
    let server = home.serve(&[]).await?;
    let task = json!({"id": sent["result"]["id"]});
    let again = http::rpc(&server.address, "tasks/get", &task).await?;
    assert_eq!(again["result"]["status"]["state"], "input-required");
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_second_server_of_the_same_database_does_not_start() -> Result<()> {
    let home = home()?;
    let server = home.serve(&[]).await?;
    let second = home.run(&["serve", "--port", "0"]).await?;
    let said = String::from_utf8(second.stderr)?;
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("pid {}", server.pid())), "{said}");
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}
