//! A conversation with a host in this process: the same agent, tools and policy as `pollux serve`, nothing on disk.

use crate::corpus::fixture::ConversationFixture;
use crate::corpus::moves::{ConversationMove, EntryNumbers};
use crate::corpus::play::MoveResult;
use anyhow::{Context as _, Result};
use pollux_cli::host_in_process;
use pollux_host::Host;
use pollux_session::{
    CommandId, ContextId, Entry, NoticeFeed, OpenSessionRequest, Owner, Rights, Roster, Seat, SendError, Seq,
    SessionId, SessionOverrides, Who,
};
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// A seat at the only session of a host.
pub(crate) struct InProcessDriver {
    host: Host,
    seat: Arc<dyn Seat>,
    notices: Box<dyn NoticeFeed>,
}

impl InProcessDriver {
    pub(crate) async fn start(scene: &ConversationFixture) -> Result<InProcessDriver> {
        let variables: HashMap<String, String> = scene.environment().into_iter().collect();
        let mut args = scene.flags.clone();
        args.push(format!("--workspace={}", scene.workspace.display()));
        let host = host_in_process(&args, move |name: &str| variables.get(name).cloned())?;
        let who = Who {
            owner: Owner("local".into()),
            principal: "local".into(),
            label: "A2A corpus".into(),
            rights: Rights::all(),
        };
        let opening = OpenSessionRequest {
            id: SessionId(Uuid::now_v7()),
            context: ContextId::new("corpus").context("a label")?,
            workspace: scene.workspace.to_str().context("a path that is text")?.to_owned(),
            overrides: SessionOverrides::default(),
            once: None,
            edge: serde_json::Value::Null,
        };
        let seat = host.open(&who, opening).await?;
        let notices = seat.notices();
        Ok(InProcessDriver { host, seat, notices })
    }

    pub(crate) fn session(&self) -> SessionId {
        self.seat.session()
    }

    pub(crate) async fn make(&mut self, wanted: &ConversationMove, numbers: &EntryNumbers) -> Result<MoveResult> {
        let mut heard = MoveResult::Accepted(Seq::START);
        for command in numbers.commands(wanted)? {
            let sent = self.seat.send(CommandId(Uuid::now_v7().to_string()), command).await;
            heard = match sent {
                Ok(receipt) => MoveResult::Accepted(receipt.seq),
                Err(SendError::Refused(refusal)) => return Ok(MoveResult::Refused(refusal.to_string())),
                Err(error) => return Err(error.into()),
            };
        }
        Ok(heard)
    }

    pub(crate) async fn read(&mut self, after: Seq) -> Result<Vec<Arc<Entry>>> {
        Ok(self.seat.read(after, 500).await?)
    }

    pub(crate) async fn wait_for_change(&mut self, after: Seq) -> Result<()> {
        self.seat.changed(after).await?;
        Ok(())
    }

    /// Wait for a notice that holds `words`.
    pub(crate) async fn wait_for_notice(&mut self, words: &str) -> Result<()> {
        while !self.notices.next().await.context("there are no more notices")?.text.contains(words) {}
        Ok(())
    }

    pub(crate) async fn stop(self) {
        self.host.stop().await;
    }
}
