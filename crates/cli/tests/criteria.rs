//! The success criteria of the `--a2a-port` requirements, with the real program: a terminal, WebSocket clients and SSE
//! clients at one session. The modules hold what else a person may expect of it.

mod persistence;
mod shared_session;
mod starting;
mod turns;

use anyhow::{Context as _, Result};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use shared_session::{SharedTerminalSession, confirm, is_ask, is_rest, prompt, statuses, summarize_frames};

#[tokio::test]
async fn criterion_1_the_flag_starts_the_terminal_and_the_server() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let card = http::get(&stage.address, "/.well-known/agent-card.json").await?;
    assert_eq!(card.status, 200);
    assert_eq!(card.json().await?["url"], format!("http://{}/", stage.address));
    assert_eq!(http::get(&stage.address, "/health").await?.status, 200);

    stage.terminal.type_line("help")?;
    stage.terminal.wait_for("offline demo, not an AI")?;
    Ok(())
}

#[tokio::test]
async fn criterion_2_a_websocket_client_sends_a_prompt_and_receives_the_output() -> Result<()> {
    let home = shared_session::home()?;
    std::fs::write(home.workspace().join("one.txt"), "11")?;
    std::fs::write(home.workspace().join("two.txt"), "222")?;
    let lines = [
        script::answer(&json!([
            {"text": "**Looking around** A listing tells.", "thought": true},
            {"text": "I will list the files for you."},
            {"functionCall": {"name": "list_directory", "args": {"dir_path": "."}}},
        ])),
        script::text_answer("There are two."),
    ];
    let model = script::write(&home.path("two_files.responses"), &lines)?;
    let stage = SharedTerminalSession::start(home, &["--model", &model])?;
    let session = stage.session().await?;
    let mut socket = stage.socket().await?;
    socket.send(&prompt("List the files in the current directory")).await?;
    let frames = socket.read_until(is_rest).await?;

    let call = frames.iter().find_map(|frame| frame.get("tool_call_id")).context("a tool was called")?;
    let tool = |status: &str| {
        json!({
            "kind": "TOOL_CALL_UPDATE", "tool_call_id": call, "status": status, "tool_name": "list_directory",
            "input_parameters": {"dir_path": "."},
        })
    };
    let mut succeeded = tool("SUCCEEDED");
    succeeded["output"] = json!({"text": "2 entries in ."});
    assert_eq!(
        summarize_frames(&frames, &session)?,
        [
            json!({"kind": "STATE_CHANGE", "state": "working", "final": false}),
            json!({
                "kind": "THOUGHT",
                "content": {"subject": "Looking around", "description": "A listing tells."},
            }),
            json!({"kind": "TEXT_CONTENT", "content": {"text": "I will list the files for you."}}),
            tool("PENDING"),
            tool("EXECUTING"),
            succeeded,
            json!({"kind": "TEXT_CONTENT", "content": {"text": "There are two."}}),
            json!({
                "kind": "STATE_CHANGE", "state": "completed", "final": true,
                "usage": {
                    "prompt_token_count": 14, "cached_content_token_count": 0, "candidates_token_count": 6,
                    "thoughts_token_count": 0, "total_token_count": 20,
                },
            }),
        ]
    );
    Ok(())
}

#[tokio::test]
async fn criterion_3_what_is_typed_in_the_terminal_is_received_by_every_client() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&["--yolo"])?;
    let session = stage.session().await?;
    let mut socket = stage.socket().await?;
    stage.run_gated()?;
    let frames = socket.read_until(|frame| frame["live_content"] == "at the gate\n").await?;
    let typed = |text: &str| {
        json!({
            "kind": "USER_MESSAGE", "content": {"text": text},
            "sender": {"label": "terminal", "principal": "local"},
        })
    };
    assert_eq!(summarize_frames(&frames, &session)?[0], typed(shared_session::GATED));

    // It comes while the command runs, so it is told the whole task first.
    let mut sse = stage.resubscribe(None).await?;
    let task = sse.event().await?.context("the task comes first")?.data["result"].clone();
    assert_eq!((&task["kind"], &task["status"]["state"]), (&json!("task"), &json!("working")));
    assert_eq!(spoken(&task["history"][0]), ("user", shared_session::GATED));

    stage.terminal.type_line("list")?;
    let frames = socket.read_until(|frame| frame["kind"] == "USER_MESSAGE").await?;
    assert_eq!(summarize_frames(&frames, &session)?, [typed("list")]);
    let event = sse.event().await?.context("the prompt comes")?;
    assert_eq!(spoken(&event.data["result"]["status"]["message"]), ("user", "list"));

    stage.open_gate("through the gate\n")?;
    let output = json!({"text": "at the gate\nthrough the gate\n"});
    let frames = socket.read_until(is_rest).await?;
    let ended = frames.iter().find(|frame| frame["status"] == "SUCCEEDED").context("the command succeeds")?;
    assert_eq!(ended["output"], output);
    let events = SharedTerminalSession::until_rest(sse).await?;
    let ended = parts(&events).into_iter().find(|part| part["data"]["status"] == "SUCCEEDED");
    assert_eq!(ended.context("the SSE client sees the end of the command")?["data"]["output"], output);
    let last = &events.last().context("the stream says that the turn is over")?.data["result"];
    assert_eq!((&last["status"]["state"], &last["final"]), (&json!("completed"), &json!(false)));
    Ok(())
}

