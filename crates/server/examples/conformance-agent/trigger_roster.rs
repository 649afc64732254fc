//! The sessions as the kits use them: each message is one of its own, and its id says what it wants.

use crate::trigger::{ConformanceKit, PromptActions};
use pollux_session::{
    BoxFuture, CheckpointLocation, Command, CommandId, CommandReceipt, Entry, FoundSession, NoticeFeed,
    OpenSessionRequest, ReadError, Roster, RosterError, Seat, SendError, Seq, SessionId, SessionLookup, SessionSummary,
    TaskPage, TaskQuery, Who,
};
use std::sync::Arc;
use uuid::Uuid;

/// Sessions whose messages come from a kit.
pub(crate) struct TriggerRoster {
    /// The real ones.
    pub(crate) roster: Arc<dyn Roster>,
    pub(crate) kit: ConformanceKit,
    /// Where it is noted what each message wants.
    pub(crate) triggers: Arc<PromptActions>,
}

impl TriggerRoster {
    fn seat(&self, seat: Arc<dyn Seat>) -> Arc<dyn Seat> {
        Arc::new(TriggerSeat { seat, kit: self.kit, triggers: Arc::clone(&self.triggers) })
    }
}

impl Roster for TriggerRoster {
    fn open<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
    ) -> BoxFuture<'a, Result<Arc<dyn Seat>, RosterError>> {
        // The kits give many messages one id. Each of them is meant, none is a retry.
        let opening = OpenSessionRequest { once: None, ..opening };
        Box::pin(async move { Ok(self.seat(self.roster.open(who, opening).await?)) })
    }

    fn find<'a>(
        &'a self,
        who: &'a Who,
        target: &'a SessionLookup,
    ) -> BoxFuture<'a, Result<Option<FoundSession>, RosterError>> {
        Box::pin(async move {
            let found = self.roster.find(who, target).await?;
            Ok(found.map(|FoundSession { seat, task }| FoundSession { seat: self.seat(seat), task }))
        })
    }

    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> BoxFuture<'a, Result<Vec<SessionSummary>, RosterError>> {
        self.roster.list(who, limit)
    }

    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> BoxFuture<'a, Result<TaskPage, RosterError>> {
        self.roster.tasks(who, query)
    }

    fn checkpoints<'a>(
        &'a self,
        who: &'a Who,
        workspace: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<CheckpointLocation>, RosterError>> {
        self.roster.checkpoints(who, workspace, limit)
    }
}

struct TriggerSeat {
    seat: Arc<dyn Seat>,
    kit: ConformanceKit,
    triggers: Arc<PromptActions>,
}

impl Seat for TriggerSeat {
    fn session(&self) -> SessionId {
        self.seat.session()
    }

    fn who(&self) -> &Who {
        self.seat.who()
    }

    fn incarnation(&self) -> u32 {
        self.seat.incarnation()
    }

    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async move {
            let (Command::Prompt { text, .. } | Command::Reply { text, .. }) = &command else {
                return self.seat.send(id, command).await;
            };
            let act = self.kit.act(&id.0, text);
            let receipt = self.seat.send(fresh_id(), command).await?;
            if let Some((_, prompt)) = receipt.about {
                self.triggers.note(self.session(), prompt, act);
            }
            Ok(receipt)
        })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        self.seat.read(after, limit)
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        self.seat.changed(after)
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        self.seat.notices()
    }
}

fn fresh_id() -> CommandId {
    CommandId(Uuid::now_v7().to_string())
}
