//! A person in front of a session, at plain lines. Virtual time moves only when every task waits, so [`LineModeTester::settle`]
//! returns when all there was to do is done.

use super::FakeSession;
use crate::agent_commands::AgentCommands;
use crate::ansi_writer::{ColourMode, LineWidth};
use crate::line_input::{EchoSource, LineInput, TypedInput};
use crate::line_mode::{ExitReason, LineModeSettings, run_line_mode};
use crate::model_offers::ModelOffers;
use crate::send::TerminalError;
use parking_lot::Mutex;
use pollux_session::{CommandInfo, NoticeLevel, PriceLookup};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Where output goes.
#[derive(Clone, Default)]
pub(crate) struct TestOutput(Arc<Mutex<Vec<u8>>>);

impl TestOutput {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().clone()).unwrap()
    }
}

impl AsyncWrite for TestOutput {
    fn poll_write(self: Pin<&mut Self>, _: &mut task::Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.lock().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Two commands of the agent, and one that the terminal answers too.
fn commands() -> Vec<CommandInfo> {
    let command = |name: &str, description: &str, subs: &[&str]| CommandInfo {
        name: name.into(),
        description: description.into(),
        arguments: Vec::new(),
        subcommands: subs.iter().map(|sub| CommandInfo { name: (*sub).into(), ..CommandInfo::default() }).collect(),
    };
    vec![
        command("memory", "What is remembered", &["show", "add"]),
        command("stats", "What it took", &[]),
        command("tools", "What there is", &[]),
    ]
}

/// A person at a terminal.
pub(crate) struct LineModeTester {
    output: TestOutput,
    lines: mpsc::Sender<io::Result<TypedInput>>,
    interrupts: mpsc::Sender<()>,
    pub(crate) shutdown: CancellationToken,
    task: JoinHandle<Result<ExitReason, TerminalError>>,
    echo: EchoSource,
}

impl LineModeTester {
    pub(crate) async fn start(session: &Arc<FakeSession>) -> LineModeTester {
        LineModeTester::start_with(session, ColourMode::Never, EchoSource::Terminal).await
    }

    pub(crate) async fn start_with(session: &Arc<FakeSession>, colour: ColourMode, echo: EchoSource) -> LineModeTester {
        let settings = LineModeSettings {
            model_line: "model: demo (not an AI)".into(),
            greeting: vec!["Pollux test".into()],
            colour,
            width: LineWidth::Unlimited,
            console: None,
            notices: NoticeLevel::Info,
            models: ModelOffers::new(|| Box::pin(async { vec!["demo".into(), "gemini-2.5-pro".into()] })),
            commands: AgentCommands::new(|| Box::pin(async { commands() })),
            first_prompt: None,
            prices: Some(PriceLookup::new(|model, usage| (model == "demo").then_some(usage.prompt as f64 / 1000.0))),
        };
        let (lines, typed) = mpsc::channel(16);
        let (interrupts, caught) = mpsc::channel(1);
        let (screen, shutdown) = (TestOutput::default(), CancellationToken::new());
        let input = LineInput::from_channel(typed, echo);
        let run = run_line_mode(session.seat("terminal"), input, screen.clone(), settings, shutdown.clone(), caught);
        let table = LineModeTester { output: screen, lines, interrupts, shutdown, task: tokio::spawn(run), echo };
        table.settle().await;
        table
    }

    /// Wait until nothing moves any more.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    /// Type a line. A terminal shows it, a pipe does not.
    pub(crate) async fn types(&self, line: &str) {
        if self.echo == EchoSource::Terminal {
            self.output.0.lock().extend_from_slice(format!("{line}\n").as_bytes());
        }
        self.lines.send(Ok(TypedInput::Line(line.into()))).await.unwrap();
        self.settle().await;
    }

    /// Press keys, at a terminal that shows none of them.
    pub(crate) async fn presses(&self, keys: &str) {
        self.lines.send(Ok(TypedInput::Keys(keys.into()))).await.unwrap();
        self.settle().await;
    }

    pub(crate) async fn interrupts(&self) {
        self.output.0.lock().extend_from_slice(b"^C");
        self.interrupts.send(()).await.unwrap();
        self.settle().await;
    }

    /// All that is on the screen once nothing moves any more.
    pub(crate) async fn sees(&self) -> String {
        self.settle().await;
        self.output.text()
    }

    /// Ctrl+D: the input ends; returns the screen and why it is over.
    pub(crate) async fn leaves(self) -> (String, ExitReason) {
        drop(self.lines);
        let ended = self.task.await.unwrap().unwrap();
        (self.output.text(), ended)
    }

    /// Wait for the end.
    pub(crate) async fn wait_for_exit(self) -> ExitReason {
        self.task.await.unwrap().unwrap()
    }
}