#[tokio::test]
async fn criterion_4_what_clients_send_appears_in_the_terminal() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    std::fs::write(stage.home.workspace().join("from_afar.txt"), "news")?;
    let mut socket = stage.socket().await?;
    socket.send(&prompt("list the files")).await?;
    stage.terminal.wait_for("[A2A] list the files\r\n")?;
    stage.terminal.wait_for("▸ list_directory  .  ✓")?;
    stage.terminal.wait_for("from_afar.txt")?;
    stage.terminal.wait_for("\n> ")?;

    let path = format!("/tasks/{}/messages/stream", stage.session().await?);
    let headers = [("Content-Type", "application/json"), ("X-Client-Name", "notes bot")];
    let body = json!({"text": "read from_afar.txt"}).to_string();
    let sse = http::request(&stage.address, "POST", &path, &headers, body.as_bytes()).await?;
    stage.terminal.wait_for("[A2A notes bot] read from_afar.txt\r\n")?;
    stage.terminal.wait_for("news")?;
    let last = sse.events().await?.pop().context("the sender has a stream of its own")?;
    assert_eq!((&last.data["state"], &last.data["final"]), (&json!("completed"), &json!(true)));
    Ok(())
}

#[tokio::test]
async fn criterion_5_the_choice_of_a_client_closes_the_dialog_in_the_terminal() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let (mut first, mut second) = (stage.socket().await?, stage.socket().await?);
    stage.terminal.type_line("run echo allowed > made.txt")?;
    stage.terminal.wait_for("answer 1-3: ")?;
    let pending = first.read_until(is_ask).await?.pop().context("the ask comes")?;
    assert_eq!(second.read_until(is_ask).await?.last(), Some(&pending));

    first.send(&confirm(&pending, "proceed_once")).await?;
    stage.terminal.wait_for("decided by A2A: Allow once")?;
    stage.terminal.wait_for("▸ run_shell_command  echo allowed > made.txt")?;
    assert_eq!(statuses(&first.read_until(is_rest).await?), ["EXECUTING", "SUCCEEDED"]);
    assert_eq!(statuses(&second.read_until(is_rest).await?), ["EXECUTING", "SUCCEEDED"]);
    assert_eq!(std::fs::read_to_string(stage.home.workspace().join("made.txt"))?, "allowed\n");

    // Whoever comes later changes nothing and is told who decided.
    second.send(&confirm(&pending, "cancel")).await?;
    let refused = second.read_until(|frame| frame["kind"] == "ERROR").await?.pop().context("the loser is told")?;
    assert_eq!(refused["decided_by"], "A2A");
    stage.terminal.wait_for("\n> ")?;
    stage.terminal.type_line("3")?;
    stage.terminal.wait_for("too late, the ask was already decided by A2A")?;
    Ok(())
}

#[tokio::test]
async fn criterion_5_a_choice_in_the_terminal_reaches_every_client() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let session = stage.session().await?;
    for (key, ends_in) in [("1", "SUCCEEDED"), ("3", "CANCELLED")] {
        let mut socket = stage.socket().await?;
        let said = json!([{"kind": "text", "text": "run touch hello"}]);
        let message = json!({"messageId": key, "role": "user", "taskId": session, "parts": said});
        let sse = http::rpc_stream(&stage.address, "message/stream", &json!({"message": message}), None).await?;
        let asked = sse.events().await?;
        let last = asked.last().context("the stream ends when only an ask remains")?;
        assert_eq!(last.data["result"]["status"]["state"], "input-required");
        let pending = socket.read_until(is_ask).await?.pop().context("the ask comes")?;

        stage.terminal.wait_for("answer 1-3: ")?;
        stage.terminal.type_line(key)?;
        stage.terminal.wait_for("\n> ")?;
        let after = socket.read_until(is_rest).await?;
        assert_eq!(statuses(&after).last(), Some(&ends_in));
        assert!(
            after
                .iter()
                .filter(|frame| frame["status"] == ends_in)
                .all(|frame| { frame["tool_call_id"] == pending["tool_call_id"] })
        );

        let sse = stage.resubscribe(last.id.as_deref()).await?;
        let events = SharedTerminalSession::until_rest(sse).await?;
        let seen: Vec<Value> = parts(&events).into_iter().map(|part| part["data"].clone()).collect();
        assert_eq!(statuses(&seen), statuses(&after));
    }
    Ok(())
}

/// The author and the text of a message of A2A.
fn spoken(message: &Value) -> (&str, &str) {
    (message["role"].as_str().unwrap_or_default(), message["parts"][0]["text"].as_str().unwrap_or_default())
}

/// The parts of the messages in a stream of the rfc dialect.
fn parts(events: &[http::ReceivedEvent]) -> Vec<Value> {
    let messages = events.iter().map(|event| &event.data["result"]["status"]["message"]["parts"]);
    messages.filter_map(Value::as_array).flatten().cloned().collect()
}

#[tokio::test]
async fn a_key_typed_for_one_ask_never_answers_the_next() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let kept = stage.home.workspace().join("keep.txt");
    std::fs::write(&kept, "kept\n")?;
    let mut socket = stage.socket().await?;
    stage.terminal.type_line("create h.txt with one then run rm keep.txt")?;
    let pending = socket.read_until(is_ask).await?.pop().context("the ask comes")?;
    stage.terminal.wait_for("answer 1-3: ")?;
    stage.terminal.press(b"1")?;
    stage.terminal.wait_for("1")?;
    socket.send(&confirm(&pending, "proceed_once")).await?;
    stage.terminal.wait_for("| rm keep.txt")?;
    stage.terminal.wait_for("answer 1-3: ")?;
    // For a second every answer to a new ask is doubted; this is about a key that is pressed after that.
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    stage.terminal.press(b"\r")?;
    stage.terminal.wait_for("answer 1-3: ")?;
    assert!(kept.exists());
    Ok(())
}
