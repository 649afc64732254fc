//! A WebSocket that follows a task from its start and never answers.

use super::observed_event::{ObservedContent, ObservedEvent};
use super::simulated_power::{ExchangeError, PowerSupply, SimulatedPower};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::socket::WebSocketClient;
use serde_json::Value;
use tokio::sync::watch;

/// All it has been told.
#[derive(Default)]
pub(crate) struct SocketWatcher {
    pub(crate) observed: Vec<ObservedEvent>,
}

impl SocketWatcher {
    /// True if it has seen the end.
    pub(crate) fn is_over(&self) -> bool {
        self.observed.last().is_some_and(|last| last.what == ObservedContent::State("completed".into()))
    }

    /// Go on after what was seen last, as soon as the task is known.
    pub(crate) async fn watch(
        &mut self,
        address: &str,
        mut task: watch::Receiver<Option<String>>,
        power: &SimulatedPower,
    ) -> Result<()> {
        let task = tokio::select! {
            known = task.wait_for(Option::is_some) => known?.clone().unwrap_or_default(),
            () = power.wait_for_cut() => return Ok(()),
        };
        ExchangeError::forgive(self.follow(address, &task, power).await)
    }

    async fn follow(&mut self, address: &str, task: &str, power: &SimulatedPower) -> Result<(), ExchangeError> {
        let path = format!("/ws?taskId={task}&after={}", self.resume_after());
        let mut socket = power.run(WebSocketClient::connect(address, &path)).await?;
        while !self.is_over() {
            let next = async { socket.next().await?.context("the socket closed") };
            let frame = power.run(next).await?;
            self.take(&frame)?;
        }
        Ok(())
    }

    /// The server's events from the start.
    pub(crate) async fn replay(address: &str, task: &str) -> Result<Vec<ObservedEvent>> {
        let mut watcher = SocketWatcher::default();
        let followed = watcher.follow(address, task, &SimulatedPower::on(PowerSupply::Steady)).await;
        ExchangeError::forgive(followed).map(|()| watcher.observed)
    }

    /// An entry can be two frames, a call and then a state, and the cut may fall between them.
    fn resume_after(&self) -> u64 {
        match self.observed.last() {
            None => 0,
            Some(ObservedEvent { seq, what: ObservedContent::Call(_) }) => seq - 1,
            Some(ObservedEvent { seq, .. }) => *seq,
        }
    }

    fn take(&mut self, frame: &Value) -> Result<()> {
        let Some(what) = ObservedContent::from_frame(frame)? else { return Ok(()) };
        let told = ObservedEvent { seq: frame["seq"].as_u64().context("no number")?, what };
        let newest = self.observed.last().map_or(0, |last| last.seq);
        let known = self.observed.iter().rev().take_while(|known| known.seq == told.seq).any(|known| *known == told);
        if known {
            return Ok(());
        }
        ensure!(told.seq >= newest, "{frame} comes after entry {newest}");
        self.observed.push(told);
        Ok(())
    }
}
