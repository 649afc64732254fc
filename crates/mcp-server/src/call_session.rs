//! The session of one MCP connection: every tool call of the client is a call in its log.

use super::call_queue::{CallCancellations, CallQueue, EnqueueResult};
use super::call_result;
use super::client_runner::McpClientRunner;
use super::hosting::HostedSession;
use super::open_elicitations::{OpenElicitations, send};
use super::request_client::McpRequestClient;
use super::server_state::McpServerState;
use anyhow::{Context as _, bail};
use pollux_host::Host;
use pollux_session::{
    CallId, CallOutcome, Command, CommandId, ContextId, Entry, Event, NewCall, OpenSessionRequest, PromptTarget,
    Roster, Seat, Seq, SessionOverrides, SessionState,
};
use pollux_store::{BlobStore, DatabaseLock};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

/// How many entries are read at once.
pub(super) const BATCH: usize = 256;
/// Where a call carries the mark its caller knows it by.
const MARK: &str = "mcp_request";

/// The client's session.
pub(super) struct McpCallSession {
    seat: Arc<dyn Seat>,
    host: Host,
    call_queue: Arc<CallQueue>,
    cancellations: Arc<CallCancellations>,
    blobs: BlobStore,
    label: String,
    _lock: Option<DatabaseLock>,
}

impl McpCallSession {
    /// Open a session for the calls of `client`.
    pub(super) async fn open(server: &McpServerState, client: &McpRequestClient) -> anyhow::Result<McpCallSession> {
        let (call_queue, cancellations) = (Arc::<CallQueue>::default(), Arc::<CallCancellations>::default());
        let (queue, cancelled) = (call_queue.clone(), cancellations.clone());
        let HostedSession { host, id, is_new: _, blobs, lock } = server.hosting.host_calls(Box::new(move |agent| {
            Arc::new(McpClientRunner { agent, call_queue: queue, cancellations: cancelled })
        }))?;
        let context = ContextId::new(&id.to_string()).context("the session id is no label")?;
        let workspace = server.workspace.clone();
        let opening = OpenSessionRequest {
            id,
            context,
            workspace,
            overrides: SessionOverrides::default(),
            once: None,
            edge: serde_json::Value::Null,
        };
        let seat = host.open(&client.who(), opening).await?;
        let label = client.label();
        Ok(McpCallSession { seat, host, call_queue, cancellations, blobs, label, _lock: lock })
    }

    /// Make a call and wait for its end.
    pub(super) async fn call(
        &self,
        tool: String,
        args: JsonObject,
        client: McpRequestClient,
    ) -> anyhow::Result<CallToolResult> {
        let mark = Uuid::now_v7().to_string();
        let after = self.seat.changed(Seq::START).await?;
        let call = NewCall { tool: tool.clone(), args: args.into(), meta: json!({ MARK: mark }) };
        match self.call_queue.enqueue(call) {
            EnqueueResult::TurnRunning => {}
            EnqueueResult::TurnNeeded => self.begin_turn().await?,
            EnqueueResult::Refused => {
                bail!("no more calls are taken: too many wait already, or the server is stopping")
            }
        }
        let mut following =
            FollowedCall { calls: self, client, tool, mark, call: None, asks: OpenElicitations::default() };
        let outcome = tokio::select! {
            outcome = following.follow(after) => outcome?,
            () = self.call_queue.broken.cancelled() => bail!("the session of this connection can take no more calls"),
        };
        let unasked = following.asks.unasked.take();
        let (blobs, tool) = (self.blobs.clone(), following.tool);
        // Pictures are read from the disk.
        Ok(tokio::task::spawn_blocking(move || {
            call_result::render_outcome(&tool, &outcome, unasked.as_deref(), &blobs)
        })
        .await?)
    }

