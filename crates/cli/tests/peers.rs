//! The public SDKs in Python and JavaScript, of A2A 0.3 and 1.0, as clients of the real program over each binding they have:
//! of `pollux serve`, and of the session that `--a2a-port` shares.
//! Skipped unless POLLUX_PEERS names a directory with the virtual environments `py` and `py-0.3` and the packages `node` and
//! `node-1.0`. The scripts in `peers/` print what they saw; here is what they must see.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerMode, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The server that a client talks to.
struct ServerUnderTest {
    mode: ServerMode,
    /// The model's answers.
    lines: Vec<Value>,
    flags: &'static [&'static str],
}

/// A client: its script, the version it speaks, and what its SDK cannot do.
struct SdkClient {
    script: &'static str,
    version: ProtocolVersion,
    /// True if it can list the targets of push notifications, and delete one.
    lists_pushes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProtocolVersion {
    V03,
    V10,
}

const PYTHON_0_3: SdkClient = SdkClient { script: "sdk_0_3.py", version: ProtocolVersion::V03, lists_pushes: false };
const PYTHON_1_0: SdkClient = SdkClient { script: "sdk_1_0.py", version: ProtocolVersion::V10, lists_pushes: true };
const JAVASCRIPT_0_3: SdkClient =
    SdkClient { script: "sdk_0_3.mjs", version: ProtocolVersion::V03, lists_pushes: true };
const JAVASCRIPT_1_0: SdkClient =
    SdkClient { script: "sdk_1_0.mjs", version: ProtocolVersion::V10, lists_pushes: true };

impl SdkClient {
    /// The interpreter of the script.
    fn interpreter(&self, peers: &Path) -> PathBuf {
        match self.script {
            "sdk_0_3.py" => peers.join("py-0.3/bin/python"),
            "sdk_1_0.py" => peers.join("py/bin/python"),
            _ => "node".into(),
        }
    }

