//! The roster of a process: opens and finds sessions, and starts an actor when one is spoken to.

use crate::actor::{self, Mail, Start, now};
use crate::board::Board;
use crate::journal::Journal;
use crate::runner::Runner;
use crate::seat::HostSeat;
use pollux_session::{
    By, Command, CommandId, Envelope, Found, Input, Opened, Opening, Overrides, Owner, Pending, PushBook, PushTarget,
    Receipt, Refusal, Roster, RosterError, Seat, SendError, Seq, SessionId, Setting, State, Summary, Target, TaskId,
    TaskPage, TaskQuery, Transcript, Who, take,
};
use pollux_store::{Created, Log, NewSession, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// How much mail may wait at one actor.
const MAILBOX: usize = 256;
/// How many actors a command is offered to. An actor that dies between taking a command and replying leaves it open
/// whether it was recorded; offering it again is safe because a retry is known by its fingerprint.
const DELIVERIES: usize = 3;

/// All sessions of a process. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

/// What every seat and actor of a process shares.
pub(crate) struct Shared {
    pub(crate) journal: Journal,
    pub(crate) runner: Arc<dyn Runner>,
    pub(crate) board: Board,
    pub(crate) stopping: CancellationToken,
    actors: Mutex<HashMap<SessionId, mpsc::Sender<Mail>>>,
    tasks: TaskTracker,
    defaults: Overrides,
    release: String,
}

impl Host {
    /// Host the sessions in `log`, their work done by `runner`. `defaults` hold for new sessions that say nothing else;
    /// `release` is recorded in them.
    pub fn new(log: Arc<dyn Log>, runner: Arc<dyn Runner>, board: Board, defaults: Overrides, release: &str) -> Host {
        let shared = Shared {
            journal: Journal::new(log),
            runner,
            board,
            stopping: CancellationToken::new(),
            actors: Mutex::default(),
            tasks: TaskTracker::new(),
            defaults,
            release: release.to_owned(),
        };
        Host { shared: Arc::new(shared) }
    }

    /// Where notices are pinned up.
    pub fn board(&self) -> &Board {
        &self.shared.board
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

    async fn open_session(&self, who: &Who, opening: Opening) -> Result<Arc<dyn Seat>, RosterError> {
        let workspace = usable_workspace(&opening.workspace)?;
        let id = opening.id;
        let opened = Opened {
            main_task: id.main_task(),
            owner: who.owner.clone(),
            context: opening.context.clone(),
            workspace: workspace.clone(),
            overrides: with_defaults(opening.overrides, &self.shared.defaults),
            release: self.shared.release.clone(),
        };
        let (mut state, first) = State::open(opened, By::from(who), now());
        let opened_at = first.at;
        let mut entries = vec![first];
        // Waking is never refused.
        entries.extend(take(&mut state, &Input::Woken(self.shared.runner.equipment()), now()).unwrap_or_default());
        let transcript = Transcript::fold(&entries);
        let created = self
            .shared
            .journal
            .log
            .create(NewSession {
                id,
                owner: who.owner.clone(),
                context: opening.context,
                workspace,
                opened: opened_at,
                once: opening.once,
                entries: entries.clone(),
            })
            .await
            .map_err(|error| store_failed(&error))?;
        let id = match created {
            Created::Existing(earlier) => earlier,
            Created::New(epoch) => {
                let entries: Vec<_> = entries.into_iter().map(Arc::new).collect();
                let tail = self.shared.journal.begin(id, &entries);
                self.shared.start(id, Start::Fresh { state: Box::new(state), transcript, epoch });
                return Ok(self.sit(id, who, tail));
            }
        };
        self.find_session(id, who).await?.ok_or_else(|| store_failed(&StoreError::NotFound(id)))
    }

    async fn find_session(&self, id: SessionId, who: &Who) -> Result<Option<Arc<dyn Seat>>, RosterError> {
        let tail = self.shared.journal.tail(id).await.map_err(|error| store_failed(&error))?;
        Ok(tail.map(|tail| self.sit(id, who, tail)))
    }

    fn sit(&self, session: SessionId, who: &Who, tail: Arc<crate::tail::Tail>) -> Arc<dyn Seat> {
        Arc::new(HostSeat { session, who: who.clone(), shared: self.shared.clone(), tail })
    }
}

impl Roster for Host {
    fn open<'a>(&'a self, who: &'a Who, opening: Opening) -> Pending<'a, Result<Arc<dyn Seat>, RosterError>> {
        Box::pin(self.open_session(who, opening))
    }

    fn find<'a>(&'a self, who: &'a Who, target: &'a Target) -> Pending<'a, Result<Option<Found>, RosterError>> {
        Box::pin(async move {
            let log = &self.shared.journal.log;
            let located: Option<(SessionId, Option<TaskId>)> = match target {
                Target::Id(id) => log
                    .locate(&who.owner, *id)
                    .await
                    .map_err(|error| store_failed(&error))?
                    .map(|found| (found.session, found.task)),
                Target::Context(context) => log
                    .newest(&who.owner, context)
                    .await
                    .map_err(|error| store_failed(&error))?
                    .map(|session| (session, None)),
            };
            let Some((session, task)) = located else { return Ok(None) };
            Ok(self.find_session(session, who).await?.map(|seat| Found { seat, task }))
        })
    }

    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> Pending<'a, Result<Vec<Summary>, RosterError>> {
        Box::pin(
            async move { self.shared.journal.log.list(&who.owner, limit).await.map_err(|error| store_failed(&error)) },
        )
    }

    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> Pending<'a, Result<TaskPage, RosterError>> {
        let log = &self.shared.journal.log;
        Box::pin(async move { log.tasks(&who.owner, query).await.map_err(|error| store_failed(&error)) })
    }
}

