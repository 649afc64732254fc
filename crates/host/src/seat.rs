//! A seat in this process: envelopes go to the session's actor, entries come from its journal.

use crate::host::Shared;
use crate::tail::Tail;
use pollux_session::{
    Command, CommandId, Entry, Notices, Pending, ReadError, Receipt, Seat, SendError, Seq, SessionId, Who,
};
use std::sync::Arc;

/// A place at one session of this process.
pub(crate) struct HostSeat {
    pub(crate) session: SessionId,
    pub(crate) who: Who,
    pub(crate) shared: Arc<Shared>,
    pub(crate) tail: Arc<Tail>,
}

impl Seat for HostSeat {
    fn session(&self) -> SessionId {
        self.session
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        self.shared.journal.log.incarnation()
    }

    fn send(&self, id: CommandId, command: Command) -> Pending<'_, Result<Receipt, SendError>> {
        Box::pin(self.shared.deliver(self.session, &self.who, id, command))
    }

    fn read(&self, after: Seq, limit: usize) -> Pending<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(self.shared.journal.read(&self.tail, self.session, after, limit))
    }

    fn changed(&self, after: Seq) -> Pending<'_, Result<Seq, ReadError>> {
        Box::pin(self.tail.changed(after))
    }

    fn notices(&self) -> Box<dyn Notices> {
        self.shared.board.read(self.session)
    }
}
