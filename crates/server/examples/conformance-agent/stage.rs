//! The sessions as the kits use them: each message is one of its own, its id says what it wants, and words answer what
//! the agent asked.

use crate::trigger::{Kit, Triggers};
use pollux_session::{
    CallId, Command, CommandId, Entry, Event, Found, Landmark, Notices, Opening, Pending, PromptTarget, ReadError,
    Receipt, Roster, RosterError, Seat, SendError, Seq, SessionId, Summary, Target, TaskPage, TaskQuery, Who,
    once_choice,
};
use std::sync::Arc;
use uuid::Uuid;

/// How many entries are read at once.
const PAGE: usize = 256;

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

impl Chair {
    /// The call that waits for a person, if one does: none of them makes two.
    async fn asking(&self) -> Result<Option<CallId>, ReadError> {
        let (mut after, mut asking) = (Seq::START, None);
        loop {
            let page = self.seat.read(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(asking) };
            after = last.seq;
            for entry in &page {
                match &entry.event {
                    Event::Asked { call, .. } => asking = Some(*call),
                    Event::Answered { .. } | Event::TurnEnded { .. } => asking = None,
                    _ => {}
                }
            }
        }
    }
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
            let Command::Prompt { target, text, .. } = &command else { return self.seat.send(id, command).await };
            let act = self.kit.act(&id.0, text);
            let goes_on = matches!(target, PromptTarget::Existing { .. });
            let receipt = self.seat.send(fresh_id(), command).await?;
            if let Some((_, prompt)) = receipt.about {
                self.triggers.note(self.session(), prompt, act);
            }
            // The kits answer a question with a message. That message now waits for its turn, so the question is
            // settled and the turn that asked it ends.
            if goes_on && let Some(call) = self.asking().await.map_err(|error| SendError::Lost(error.to_string()))? {
                let answer = Command::Answer { call, option: once_choice().id, edit: None };
                self.seat.send(fresh_id(), answer).await?;
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
