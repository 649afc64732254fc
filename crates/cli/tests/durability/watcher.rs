//! A WebSocket that follows a task from its start and never answers.

use super::power::{Power, Stop, Supply};
use super::told::{Told, What};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::socket::Socket;
use serde_json::Value;
use tokio::sync::watch;

/// All it has been told.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) told: Vec<Told>,
}

impl Watcher {
    /// Whether it has seen the end.
    pub(crate) fn is_over(&self) -> bool {
        self.told.last().is_some_and(|last| last.what == What::State("completed".into()))
    }

    /// Go on after what was seen last, as soon as the task is known.
    pub(crate) async fn watch(
        &mut self,
        address: &str,
        mut task: watch::Receiver<Option<String>>,
        power: &Power,
    ) -> Result<()> {
        let task = tokio::select! {
            known = task.wait_for(Option::is_some) => known?.clone().unwrap_or_default(),
            () = power.lasts() => return Ok(()),
        };
        Stop::forgive(self.follow(address, &task, power).await)
    }

    async fn follow(&mut self, address: &str, task: &str, power: &Power) -> Result<(), Stop> {
        let path = format!("/ws?taskId={task}&after={}", self.resume_after());
        let mut socket = power.held(Socket::connect(address, &path)).await?;
        while !self.is_over() {
            let next = async { socket.next().await?.context("the socket closed") };
            let frame = power.held(next).await?;
            self.take(&frame)?;
        }
        Ok(())
    }

    /// What the server tells from the start.
    pub(crate) async fn replay(address: &str, task: &str) -> Result<Vec<Told>> {
        let mut watcher = Watcher::default();
        let followed = watcher.follow(address, task, &Power::on(Supply::Steady)).await;
        Stop::forgive(followed).map(|()| watcher.told)
    }

    /// An entry can be two frames, a call and then a state, and the cut may fall between them.
    fn resume_after(&self) -> u64 {
        match self.told.last() {
            None => 0,
            Some(Told { seq, what: What::Call(_) }) => seq - 1,
            Some(Told { seq, .. }) => *seq,
        }
    }

    fn take(&mut self, frame: &Value) -> Result<()> {
        let Some(what) = What::of_frame(frame)? else { return Ok(()) };
        let told = Told { seq: frame["seq"].as_u64().context("no number")?, what };
        let newest = self.told.last().map_or(0, |last| last.seq);
        let known = self.told.iter().rev().take_while(|known| known.seq == told.seq).any(|known| *known == told);
        if known {
            return Ok(());
        }
        ensure!(told.seq >= newest, "{frame} comes after entry {newest}");
        self.told.push(told);
        Ok(())
    }
}
