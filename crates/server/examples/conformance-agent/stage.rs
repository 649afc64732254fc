//! The sessions as the kits use them: each message is one of its own, and its id says what it wants.

use crate::trigger::{Kit, Triggers};
use pollux_session::{
    Command, CommandId, Entry, Found, Landmark, Notices, Opening, Pending, ReadError, Receipt, Roster, RosterError,
    Seat, SendError, Seq, SessionId, Summary, Target, TaskPage, TaskQuery, Who,
};
use std::sync::Arc;
use uuid::Uuid;

/// Sessions whose messages come from a kit.
pub(crate) struct Stage {
    /// The real ones.
    pub(crate) roster: Arc<dyn Roster>,
    /// The kit.
    pub(crate) kit: Kit,
    /// Where it is noted what each message wants.
    pub(crate) triggers: Arc<Triggers>,
}

impl Stage {
    fn seat(&self, seat: Arc<dyn Seat>) -> Arc<dyn Seat> {
        Arc::new(Chair { seat, kit: self.kit, triggers: Arc::clone(&self.triggers) })
    }
}

impl Roster for Stage {
    fn open<'a>(&'a self, who: &'a Who, opening: Opening) -> Pending<'a, Result<Arc<dyn Seat>, RosterError>> {
        // The kits give many messages one id. Each of them is meant, none is a retry.
        let opening = Opening { once: None, ..opening };
        Box::pin(async move { Ok(self.seat(self.roster.open(who, opening).await?)) })
    }

    fn find<'a>(&'a self, who: &'a Who, target: &'a Target) -> Pending<'a, Result<Option<Found>, RosterError>> {
        Box::pin(async move {
            let found = self.roster.find(who, target).await?;
            Ok(found.map(|Found { seat, task }| Found { seat: self.seat(seat), task }))
        })
    }

    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> Pending<'a, Result<Vec<Summary>, RosterError>> {
        self.roster.list(who, limit)
    }

    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> Pending<'a, Result<TaskPage, RosterError>> {
        self.roster.tasks(who, query)
    }

    fn checkpoints<'a>(
        &'a self,
        who: &'a Who,
        workspace: &'a str,
        limit: usize,
    ) -> Pending<'a, Result<Vec<Landmark>, RosterError>> {
        self.roster.checkpoints(who, workspace, limit)
    }
}

struct Chair {
    seat: Arc<dyn Seat>,
    kit: Kit,
    triggers: Arc<Triggers>,
}

impl Seat for Chair {
    fn session(&self) -> SessionId {
        self.seat.session()
    }

    fn who(&self) -> &Who {
        self.seat.who()
    }

    fn incarnation(&self) -> u32 {
        self.seat.incarnation()
    }

    fn send(&self, id: CommandId, command: Command) -> Pending<'_, Result<Receipt, SendError>> {
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

    fn read(&self, after: Seq, limit: usize) -> Pending<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        self.seat.read(after, limit)
    }

    fn changed(&self, after: Seq) -> Pending<'_, Result<Seq, ReadError>> {
        self.seat.changed(after)
    }

    fn notices(&self) -> Box<dyn Notices> {
        self.seat.notices()
    }
}

fn fresh_id() -> CommandId {
    CommandId(Uuid::now_v7().to_string())
}
