//! `run_task`: one prompt in a durable session of its own, told as it goes, answered when its turn is over.

mod report;

use super::asks::{Asks, send};
use super::calls::BATCH;
use super::client::Client;
use super::shop::Shop;
use crate::equip::{Engines, equip};
use crate::kept::{self, Found};
use crate::place::{Begin, Place};
use crate::settings::Keep;
use anyhow::{Context as _, bail};
use pollux_host::{Board, Host};
use pollux_session::{
    CallPhase, CancelScope, Command, CommandId, Context, Entry, Event, Mode, Opening, Overrides, PromptId,
    PromptTarget, Roster, Seat, Seq, SessionId, Setting, State, Target,
};
use report::Account;
use rmcp::model::{CallToolResult, JsonObject};
use serde::Deserialize;
use std::sync::Arc;
use uuid::Uuid;

/// What the client wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    prompt: String,
    session_id: Option<String>,
    mode: Option<Mode>,
}

/// Do the task. The session is this process's own until its turn is over; then anybody may go on with it.
pub(super) async fn run(shop: &Shop, args: JsonObject, client: Client) -> anyhow::Result<CallToolResult> {
    let wish: Wish = serde_json::from_value(args.into()).context("these are no arguments of run_task")?;
    let mode = wish.mode.map(|mode| at_most(mode, shop.mode())).transpose()?;
    let earlier = wish.session_id.map(|id| earlier(shop, &id)).transpose()?;
    let (place, begin) = Place::for_terminal(&shop.basics, &Keep::New, earlier, &shop.workspace, None)?;
    let Place { log, blobs, lock: _lock } = place;
    let engines = Engines::choose(&shop.basics, &shop.config)?;
    let equipped = equip(&shop.basics, &shop.config, &shop.workspace, engines, log, blobs, Board::default());
    let host = &equipped.host;
    let done = async {
        let seat = match begin {
            Begin::New(id) => open(shop, host, &client, id, mode).await?,
            Begin::Resumed(id) => resume(shop, host, &client, id, mode).await?,
        };
        Doing::begin(seat, client, wish.prompt).await?.follow().await
    };
    let done = done.await;
    host.stop().await;
    done
}

/// `wanted`, unless it is wider than what the person who started this server allows: a request cannot widen that.
fn at_most(wanted: Mode, allowed: Mode) -> anyhow::Result<Mode> {
    let freedom = |mode| match mode {
        Mode::Plan => 0,
        Mode::Default => 1,
        Mode::AutoEdit => 2,
        Mode::Yolo => 3,
    };
    if freedom(wanted) > freedom(allowed) {
        let (wanted, allowed) = (wanted.name(), allowed.name());
        bail!(
            "mode {wanted} is not allowed here; start pollux mcp-server with --approval-mode {wanted} (it is {allowed})"
        );
    }
    Ok(wanted)
}

/// The session of an earlier task, if it works here.
fn earlier(shop: &Shop, id: &str) -> anyhow::Result<Found> {
    let found = kept::find(&shop.basics.data_dir, id)?;
    if found.workspace != shop.workspace {
        let Found { id, workspace, .. } = found;
        bail!("session {id} works in {workspace}, not here; start pollux mcp-server with --workspace {workspace}");
    }
    Ok(found)
}

async fn open(
    shop: &Shop,
    host: &Host,
    client: &Client,
    id: SessionId,
    mode: Option<Mode>,
) -> anyhow::Result<Arc<dyn Seat>> {
    let context = Context::new(&id.to_string()).context("the session id is no label")?;
    let overrides = Overrides { mode, model: None, ..Overrides::default() };
    let opening = Opening {
        id,
        context,
        workspace: shop.workspace.clone(),
        overrides,
        once: None,
        edge: serde_json::Value::Null,
    };
    Ok(host.open(&client.who(), opening).await?)
}

