//! A conversation with a host in this process: the same agent, tools and policy as `pollux serve`, nothing on disk.

use crate::corpus::command::{Move, Numbers};
use crate::corpus::play::Heard;
use crate::corpus::scene::Scene;
use anyhow::{Context as _, Result};
use pollux_cli::host_in_process;
use pollux_host::Host;
use pollux_session::{
    CommandId, Context, Entry, Notices, Opening, Overrides, Owner, Rights, Roster, Seat, SendError, Seq, SessionId, Who,
};
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// A seat at the only session of a host.
pub(crate) struct InProcess {
    host: Host,
    seat: Arc<dyn Seat>,
    notices: Box<dyn Notices>,
}

impl InProcess {
    pub(crate) async fn start(scene: &Scene) -> Result<InProcess> {
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
        let opening = Opening {
            id: SessionId(Uuid::now_v7()),
            context: Context::new("corpus").context("a label")?,
            workspace: scene.workspace.to_str().context("a path that is text")?.to_owned(),
            overrides: Overrides::default(),
            once: None,
            edge: serde_json::Value::Null,
        };
        let seat = host.open(&who, opening).await?;
        let notices = seat.notices();
        Ok(InProcess { host, seat, notices })
    }

    pub(crate) fn session(&self) -> SessionId {
        self.seat.session()
    }

    pub(crate) async fn make(&mut self, wanted: &Move, numbers: &Numbers) -> Result<Heard> {
        let mut heard = Heard::Accepted(Seq::START);
        for command in numbers.commands(wanted)? {
            let sent = self.seat.send(CommandId(Uuid::now_v7().to_string()), command).await;
            heard = match sent {
                Ok(receipt) => Heard::Accepted(receipt.seq),
                Err(SendError::Refused(refusal)) => return Ok(Heard::Refused(refusal.to_string())),
                Err(error) => return Err(error.into()),
            };
        }
        Ok(heard)
    }

    pub(crate) async fn read(&mut self, after: Seq) -> Result<Vec<Arc<Entry>>> {
        Ok(self.seat.read(after, 500).await?)
    }

    pub(crate) async fn changed(&mut self, after: Seq) -> Result<()> {
        self.seat.changed(after).await?;
        Ok(())
    }

    /// Wait for a notice that holds `words`.
    pub(crate) async fn noticed(&mut self, words: &str) -> Result<()> {
        while !self.notices.next().await.context("there are no more notices")?.text.contains(words) {}
        Ok(())
    }

    pub(crate) async fn stop(self) {
        self.host.stop().await;
    }
}
