//! The roster of a process: opens and finds sessions, and starts an actor when one is spoken to.

use crate::actor::{self, ActorMessage, ActorStart, MailboxItem};
use crate::busy_sessions::BusySessions;
use crate::journal::Journal;
use crate::notice_board::NoticeBoard;
use crate::runner::Runner;
use crate::seat::HostSeat;
use parking_lot::Mutex;
use pollux_session::{
    BegunSession, BoxFuture, CheckpointLocation, ClientCredentials, Command, CommandId, Event, FoundSession,
    OpenSessionRequest, Owner, PushTarget, PushTargets, Refusal, Right, Roster, RosterError, Seat, SendError, Seq,
    SessionId, SessionLookup, SessionOpened, SessionOverrides, SessionSetting, SessionSummary, TaskId, TaskPage,
    TaskQuery, Who,
};
use pollux_store::{SessionStore, StoreError};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// The most messages that may wait at one actor.
const MAILBOX: usize = 256;

/// All sessions of a process. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    pub(crate) shared: Arc<HostShared>,
}

/// State that every seat and actor of a process shares.
pub(crate) struct HostShared {
    pub(crate) journal: Journal,
    pub(crate) runner: Arc<dyn Runner>,
    pub(crate) board: NoticeBoard,
    pub(crate) stopping: CancellationToken,
    pub(crate) at_work: BusySessions,
    actors: Mutex<HashMap<SessionId, mpsc::Sender<MailboxItem>>>,
    tasks: TaskTracker,
    pub(crate) defaults: SessionOverrides,
    pub(crate) release: String,
}

impl Host {
    /// Host the sessions in `log`, their work done by `runner`. `defaults` hold for new sessions that say nothing else;
    /// `release` is recorded in them.
    pub fn new(
        store: SessionStore,
        runner: Arc<dyn Runner>,
        board: NoticeBoard,
        defaults: SessionOverrides,
        release: &str,
    ) -> Host {
        let shared = HostShared {
            journal: Journal::new(store),
            runner,
            board,
            stopping: CancellationToken::new(),
            at_work: BusySessions::default(),
            actors: Mutex::default(),
            tasks: TaskTracker::new(),
            defaults,
            release: release.to_owned(),
        };
        Host { shared: Arc::new(shared) }
    }

    /// Where notices are pinned up.
    pub fn board(&self) -> &NoticeBoard {
        &self.shared.board
    }

    /// Wait until no work is under way, for so long at the most; whether that came to be. An open ask is no work.
    pub async fn settled(&self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.shared.at_work.over()).await.is_ok()
    }

    /// Stop every actor and all work. What was recorded stays; the next start goes on from there.
    pub async fn stop(&self) {
        self.shared.stopping.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }

    /// Make sure work that is owed from an earlier life of `session` goes on, without waiting for a command.
    pub fn wake(&self, session: SessionId) {
        drop(self.shared.mailbox(session));
    }

    pub(crate) async fn find_session(&self, id: SessionId, who: &Who) -> Result<Option<Arc<dyn Seat>>, RosterError> {
        let tail = self.shared.journal.tail(id).await.map_err(|error| store_failed(&error))?;
        Ok(tail.map(|tail| self.sit(id, who, tail)))
    }

    pub(crate) fn sit(&self, session: SessionId, who: &Who, tail: Arc<crate::tail::LogTail>) -> Arc<dyn Seat> {
        Arc::new(HostSeat { session, who: who.clone(), shared: self.shared.clone(), tail })
    }
}

