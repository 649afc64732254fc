//! `run_task`: whole tasks over MCP.

use super::test_client::{McpTestClient, ScriptedAnswers, result, result_text};
use super::{POLLUX, log};
use anyhow::{Context as _, Result};
use pollux_session::{Event, TurnOutcome};
use pollux_testkit::program::TestHome;
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

fn whole(result: &CallToolResult) -> Value {
    result.structured_content.clone().unwrap_or_default()
}

#[tokio::test]
async fn a_task_is_done_told_and_gone_on_with() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::new(&["proceed_once"])).await?;
    let prompt = "create hello.txt with hello there";
    let done = desk.call("run_task", json!({ "prompt": prompt })).await?;
    assert_eq!(done.is_error, Some(false), "{done:?}");
    let told = whole(&done);
    assert_eq!((&told["outcome"], &told["changed_files"]), (&json!("done"), &json!(["hello.txt"])));
    assert!(result_text(&done).contains(told["text"].as_str().context("a text")?), "{done:?}");
    assert!(std::fs::read_to_string(desk.home.workspace().join("hello.txt"))?.contains("hello there"));
    assert!(desk.answers.questions()[0].0.starts_with("Pollux wants to change hello.txt"));
    desk.answers.wait_for_progress("write_file").await;
    let logs = desk.answers.logs();
    assert!(logs.iter().any(|line| line == "write_file hello.txt is done"), "{logs:?}");

    let session = told["session_id"].clone();
    let read = desk.call("run_task", json!({ "prompt": "read hello.txt", "session_id": session })).await?;
    let again = whole(&read);
    assert_eq!((&again["outcome"], &again["session_id"]), (&json!("done"), &session), "{read:?}");
    assert!(again["text"].as_str().is_some_and(|text| text.contains("hello there")), "{again}");
    // A terminal can go on with it: it is a session like any other.
    let home = desk.close().await?;
    let listed = home.run(&["sessions"]).await?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains(session.as_str().context("an id")?) && listed.contains(prompt), "{listed}");
    Ok(())
}

#[tokio::test]
async fn a_task_that_may_not_ask_says_what_was_not_done() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::none()).await?;
    let done = desk.call("run_task", json!({ "prompt": "create hello.txt with hi" })).await?;
    assert_eq!((done.is_error, &whole(&done)["outcome"]), (Some(true), &json!("declined")), "{done:?}");
    let said = result_text(&done);
    assert!(said.contains("Something was not done") && said.contains("--approval-mode auto_edit"), "{said}");
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_the_way_out() -> Result<()> {
    let desk = McpTestClient::open(&[], ScriptedAnswers::none()).await?;
    let cases = [
        (json!({ "prompt": "read a", "mode": "yolo" }), "start pollux mcp-server with --approval-mode yolo"),
        (json!({ "prompt": "read a", "session_id": "yesterday" }), "\"yesterday\" is not a session id"),
        (json!({ "prompt": "read a", "session_id": "0198c0de-0000-7000-8000-000000000000" }), "there is no session"),
        (json!({ "prompt": " " }), "the prompt is empty"),
        (json!({ "text": "read a" }), "no arguments of run_task"),
    ];
    for (args, why) in cases {
        let refused = desk.call("run_task", args.clone()).await?;
        assert_eq!(refused.is_error, Some(true), "{args}");
        assert!(result_text(&refused).contains(why), "{args}: {refused:?}");
    }
    desk.close().await?;
    Ok(())
}

#[tokio::test]
async fn a_task_is_taken_back_and_gone_on_with() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let lines = [
        script::call_answer("run_shell_command", &json!({ "command": "echo begun; exec sleep 600" })),
        script::repeat_forever(script::text_answer("here again")),
    ];
    let model = script::write(&home.path("script"), &lines)?;
    let desk = McpTestClient::open_at(home, &model, &["--yolo"], ScriptedAnswers::none()).await?;
    let task = desk.start("run_task", json!({ "prompt": "sleep" })).await?;
    desk.answers.wait_for_progress("run_shell_command").await;
    task.cancel(None).await?;
    // The session is free again once its turn has ended; until then whoever wants it is told who has it.
    let session = loop {
        if let Some(session) = log::sessions(&desk.home)?.first() {
            break session.to_string();
        }
        tokio::task::yield_now().await;
    };
    let again = loop {
        let asked = desk.start("run_task", json!({ "prompt": "go on", "session_id": session })).await?;
        let again = result(asked.await_response().await?)?;
        if whole(&again)["outcome"] == "done" {
            break again;
        }
        assert!(result_text(&again).contains("is open elsewhere"), "{again:?}");
    };
    assert_eq!(whole(&again)["text"], "here again");
    let home = desk.close().await?;
    let entries = log::entries(&home, session.parse()?).await?;
    let ends = entries.iter().filter_map(|entry| match &entry.event {
        Event::TurnEnded { outcome } => Some(outcome.clone()),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [TurnOutcome::Cancelled, TurnOutcome::Rested]);
    Ok(())
}

#[tokio::test]
async fn what_a_task_says_and_prints_is_progress() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let lines = [
        script::call_answer("run_shell_command", &json!({ "command": "echo $((6 * 7))" })),
        script::text_answer("All is well."),
    ];
    let model = script::write(&home.path("script"), &lines)?;
    let desk = McpTestClient::open_at(home, &model, &["--yolo"], ScriptedAnswers::none()).await?;
    let done = desk.call("run_task", json!({ "prompt": "reckon" })).await?;
    assert_eq!(whole(&done)["outcome"], "done", "{done:?}");
    desk.answers.wait_for_progress("42").await;
    desk.answers.wait_for_progress("All is well.").await;
    desk.close().await?;
    Ok(())
}
