//! Agent frameworks as clients of the real program, through what each offers for remote A2A agents: a person reads an answer
//! once, approves a tool call in words and refuses one. The scripts in `frameworks/` say what they are told to say and print what
//! is shown. google-adk needs POLLUX_PEERS; the others need POLLUX_MORE_PEERS too, since they take gigabytes
//! (`cargo xtask test --slow` sets all of them up).

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerMode, TestHome};
use pollux_testkit::script;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time limit of a conversation: some frameworks need half a minute to be loaded on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(180);

/// A framework: what runs its script, below the directory of the peers, and the script.
struct Framework {
    runs: &'static str,
    script: &'static str,
    keeps: RememberedState,
}

/// The memory that a framework has of a conversation, and so the conversation that it can hold.
enum RememberedState {
    /// The task that asks something: its person can answer.
    Task,
    /// The context alone: its person can talk, and cannot answer.
    Context,
    /// Nothing: each message begins a conversation.
    Nothing,
}

/// The answer that a person must be shown.
enum ExpectedAnswer {
    /// This answer, exactly once.
    Answer(&'static str),
    /// The question whether this file may be changed, exactly once.
    Question(&'static str),
    /// Nothing that reads like an answer.
    NoAnswer,
}

const GREETED: (&str, ExpectedAnswer) = ("greet", ExpectedAnswer::Answer("Hello."));
const GOES_ON: (&str, ExpectedAnswer) = ("are you there?", ExpectedAnswer::Answer("Still here."));

impl RememberedState {
    /// The person's prompts and the answers that they are shown. A session that is shared goes on, whatever the
    /// framework remembers.
    fn conversation(&self, mode: ServerMode) -> Vec<(&'static str, ExpectedAnswer)> {
        match (self, mode) {
            (RememberedState::Task, _) => vec![
                GREETED,
                ("write", ExpectedAnswer::Question("approved.txt")),
                ("yes", ExpectedAnswer::Answer("Written.")),
                ("write elsewhere", ExpectedAnswer::Question("declined.txt")),
                ("No.", ExpectedAnswer::NoAnswer),
                GOES_ON,
            ],
            (RememberedState::Context, _) | (RememberedState::Nothing, ServerMode::Share) => vec![GREETED, GOES_ON],
            (RememberedState::Nothing, ServerMode::Serve) => vec![GREETED, GREETED],
        }
    }

    /// The model's answers in a session.
    fn model(&self) -> Vec<Value> {
        let write = |name: &str| script::call_answer("write_file", &json!({"file_path": name, "content": "yes\n"}));
        let greeting = script::streamed_answer(&["Hel".into(), "lo.".into()], 50);
        let asks = [write("approved.txt"), script::text_answer("Written."), write("declined.txt")];
        let asks = if matches!(self, RememberedState::Task) { Vec::from(asks) } else { Vec::new() };
        [vec![greeting], asks, vec![script::text_answer("Still here.")]].concat()
    }
}

impl ExpectedAnswer {
    fn check(&self, texts: &[String]) -> Result<()> {
        // Some join the pieces of an answer with a blank.
        let all = texts.concat().replace(' ', "");
        let count = |answer: &str| all.matches(&answer.replace(' ', "")).count();
        match self {
            ExpectedAnswer::Answer(answer) => {
                let told = count(answer);
                ensure!(told == 1, "{answer:?} is shown {told} times: {texts:?}");
            }
            ExpectedAnswer::Question(file) => {
                let asked = count(&format!("The agent wants to change {file}:"));
                ensure!(asked == 1, "{file} is asked about {asked} times: {texts:?}");
            }
            ExpectedAnswer::NoAnswer => {
                ensure!(count("Written.") + count("Still here.") == 0, "an answer is shown: {texts:?}");
            }
        }
        Ok(())
    }
}

/// Where the peers are, if this one is to be tested; `more` are those that only a thorough run installs.
fn peers(more: bool) -> Option<PathBuf> {
    let needed = if more { "POLLUX_MORE_PEERS" } else { "POLLUX_PEERS" };
    let peers = std::env::var_os(needed).and(std::env::var_os("POLLUX_PEERS")).map(PathBuf::from);
    if peers.is_none() {
        let flag = if more { " --slow" } else { "" };
        eprintln!("skipped: {needed} is not set; `cargo xtask test{flag}` sets the peers up");
    }
    peers
}

/// Hold the conversation that the framework can hold, with a server of each kind.
async fn check(framework: Framework, more: bool) -> Result<()> {
    let Some(peers) = peers(more) else { return Ok(()) };
    for mode in ServerMode::ALL {
        converse(&framework, &peers, mode).await.with_context(|| format!("{mode:?}"))?;
    }
    Ok(())
}

async fn converse(framework: &Framework, peers: &Path, mode: ServerMode) -> Result<()> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let model = script::write(&home.path("script.jsonl"), &framework.keeps.model())?;
    let server = home.serve_as(mode, &["-m", &model, "--data-dir", "data"]).await?;
    let program = if framework.runs == "node" { "node".into() } else { peers.join(framework.runs) };
    let mut command = home.command_of(&program, &[]);
    if !framework.script.is_empty() {
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frameworks").join(framework.script));
    }
    let conversation = framework.keeps.conversation(mode);
    command.arg(server.url("")).args(conversation.iter().map(|(said, _)| said));
    command.env("POLLUX_PEERS", peers).env("PYTHONDONTWRITEBYTECODE", "1").env("CREWAI_DISABLE_TELEMETRY", "true");
    let output = tokio::time::timeout(TIMEOUT, command.output())
        .await
        .context("the client does not end")?
        .with_context(|| format!("{} does not start", program.display()))?;
    let (printed, complaints) = (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{printed}\n{complaints}");
    // Frameworks print lines of their own.
    let lines = printed.lines().filter(|line| line.starts_with("{\"said\""));
    let saw = lines.map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    ensure!(saw.len() == conversation.len(), "{printed}\n{complaints}");
    for ((said, shown), saw) in conversation.iter().zip(saw) {
        let texts: Vec<String> = serde_json::from_value(saw["shown"].clone())?;
        shown.check(&texts).with_context(|| format!("after {said:?}"))?;
    }
    let approves = matches!(framework.keeps, RememberedState::Task);
    ensure!(home.workspace().join("approved.txt").exists() == approves, "what was approved has not run");
    ensure!(!home.workspace().join("declined.txt").exists(), "a declined call has run");
    ensure!(server.stop().await? == Some(0), "the server does not stop in order");
    Ok(())
}

#[tokio::test]
async fn google_adk() -> Result<()> {
    check(Framework { runs: "py-adk/bin/python", script: "with_adk.py", keeps: RememberedState::Task }, false).await
}

#[tokio::test]
async fn ag2() -> Result<()> {
    check(Framework { runs: "more/ag2/bin/python", script: "with_ag2.py", keeps: RememberedState::Task }, true).await
}

#[tokio::test]
async fn beeai() -> Result<()> {
    check(Framework { runs: "more/beeai/bin/python", script: "with_beeai.py", keeps: RememberedState::Task }, true)
        .await
}

#[tokio::test]
async fn crewai() -> Result<()> {
    check(Framework { runs: "more/crewai/bin/python", script: "with_crewai.py", keeps: RememberedState::Task }, true)
        .await
}

#[tokio::test]
async fn microsoft_agent_framework() -> Result<()> {
    check(
        Framework { runs: "more/microsoft/bin/python", script: "with_microsoft.py", keeps: RememberedState::Task },
        true,
    )
    .await
}

#[tokio::test]
async fn rust_sdk() -> Result<()> {
    check(Framework { runs: "more/rust-sdk/target/debug/rust-sdk", script: "", keeps: RememberedState::Task }, true)
        .await
}

#[tokio::test]
async fn strands() -> Result<()> {
    check(
        Framework { runs: "more/strands/bin/python", script: "with_strands.py", keeps: RememberedState::Nothing },
        true,
    )
    .await
}

#[tokio::test]
async fn vercel_ai_sdk() -> Result<()> {
    check(Framework { runs: "node", script: "with_vercel.mjs", keeps: RememberedState::Context }, true).await
}
