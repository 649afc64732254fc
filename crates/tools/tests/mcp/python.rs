//! A server on the public Python SDK. Skipped unless POLLUX_PEERS names a directory with a virtual environment `py`
//! that has the package `mcp`.

use crate::mcp::mcp_client::{
    names, peers, run, run_asking, run_sampling, run_shown, start, status, succeeded, text, wait_until,
};
use pollux_session::{CallError, CallOutcome};
use pollux_tools::{McpLimits, McpOptions, McpPrompt, McpPromptArgument, McpServerConfig, McpServers, McpStatus};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The interpreter, or a word on why the test is skipped.
fn python() -> Option<PathBuf> {
    let python = peers()?.join("py/bin/python");
    assert!(python.exists(), "POLLUX_PEERS is set, but {} is not there", python.display());
    Some(python)
}

fn script() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/server.py").to_owned()
}

/// The tool that asks for a colour gets one, or none.
async fn check_asking(servers: &Arc<McpServers>) {
    let (painted, asked) = run_asking(servers, "mcp_peer_paint", json!({}), Some(json!({ "colour": "red" }))).await;
    assert_eq!(succeeded(painted), "accept red");
    let [question] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((&question["server"], &question["message"]), (&json!("peer"), &json!("Which colour?")));
    assert_eq!(question["schema"]["required"], json!(["colour"]));
    let (left, _) = run_asking(servers, "mcp_peer_paint", json!({}), None).await;
    assert_eq!(succeeded(left), "decline");
}

async fn over_stdio(python: &Path) -> Arc<McpServers> {
    over_stdio_within(python, McpLimits::default(), None).await
}

async fn over_stdio_within(python: &Path, limits: McpLimits, timeout: Option<u64>) -> Arc<McpServers> {
    let config = McpServerConfig {
        timeout,
        command: Some(python.to_str().unwrap().to_owned()),
        args: vec![script()],
        env: BTreeMap::from([("GIVEN".into(), "yes".into())]),
        ..McpServerConfig::default()
    };
    start(config, McpOptions { directory: std::env::temp_dir(), limits, ..McpOptions::default() }).await
}

/// Check the offer of the server, whichever way it is reached.
async fn check(servers: &Arc<McpServers>) {
    assert_eq!(status(servers), McpStatus::Ready { tools: 12, prompts: 1, resources: 1, left_out: vec![] });
    let tools = "add count crash environment fail flood paint paint_thing picture roots stall sum_up";
    let tools: Vec<String> = tools.split(' ').map(|tool| format!("mcp_peer_{tool}")).collect();
    let resources = ["list_mcp_resources", "read_mcp_resource"].map(str::to_owned);
    assert_eq!(names(servers), [&tools[..], &resources[..]].concat());
    assert_eq!(text(servers, "mcp_peer_add", json!({ "a": 2, "b": 3 })).await, "5");
    assert_eq!(
        text(servers, "mcp_peer_picture", json!({})).await,
        "[One image (image/png) of 4 bytes, which cannot be shown here.]"
    );
    let read = text(servers, "read_mcp_resource", json!({ "uri": "note://one" })).await;
    assert_eq!(read, "[note://one]\nwhat it says");
    let argument = McpPromptArgument { name: "file".into(), description: String::new(), required: true };
    assert_eq!(
        servers.prompts(),
        [McpPrompt {
            server: "peer".into(),
            name: "review".into(),
            description: "Reviews a file.".into(),
            arguments: vec![argument],
        }]
    );
    let arguments = BTreeMap::from([("file".to_owned(), "a.rs".to_owned())]);
    assert_eq!(servers.prompt("peer", "review", &arguments).await.unwrap().text, "Review a.rs.");
}

#[tokio::test]
async fn over_its_pipes() {
    let Some(python) = python() else { return };
    let servers = over_stdio(&python).await;
    check(&servers).await;
    let message = "the MCP server peer reports that its tool failed: Error executing tool fail".to_owned();
    assert_eq!(
        run(&servers, "mcp_peer_fail", json!({})).await,
        CallOutcome::Failed { error: CallError { kind: "mcp_tool_error".into(), message }, result: None }
    );
    assert_eq!(text(&servers, "mcp_peer_environment", json!({ "name": "GIVEN" })).await, "yes");
    assert_eq!(text(&servers, "mcp_peer_environment", json!({ "name": "POLLUX_PEERS" })).await, "(not set)");
}

#[tokio::test]
async fn it_asks_the_person() {
    let Some(python) = python() else { return };
    check_asking(&over_stdio(&python).await).await;
}

#[tokio::test]
async fn it_crashes_and_is_there_again() {
    let Some(python) = python() else { return };
    let servers = over_stdio(&python).await;
    let outcome = run(&servers, "mcp_peer_crash", json!({})).await;
    assert!(matches!(&outcome, CallOutcome::Failed { error, .. } if error.kind == "mcp_tool_error"), "{outcome:?}");
    let why = "it ended; the end of its error output: crashing as asked; it is started again in 1 seconds";
    wait_until(&servers, |status| *status == McpStatus::Failed { why: why.into() }).await;
    wait_until(&servers, |status| matches!(status, McpStatus::Ready { .. })).await;
    assert_eq!(text(&servers, "mcp_peer_add", json!({ "a": 1, "b": 1 })).await, "2");
}