    /// The results that it must see; `error` is its word for a task that does not exist.
    fn expected(&self, error: &str) -> Vec<(&'static str, Value)> {
        let missing = json!("not in this SDK");
        let old = self.version == ProtocolVersion::V03;
        // In 1.0 every stream begins with the task, that of an answer too.
        let mut approved = if old { Vec::new() } else { vec!["task working"] };
        approved.extend(["call write_file EXECUTING", "call write_file SUCCEEDED"]);
        // To 0.3 all news are status updates.
        approved.extend((!old).then_some("artifact: file, data"));
        approved.extend(["text Written.", "state completed"]);
        let pushed = if old {
            json!(["task working", "task completed"])
        } else {
            json!(["call write_file SUCCEEDED", "artifact: file, data", "text Told.", "state completed"])
        };
        let pages = [["completed", "completed", "canceled", "completed"].as_slice(), &["completed", "completed"]];
        vec![
            ("card", json!(["Gemini CLI Agent", true, true])),
            ("send", json!(["completed", "text Hello."])),
            ("stream", streamed(&["text Hello again.", "state completed"])),
            (
                "ask",
                json!(["task submitted", "state working", "call write_file PENDING", "state input-required", true]),
            ),
            ("approve", json!(approved)),
            ("get", json!(["completed", 2, "yes\n"])),
            ("cancel", json!("canceled")),
            (
                "follow after a cut",
                json!(["task working", "call run_shell_command SUCCEEDED", "text Waited.", "state completed",]),
            ),
            ("push", json!([true, if self.lists_pushes { json!(["mine", 1]) } else { json!(["mine"]) }])),
            ("pushed", pushed),
            ("push no more", if self.lists_pushes { json!(0) } else { missing.clone() }),
            ("list", if old { missing } else { json!([6, pages[0], pages[1], ""]) }),
            ("no such task", json!(error)),
        ]
    }
}

/// The results that a client which knows nothing but A2A must see, when it answers in words.
fn conversation(version: ProtocolVersion, mode: ServerMode) -> Vec<(&'static str, Value)> {
    let instead = match version {
        ProtocolVersion::V03 => "Say what to do instead.",
        ProtocolVersion::V10 => "To say what to do instead, send a new message in this context.",
    };
    let declined = format!("text A tool call was declined, so the agent stopped here. {instead}");
    let said = |text: &str| format!("artifact: text {text}");
    // To 0.3 a shared session is one task, which holds all that was ever said.
    let before: &[&str] = match (version, mode) {
        (ProtocolVersion::V03, ServerMode::Share) => &["Hello again.", "Hello."],
        (ProtocolVersion::V03, ServerMode::Serve) | (ProtocolVersion::V10, _) => &[],
    };
    vec![
        ("send", json!(["completed", "text Hello."])),
        ("stream", streamed(&[&said("Hello again."), "state completed"])),
        ("ask", json!(true)),
        ("yes", json!([said("Written."), "state completed"])),
        // Each stream holds what was said in it, the task all of it.
        ("folded", json!(["Written."])),
        ("read", json!([before, &["I write it.", "Written."]].concat())),
        ("ask", json!(true)),
        ("No.", json!(["call write_file CANCELLED", declined])),
        ("ask", json!(true)),
        ("no, greet me instead", json!([said("Hello instead."), "state completed"])),
        ("written", json!([true, false])),
    ]
}

/// The model's answers in that conversation.
fn conversation_lines() -> Vec<Value> {
    let write = |name: &str| script::call_answer("write_file", &json!({"file_path": name, "content": "yes\n"}));
    vec![
        script::text_answer("Hello."),
        script::text_answer("Hello again."),
        script::answer(
            &json!([{"text": "I write it."}, {"functionCall": {"name": "write_file", "args": {"file_path": "approved.txt", "content": "yes\n"}}}]),
        ),
        script::text_answer("Written."),
        write("declined.txt"),
        write("declined.txt"),
        script::text_answer("Hello instead."),
    ]
}

/// A stream of a new task that goes on like this.
fn streamed(rest: &[&str]) -> Value {
    json!([&["task submitted", "state working"], rest].concat())
}

/// The model's answers in the one conversation that all checks share.
fn lines() -> Vec<Value> {
    let write = |name: &str| script::call_answer("write_file", &json!({"file_path": name, "content": "yes\n"}));
    let wait = script::call_answer("run_shell_command", &json!({"command": "until [ -e go ]; do sleep 0.02; done"}));
    vec![
        script::text_answer("Hello."),
        script::text_answer("Hello again."),
        write("approved.txt"),
        script::text_answer("Written."),
        write("canceled.txt"),
        wait,
        script::text_answer("Waited."),
        write("told.txt"),
        script::text_answer("Told."),
    ]
}

/// All that a client does which knows the extension, then all that one does which does not.
async fn check(sdk: SdkClient, binding: &str, error: &str) -> Result<()> {
    for mode in ServerMode::ALL {
        // To 0.3 a shared session is one task that never ends, so there is no task whose life could be checked.
        if mode == ServerMode::Serve || sdk.version == ProtocolVersion::V10 {
            // Whoever does not declare the extension is refused, so that all that follows shows that it is declared.
            let server = ServerUnderTest { mode, lines: lines(), flags: &["--require-extension"] };
            if let Some(home) = play(&sdk, binding, &server, &[], sdk.expected(error)).await? {
                ensure!(!home.workspace().join("canceled.txt").exists(), "a cancelled call has run");
                ensure!(home.workspace().join("told.txt").exists(), "an approved call has not run");
            }
        }
        let server = ServerUnderTest { mode, lines: conversation_lines(), flags: &[] };
        play(&sdk, binding, &server, &["converse"], conversation(sdk.version, mode)).await?;
    }
    Ok(())
}

/// Let the client's script run, and hold what it saw to what is expected. `None` where there are no clients.
async fn play(
    sdk: &SdkClient,
    binding: &str,
    under_test: &ServerUnderTest,
    scenario: &[&str],
    expected: Vec<(&str, Value)>,
) -> Result<Option<TestHome>> {
    let Some(peers) = std::env::var_os("POLLUX_PEERS").map(PathBuf::from) else {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
        return Ok(None);
    };
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let model = script::write(&home.path("script.jsonl"), &under_test.lines)?;
    let always = ["--grpc-port", "0", "--push-host", "127.0.0.1", "-m", &model, "--data-dir", "data"];
    let server = home.serve_as(under_test.mode, &[&always[..], under_test.flags].concat()).await?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(sdk.script);
    let mut command = home.command_of(sdk.interpreter(&peers), &[]);
    command.arg(script).args([&server.url(""), binding]).arg(home.workspace()).args(scenario);
    command.env("POLLUX_PEERS", &peers).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = tokio::time::timeout(pollux_testkit::program::TIMEOUT, command.output())
        .await
        .context("the client does not end")?
        .with_context(|| format!("{} does not start; `cargo xtask test` sets it up", sdk.script))?;
    let printed = String::from_utf8(output.stdout)?;
    let saw = printed.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let expected = expected.into_iter().map(|(check, saw)| json!({"check": check, "saw": saw}));
    assert_eq!(saw, Vec::from_iter(expected), "{:?}: {}", under_test.mode, String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    ensure!(server.stop().await? == Some(0), "the server does not stop in order");
    Ok(Some(home))
}

#[tokio::test]
async fn python_0_3_over_json_rpc() -> Result<()> {
    check(PYTHON_0_3, "JSONRPC", "A2AClientJSONRPCError").await
}

#[tokio::test]
async fn python_0_3_over_http_json() -> Result<()> {
    check(PYTHON_0_3, "HTTP+JSON", "A2AClientHTTPError").await
}

#[tokio::test]
async fn python_0_3_over_grpc() -> Result<()> {
    check(PYTHON_0_3, "GRPC", "AioRpcError").await
}

#[tokio::test]
async fn python_1_0_over_json_rpc() -> Result<()> {
    check(PYTHON_1_0, "JSONRPC", "TaskNotFoundError").await
}

#[tokio::test]
async fn python_1_0_over_http_json() -> Result<()> {
    check(PYTHON_1_0, "HTTP+JSON", "TaskNotFoundError").await
}

#[tokio::test]
async fn python_1_0_over_grpc() -> Result<()> {
    check(PYTHON_1_0, "GRPC", "TaskNotFoundError").await
}

#[tokio::test]
async fn javascript_0_3_over_json_rpc() -> Result<()> {
    check(JAVASCRIPT_0_3, "JSONRPC", "TaskNotFoundJSONRPCError").await
}

#[tokio::test]
async fn javascript_0_3_over_http_json() -> Result<()> {
    check(JAVASCRIPT_0_3, "HTTP+JSON", "TaskNotFoundError").await
}

#[tokio::test]
async fn javascript_0_3_over_grpc() -> Result<()> {
    check(JAVASCRIPT_0_3, "GRPC", "TaskNotFoundError").await
}

#[tokio::test]
async fn javascript_1_0_over_json_rpc() -> Result<()> {
    check(JAVASCRIPT_1_0, "JSONRPC", "JsonRpcTaskNotFoundError").await
}

#[tokio::test]
async fn javascript_1_0_over_http_json() -> Result<()> {
    check(JAVASCRIPT_1_0, "HTTP+JSON", "RestTaskNotFoundError").await
}

#[tokio::test]
async fn javascript_1_0_over_grpc() -> Result<()> {
    check(JAVASCRIPT_1_0, "GRPC", "GrpcTaskNotFoundError").await
}
