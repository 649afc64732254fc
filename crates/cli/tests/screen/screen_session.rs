//! A home, a screen in it, and what the tests wait for.

use anyhow::{Context as _, Result};
use pollux_testkit::program::TestHome;
use pollux_testkit::script;
use pollux_testkit::socket::WebSocketClient;
use pollux_testkit::tmux::TmuxWindow;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// The text in the composer while nothing is typed: the screen is ready.
pub(crate) const READY: &str = "Type a prompt";

/// A prompt whose command runs until the gate is opened.
pub(crate) const GATED: &str = "run mkfifo gate && echo at the gate && cat gate";

/// A fresh home for the program.
pub(crate) fn home() -> Result<TestHome> {
    TestHome::new(env!("CARGO_BIN_EXE_pollux"))
}

/// A screen of 80 by 24 that is ready for the first prompt.
pub(crate) async fn open<'a>(home: &'a TestHome, args: &[&str]) -> Result<TmuxWindow<'a>> {
    let tmux = TmuxWindow::start(home, args, 80, 24).await?;
    tmux.wait_for(READY).await?;
    Ok(tmux)
}

/// Wait for the text of a dialog, and until it takes keys: at first they may be meant for the composer.
pub(crate) async fn dialog(tmux: &TmuxWindow<'_>, text: &str) -> Result<()> {
    tmux.wait_for(text).await?;
    sleep(Duration::from_millis(600)).await;
    Ok(())
}

/// The flag value of a model that gives these answers.
pub(crate) fn model(home: &TestHome, answers: &[Value]) -> Result<String> {
    Ok(script::write(&home.path("answers.responses"), answers)?)
}

/// The address that a shared screen shows.
pub(crate) async fn address(tmux: &TmuxWindow<'_>) -> Result<String> {
    let everything = tmux.wait_until_printed("the address", |text| text.contains("shared on http")).await?;
    let line = everything.lines().find(|line| line.contains("shared on ")).context("the address is shown")?;
    pollux_testkit::program::address_in(line).context("the line has an address")
}

/// A WebSocket client of the session.
pub(crate) async fn socket(tmux: &TmuxWindow<'_>) -> Result<WebSocketClient> {
    WebSocketClient::connect(&address(tmux).await?, "/ws").await
}

/// The endpoint guide's frame with this content.
pub(crate) fn message(content: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": content}}})
}

/// The answer to the ask in `pending`.
pub(crate) fn confirm(pending: &Value, option: &str) -> Value {
    message(&json!({"data": {
        "kind": "TOOL_CALL_CONFIRMATION",
        "tool_call_id": pending["tool_call_id"],
        "selected_option_id": option,
    }}))
}

/// True if a frame is an ask that is open.
pub(crate) fn is_ask(frame: &Value) -> bool {
    frame["status"] == "PENDING" && !frame["confirmation_request"].is_null()
}

/// True if a frame says that the turn is over.
pub(crate) fn is_rest(frame: &Value) -> bool {
    frame["final"] == true && frame["state"] != "input-required"
}
