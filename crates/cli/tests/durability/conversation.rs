//! One task, with everybody who takes part in it, over as many lives of the server as it takes.

use super::driver::SseDriver;
use super::model_script::{COMMANDS, LINES};
use super::observed_event::{ObservedContent, ObservedEvent, join_pieces};
use super::simulated_power::SimulatedPower;
use super::watcher::SocketWatcher;
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::TestHome;
use pretty_assertions::assert_eq;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A client that drives the task over SSE, and one that watches it on a WebSocket.
pub(crate) struct WatchedConversation {
    pub(crate) driver: SseDriver,
    watcher: SocketWatcher,
    workspace: PathBuf,
}

impl WatchedConversation {
    /// A conversation in a workspace of its own.
    pub(crate) fn new(home: &TestHome, number: usize, chance: fastrand::Rng) -> Result<WatchedConversation> {
        let workspace = home.workspace().join(number.to_string());
        std::fs::create_dir(&workspace)?;
        let driver = SseDriver::new(number, workspace.to_str().context("a path that is text")?, chance);
        Ok(WatchedConversation { driver, watcher: SocketWatcher::default(), workspace })
    }

    /// Go on until the power is cut or all is said.
    pub(crate) async fn talk(&mut self, address: &str, power: &SimulatedPower) -> Result<()> {
        let task = self.driver.task.subscribe();
        let (driven, watched) =
            tokio::join!(self.driver.talk(address, power), self.watcher.watch(address, task, power));
        driven.and(watched).with_context(|| format!("conversation {}", self.driver.number))
    }

    /// True if both clients have seen the end.
    pub(crate) fn is_over(&self) -> bool {
        self.driver.is_over() && self.watcher.is_over()
    }

    /// The number of calls that a power cut ended.
    pub(crate) fn interrupted(&self) -> usize {
        self.endings().values().filter(|ending| ending.as_str() == "interrupted").count()
    }

    /// Compare what was seen, piece by piece over many lives, with what the server tells from the start.
    pub(crate) async fn check(&self, address: &str) -> Result<()> {
        let task = self.driver.task.borrow().clone().context("a task")?;
        let told = join_pieces(&self.watcher.observed);
        assert_eq!(told, join_pieces(&SocketWatcher::replay(address, &task).await?), "the WebSocket's copy of {task}");
        assert_eq!(
            join_pieces(&self.driver.observed),
            join_pieces(&self.driver.replay(address).await?),
            "the stream's copy of {task}"
        );
        let what = |told: Vec<ObservedEvent>| told.into_iter().map(|told| told.what).collect::<Vec<_>>();
        assert_eq!(what(told), what(join_pieces(&self.driver.observed)), "both copies of {task}");
        self.check_commands()
    }

    /// Whoever succeeded ran once; whoever was interrupted ran once at the most.
    fn check_commands(&self) -> Result<()> {
        let ran = std::fs::read_to_string(self.workspace.join("ran")).unwrap_or_default();
        let endings = self.endings();
        for (command, line) in COMMANDS.iter().zip(LINES) {
            let times = ran.lines().filter(|ran| *ran == line).count();
            let ending = endings.get(*command).with_context(|| format!("{command} never ended"))?;
            match ending.as_str() {
                "SUCCEEDED" => ensure!(times == 1, "{command} succeeded and ran {times} times"),
                "interrupted" => ensure!(times <= 1, "{command} was interrupted and ran {times} times"),
                other => anyhow::bail!("{command} ended {other}"),
            }
        }
        ensure!(endings.len() == COMMANDS.len(), "more calls than the model made: {endings:?}");
        Ok(())
    }

    /// The end of each command.
    fn endings(&self) -> BTreeMap<String, String> {
        let calls = self.watcher.observed.iter().filter_map(|told| match &told.what {
            ObservedContent::Call(call) => Some(call),
            ObservedContent::Text(_) | ObservedContent::Thought(_) | ObservedContent::State(_) => None,
        });
        let ending = |call: &serde_json::Value| {
            let how = call["error"]["type"].as_str().or(call["status"].as_str()).unwrap_or_default();
            (call["input_parameters"]["command"].as_str().unwrap_or_default().to_owned(), how.to_owned())
        };
        calls.map(ending).collect()
    }
}