impl PushBook for Host {
    fn put(&self, target: PushTarget) -> Pending<'_, Result<(), RosterError>> {
        Box::pin(async move { self.shared.journal.log.put_target(target).await.map_err(|error| store_failed(&error)) })
    }

    fn of<'a>(&'a self, who: &'a Who, task: Uuid) -> Pending<'a, Result<Vec<PushTarget>, RosterError>> {
        let log = &self.shared.journal.log;
        Box::pin(async move { log.targets(Some((&who.owner, task))).await.map_err(|error| store_failed(&error)) })
    }

    fn remove<'a>(&'a self, who: &'a Who, task: Uuid, id: &'a str) -> Pending<'a, Result<bool, RosterError>> {
        let log = &self.shared.journal.log;
        Box::pin(async move { log.remove_target(&who.owner, task, id).await.map_err(|error| store_failed(&error)) })
    }

    fn all(&self) -> Pending<'_, Result<Vec<PushTarget>, RosterError>> {
        Box::pin(async move { self.shared.journal.log.targets(None).await.map_err(|error| store_failed(&error)) })
    }

    fn delivered<'a>(
        &'a self,
        owner: &'a Owner,
        task: Uuid,
        id: &'a str,
        cursor: Seq,
    ) -> Pending<'a, Result<bool, RosterError>> {
        let log = &self.shared.journal.log;
        Box::pin(async move { log.move_target(owner, task, id, cursor).await.map_err(|error| store_failed(&error)) })
    }
}

impl Shared {
    /// Hand a command to the session's actor, starting one if need be, and wait until it is decided and durable.
    pub(crate) async fn deliver(
        self: &Arc<Self>,
        session: SessionId,
        who: &Who,
        id: CommandId,
        command: Command,
    ) -> Result<Receipt, SendError> {
        if let Command::Set { setting: Setting::Model(model) } = &command {
            let unknown = |why| SendError::Refused(Refusal::UnknownModel { model: model.clone(), why });
            self.runner.has_model(model).map_err(unknown)?;
        }
        let envelope = Envelope { id, who: who.clone(), at: now(), command };
        for _ in 0..DELIVERIES {
            if self.stopping.is_cancelled() {
                return Err(SendError::Lost("pollux is stopping".into()));
            }
            let (reply, answer) = oneshot::channel();
            let mail = Mail::Command { envelope: envelope.clone(), reply };
            if self.mailbox(session).send(mail).await.is_err() {
                continue;
            }
            if let Ok(outcome) = answer.await {
                return outcome.map_err(SendError::Refused);
            }
        }
        Err(SendError::Lost("its log cannot be read or written; see the server's log for why".into()))
    }

    /// The mailbox of the session's actor, which is started if there is none.
    fn mailbox(self: &Arc<Self>, session: SessionId) -> mpsc::Sender<Mail> {
        let running = self.actors.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned();
        running.filter(|mailbox| !mailbox.is_closed()).unwrap_or_else(|| self.start(session, Start::Load))
    }

    /// Start the session's actor, unless one is running by now.
    fn start(self: &Arc<Self>, session: SessionId, start: Start) -> mpsc::Sender<Mail> {
        let mut actors = self.actors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = actors.get(&session).filter(|mailbox| !mailbox.is_closed()) {
            return running.clone();
        }
        let (mailbox, mail) = mpsc::channel(MAILBOX);
        actors.insert(session, mailbox.clone());
        self.tasks.spawn(actor::run(self.clone(), session, start, mailbox.clone(), mail));
        mailbox
    }

    /// Take an idle actor off the list; `false` when mail has come for it after all.
    pub(crate) fn retire(&self, session: SessionId, mail: &mpsc::Receiver<Mail>) -> bool {
        let mut actors = self.actors.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = mail.is_empty();
        if idle {
            actors.remove(&session);
        }
        idle
    }

    /// How long an idle actor stays.
    pub(crate) fn idle_after(&self) -> Duration {
        actor::patience(self.actors.lock().unwrap_or_else(PoisonError::into_inner).len())
    }
}

/// What the opener said, and the process's defaults where they said nothing.
fn with_defaults(said: Overrides, defaults: &Overrides) -> Overrides {
    Overrides { mode: said.mode.or(defaults.mode), model: said.model.or_else(|| defaults.model.clone()) }
}

/// The workspace's canonical path, or why it cannot be used.
fn usable_workspace(path: &str) -> Result<String, RosterError> {
    let refuse = |why: String| Err(RosterError::Workspace(format!("workspace {path:?} cannot be used: {why}")));
    if !std::path::Path::new(path).is_absolute() {
        return refuse("it must be an absolute path".into());
    }
    match std::fs::canonicalize(path) {
        Err(error) => refuse(error.to_string()),
        Ok(real) if !real.is_dir() => refuse("it is not a directory".into()),
        Ok(real) => match real.to_str() {
            Some(real) => Ok(real.to_owned()),
            None => refuse("its name is not valid UTF-8".into()),
        },
    }
}

fn store_failed(error: &StoreError) -> RosterError {
    RosterError::Store(error.to_string())
}