impl Roster for Host {
    fn open<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
    ) -> BoxFuture<'a, Result<Arc<dyn Seat>, RosterError>> {
        Box::pin(self.open_session(who, opening))
    }

    fn open_with<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
        id: CommandId,
        command: Command,
    ) -> BoxFuture<'a, Result<BegunSession, RosterError>> {
        Box::pin(self.open_session_with(who, opening, id, command))
    }

    fn check_lent(&self, who: &Who, lent: ClientCredentials) -> Result<(), String> {
        may_lend(who, &lent)?;
        self.shared.runner.check_lent(lent)
    }

    fn entrust<'a>(
        &'a self,
        who: &'a Who,
        session: SessionId,
        lent: ClientCredentials,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let found = self.find(who, &SessionLookup::Id(session.0)).await.map_err(|error| error.to_string())?;
            let Some(found) = found else { return Err(format!("there is no session {session}")) };
            may_lend(who, &lent)?;
            check_payer(read_opened(&*found.seat).await?.as_ref(), &lent)?;
            self.shared.runner.entrust(session, lent)?;
            self.shared.post(session, |reply| ActorMessage::Equip { reply }).await
        })
    }

    fn find<'a>(
        &'a self,
        who: &'a Who,
        target: &'a SessionLookup,
    ) -> BoxFuture<'a, Result<Option<FoundSession>, RosterError>> {
        Box::pin(async move {
            let store = &self.shared.journal.store;
            let located: Option<(SessionId, Option<TaskId>)> = match target {
                SessionLookup::Id(id) => store
                    .index
                    .locate(&who.owner, *id)
                    .await
                    .map_err(|error| store_failed(&error))?
                    .map(|found| (found.session, found.task)),
                SessionLookup::Context(context) => store
                    .index
                    .newest(&who.owner, context)
                    .await
                    .map_err(|error| store_failed(&error))?
                    .map(|session| (session, None)),
            };
            let Some((session, task)) = located else { return Ok(None) };
            Ok(self.find_session(session, who).await?.map(|seat| FoundSession { seat, task }))
        })
    }

    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> BoxFuture<'a, Result<Vec<SessionSummary>, RosterError>> {
        Box::pin(async move {
            self.shared.journal.store.index.list(&who.owner, limit).await.map_err(|error| store_failed(&error))
        })
    }

    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> BoxFuture<'a, Result<TaskPage, RosterError>> {
        let store = &self.shared.journal.store;
        Box::pin(async move { store.index.tasks(&who.owner, query).await.map_err(|error| store_failed(&error)) })
    }

    fn checkpoints<'a>(
        &'a self,
        who: &'a Who,
        workspace: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<CheckpointLocation>, RosterError>> {
        let store = &self.shared.journal.store;
        Box::pin(async move {
            store.index.checkpoints(&who.owner, workspace, limit).await.map_err(|error| store_failed(&error))
        })
    }
}

impl PushTargets for Host {
    fn put(&self, target: PushTarget) -> BoxFuture<'_, Result<(), RosterError>> {
        Box::pin(async move {
            self.shared.journal.store.targets.put_target(target).await.map_err(|error| store_failed(&error))
        })
    }

    fn of<'a>(&'a self, who: &'a Who, task: Uuid) -> BoxFuture<'a, Result<Vec<PushTarget>, RosterError>> {
        let store = &self.shared.journal.store;
        Box::pin(
            async move { store.targets.targets(Some((&who.owner, task))).await.map_err(|error| store_failed(&error)) },
        )
    }

    fn remove<'a>(&'a self, who: &'a Who, task: Uuid, id: &'a str) -> BoxFuture<'a, Result<bool, RosterError>> {
        let store = &self.shared.journal.store;
        Box::pin(async move {
            store.targets.remove_target(&who.owner, task, id).await.map_err(|error| store_failed(&error))
        })
    }

    fn all(&self) -> BoxFuture<'_, Result<Vec<PushTarget>, RosterError>> {
        Box::pin(
            async move { self.shared.journal.store.targets.targets(None).await.map_err(|error| store_failed(&error)) },
        )
    }

    fn delivered<'a>(
        &'a self,
        owner: &'a Owner,
        task: Uuid,
        id: &'a str,
        cursor: Seq,
    ) -> BoxFuture<'a, Result<bool, RosterError>> {
        let store = &self.shared.journal.store;
        Box::pin(async move {
            store.targets.move_target(owner, task, id, cursor).await.map_err(|error| store_failed(&error))
        })
    }
}