async fn resume(
    shop: &Shop,
    host: &Host,
    client: &Client,
    id: SessionId,
    mode: Option<Mode>,
) -> anyhow::Result<Arc<dyn Seat>> {
    let found = host.find(&client.who(), &Target::Id(id.0)).await?;
    let seat = found.with_context(|| format!("session {id} belongs to somebody else"))?.seat;
    // What it was left with elsewhere does not hold here.
    let mode = Setting::Mode(mode.unwrap_or(shop.mode()));
    seat.send(CommandId::from(Uuid::now_v7()), Command::Set { setting: mode }).await?;
    if let Some(model) = shop.basics.model.as_ref().filter(|model| !model.starts_with("script:")) {
        let model = Setting::Model(model.clone());
        seat.send(CommandId::from(Uuid::now_v7()), Command::Set { setting: model }).await?;
    }
    Ok(seat)
}

/// How the session stood when it took the prompt.
async fn until(seat: &dyn Seat, last: Seq) -> anyhow::Result<State> {
    let mut state = State::default();
    while state.head < last {
        for entry in seat.read(state.head, BATCH).await?.iter().take_while(|entry| entry.seq <= last) {
            state.apply(entry);
        }
    }
    Ok(state)
}

/// A prompt that is being answered.
struct Doing {
    seat: Arc<dyn Seat>,
    client: Client,
    prompt: PromptId,
    state: State,
    asks: Asks,
    account: Account,
}

impl Doing {
    async fn begin(seat: Arc<dyn Seat>, client: Client, text: String) -> anyhow::Result<Doing> {
        let target = PromptTarget::Existing { task: seat.session().main_task() };
        let receipt = seat.send(CommandId::from(Uuid::now_v7()), Command::prompt(target, text)).await?;
        let prompt = receipt.about.map_or(PromptId(receipt.seq), |(_, prompt)| prompt);
        let (state, asks, account) = (until(seat.as_ref(), receipt.seq).await?, Asks::default(), Account::default());
        let mut doing = Doing { seat, client, prompt, state, asks, account };
        // What an earlier turn has left open holds this one up.
        let open = doing.state.turn.iter().flat_map(|turn| turn.open_calls());
        for call in open.filter(|call| matches!(call.phase, CallPhase::Asking { .. })) {
            if let Some(ask) = &call.ask {
                doing.asks.open(&doing.client, call.id, &call.tool, ask);
            }
        }
        Ok(doing)
    }

    async fn follow(mut self) -> anyhow::Result<CallToolResult> {
        let (seat, client) = (self.seat.clone(), self.client.clone());
        let mut cancelling = false;
        loop {
            for entry in seat.read(self.state.head, BATCH).await? {
                if self.take(&entry).await {
                    return Ok(self.account.result(seat.session(), self.asks.unasked.as_deref()));
                }
            }
            let caught_up = self.state.head >= seat.changed(Seq::START).await?;
            if caught_up && client.is_cancelled() && !cancelling {
                cancelling = true;
                self.cancel().await;
            }
            tokio::select! {
                biased;
                () = client.cancelled(), if !cancelling => {}
                changed = seat.changed(self.state.head) => { changed?; }
                answer = self.asks.answered() => send(seat.as_ref(), answer).await,
            }
        }
    }

    /// Fold and tell one entry; returns whether the turn is over.
    async fn take(&mut self, entry: &Entry) -> bool {
        let mine = self.state.turn.as_ref().is_some_and(|turn| turn.prompt == self.prompt);
        self.state.apply(entry);
        match &entry.event {
            Event::Asked { call, ask, .. } => {
                let tool = self.state.turn.as_ref().and_then(|turn| turn.calls.get(call)).map(|call| call.tool.clone());
                self.asks.open(&self.client, *call, tool.as_deref().unwrap_or_default(), ask);
            }
            Event::Allowed { call, .. } | Event::Answered { call, .. } | Event::CallEnded { call, .. } => {
                self.asks.close(*call);
            }
            _ => {}
        }
        let taken_out = matches!(&entry.event, Event::Unqueued { prompt } if *prompt == self.prompt);
        if mine || taken_out { self.account.take(&entry.event, entry.seq, &mut self.client).await } else { false }
    }

    /// Take the prompt back: out of the queue, or its turn with it.
    async fn cancel(&mut self) {
        let waits = self.state.queue.iter().any(|waiting| waiting.id == self.prompt);
        let command =
            if waits { Command::Unqueue { prompt: self.prompt } } else { Command::Cancel { scope: CancelScope::Turn } };
        send(self.seat.as_ref(), command).await;
    }
}

#[cfg(test)]
mod tests;
