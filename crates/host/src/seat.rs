//! A seat in this process: envelopes go to the session's actor, entries come from its journal.

use crate::host::HostShared;
use crate::tail::LogTail;
use pollux_session::{
    BoxFuture, ClientCredentials, Command, CommandId, CommandReceipt, Entry, NoticeFeed, ReadError, Seat, SendError,
    Seq, SessionId, Who,
};
use std::sync::Arc;

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
