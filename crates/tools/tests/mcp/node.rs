//! The reference servers from npm. Skipped unless POLLUX_PEERS names a directory with their packages below `node`.

use crate::mcp::mcp_client::{names, peers, run, run_asking, start, status, succeeded, text, wait_until};
use pollux_session::{CallOutcome, MediaContent};
use pollux_tools::{McpLimits, McpOptions, McpServerConfig, McpServers, McpStatus, OutputStore};
use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

mod numbered_output_store;

/// The program of a reference server.
fn program(package: &str) -> Option<PathBuf> {
    let program = peers()?.join("node/node_modules/@modelcontextprotocol").join(package).join("dist/index.js");
    assert!(program.exists(), "POLLUX_PEERS is set, but {} is not there", program.display());
    Some(program)
}

fn node(program: &Path, args: &[&str]) -> McpServerConfig {
    let program = program.to_str().unwrap().to_owned();
    let args = std::iter::once(program).chain(args.iter().map(|&arg| arg.to_owned())).collect();
    McpServerConfig { command: Some("node".into()), args, ..McpServerConfig::default() }
}

fn here() -> McpOptions {
    McpOptions { directory: std::env::temp_dir(), ..McpOptions::default() }
}

/// The tools, resources, prompts and questions of `everything`, whichever way it is reached.
async fn check_everything(servers: &Arc<McpServers>) {
    // It offers what it asks the person with only after it has seen that we can.
    wait_until(servers, |status| matches!(status, McpStatus::Ready { tools: 15.., .. })).await;
    assert_eq!(text(servers, "mcp_peer_echo", json!({ "message": "hello" })).await, "Echo: hello");
    assert_eq!(text(servers, "mcp_peer_get-sum", json!({ "a": 2, "b": 3 })).await, "The sum of 2 and 3 is 5.");
    let resources = servers.resources();
    let first = resources.first().unwrap();
    let read = servers.read("peer", &first.uri).await.unwrap();
    assert!(read.text.starts_with(&format!("[{}]\n", first.uri)), "{}", read.text);

    let named: Vec<String> = servers.prompts().into_iter().map(|prompt| prompt.name).collect();
    assert!(named.contains(&"args-prompt".to_owned()), "{named:?}");
    let arguments = BTreeMap::from([("city".to_owned(), "Ulm".to_owned())]);
    let prompt = servers.prompt("peer", "args-prompt", &arguments).await.unwrap();
    assert_eq!(prompt.text, "What's weather in Ulm?");
    assert!(servers.prompt("peer", "args-prompt", &BTreeMap::new()).await.is_err());

    let ask = "mcp_peer_trigger-elicitation-request";
    let answers = json!({ "name": "Ada", "check": "yes", "integer": "7", "titledSingleSelectEnum": "superman" });
    let (outcome, asked) = run_asking(servers, ask, json!({}), Some(answers)).await;
    let told = succeeded(outcome);
    for line in ["- Name: Ada", "- Agreed to terms: true", "- Favorite Integer: 7", "\"hero-1\""] {
        assert!(told.contains(line), "{line} is not in {told}");
    }
    assert_eq!(asked.len(), 1);
    let (outcome, _) = run_asking(servers, ask, json!({}), None).await;
    let told = succeeded(outcome);
    assert!(told.contains("\"action\": \"decline\""), "{told}");

    let page = json!({ "url": "https://example.org/sign", "message": "Please sign." });
    let (outcome, asked) = run_asking(servers, "mcp_peer_trigger-url-elicitation", page, Some(json!(null))).await;
    let told = succeeded(outcome);
    assert!(told.contains("accept"), "{told}");
    assert_eq!((&asked[0]["url"], &asked[0]["message"]), (&json!("https://example.org/sign"), &json!("Please sign.")));
}