    /// Begin a turn that takes the calls that wait.
    async fn begin_turn(&self) -> anyhow::Result<()> {
        let text = format!("{} calls tools.", self.label);
        let prompt = Command::prompt(PromptTarget::Existing { task: self.seat.session().main_task() }, text);
        if let Err(error) = self.seat.send(CommandId::from(Uuid::now_v7()), prompt).await {
            self.call_queue.give_up();
            return Err(error.into());
        }
        Ok(())
    }

    /// End the running turn and stop. A turn that rests is not taken up again when the session is resumed.
    pub(super) async fn close(&self) {
        self.call_queue.close();
        if let Err(error) = self.until_rest().await {
            tracing::warn!(%error, "the session of the MCP client did not come to rest");
        }
        self.host.stop().await;
    }

    async fn until_rest(&self) -> anyhow::Result<()> {
        let mut state = SessionState::default();
        loop {
            for entry in self.seat.read(state.head, BATCH).await? {
                state.apply(&entry);
            }
            let newest = self.seat.changed(Seq::START).await?;
            if state.head < newest {
                continue;
            }
            if state.turn.is_none() && state.queue.is_empty() {
                return Ok(());
            }
            self.seat.changed(state.head).await?;
        }
    }
}

/// One call of the client on its way.
struct FollowedCall<'a> {
    calls: &'a McpCallSession,
    client: McpRequestClient,
    tool: String,
    mark: String,
    /// Known once the session has made it.
    call: Option<CallId>,
    asks: OpenElicitations,
}

impl FollowedCall<'_> {
    async fn follow(&mut self, after: Seq) -> anyhow::Result<CallOutcome> {
        let seat = self.calls.seat.as_ref();
        let (mut cursor, client) = (after, self.client.clone());
        loop {
            for entry in seat.read(cursor, BATCH).await? {
                cursor = entry.seq;
                if let Some(outcome) = self.take(&entry).await {
                    return Ok(outcome);
                }
            }
            if client.is_cancelled() {
                self.cancel().await;
            }
            tokio::select! {
                biased;
                () = client.cancelled(), if !client.is_cancelled() => {}
                changed = seat.changed(cursor) => { changed?; }
                answer = self.asks.next_answer() => send(seat, answer).await,
            }
        }
    }

    /// Read one entry; returns the call's end.
    async fn take(&mut self, entry: &Entry) -> Option<CallOutcome> {
        match &entry.event {
            Event::Called { meta, replaces, .. } => {
                let marked = meta.get(MARK).and_then(Value::as_str) == Some(&self.mark);
                let instead = replaces.is_some() && *replaces == self.call;
                if instead && let Some(old) = self.call {
                    self.asks.close(old);
                    self.calls.cancellations.forget(old);
                }
                if marked || instead {
                    self.call = Some(CallId(entry.seq));
                }
            }
            Event::Asked { call, ask, .. } if self.is_mine(*call) => {
                self.asks.open(&self.client, *call, &self.tool, ask);
                self.client.progress("waiting for an answer").await;
            }
            Event::Allowed { call, .. } | Event::Answered { call, .. } if self.is_mine(*call) => self.asks.close(*call),
            Event::Output { call, text, .. } if self.is_mine(*call) => {
                if let Some(line) = call_result::last_line(text) {
                    self.client.progress(&line).await;
                }
            }
            Event::CallEnded { call, outcome } if self.is_mine(*call) => {
                self.asks.close(*call);
                self.calls.cancellations.forget(*call);
                return Some(outcome.clone());
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
            | Event::Allowed { .. }
            | Event::Asked { .. }
            | Event::AskKept { .. }
            | Event::Answered { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. }
            | Event::CallEnded { .. }
            | Event::TurnEnded { .. }
            | Event::TaskClosed { .. } => {}
        }
        None
    }

    fn is_mine(&self, call: CallId) -> bool {
        self.call == Some(call)
    }

    /// The client does not want it any more: decline what it asks, stop what it does.
    async fn cancel(&mut self) {
        let Some(call) = self.call else { return };
        self.calls.cancellations.token(call).cancel();
        for refusal in self.asks.decline_all() {
            send(self.calls.seat.as_ref(), refusal).await;
        }
    }
}
