//! Inside a turn: edits before approval, the queue, Ctrl+C.

use crate::criteria::shared_session::{SharedTerminalSession, confirm, is_ask, is_rest, prompt, statuses};
use anyhow::{Context as _, Result};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::io::Read;

#[tokio::test]
async fn what_a_client_edits_before_it_approves_is_what_gets_written() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let mut socket = stage.socket().await?;
    socket.send(&prompt("create note.txt with a draft")).await?;
    let pending = socket.read_until(is_ask).await?.pop().context("the ask comes")?;
    let path = stage.home.workspace().join("note.txt");
    assert_eq!(
        pending["confirmation_request"]["details"],
        json!({"file_edit_details": {
            "file_name": "note.txt", "file_path": path, "new_content": "a draft",
            "formatted_diff": "--- note.txt\n+++ note.txt\n@@ -0,0 +1 @@\n+a draft\n\\ No newline at end of file\n",
        }})
    );

    let mut answer = confirm(&pending, "proceed_once");
    answer["params"]["message"]["content"]["data"]["modified_details"] =
        json!({"file_details": {"new_content": "the final text\n"}});
    socket.send(&answer).await?;
    stage.terminal.wait_for("decided by A2A: Allow once, with changes")?;
    let after = socket.read_until(is_rest).await?;
    assert_eq!(statuses(&after), ["EXECUTING", "SUCCEEDED"]);
    assert_eq!(std::fs::read_to_string(path)?, "the final text\n");
    Ok(())
}

#[tokio::test]
async fn prompts_that_come_during_a_turn_wait_their_turn() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&["--yolo"])?;
    std::fs::write(stage.home.workspace().join("second.txt"), "2")?;
    let mut socket = stage.socket().await?;
    stage.run_gated()?;
    socket.send(&prompt("list")).await?;
    stage.terminal.wait_for("[A2A] list  (queued)")?;
    stage.terminal.type_line("read second.txt")?;
    stage.terminal.wait_for("queued: read second.txt")?;

    stage.open_gate("go on\n")?;
    for text in ["go on", "[A2A] list", "▸ list_directory  .  ✓", "> read second.txt", "▸ read_file  second.txt  ✓"]
    {
        stage.terminal.wait_for(text)?;
    }
    let mut done = Vec::new();
    for _ in 0..3 {
        let frames = socket.read_until(is_rest).await?;
        let call = frames.iter().find(|frame| frame["status"] == "SUCCEEDED").context("each turn calls a tool")?;
        done.push(call["tool_name"].clone());
    }
    assert_eq!(done, ["run_shell_command", "list_directory", "read_file"]);
    Ok(())
}

#[tokio::test]
async fn ctrl_c_cancels_the_turn_and_kills_what_it_runs() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&["--yolo"])?;
    let mut socket = stage.socket().await?;
    stage.terminal.type_line("run mkfifo gate alive && echo at the gate && cat gate > alive")?;
    socket.read_until(|frame| frame["live_content"] == "at the gate\n").await?;
    // Opened by the command for writing: it ends when no process holds it any more.
    let mut alive = std::fs::File::open(stage.home.workspace().join("alive"))?;

    stage.terminal.press(pollux_testkit::terminal::CTRL_C)?;
    stage.terminal.wait_for("- cancelled")?;
    stage.terminal.wait_for("\n> ")?;
    let after = socket.read_until(is_rest).await?;
    assert_eq!(statuses(&after).last(), Some(&"CANCELLED"));
    assert_eq!(after.last().context("the turn is over")?["state"], "canceled");
    let mut printed = String::new();
    alive.read_to_string(&mut printed)?;
    assert_eq!(printed, "");

    // The session goes on.
    stage.terminal.type_line("list")?;
    stage.terminal.wait_for("▸ list_directory  .  ✓")?;
    Ok(())
}
