//! `pollux mcp-server` as MCP clients meet it: the Rust SDK in this process, and the Python SDK where it is set up.

mod log;
mod python;
mod tasks;
mod test_client;

use anyhow::Result;
use pollux_session::{CallOutcome, Event, TurnOutcome};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::process::Stdio;
use test_client::{McpTestClient, ScriptedAnswers, result_text};

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

#[tokio::test]
async fn it_offers_its_tools_as_they_are_and_a_task() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::none()).await?;
    let tools = desk.client.list_all_tools().await?;
    let find = |name: &str| tools.iter().find(|tool| tool.name == name).map(serde_json::to_value);
    let read = find("read_file").expect("read_file is offered")?;
    assert_eq!(read["inputSchema"]["required"], json!(["file_path"]));
    assert_eq!(read["annotations"], json!({ "readOnlyHint": true, "openWorldHint": false }));
    let write = find("write_file").expect("write_file is offered")?;
    assert_eq!(write["annotations"]["readOnlyHint"], false);
    let task = find("run_task").expect("run_task is offered")?;
    assert_eq!(task["inputSchema"]["required"], json!(["prompt"]));
    assert!(find("exit_plan_mode").is_none());
    // Whoever only looks leaves nothing behind.
    let home = desk.close().await?;
    assert!(log::sessions(&home)?.is_empty());
    Ok(())
}

