//! The client that prompts and answers over SSE. It knows only what it has seen: after a power cut it goes on from its
//! last cursor, or sends again what it has not heard about.

use super::observed_event::{ObservedContent, ObservedEvent};
use super::simulated_power::{ExchangeError, PowerSupply, SimulatedPower};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use pollux_testkit::http::{self, ReceivedEvent};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::sync::watch;

/// The extension under which a message names its workspace.
const EXTENSION: &str = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

/// The client, and all it has been told.
pub(crate) struct SseDriver {
    pub(crate) number: usize,
    chance: fastrand::Rng,
    /// The message that begins the task.
    prompt: Value,
    /// The task, once it has heard of it.
    pub(crate) task: watch::Sender<Option<String>>,
    cursor: Option<String>,
    pub(crate) observed: Vec<ObservedEvent>,
    /// A message it has sent without hearing what came of it.
    unheard: Option<Value>,
    /// Open asks.
    asks: BTreeSet<String>,
    /// Those of them that were there in an earlier life of the server.
    old_asks: BTreeSet<String>,
    /// Those that it leaves for the next one.
    left: BTreeSet<String>,
    answered: BTreeSet<String>,
    /// The first events of an entry whose last one has not come.
    begun: Vec<Value>,
    /// Events from before the power cut that come again.
    torn: Vec<Value>,
    /// Asks that were answered in a later life than they were made in.
    pub(crate) answered_in_a_later_life: usize,
}

/// The use of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SendMode {
    /// Send what was not heard about, else answer an ask if there is one.
    WhatIsDue,
    /// Listen only.
    Nothing,
}

impl SseDriver {
    pub(crate) fn new(number: usize, workspace: &str, chance: fastrand::Rng) -> SseDriver {
        let prompt = json!({
            "role": "user", "messageId": format!("prompt-{number}"), "parts": [{"kind": "text", "text": "begin"}],
            "metadata": {EXTENSION: {"workspace_path": workspace}},
        });
        SseDriver {
            number,
            chance,
            unheard: Some(prompt.clone()),
            prompt,
            task: watch::Sender::new(None),
            cursor: None,
            observed: Vec::new(),
            asks: BTreeSet::new(),
            old_asks: BTreeSet::new(),
            left: BTreeSet::new(),
            answered: BTreeSet::new(),
            begun: Vec::new(),
            torn: Vec::new(),
            answered_in_a_later_life: 0,
        }
    }

    /// True if it has seen the end.
    pub(crate) fn is_over(&self) -> bool {
        self.observed.last().is_some_and(|last| last.what == ObservedContent::State("completed".into()))
    }

    /// Go on until the power is cut or all is said.
    pub(crate) async fn talk(&mut self, address: &str, power: &SimulatedPower) -> Result<()> {
        self.old_asks.clone_from(&self.asks);
        self.left.clear();
        ExchangeError::forgive(self.try_talk(address, power).await)
    }

    async fn try_talk(&mut self, address: &str, power: &SimulatedPower) -> Result<(), ExchangeError> {
        self.begin_again(address, power).await?;
        // What happened behind its back comes before anything it has to say.
        if self.unheard.is_none() {
            self.exchange(address, power, SendMode::Nothing).await?;
        }
        while !self.is_over() {
            if power.supply == PowerSupply::Steady {
                self.left.clear();
            }
            if self.unheard.is_none() && !self.asks.is_empty() && self.asks.is_subset(&self.left) {
                power.wait_for_cut().await;
                return Err(ExchangeError::Off);
            }
            self.exchange(address, power, SendMode::WhatIsDue).await?;
        }
        Ok(())
    }

    /// The first message, sent once more, is the same task.
    async fn begin_again(&mut self, address: &str, power: &SimulatedPower) -> Result<(), ExchangeError> {
        let Some(task) = self.task() else { return Ok(()) };
        let params = json!({"message": self.prompt, "configuration": {"blocking": false}});
        let again = power.run(http::rpc(address, "message/send", &params)).await?;
        if again["result"]["id"] == json!(task) {
            return Ok(());
        }
        Err(ExchangeError::Wrong(anyhow!("the same message began another task than {task}: {again}")))
    }

