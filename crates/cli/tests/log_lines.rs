//! Log lines of the real program: what a client sends stays on the line it is logged on.

use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::{TIMEOUT, TestHome, address_in};
use pollux_testkit::socket::WebSocketClient;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

/// The server's log with `--debug` while `ask` talks to it.
async fn logged_while(ask: impl AsyncFnOnce(&str) -> Result<()>) -> Result<String> {
    let home = TestHome::new(POLLUX)?;
    let mut command = home.command(&["serve", "--port", "0", "--debug", "-m", "demo"]);
    let mut server = command.stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(server.stdout.take().context("it is captured")?).lines();
    let first = timeout(TIMEOUT, lines.next_line()).await??.context("it says where it listens")?;
    ask(&address_in(&first).context("an address")?).await?;
    server.start_kill()?;
    let mut logged = String::new();
    timeout(TIMEOUT, server.stderr.take().context("it is captured")?.read_to_string(&mut logged)).await??;
    Ok(logged)
}

#[tokio::test]
async fn a_line_says_which_request_task_and_session_it_is_about() -> Result<()> {
    let mut ids = Vec::new();
    let logged = logged_while(async |address| {
        for message in ["one", "two"] {
            let params = json!({"message": {
                "role": "user", "messageId": message, "parts": [{"kind": "text", "text": "hello"}],
            }});
            let task = http::rpc(address, "message/send", &params).await?;
            ids.push(task["result"]["id"].as_str().context("it is a task")?.to_owned());
        }
        http::rpc(address, "tasks/get", &json!({ "id": ids[0] })).await?;
        Ok(())
    })
    .await?;
    let get = logged.lines().position(|line| line.contains("tasks/get from")).with_context(|| logged.clone())?;
    let mut about = logged.lines().skip(get).filter(|line| line.contains("the request is about this task"));
    let about = about.next().with_context(|| logged.clone())?;
    assert!(about.contains(&format!("task={}", ids[0])) && about.contains("session="), "{about}");
    let mut requests = Vec::new();
    for (message, id) in ["one", "two"].into_iter().zip(&ids) {
        let accepted = format!("message {message:?} was accepted");
        let line = logged.lines().find(|line| line.contains(&accepted)).with_context(|| logged.clone())?;
        assert!(line.contains("[A2AService]") && line.contains(&format!("task={id}")), "{line}");
        assert_eq!(line.matches("session=").count(), 1, "{line}");
        let request = line.split("request{id=").nth(1).and_then(|rest| rest.split([' ', '}']).next());
        requests.push(request.context("the request has a number")?.to_owned());
    }
    assert_ne!(requests[0], requests[1]);
    Ok(())
}

#[tokio::test]
async fn a_server_without_a_key_warns_that_the_demo_answers() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let mut server = home.command(&["serve", "--port", "0"]).spawn()?;
    let mut lines = BufReader::new(server.stderr.take().context("it is captured")?).lines();
    let first = timeout(TIMEOUT, lines.next_line()).await??.context("a warning comes first")?;
    server.start_kill()?;
    assert!(first.contains("WARN") && first.contains("No API key found: using the offline demo"), "{first}");
    assert!(first.contains("Set GEMINI_API_KEY"), "{first}");
    Ok(())
}

#[tokio::test]
async fn a_client_cannot_forge_a_line() -> Result<()> {
    let forged = "x%0a2026-01-01T00:00:00Z%20ERROR%20forged%0d%1b%5b2K%e2%80%aeend";
    let (path, headers) = (format!("/tasks/{forged}/execute"), [("Content-Type", "application/json")]);
    let logged = logged_while(async |address| {
        let answer = http::request(address, "POST", &path, &headers, br#"{"message": "hi"}"#).await?;
        assert_eq!(answer.status, 404);
        Ok(())
    })
    .await?;
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

#[tokio::test]
async fn a_line_about_a_request_on_a_socket_names_that_request_alone() -> Result<()> {
    let logged = logged_while(async |address| {
        let mut socket = WebSocketClient::connect(address, "/ws").await?;
        for (id, message) in [(1, "one"), (2, "two")] {
            let params = json!({"message": {
                "role": "user", "messageId": message, "parts": [{"kind": "text", "text": "hello"}],
            }});
            socket.send(&json!({"jsonrpc": "2.0", "id": id, "method": "message/send", "params": params})).await?;
            socket.read_until(|frame| frame["id"] == id).await?;
        }
        Ok(())
    })
    .await?;
    for message in ["one", "two"] {
        let accepted = format!("message {message:?} was accepted");
        let line = logged.lines().find(|line| line.contains(&accepted)).with_context(|| logged.clone())?;
        assert_eq!([line.matches("request{").count(), line.matches("session=").count()], [1, 1], "{line}");
    }
    Ok(())
}