#[tokio::test]
async fn it_offers_only_what_was_named() -> Result<()> {
    let desk = McpTestClient::open(&["--tools", "read_file,glob", "--no-tasks"], ScriptedAnswers::none()).await?;
    let names = desk.client.list_all_tools().await?.into_iter().map(|tool| tool.name.to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["glob", "read_file"]);
    let refused = desk.call("write_file", json!({ "file_path": "a", "content": "b" })).await;
    let why = refused.expect_err("it is not offered").to_string();
    assert!(why.contains(r#"there is no tool "write_file"; there are glob, read_file"#), "{why}");
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn reading_asks_nobody() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::none()).await?;
    std::fs::write(desk.home.workspace().join("a.txt"), "one\ntwo\n")?;
    let read = desk.call("read_file", json!({ "file_path": "a.txt" })).await?;
    assert!(result_text(&read).contains("one\ntwo"), "{read:?}");
    assert_eq!(read.is_error, Some(false));
    let missing = desk.call("read_file", json!({ "file_path": "b.txt" })).await?;
    assert_eq!(missing.is_error, Some(true));
    assert!(result_text(&missing).contains("b.txt"), "{missing:?}");
    let home = desk.close().await?;
    // Both are calls of one durable session, which has come to rest.
    let sessions = log::sessions(&home)?;
    assert_eq!(sessions.len(), 1);
    let entries = log::entries(&home, sessions[0]).await?;
    let called = entries.iter().filter_map(|entry| match &entry.event {
        Event::Called { tool, parent: Some(_), .. } => Some(tool.as_str()),
        _ => None,
    });
    assert_eq!(called.collect::<Vec<_>>(), ["read_file", "read_file"]);
    let last = entries.last().map(|entry| &entry.event);
    assert_eq!(last, Some(&Event::TurnEnded { outcome: TurnOutcome::Rested }));
    Ok(())
}

#[tokio::test]
async fn a_change_is_put_to_the_person() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::new(&["proceed_once", "cancel", "(decline)"])).await?;
    let file = desk.home.workspace().join("a.txt");
    let write = |content: &str| json!({ "file_path": "a.txt", "content": content });
    let allowed = desk.call("write_file", write("first\n")).await?;
    assert_eq!(allowed.is_error, Some(false), "{allowed:?}");
    assert_eq!(std::fs::read_to_string(&file)?, "first\n");
    let question = desk.answers.questions().remove(0);
    assert!(question.0.starts_with("Pollux wants to change a.txt:\n\n"), "{question:?}");
    assert!(question.0.contains("+first"), "{question:?}");
    let offered = question.1["properties"]["decision"]["oneOf"].as_array().cloned().unwrap_or_default();
    let offered: Vec<_> = offered.iter().filter_map(|option| option["const"].as_str()).collect();
    assert_eq!((offered.first(), offered.last()), (Some(&"proceed_once"), Some(&"cancel")));
    // Both ways to say no.
    for content in ["second\n", "third\n"] {
        let declined = desk.call("write_file", write(content)).await?;
        assert_eq!(declined.is_error, Some(true));
        assert_eq!(result_text(&declined), "write_file was not done: a person declined this call");
    }
    assert_eq!(std::fs::read_to_string(&file)?, "first\n");
    assert_eq!(desk.answers.questions().len(), 3);
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_grant_for_the_session_holds_for_the_connection() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::new(&["proceed_always"])).await?;
    for content in ["one", "two"] {
        let done = desk.call("write_file", json!({ "file_path": "a.txt", "content": content })).await?;
        assert_eq!(done.is_error, Some(false), "{done:?}");
    }
    assert_eq!(desk.answers.questions().len(), 1);
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_how_to_allow_it() -> Result<()> {
    let write = json!({ "file_path": "a.txt", "content": "x" });
    let desk = McpTestClient::open(&[], ScriptedAnswers::none()).await?;
    let declined = desk.call("write_file", write.clone()).await?;
    assert_eq!(declined.is_error, Some(true));
    let why = result_text(&declined);
    assert!(why.contains("does not support elicitation") && why.contains("--approval-mode auto_edit"), "{why}");
    assert!(!desk.home.workspace().join("a.txt").exists());
    desk.close().await?;
    let desk = McpTestClient::open(&["--approval-mode", "auto_edit"], ScriptedAnswers::none()).await?;
    let done = desk.call("write_file", write).await?;
    assert_eq!(done.is_error, Some(false), "{done:?}");
    desk.close().await?;
    let desk = McpTestClient::open(&["--approval-mode", "plan"], ScriptedAnswers::new(&["proceed_once"])).await?;
    let denied = desk.call("write_file", json!({ "file_path": "a.txt", "content": "x" })).await?;
    assert_eq!(denied.is_error, Some(true), "policy has the last word: {denied:?}");
    assert!(desk.answers.questions().is_empty());
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn an_open_ask_holds_up_nothing_else() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::held("proceed_once")).await?;
    std::fs::write(desk.home.workspace().join("a.txt"), "one\n")?;
    let write = desk.start("write_file", json!({ "file_path": "b.txt", "content": "x" })).await?;
    desk.answers.wait_for_question().await;
    let read = desk.call("read_file", json!({ "file_path": "a.txt" })).await?;
    assert!(result_text(&read).contains("one"), "{read:?}");
    desk.answers.release();
    let written = test_client::result(write.await_response().await?)?;
    assert_eq!(written.is_error, Some(false), "{written:?}");
    assert_eq!(std::fs::read_to_string(desk.home.workspace().join("b.txt"))?, "x");
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_running_call_is_taken_back() -> Result<()> {
    let desk = McpTestClient::open(&["--yolo"], ScriptedAnswers::none()).await?;
    let shell = desk.start("run_shell_command", json!({ "command": "echo begun; exec sleep 600" })).await?;
    desk.answers.wait_for_progress("begun").await;
    shell.cancel(Some("not needed".into())).await?;
    // The connection goes on, and the call has ended in the log.
    let list = desk.call("list_directory", json!({ "dir_path": "." })).await?;
    assert_eq!(list.is_error, Some(false), "{list:?}");
    let home = desk.close().await?;
    assert_eq!(log::ends(&home).await?.first(), Some(&CallOutcome::Cancelled));
    Ok(())
}

#[tokio::test]
async fn a_call_that_asks_is_taken_back() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::held("proceed_once")).await?;
    let write = desk.start("write_file", json!({ "file_path": "b.txt", "content": "x" })).await?;
    desk.answers.wait_for_question().await;
    write.cancel(None).await?;
    desk.answers.wait_for_cancellation().await;
    let home = desk.close().await?;
    assert!(!home.workspace().join("b.txt").exists());
    assert_eq!(log::ends(&home).await?.first(), Some(&CallOutcome::Declined));
    Ok(())
}

#[tokio::test]
async fn the_end_of_input_is_a_clean_end() -> Result<()> {
    let home = pollux_testkit::program::TestHome::new(POLLUX)?;
    let mut command = home.command(&["mcp-server", "-m", "demo"]);
    let output = command.stdin(Stdio::null()).output().await?;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
    let wrong = home.run(&["mcp-server", "-m", "demo", "--tools", "nothing"]).await?;
    assert_eq!((wrong.status.code(), wrong.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--tools names \"nothing\""));
    Ok(())
}
