//! `run_task`: one prompt in a durable session of its own, told as it goes, answered when its turn is over.

mod task_progress;

use super::call_session::BATCH;
use super::hosting::HostedSession;
use super::open_elicitations::{OpenElicitations, send};
use super::request_client::McpRequestClient;
use super::server_state::McpServerState;
use anyhow::{Context as _, bail};
use pollux_host::Host;
use pollux_session::{
    ApprovalMode, CallPhase, CancelScope, Command, CommandId, ContextId, Entry, Event, OpenSessionRequest, PromptId,
    PromptTarget, Roster, Seat, Seq, SessionId, SessionLookup, SessionOverrides, SessionSetting, SessionState,
};
use rmcp::model::{CallToolResult, JsonObject};
use serde::Deserialize;
use std::sync::Arc;
use task_progress::TaskProgress;
use uuid::Uuid;

/// What the client wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunTaskRequest {
    prompt: String,
    session_id: Option<String>,
    mode: Option<ApprovalMode>,
}

/// Do the task. The session is this process's own until its turn is over; then anybody may go on with it.
pub(super) async fn run(
    server: &McpServerState,
    args: JsonObject,
    client: McpRequestClient,
) -> anyhow::Result<CallToolResult> {
    let wish: RunTaskRequest = serde_json::from_value(args.into()).context("these are no arguments of run_task")?;
    let mode = wish.mode.map(|mode| limit_mode(mode, server.mode)).transpose()?;
    let HostedSession { lock: _lock, host, id, is_new, blobs: _ } =
        server.hosting.host_task(wish.session_id.as_deref())?;
    let done = async {
        let seat = match is_new {
            true => open(server, &host, &client, id, mode).await?,
            false => resume(server, &host, &client, id, mode).await?,
        };
        RunningTask::begin(seat, client, wish.prompt).await?.follow().await
    };
    let done = done.await;
    host.stop().await;
    done
}

/// `wanted`, unless it is wider than what the person who started this server allows: a request cannot widen that.
fn limit_mode(wanted: ApprovalMode, allowed: ApprovalMode) -> anyhow::Result<ApprovalMode> {
    let freedom = |mode| match mode {
        ApprovalMode::Plan => 0,
        ApprovalMode::Default => 1,
        ApprovalMode::AutoEdit => 2,
        ApprovalMode::Yolo => 3,
    };
    if freedom(wanted) > freedom(allowed) {
        let (wanted, allowed) = (wanted.name(), allowed.name());
        bail!(
            "mode {wanted} is not allowed here; start pollux mcp-server with --approval-mode {wanted} (it is {allowed})"
        );
    }
    Ok(wanted)
}

async fn open(
    server: &McpServerState,
    host: &Host,
    client: &McpRequestClient,
    id: SessionId,
    mode: Option<ApprovalMode>,
) -> anyhow::Result<Arc<dyn Seat>> {
    let context = ContextId::new(&id.to_string()).context("the session id is no label")?;
    let overrides = SessionOverrides { mode, model: None, ..SessionOverrides::default() };
    let opening = OpenSessionRequest {
        id,
        context,
        workspace: server.workspace.clone(),
        overrides,
        once: None,
        edge: serde_json::Value::Null,
    };
    Ok(host.open(&client.who(), opening).await?)
}

async fn resume(
    server: &McpServerState,
    host: &Host,
    client: &McpRequestClient,
    id: SessionId,
    mode: Option<ApprovalMode>,
) -> anyhow::Result<Arc<dyn Seat>> {
    let found = host.find(&client.who(), &SessionLookup::Id(id.0)).await?;
    let seat = found.with_context(|| format!("session {id} belongs to somebody else"))?.seat;
    // What it was left with elsewhere does not hold here.
    let mode = SessionSetting::Mode(mode.unwrap_or(server.mode));
    seat.send(CommandId::from(Uuid::now_v7()), Command::Set { setting: mode }).await?;
    if let Some(model) = &server.model {
        let model = SessionSetting::Model(model.clone());
        seat.send(CommandId::from(Uuid::now_v7()), Command::Set { setting: model }).await?;
    }
    Ok(seat)
}

/// How the session stood when it took the prompt.
async fn state_at(seat: &dyn Seat, last: Seq) -> anyhow::Result<SessionState> {
    let mut state = SessionState::default();
    while state.head < last {
        for entry in seat.read(state.head, BATCH).await?.iter().take_while(|entry| entry.seq <= last) {
            state.apply(entry);
        }
    }
    Ok(state)
}

/// A prompt that is being answered.
struct RunningTask {
    seat: Arc<dyn Seat>,
    client: McpRequestClient,
    prompt: PromptId,
    state: SessionState,
    asks: OpenElicitations,
    progress: TaskProgress,
}

impl RunningTask {
    async fn begin(seat: Arc<dyn Seat>, client: McpRequestClient, text: String) -> anyhow::Result<RunningTask> {
        let target = PromptTarget::Existing { task: seat.session().main_task() };
        let receipt = seat.send(CommandId::from(Uuid::now_v7()), Command::prompt(target, text)).await?;
        let prompt = receipt.about.map_or(PromptId(receipt.seq), |(_, prompt)| prompt);
        let (state, asks, account) =
            (state_at(seat.as_ref(), receipt.seq).await?, OpenElicitations::default(), TaskProgress::default());
        let mut doing = RunningTask { seat, client, prompt, state, asks, progress: account };
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
                    return Ok(self.progress.result(seat.session(), self.asks.unasked.as_deref()));
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
                answer = self.asks.next_answer() => send(seat.as_ref(), answer).await,
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
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Said { .. }
            | Event::Piece { .. }
            | Event::ItemEnded { .. }
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::Noted { .. }
            | Event::StepEnded { .. }
            | Event::Called { .. }
            | Event::AskKept { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. }
            | Event::TurnEnded { .. }
            | Event::TaskClosed { .. } => {}
        }
        let taken_out = matches!(&entry.event, Event::Unqueued { prompt } if *prompt == self.prompt);
        if mine || taken_out { self.progress.take(&entry.event, entry.seq, &mut self.client).await } else { false }
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