    /// Send what is to be sent, or take the stream up again; then read it to its end.
    async fn exchange(&mut self, address: &str, power: &SimulatedPower, say: SendMode) -> Result<(), ExchangeError> {
        if say == SendMode::WhatIsDue
            && self.unheard.is_none()
            && let Some(call) = self.asks.difference(&self.left).next().cloned()
        {
            self.unheard = Some(self.answer(call));
        }
        let (method, params) = match &self.unheard {
            Some(message) => ("message/stream", json!({"message": message})),
            None => ("tasks/resubscribe", json!({"id": self.task()})),
        };
        self.torn.append(&mut self.begun);
        let posted = http::rpc_stream(address, method, &params, self.cursor.as_deref());
        let mut stream = power.run(posted).await?;
        if stream.headers.get("content-type").is_none_or(|content| content != "text/event-stream") {
            let why = power.run(stream.text()).await?;
            return Err(ExchangeError::Wrong(anyhow!("{method} {params} was refused: {why}")));
        }
        while let Some(event) = power.run(stream.event()).await? {
            self.take(&event)?;
        }
        Ok(())
    }

    /// The message that allows `call`.
    fn answer(&mut self, call: String) -> Value {
        self.asks.remove(&call);
        self.answered_in_a_later_life += usize::from(self.old_asks.contains(&call));
        let message = json!({
            "role": "user", "messageId": format!("answer-{}-{call}", self.number), "taskId": self.task(),
            "parts": [{"kind": "data", "data": {"tool_call_id": call, "selected_option_id": "proceed_once"}}],
        });
        self.answered.insert(call);
        message
    }

    /// The server's events from the start.
    pub(crate) async fn replay(&self, address: &str) -> Result<Vec<ObservedEvent>> {
        let cursor = self.cursor.as_deref().and_then(|cursor| cursor.split_once('.')).context("a cursor")?;
        let mut other = SseDriver::new(self.number, "", fastrand::Rng::with_seed(0));
        let start = format!("{}.0", cursor.0);
        let mut stream =
            http::rpc_stream(address, "tasks/resubscribe", &json!({"id": self.task()}), Some(&start)).await?;
        while let Some(event) = stream.event().await? {
            other.take(&event)?;
        }
        Ok(other.observed)
    }

    fn take(&mut self, event: &ReceivedEvent) -> Result<()> {
        let result = &event.data["result"];
        if result.is_null() {
            bail!("the driver was told {}", event.data);
        }
        self.unheard = None;
        let task = result["taskId"].as_str().or(result["id"].as_str()).context("no task")?;
        match self.task() {
            Some(known) => ensure!(known == task, "{task} is another task than {known}: {result}"),
            None => drop(self.task.send_replace(Some(task.to_owned()))),
        }
        let Some(cursor) = &event.id else {
            // The task itself stands for no entry; everything else without a cursor is the beginning of one.
            if result["kind"] != "task" {
                self.begun.push(result.clone());
            }
            return Ok(());
        };
        self.begun.push(result.clone());
        let frames = std::mem::take(&mut self.begun);
        let torn = std::mem::take(&mut self.torn);
        ensure!(
            frames.starts_with(&torn),
            "what was told of an entry before the cut is told again: {torn:?} {frames:?}"
        );
        let seq: u64 = cursor.split_once('.').and_then(|(_, seq)| seq.parse().ok()).context("a cursor")?;
        let newest = self.cursor.as_deref().and_then(|cursor| cursor.split_once('.')).map_or("0", |(_, seq)| seq);
        ensure!(seq > newest.parse()?, "{cursor} comes after {newest}: {result}");
        self.cursor = Some(cursor.clone());
        for part in &frames {
            if let Some(what) = ObservedContent::from_update(part)? {
                self.note(&what);
                self.observed.push(ObservedEvent { seq, what });
            }
        }
        Ok(())
    }

    fn note(&mut self, what: &ObservedContent) {
        if let ObservedContent::Call(call) = what
            && let Some(id) = what.call()
            && call.get("confirmation_request").is_some()
            && !self.answered.contains(id)
        {
            self.asks.insert(id.to_owned());
            if self.chance.u8(0..4) == 0 {
                self.left.insert(id.to_owned());
            }
        }
    }

    fn task(&self) -> Option<String> {
        self.task.borrow().clone()
    }
}
