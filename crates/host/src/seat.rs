//! A seat in this process: envelopes go to the session's actor, entries come from its journal.

use crate::actor::{ActorMessage, now};
use crate::host::HostShared;
use crate::tail::LogTail;
use pollux_session::{
    BoxFuture, ClientCredentials, Command, CommandEnvelope, CommandId, CommandReceipt, Entry, NoticeFeed, ReadError,
    Seat, SendError, Seq, SessionId, Who,
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The number of actors that a command is offered to. An actor that dies between taking a command and replying leaves
/// it open whether it was recorded; offering it again is safe because a retry is known by its fingerprint.
const DELIVERIES: usize = 3;

/// A place at one session of this process.
pub(crate) struct HostSeat {
    pub(crate) session: SessionId,
    pub(crate) who: Who,
    pub(crate) shared: Arc<HostShared>,
    pub(crate) tail: Arc<LogTail>,
}

impl Seat for HostSeat {
    fn session(&self) -> SessionId {
        self.session
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        self.shared.journal.store.log.incarnation()
    }

    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        self.send_lending(id, command, ClientCredentials::default())
    }

    fn send_lending(
        &self,
        id: CommandId,
        command: Command,
        lent: ClientCredentials,
    ) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(self.shared.deliver(self.session, &self.who, id, command, lent))
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(self.shared.journal.read(&self.tail, self.session, after, limit))
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        Box::pin(self.tail.changed(after))
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        self.shared.board.read(self.session)
    }
}

impl HostShared {
    /// Hand a command to the session's actor, starting one if need be, and wait until it is decided and durable.
    async fn deliver(
        self: &Arc<Self>,
        session: SessionId,
        who: &Who,
        id: CommandId,
        command: Command,
        lent: ClientCredentials,
    ) -> Result<CommandReceipt, SendError> {
        self.check(session, &command)?;
        let envelope = CommandEnvelope { id, who: who.clone(), at: now(), command };
        let letter = |reply| ActorMessage::Command { envelope: envelope.clone(), lent: lent.clone(), reply };
        let decided = self.post(session, letter).await;
        decided.map_err(SendError::Lost)?.map_err(SendError::Refused)
    }

    /// Put a letter into the mailbox of the session's actor, starting one if need be, and wait for its reply. An actor
    /// that ends before it has replied leaves the letter to the next one.
    pub(crate) async fn post<T>(
        self: &Arc<Self>,
        session: SessionId,
        letter: impl Fn(oneshot::Sender<T>) -> ActorMessage,
    ) -> Result<T, String> {
        for _ in 0..DELIVERIES {
            if self.stopping.is_cancelled() {
                return Err("pollux is stopping".into());
            }
            let (reply, answer) = oneshot::channel();
            if self.mailbox(session).send(Box::new(letter(reply))).await.is_err() {
                continue;
            }
            if let Ok(answer) = answer.await {
                return Ok(answer);
            }
        }
        let failure = self.journal.failure(session);
        Err(failure.unwrap_or_else(|| "its log cannot be read or written; see the server's log for why".into()))
    }
}
