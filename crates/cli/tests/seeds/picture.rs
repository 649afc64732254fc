//! The picture at the top of the README is what a terminal really shows.

use crate::seeds::readme;
use anyhow::{Context as _, Result};
use pollux_testkit::program::{TestHome, address_in};
use pollux_testkit::socket::WebSocketClient;
use pollux_testkit::tmux::TmuxWindow;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// The picture's text in place of what is different each time.
const WORKSPACE: &str = "/home/me/notes";
const ADDRESS: &str = "127.0.0.1:41243";

#[tokio::test]
async fn the_picture_at_the_top_is_what_the_terminal_shows() -> Result<()> {
    let blocks = readme::blocks()?;
    let picture = &blocks.first().context("the README has a picture")?.text;
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let tmux = TmuxWindow::start(&home, &["--a2a-port", "0"], 80, 64).await?;
    let screen = tmux.wait_for("Type a prompt").await?;
    let line = screen.lines().find(|line| line.contains("shared on ")).context("the address is shown")?;
    let address = address_in(line).context("the line has an address")?;
    let mut socket = WebSocketClient::connect(&address, "/ws").await?;

    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    tmux.wait_for("Allow once").await?;
    let pending = socket.read_until(is_ask).await?.pop().context("the ask comes")?;
    let answer = json!({"tool_call_id": pending["tool_call_id"], "selected_option_id": "proceed_always"});
    socket.send(&message(&json!({"data": answer}))).await?;
    tmux.wait_for("Created notes.txt.").await?;
    tmux.wait_gone("Esc to cancel").await?;
    socket.send(&message(&json!({"text": "create more.txt with \"and eggs\""}))).await?;
    tmux.wait_for("Created more.txt.").await?;
    tmux.wait_gone("Esc to cancel").await?;
    tmux.type_line("run cargo test").await?;
    let screen = tmux.wait_for("Allow once").await?;
    let screen = match screen.contains("just appeared") {
        true => tmux.wait_gone("just appeared").await?,
        false => screen,
    };

    let screen = screen.replace(&address, ADDRESS).replace(&home.workspace().display().to_string(), WORKSPACE);
    let screen = screen.replace(address.rsplit(':').next().context("an address has a port")?, "41243");
    let shown: Vec<String> = screen.trim_end().lines().map(settled).collect();
    let drawn: Vec<String> = picture.trim_end().lines().skip(1).map(settled).collect();
    assert_eq!(picture.lines().next(), Some("$ pollux --a2a-port 41243"));
    assert_eq!(shown.join("\n"), drawn.join("\n"));
    Ok(())
}

fn is_ask(frame: &Value) -> bool {
    frame["status"] == "PENDING" && !frame["confirmation_request"].is_null()
}

fn message(content: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": content}}})
}

/// A line without what is different each time: the version, times and how long things took.
fn settled(line: &str) -> String {
    let line = line.trim_end();
    if let Some((_, place)) = line.strip_prefix("pollux ").and_then(|rest| rest.split_once(" in ")) {
        return format!("pollux VERSION in {place}");
    }
    match line.rsplit_once(" · ") {
        Some((start, last)) if is_time(last) => start.to_owned(),
        _ => line.to_owned(),
    }
}

/// True if a text is a duration or a time of day.
fn is_time(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|ch| ch.is_ascii_digit() || ch == '.');
    let took = text.split_once(' ').is_some_and(|(number, unit)| digits(number) && matches!(unit, "ms" | "s"));
    took || text.split_once(':').is_some_and(|(hours, minutes)| digits(hours) && digits(minutes))
}
