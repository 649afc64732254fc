//! Start and stop of the program: ports, no terminal, its words about itself, discovery by local clients.

use crate::criteria::shared_session::{SharedTerminalSession, home};
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::{TestHome, send_signal};
use pollux_testkit::socket::WebSocketClient;
use pollux_testkit::terminal::{CTRL_D, close_after};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

#[tokio::test]
async fn a_busy_port_ends_it_with_a_sentence() -> Result<()> {
    let taken = std::net::TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port();
    let home = home()?;
    let output = home.run(&["--a2a-port", &port.to_string()]).await?;
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?),
        (
            Some(2),
            String::new(),
            format!("pollux: port {port} is taken by another program; choose another, or 0 for any\n")
        )
    );
    assert!(!home.path("state").exists(), "nothing is begun on the way");
    Ok(())
}

/// Clients that say localhost would reach whoever has the port on the other address.
#[tokio::test]
async fn localhost_is_the_server_on_both_addresses_or_it_does_not_start() -> Result<()> {
    let Ok(taken) = std::net::TcpListener::bind("[::1]:0") else { return Ok(()) };
    let port = taken.local_addr()?.port();
    let home = home()?;
    let output = home.run(&["--a2a-port", &port.to_string()]).await?;
    let why =
        format!("pollux: port {port} is taken by another program on [::1]:{port}; choose another, or 0 for any\n");
    assert_eq!((output.status.code(), String::from_utf8(output.stderr)?), (Some(2), why));
    let server = home.share(&[]).await?;
    let port = server.address.rsplit(':').next().context("it has a port")?;
    let other = format!("[::1]:{port}");
    assert_eq!(http::get(&other, "/tasks").await?.status, http::get(&server.address, "/tasks").await?.status);
    assert_eq!(http::get(&other, "/health").await?.status, 200);
    assert!(std::net::TcpListener::bind(&other).is_err(), "nobody else can have it");
    Ok(())
}

#[tokio::test]
async fn an_invalid_port_ends_it_with_a_sentence() -> Result<()> {
    let home = home()?;
    for port in ["65536", "-1", "http", ""] {
        let output = home.run(&[&format!("--a2a-port={port}")]).await?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(2), "{port:?}: {said}");
        assert!(said.contains("'--a2a-port <PORT>'"), "{port:?}: {said}");
    }
    Ok(())
}

#[tokio::test]
async fn without_a_terminal_it_serves_until_it_is_told_to_stop() -> Result<()> {
    let home = home()?;
    let server = home.share(&[]).await?;
    assert_eq!(http::get(&server.address, "/.well-known/agent-card.json").await?.status, 200);
    let mut socket = WebSocketClient::connect(&server.address, "/ws").await?;
    let found = records(&home)?;
    assert_eq!(found.len(), 1);
    assert_eq!(server.stop().await?, Some(0));
    // Its clients are told, not cut off.
    while socket.next().await?.is_some() {}
    assert_eq!(records(&home)?, Vec::<PathBuf>::new());
    Ok(())
}

#[tokio::test]
async fn debug_shows_what_the_endpoint_does() -> Result<()> {
    let mut stage = SharedTerminalSession::start(home()?, &["--debug"])?;
    let address = stage.address.clone();
    let said = |stage: &SharedTerminalSession, line: &str| stage.terminal.screen.contains(line);
    stage.terminal.wait_for("\n> ")?;
    assert!(said(&stage, &format!("[A2AService] listening on {address}")), "{}", stage.terminal.screen);
    let mut socket = stage.socket().await?;
    stage.terminal.wait_for("A2A client connected: A2A")?;
    socket.send(&json!({"jsonrpc": "2.0", "method": "nothing/known"})).await?;
    stage.terminal.wait_for("[A2AService] nothing/known on /ws from A2A")?;
    drop(socket);
    stage.terminal.wait_for("[A2AService] client left: A2A")?;
    Ok(())
}

#[tokio::test]
async fn log_lines_reach_the_clients_and_do_not_disturb_the_terminal() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let mut first = stage.socket().await?;
    // Answered, so it is there when the next one comes.
    first.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "nothing/known"})).await?;
    first.read_until(|frame| frame["id"] == 1).await?;
    let _second = stage.socket().await?;
    let mut line = first.read_until(|frame| frame["kind"] == "CONSOLE_LOG").await?.pop().context("the line comes")?;
    let session = stage.session().await?;
    line.as_object_mut().context("a frame is an object")?.remove("seq");
    assert_eq!(
        line,
        json!({
            "kind": "CONSOLE_LOG", "content": {"level": "info", "text": "A2A client connected: A2A"}, "taskId": session,
        })
    );
    stage.terminal.type_line("list")?;
    stage.terminal.wait_for("▸ list_directory  .  ✓")?;
    assert!(!stage.terminal.screen.contains("connected"), "{}", stage.terminal.screen);
    Ok(())
}

#[tokio::test]
async fn local_clients_find_it_by_a_private_file_that_goes_with_it() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let pid = stage.terminal.pid()?;
    let path = stage.home.path(&format!("run/pollux/a2a-{pid}.json"));
    assert_eq!(records(&stage.home)?, std::slice::from_ref(&path));
    assert_eq!(std::fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
    let record: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
    let token = record["token"].as_str().context("the file holds the token")?;
    assert_eq!(
        record,
        json!({
            "port": stage.port()?, "pid": pid, "startTime": record["startTime"],
            "workspace": stage.home.workspace(), "sessionId": stage.session().await?, "token": token,
        })
    );
    let bearer = format!("Bearer {token}");
    assert_eq!(http::request(&stage.address, "GET", "/health", &[("Authorization", &bearer)], &[]).await?.status, 200);
    let wrong = [("Authorization", "Bearer wrong")];
    assert_eq!(http::request(&stage.address, "POST", "/tasks", &wrong, &[]).await?.status, 401);

    stage.terminal.press(CTRL_D)?;
    assert_eq!(stage.terminal.exit_code()?, 0);
    assert_eq!(records(&stage.home)?, Vec::<PathBuf>::new());
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_is_told_to_stop_cleans_up() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    send_signal(stage.terminal.pid()?, "TERM")?;
    assert_eq!(stage.terminal.exit_code()?, 0);
    assert_eq!(records(&stage.home)?, Vec::<PathBuf>::new());
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_is_closed_is_no_fault() -> Result<()> {
    let home = home()?;
    // The shell outlives the terminal and tells how the program ended.
    let line = format!("mkfifo code; trap '' HUP; {} --a2a-port 0; echo $? > code", home.program().display());
    close_after(&home, "sh", &["-c", &line], "\n> ")?;
    assert_eq!(std::fs::read_to_string(home.workspace().join("code"))?, "0\n");
    assert_eq!(records(&home)?, Vec::<PathBuf>::new());
    Ok(())
}

#[tokio::test]
async fn one_prompt_on_a_port_says_where_others_find_it() -> Result<()> {
    let output = home()?.run(&["-p", "list", "-m", "demo", "--a2a-port", "0"]).await?;
    let said = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("shared on http://127.0.0.1:"), "{said}");
    assert!(!String::from_utf8(output.stdout)?.contains("shared on"));
    Ok(())
}

/// The files by which local clients find servers.
fn records(home: &TestHome) -> Result<Vec<PathBuf>> {
    let files = std::fs::read_dir(home.path("run/pollux"))?;
    files.map(|file| Ok(file?.path())).collect()
}
