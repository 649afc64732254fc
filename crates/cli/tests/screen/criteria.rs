//! The success criteria of the `--a2a-port` requirements and their section 6, at the screen.

use crate::screen::screen_session::{READY, address, confirm, dialog, home, is_ask, is_rest, message, open, socket};
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use serde_json::{Value, json};

#[tokio::test]
async fn criterion_1_the_flag_starts_the_screen_and_the_server() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let address = address(&tmux).await?;
    assert_eq!(http::get(&address, "/.well-known/agent-card.json").await?.status, 200);
    let port = address.rsplit(':').next().context("an address has a port")?;
    tmux.wait_for(&format!("shared on :{port}")).await?;
    Ok(())
}

#[tokio::test]
async fn criterion_2_a_client_sends_prompts_and_receives_output() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut socket = socket(&tmux).await?;
    socket.send(&message(&json!({"text": "help"}))).await?;
    let frames = socket.read_until(is_rest).await?;
    assert!(frames.iter().any(|frame| frame["kind"] == "TEXT_CONTENT"));
    Ok(())
}

#[tokio::test]
async fn criterion_3_what_is_typed_at_the_screen_is_received_by_the_client() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut socket = socket(&tmux).await?;
    tmux.type_line("help").await?;
    let frames = socket.read_until(is_rest).await?;
    let typed = frames.iter().find(|frame| frame["kind"] == "USER_MESSAGE").context("the prompt arrives")?;
    assert_eq!(typed["content"]["text"], "help");
    Ok(())
}

#[tokio::test]
async fn criterion_4_prompts_of_the_client_are_displayed_with_whose_they_are() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut socket = socket(&tmux).await?;
    socket.send(&message(&json!({"text": "help"}))).await?;
    tmux.wait_for_all(&["[A2A", "] > help"]).await?;
    tmux.wait_for("offline demo, not an AI").await?;
    Ok(())
}

#[tokio::test]
async fn criterion_5_the_choice_of_the_client_closes_the_dialog() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut socket = socket(&tmux).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    tmux.wait_for("Allow once").await?;
    let pending = socket.read_until(is_ask).await?.pop().context("the ask comes")?;
    socket.send(&confirm(&pending, "proceed_once")).await?;
    tmux.wait_gone("Allow once").await?;
    tmux.wait_for_all(&["tokens sent", "A2A", READY]).await.context("it says who decided")?;
    assert!(home.workspace().join("notes.txt").exists());
    Ok(())
}

#[tokio::test]
async fn criterion_5_the_choice_of_curl_closes_the_dialog() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let address = address(&tmux).await?;
    let curl = async |path: &str, body: &Value| -> Result<String> {
        let (url, body) = (format!("{address}{path}"), body.to_string());
        let args = ["-sS", "-N", "-H", "Content-Type: application/json", "-d", &body, &url];
        Ok(String::from_utf8(home.command_of("curl", &args).output().await?.stdout)?)
    };
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    tmux.wait_for("Allow once").await?;
    let joined: Value = serde_json::from_str(&curl("/tasks", &json!({})).await?)?;
    let session = joined["sessionId"].as_str().with_context(|| format!("no session in {joined}"))?;
    let get = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": session}});
    let task: Value = serde_json::from_str(&curl("/", &get).await?)?;
    let pending = &task["result"]["status"]["message"]["parts"][0]["data"];
    curl(&format!("/tasks/{session}/messages/stream"), &confirm(pending, "proceed_once")).await?;
    tmux.wait_gone("Allow once").await?;
    tmux.wait_for_all(&["tokens sent", "A2A curl", READY]).await.context("it says who decided")?;
    assert!(home.workspace().join("notes.txt").exists());
    Ok(())
}

#[tokio::test]
async fn section_6_1_2_the_choice_at_the_screen_resolves_it_for_the_client() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut socket = socket(&tmux).await?;
    socket.send(&message(&json!({"text": "create notes.txt with \"buy milk\""}))).await?;
    dialog(&tmux, "Allow once").await?;
    tmux.type_text("1").await?;
    let frames = socket.read_until(is_rest).await?;
    assert!(frames.iter().any(|frame| frame["status"] == "SUCCEEDED"), "{frames:?}");
    Ok(())
}

#[tokio::test]
async fn section_6_1_3_the_second_answer_is_told_who_decided() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut socket = socket(&tmux).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    let pending = socket.read_until(is_ask).await?.pop().context("the ask comes")?;
    dialog(&tmux, "Allow once").await?;
    tmux.type_text("1").await?;
    socket.read_until(is_rest).await?;
    socket.send(&confirm(&pending, "cancel")).await?;
    let refused = socket.read_until(|frame| frame["kind"] == "ERROR").await?.pop().context("the loser is told")?;
    assert_eq!(refused["decided_by"], "terminal");
    assert!(home.workspace().join("notes.txt").exists());
    Ok(())
}
