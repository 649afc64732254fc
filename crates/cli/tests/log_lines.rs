//! Log lines of the real program: what a client sends stays on the line it is logged on.

use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::{Home, PATIENCE, address_in};
use pretty_assertions::assert_eq;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

#[tokio::test]
async fn a_client_cannot_forge_a_line() -> Result<()> {
    let home = Home::new(POLLUX)?;
    let mut command = home.command(&["serve", "--port", "0", "--debug", "-m", "demo"]);
    let mut server = command.stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(server.stdout.take().context("it is captured")?).lines();
    let first = timeout(PATIENCE, lines.next_line()).await??.context("it says where it listens")?;
    let address = address_in(&first).context("an address")?;
    let forged = "x%0a2026-01-01T00:00:00Z%20ERROR%20forged%0d%1b%5b2K%e2%80%aeend";
    let (path, headers) = (format!("/tasks/{forged}/execute"), [("Content-Type", "application/json")]);
    let answer = http::request(&address, "POST", &path, &headers, br#"{"message": "hi"}"#).await?;
    assert_eq!(answer.status, 404);
    server.start_kill()?;
    let mut logged = String::new();
    timeout(PATIENCE, server.stderr.take().context("it is captured")?.read_to_string(&mut logged)).await??;
    let about: Vec<&str> = logged.lines().filter(|line| line.contains("forged")).collect();
    assert!(
        about
            .iter()
            .any(|line| line.contains(r"/tasks/x\n2026-01-01T00:00:00Z ERROR forged\r\u{1b}[2K\u{202e}end/execute")),
        "{logged}"
    );
    assert!(logged.lines().all(|line| !line.starts_with("2026-01-01")), "{logged}");
    assert!(!logged.contains(['\r', '\u{1b}', '\u{202e}']), "{logged:?}");
    Ok(())
}