#[tokio::test]
async fn everything_over_its_pipes() {
    let Some(program) = program("server-everything") else { return };
    let shelf: Arc<dyn OutputStore> = Arc::new(numbered_output_store::NumberedOutputStore::default());
    let options = McpOptions { output_store: Some(shelf.clone()), ..here() };
    let servers = start(node(&program, &["stdio"]), options).await;
    check_everything(&servers).await;
    let outcome = run(&servers, "mcp_peer_get-tiny-image", json!({})).await;
    let CallOutcome::Succeeded { result } = outcome else { panic!("{outcome:?}") };
    let [MediaContent { name, blob }] = result.media.as_slice() else { panic!("{result:?}") };
    assert_eq!((name.as_str(), blob.media.as_str()), ("peer get-tiny-image 1", "image/png"));
    assert!(shelf.read(blob).unwrap().starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn everything_killed_is_there_again() {
    let Some(program) = program("server-everything") else { return };
    let room = tempfile::tempdir().unwrap();
    let script = format!("echo $$ > pid; exec node '{}' stdio", program.display());
    let config =
        McpServerConfig { command: Some("bash".into()), args: vec!["-c".into(), script], ..McpServerConfig::default() };
    let servers = start(config, McpOptions { directory: room.path().to_owned(), ..here() }).await;
    let pid = std::fs::read_to_string(room.path().join("pid")).unwrap();
    kill_process(Pid::from_raw(pid.trim().parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    wait_until(
        &servers,
        |status| matches!(status, McpStatus::Failed { why } if why.ends_with("it is started again in 1 seconds")),
    )
    .await;
    wait_until(&servers, |status| matches!(status, McpStatus::Ready { .. })).await;
    assert_eq!(text(&servers, "mcp_peer_echo", json!({ "message": "again" })).await, "Echo: again");
}

#[tokio::test]
async fn everything_takes_too_long_and_goes_on() {
    let Some(program) = program("server-everything") else { return };
    let config = McpServerConfig { timeout: Some(200), ..node(&program, &["stdio"]) };
    let servers = start(config, here()).await;
    let slow = json!({ "duration": 3600, "steps": 1 });
    let outcome = run(&servers, "mcp_peer_trigger-long-running-operation", slow).await;
    let CallOutcome::Failed { error, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.message, "the MCP server peer did not answer within 0.2 seconds; the call was cancelled");
    // It answers a ping, so it is left as it is.
    assert_eq!(text(&servers, "mcp_peer_echo", json!({ "message": "still" })).await, "Echo: still");
    assert!(matches!(status(&servers), McpStatus::Ready { .. }));
}

#[tokio::test]
async fn everything_over_streamable_http() {
    let Some(program) = program("server-everything") else { return };
    let site = EverythingServer::start(&program);
    let config = McpServerConfig { http_url: Some(site.url()), ..McpServerConfig::default() };
    check_everything(&start(config, here()).await).await;
}

#[tokio::test]
async fn files_of_one_directory_and_no_other() {
    let Some(program) = program("server-filesystem") else { return };
    let room = tempfile::tempdir().unwrap();
    let root = room.path().canonicalize().unwrap();
    std::fs::write(root.join("a.txt"), "what it says").unwrap();
    let config = McpServerConfig {
        include_tools: Some(vec!["read_text_file".into(), "write_file".into(), "list_directory".into()]),
        exclude_tools: vec!["list_directory".into()],
        ..node(&program, &[root.to_str().unwrap()])
    };
    let limits = McpLimits::default();
    let servers = start(config, McpOptions { limits, ..here() }).await;
    assert_eq!(names(&servers), ["mcp_peer_read_text_file", "mcp_peer_write_file"]);
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    assert_eq!(text(&servers, "mcp_peer_read_text_file", json!({ "path": path("a.txt") })).await, "what it says");
    run(&servers, "mcp_peer_write_file", json!({ "path": path("b.txt"), "content": "new" })).await;
    assert_eq!(std::fs::read_to_string(root.join("b.txt")).unwrap(), "new");
    let outcome = run(&servers, "mcp_peer_read_text_file", json!({ "path": "/etc/passwd" })).await;
    let CallOutcome::Failed { error, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.kind, "mcp_tool_error");
    assert!(error.message.contains("Access denied"), "{}", error.message);
}

/// `everything` as a process of the test, listening. Killed when dropped.
struct EverythingServer {
    child: Child,
    port: u16,
}

impl EverythingServer {
    #[expect(clippy::disallowed_methods, reason = "a peer of the test, not a child of ours")]
    fn start(program: &Path) -> EverythingServer {
        // It cannot say which port it was given, so it is told one that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("node");
        let command = command.arg(program).arg("streamableHttp").env("PORT", port.to_string());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let listens = lines.by_ref().map_while(Result::ok).any(|line| line.contains("listening on port"));
        assert!(listens, "the server ended before it listened");
        // It says more later, which somebody has to read.
        std::thread::spawn(move || lines.for_each(drop));
        EverythingServer { child, port }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

impl Drop for EverythingServer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