#[tokio::test]
async fn it_floods_and_is_there_again() {
    let Some(python) = python() else { return };
    let limits = McpLimits { messages: 1_000, ..McpLimits::default() };
    let servers = over_stdio_within(&python, limits, None).await;
    let outcome = run(&servers, "mcp_peer_flood", json!({})).await;
    assert!(matches!(&outcome, CallOutcome::Failed { error, .. } if error.kind == "mcp_tool_error"), "{outcome:?}");
    let flooded = |why: &String| why.starts_with("it sent more than 1000 messages in ten seconds, and was stopped");
    wait_until(&servers, |status| matches!(status, McpStatus::Failed { why } if flooded(why))).await;
    wait_until(&servers, |status| matches!(status, McpStatus::Ready { .. })).await;
    assert_eq!(text(&servers, "mcp_peer_add", json!({ "a": 1, "b": 1 })).await, "2");
}

#[tokio::test]
async fn it_stalls_and_is_there_again() {
    let Some(python) = python() else { return };
    let limits = McpLimits { ping: Duration::from_millis(500), ..McpLimits::default() };
    let servers = over_stdio_within(&python, limits, Some(5_000)).await;
    let outcome = run(&servers, "mcp_peer_stall", json!({})).await;
    let CallOutcome::Failed { error, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.message, "the MCP server peer did not answer within 5 seconds; the call was cancelled");
    wait_until(
        &servers,
        |status| matches!(status, McpStatus::Failed { why } if why.starts_with("it no longer answered")),
    )
    .await;
    wait_until(&servers, |status| matches!(status, McpStatus::Ready { .. })).await;
    assert_eq!(text(&servers, "mcp_peer_add", json!({ "a": 1, "b": 1 })).await, "2");
}

/// The server as a process of the test, at the address it prints. Killed when dropped.
struct PythonServer {
    child: Child,
    origin: String,
}

impl PythonServer {
    #[expect(clippy::disallowed_methods, reason = "a peer of the test, not a child of ours")]
    fn start(python: &Path, way: &str) -> PythonServer {
        let mut child = Command::new(python).args([&script(), way]).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        PythonServer { child, origin: format!("http://127.0.0.1:{}", port.trim()) }
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[tokio::test]
async fn over_streamable_http() {
    let Some(python) = python() else { return };
    let site = PythonServer::start(&python, "http");
    let http_url = Some(format!("{}/mcp", site.origin));
    let config = McpServerConfig { http_url, ..McpServerConfig::default() };
    check(&start(config, McpOptions::default()).await).await;
    let config = McpServerConfig { url: Some(format!("{}/mcp", site.origin)), ..McpServerConfig::default() };
    check_asking(&start(config, McpOptions::default()).await).await;
}

/// Over HTTP a question comes on the stream of its call, so it is put by that one, whichever began first.
#[tokio::test]
async fn questions_of_calls_side_by_side_go_to_their_own() {
    let Some(python) = python() else { return };
    let site = PythonServer::start(&python, "http");
    let config = McpServerConfig { http_url: Some(format!("{}/mcp", site.origin)), ..McpServerConfig::default() };
    let servers = start(config, McpOptions::default()).await;
    let paint = async |thing: &str, colour: &str| {
        let answers = Some(json!({ "colour": colour }));
        let (painted, asked) = run_asking(&servers, "mcp_peer_paint_thing", json!({ "thing": thing }), answers).await;
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert_eq!(asked[0]["message"], json!(format!("Which colour for the {thing}?")));
        succeeded(painted)
    };
    let painted = tokio::join!(paint("door", "red"), paint("roof", "blue"), paint("wall", "white"));
    assert_eq!(painted, ("door red".to_owned(), "roof blue".to_owned(), "wall white".to_owned()));
}

#[tokio::test]
async fn it_is_told_of_the_roots() {
    let Some(python) = python() else { return };
    let config = McpServerConfig {
        command: Some(python.to_str().unwrap().to_owned()),
        args: vec![script()],
        ..McpServerConfig::default()
    };
    let roots = Some(vec![PathBuf::from("/home/me/notes"), PathBuf::from("/srv/more")]);
    let servers = start(config, McpOptions { directory: std::env::temp_dir(), roots, ..McpOptions::default() }).await;
    assert_eq!(text(&servers, "mcp_peer_roots", json!({})).await, "file:///home/me/notes file:///srv/more");
}

#[tokio::test]
async fn its_progress_is_shown_and_it_may_ask_the_model() {
    let Some(python) = python() else { return };
    let servers = over_stdio(&python).await;
    let (outcome, shown) = run_shown(&servers, "mcp_peer_count", json!({})).await;
    assert_eq!(succeeded(outcome), "done");
    assert!(shown.starts_with("1 of 2: counted to 1\n"), "{shown}");
    let (outcome, asked) = run_sampling(&servers, "mcp_peer_sum_up", json!({}), "It is short.").await;
    assert_eq!(succeeded(outcome), "test-model: It is short.");
    assert_eq!(asked["messages"], json!([{ "role": "user", "text": "Sum up." }]));
}

#[tokio::test]
async fn over_the_older_events() {
    let Some(python) = python() else { return };
    let site = PythonServer::start(&python, "sse");
    let config = McpServerConfig { url: Some(format!("{}/sse", site.origin)), ..McpServerConfig::default() };
    check(&start(config, McpOptions::default()).await).await;
}