impl HostShared {
    /// Refuse a command that only the runner knows to be impossible, before the session sees it.
    pub(crate) fn check(&self, session: SessionId, command: &Command) -> Result<(), SendError> {
        let setting = match command {
            Command::Message { parts, .. } => return parts.iter().try_for_each(|part| self.check(session, part)),
            Command::Set { setting } => setting,
            _ => return Ok(()),
        };
        let refused = match setting {
            SessionSetting::Model(model) => {
                let unknown = |why| Refusal::UnknownModel { model: model.clone(), why };
                self.runner.has_model(session, model).map_err(unknown)
            }
            SessionSetting::EditsAsk => Ok(()),
            SessionSetting::Mode(mode) => self.runner.permits(*mode).map_err(|why| Refusal::ModeForbidden { why }),
            SessionSetting::WithoutGrant(_) => Ok(()),
        };
        refused.map_err(SendError::Refused)
    }

    /// The mailbox of the session's actor, which is started if there is none.
    pub(crate) fn mailbox(self: &Arc<Self>, session: SessionId) -> mpsc::Sender<MailboxItem> {
        let running = self.actors.lock().get(&session).cloned();
        running.filter(|mailbox| !mailbox.is_closed()).unwrap_or_else(|| self.start(session, ActorStart::Load))
    }

    /// Start the session's actor, unless one is running by now.
    pub(crate) fn start(self: &Arc<Self>, session: SessionId, start: ActorStart) -> mpsc::Sender<MailboxItem> {
        let mut actors = self.actors.lock();
        if let Some(running) = actors.get(&session).filter(|mailbox| !mailbox.is_closed()) {
            return running.clone();
        }
        let (mailbox, mail) = mpsc::channel(MAILBOX);
        actors.insert(session, mailbox.clone());
        self.tasks.spawn(actor::run(self.clone(), session, start, mailbox.clone(), mail));
        mailbox
    }

    /// Take an idle actor off the list; `false` when mail has come for it after all.
    pub(crate) fn retire(&self, session: SessionId, mail: &mpsc::Receiver<MailboxItem>) -> bool {
        let mut actors = self.actors.lock();
        let idle = mail.is_empty();
        if idle {
            actors.remove(&session);
        }
        idle
    }

    /// The time that an idle actor stays.
    pub(crate) fn idle_after(&self) -> Duration {
        actor::patience(self.actors.lock().len())
    }
}

pub(crate) fn store_failed(error: &StoreError) -> RosterError {
    RosterError::Store(error.to_string())
}

/// A key pays for prompts; a tool server widens what the session can reach.
pub(crate) fn may_lend(who: &Who, lent: &ClientCredentials) -> Result<(), String> {
    let right = if lent.servers.is_empty() { Right::Prompt } else { Right::Approve };
    if who.rights.allow(right) { Ok(()) } else { Err(Refusal::NotAllowed { right }.to_string()) }
}

/// Only the opening tells a later process who pays, so that the operator does not.
pub(crate) fn check_payer(opened: Option<&SessionOpened>, lent: &ClientCredentials) -> Result<(), String> {
    if lent.api_key.is_none() || opened.is_some_and(|opened| opened.overrides.lent) {
        return Ok(());
    }
    Err("this session was opened without anything lent, so it cannot be lent an API key; open a new task with it"
        .into())
}

/// The entry with which a session was opened.
async fn read_opened(seat: &dyn Seat) -> Result<Option<SessionOpened>, String> {
    let first = seat.read(Seq::START, 1).await.map_err(|error| error.to_string())?;
    Ok(first
        .iter()
        .find_map(|entry| if let Event::Opened(opened) = &entry.event { Some(opened.clone()) } else { None }))
}
