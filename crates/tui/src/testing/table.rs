//! A person in front of a session, at plain lines. Virtual time moves only when every task waits, so [`Table::settle`]
//! returns when all there was to do is done.

use super::Session;
use crate::commands::Commands;
use crate::lines::{Echo, Lines, Typed};
use crate::offers::Offers;
use crate::pen::{Colour, Width};
use crate::plain::{Ended, PlainSettings, run_plain};
use crate::prices::Prices;
use crate::send::PlainError;
use pollux_session::{CommandInfo, Level};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{self, Poll};
use std::time::Duration;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Where output goes.
#[derive(Clone, Default)]
pub(crate) struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl AsyncWrite for Screen {
    fn poll_write(self: Pin<&mut Self>, _: &mut task::Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.lock().unwrap().extend_from_slice(bytes);
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
pub(crate) struct Table {
    screen: Screen,
    lines: mpsc::Sender<io::Result<Typed>>,
    interrupts: mpsc::Sender<()>,
    pub(crate) shutdown: CancellationToken,
    task: JoinHandle<Result<Ended, PlainError>>,
    echo: Echo,
}

impl Table {
    pub(crate) async fn sit(session: &Arc<Session>) -> Table {
        Table::sit_with(session, Colour::Never, Echo::Terminal).await
    }

    pub(crate) async fn sit_with(session: &Arc<Session>, colour: Colour, echo: Echo) -> Table {
        let settings = PlainSettings {
            model_line: "model: demo (not an AI)".into(),
            greeting: vec!["Pollux test".into()],
            colour,
            width: Width::Unlimited,
            console: None,
            notices: Level::Info,
            models: Offers::new(|| Box::pin(async { vec!["demo".into(), "gemini-2.5-pro".into()] })),
            commands: Commands::new(|| Box::pin(async { commands() })),
            first_prompt: None,
            prices: Some(Prices::new(|model, usage| (model == "demo").then_some(usage.prompt as f64 / 1000.0))),
        };
        let (lines, typed) = mpsc::channel(16);
        let (interrupts, caught) = mpsc::channel(1);
        let (screen, shutdown) = (Screen::default(), CancellationToken::new());
        let input = Lines::from_channel(typed, echo);
        let run = run_plain(session.seat("terminal"), input, screen.clone(), settings, shutdown.clone(), caught);
        let table = Table { screen, lines, interrupts, shutdown, task: tokio::spawn(run), echo };
        table.settle().await;
        table
    }

    /// Wait until nothing moves any more.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    /// Type a line. A terminal shows it, a pipe does not.
    pub(crate) async fn types(&self, line: &str) {
        if self.echo == Echo::Terminal {
            self.screen.0.lock().unwrap().extend_from_slice(format!("{line}\n").as_bytes());
        }
        self.lines.send(Ok(Typed::Line(line.into()))).await.unwrap();
        self.settle().await;
    }

    /// Press keys, at a terminal that shows none of them.
    pub(crate) async fn presses(&self, keys: &str) {
        self.lines.send(Ok(Typed::Keys(keys.into()))).await.unwrap();
        self.settle().await;
    }

    pub(crate) async fn interrupts(&self) {
        self.screen.0.lock().unwrap().extend_from_slice(b"^C");
        self.interrupts.send(()).await.unwrap();
        self.settle().await;
    }

    /// All that is on the screen once nothing moves any more.
    pub(crate) async fn sees(&self) -> String {
        self.settle().await;
        self.screen.text()
    }

    /// Ctrl+D: the input ends; returns the screen and why it is over.
    pub(crate) async fn leaves(self) -> (String, Ended) {
        drop(self.lines);
        let ended = self.task.await.unwrap().unwrap();
        (self.screen.text(), ended)
    }

    /// Wait for the end.
    pub(crate) async fn ended(self) -> Ended {
        self.task.await.unwrap().unwrap()
    }
}
