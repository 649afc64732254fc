//! The picture at the top of the README is what a terminal really shows.

use crate::readme;
use anyhow::{Context as _, Result};
use pollux_testkit::program::{Home, address_in};
use pollux_testkit::socket::Socket;
use pollux_testkit::terminal::Terminal;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// What the picture has in place of what is different each time.
const WORKSPACE: &str = "/home/me/notes";
const ADDRESS: &str = "127.0.0.1:41243";

#[tokio::test]
async fn the_picture_at_the_top_is_what_the_terminal_shows() -> Result<()> {
    let blocks = readme::blocks()?;
    let picture = &blocks.first().context("the README has a picture")?.text;
    let home = Home::new(env!("CARGO_BIN_EXE_pollux"))?;
    let mut terminal = Terminal::start(&home, &["--a2a-port", "0"])?;
    terminal.wait_for("shared on ")?;
    let address = address_in(&terminal.rest_of_line()?).context("the terminal prints no address")?;
    let mut socket = Socket::connect(&address, "/ws").await?;

    terminal.wait_for("\n> ")?;
    terminal.type_line("create notes.txt with \"buy milk\"")?;
    terminal.wait_for("answer 1-3: ")?;
    let pending = socket.until(is_ask).await?.pop().context("the ask comes")?;
    let answer = json!({"tool_call_id": pending["tool_call_id"], "selected_option_id": "proceed_always"});
    socket.send(&message(&json!({"data": answer}))).await?;
    terminal.wait_for("\n> ")?;
    socket.send(&message(&json!({"text": "create more.txt with \"and eggs\""}))).await?;
    terminal.wait_for("\n> ")?;

    let screen = terminal.screen.replace("\r\n", "\n").replace(&address, ADDRESS);
    let screen = screen.replace(&home.workspace().display().to_string(), WORKSPACE);
    let shown: Vec<String> = screen.lines().map(settled).collect();
    let drawn: Vec<String> = picture.lines().skip(1).map(settled).collect();
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

/// A line without the version and without how long a call took.
fn settled(line: &str) -> String {
    let line = line.trim_end();
    if let Some((_, place)) = line.strip_prefix("pollux ").and_then(|rest| rest.split_once(" in ")) {
        return format!("pollux VERSION in {place}");
    }
    match line.split_once(" ✓ ") {
        Some((call, took)) if took.ends_with(" ms") || took.ends_with(" s") => format!("{call} ✓"),
        _ => line.to_owned(),
    }
}
