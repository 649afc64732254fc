//! One actor owns a session and is its only writer: it drains its mailbox, decides and applies each input, appends
//! once, and only then replies, wakes and starts work. State may run ahead of the disk; nothing else does.

use crate::busy_sessions::BusyGuard;
use crate::effects::RunningEffects;
use crate::host::{HostShared, check_payer, may_lend};
use crate::runner::NotOwed;
use crate::tail::LogTail;
use pollux_session::{
    CallId, CallOutcome, ClientCredentials, Command, CommandEnvelope, CommandId, CommandReceipt, Effect, Entry, Event,
    Refusal, Report, Seq, SessionId, SessionInput, SessionState, TaskId, TaskMark, Transcript, UnixMillis, take,
};
use pollux_store::{Epoch, StoreError, TaskUpdate};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Where failures of a log are told. Whoever works at such a session has them as an error; an operator reads them here.
pub const LOG_FAILURE: &str = "session_log";
/// How many inputs one commit may hold.
const BATCH: usize = 64;
/// How many entries one read of a loading log takes.
const LOAD_PAGE: usize = 1024;

/// What reaches an actor. In a box, because a mailbox keeps room for many from its first moment on.
pub(crate) type MailboxItem = Box<ActorMessage>;

/// What is in it.
pub(crate) enum ActorMessage {
    Command {
        envelope: CommandEnvelope,
        /// What the session is lent if the command is accepted.
        lent: ClientCredentials,
        reply: oneshot::Sender<Result<CommandReceipt, Refusal>>,
    },
    Report {
        effect: Effect,
        report: Report,
        reply: oneshot::Sender<Result<Vec<Arc<Entry>>, NotOwed>>,
        /// Who is told how the call ends that the report asks for.
        then: Option<oneshot::Sender<CallOutcome>>,
    },
    /// Nobody waits any more for the end of a call that `effect` had made.
    Abandoned { effect: Effect },
    /// The session was lent something: what it is worked on with may be another now.
    Equip { reply: oneshot::Sender<()> },
}

/// How an actor begins.
pub(crate) enum ActorStart {
    /// From the log.
    Load,
    /// With a session this process has just created.
    Fresh { state: Box<SessionState>, transcript: Transcript, epoch: Epoch },
}

struct Actor {
    session: SessionId,
    shared: Arc<HostShared>,
    tail: Arc<LogTail>,
    epoch: Epoch,
    state: SessionState,
    transcript: Transcript,
    effects: RunningEffects,
    /// There while something is under way.
    at_work: Option<BusyGuard>,
    awaited: Awaited,
    /// Where the log knows tasks to stand.
    marked: BTreeMap<TaskId, TaskMark>,
}

/// Calls that were made for other calls, and who waits for their end.
#[derive(Default)]
struct Awaited(HashMap<CallId, oneshot::Sender<CallOutcome>>);

/// Run the actor of `session` until it is idle, fenced or told to stop. Whoever still waits for a reply then sees its
/// channel close, and tries the next actor.
pub(crate) async fn run(
    shared: Arc<HostShared>,
    session: SessionId,
    start: ActorStart,
    mailbox: mpsc::Sender<MailboxItem>,
    mut mail: mpsc::Receiver<MailboxItem>,
) {
    let mut actor = match Actor::begin(shared.clone(), session, start).await {
        Ok(actor) => actor,
        Err(error) => {
            tracing::error!(target: LOG_FAILURE, %session, %error, "session could not be loaded");
            return shared.journal.fail(session, &error);
        }
    };
    actor.tail.mend();
    actor.reconcile(&mailbox);
    loop {
        let first = tokio::select! {
            biased;
            () = actor.shared.stopping.cancelled() => return,
            first = mail.recv() => first,
            (effect, report) = actor.effects.ended_silently() => {
                let (reply, _) = oneshot::channel();
                Some(Box::new(ActorMessage::Report { effect, report, reply, then: None }))
            }
            () = tokio::time::sleep(actor.shared.idle_after()), if actor.effects.is_empty() => {
                if actor.shared.retire(session, &mail) {
                    return;
                }
                continue;
            }
        };
        let Some(first) = first else { return };
        let mut batch = vec![first];
        while batch.len() < BATCH
            && let Ok(more) = mail.try_recv()
        {
            batch.push(more);
        }
        if let Err(error) = actor.take_all(batch).await {
            tracing::error!(target: LOG_FAILURE, %session, %error, "session stopped: its log could not be written");
            return shared.journal.fail(session, &error);
        }
        actor.reconcile(&mailbox);
    }
}

impl Actor {
    async fn begin(shared: Arc<HostShared>, session: SessionId, start: ActorStart) -> Result<Actor, StoreError> {
        let tail = shared.journal.tail(session).await?.ok_or(StoreError::NotFound(session))?;
        let effects = RunningEffects::new(session, shared.runner.clone());
        let (state, transcript, epoch, woken) = match start {
            ActorStart::Fresh { state, transcript, epoch } => (*state, transcript, epoch, Vec::new()),
            ActorStart::Load => {
                let epoch = shared.journal.store.log.claim(session).await?.ok_or(StoreError::NotFound(session))?;
                let (mut state, transcript) = load(&shared, session).await?;
                let wake = SessionInput::Woken(shared.runner.equipment_of(session));
                // Waking is never refused.
                let woken = take(&mut state, &wake, now()).unwrap_or_default();
                (state, transcript, epoch, woken)
            }
        };
        let awaited = Awaited::default();
        let mut actor = Actor {
            session,
            shared,
            tail,
            epoch,
            state,
            transcript,
            effects,
            at_work: None,
            awaited,
            marked: BTreeMap::new(),
        };
        actor.commit(woken.into_iter().map(Arc::new).collect()).await?;
        Ok(actor)
    }

    /// Have exactly that done which is owed.
    fn reconcile(&mut self, mailbox: &mpsc::Sender<MailboxItem>) {
        self.effects.reconcile(&self.state, &self.transcript, mailbox);
        self.at_work = match (self.effects.is_empty(), self.at_work.take()) {
            (true, _) => None,
            (false, None) => Some(self.shared.at_work.begin()),
            (false, same) => same,
        };
    }

    /// Decide and apply everything in `batch`, append once, then reply. Replies wait even for refusals: one may name
    /// an entry of this very batch.
    async fn take_all(&mut self, batch: Vec<MailboxItem>) -> Result<(), StoreError> {
        let mut entries = Vec::new();
        let mut replies: Vec<Box<dyn FnOnce() + Send>> = Vec::new();
        for mail in batch {
            match *mail {
                ActorMessage::Command { envelope, lent, reply } => {
                    let outcome = match self.lend(&envelope, lent) {
                        Ok(equipped) => {
                            entries.extend(equipped.into_iter().map(Arc::new));
                            self.decide(envelope, &mut entries)
                        }
                        Err(refusal) => Err(refusal),
                    };
                    // Whoever asked may be gone by now; what was decided stands.
                    replies.push(Box::new(move || _ = reply.send(outcome)));
                }
                ActorMessage::Report { effect, report, reply, then } => {
                    let outcome =
                        take(&mut self.state, &SessionInput::Report { effect, report }, now()).map_err(|_| NotOwed);
                    let outcome = outcome.map(|caused| {
                        self.awaited.extend(&caused, then);
                        let caused: Vec<Arc<Entry>> = caused.into_iter().map(Arc::new).collect();
                        entries.extend(caused.iter().cloned());
                        caused
                    });
                    // Whoever asked may be gone by now; what was decided stands.
                    replies.push(Box::new(move || _ = reply.send(outcome)));
                }
                ActorMessage::Abandoned { effect } => {
                    for call in self.awaited.abandoned() {
                        let withdrawn = SessionInput::Report { effect, report: Report::Withdrawn { call } };
                        // It may have ended by itself, or with the call that it was made for.
                        let caused = take(&mut self.state, &withdrawn, now()).unwrap_or_default();
                        entries.extend(caused.into_iter().map(Arc::new));
                    }
                }
                ActorMessage::Equip { reply } => {
                    let equipment = self.shared.runner.equipment_of(self.session);
                    // Being equipped is never refused.
                    let equipped = take(&mut self.state, &SessionInput::Equipped(equipment), now());
                    entries.extend(equipped.unwrap_or_default().into_iter().map(Arc::new));
                    replies.push(Box::new(move || _ = reply.send(())));
                }
            }
        }
        let ends = self.awaited.ends(&entries);
        self.commit(entries).await?;
        for reply in replies {
            reply();
        }
        for (waiting, outcome) in ends {
            // Whoever waited may be gone by now; the log has it.
            _ = waiting.send(outcome);
        }
        Ok(())
    }

    fn decide(&mut self, envelope: CommandEnvelope, entries: &mut Vec<Arc<Entry>>) -> Result<CommandReceipt, Refusal> {
        let (id, command) = (envelope.id.clone(), envelope.command.clone());
        let caused = take(&mut self.state, &SessionInput::Command(envelope), now())?;
        let first = caused.first().map(|entry| entry.seq);
        entries.extend(caused.into_iter().map(Arc::new));
        Ok(receipt(&self.state, &id, &command, first))
    }

    /// Take what a command brings, unless the command would be refused: its turn must begin with it. Returns what this changes.
    fn lend(&mut self, envelope: &CommandEnvelope, lent: ClientCredentials) -> Result<Vec<Entry>, Refusal> {
        if lent.is_empty() {
            return Ok(Vec::new());
        }
        let caused = take(&mut self.state.clone(), &SessionInput::Command(envelope.clone()), now())?;
        // A retry changes nothing: what came with its first copy holds.
        if caused.is_empty() {
            return Ok(Vec::new());
        }
        may_lend(&envelope.who, &lent).map_err(|why| Refusal::NotLent { why })?;
        check_payer(self.state.opened.as_ref(), &lent).map_err(|why| Refusal::NotLent { why })?;
        self.shared.runner.entrust(self.session, lent).map_err(|why| Refusal::NotLent { why })?;
        let equipment = self.shared.runner.equipment_of(self.session);
        take(&mut self.state, &SessionInput::Equipped(equipment), now())
    }

    async fn commit(&mut self, entries: Vec<Arc<Entry>>) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        for entry in &entries {
            self.transcript.apply(entry);
        }
        let marks = self.marks(&entries);
        self.shared.journal.append(&self.tail, self.session, self.epoch, entries, marks).await
    }

    /// Where the tasks of `entries` stand now, if the log does not know it yet.
    fn marks(&mut self, entries: &[Arc<Entry>]) -> Vec<TaskUpdate> {
        let known = &mut self.marked;
        marks(&self.state, entries.iter().map(Arc::as_ref))
            .filter(|new| known.insert(new.task, new.mark) != Some(new.mark))
            .collect()
    }
}

/// Where the tasks of `entries` stand now.
pub(crate) fn marks<'a>(
    state: &SessionState,
    entries: impl Iterator<Item = &'a Entry>,
) -> impl Iterator<Item = TaskUpdate> {
    let touched = BTreeSet::from_iter(entries.filter_map(|entry| entry.task.map(|(task, _)| task)));
    touched.into_iter().filter_map(|task| {
        let mark = TaskMark::from(&state.task_status(task)?);
        let kind = state.tasks.get(&task)?.kind;
        Some(TaskUpdate { task, kind, mark })
    })
}

/// The receipt of an accepted command: the one kept for it, else where the log stands.
pub(crate) fn receipt(state: &SessionState, id: &CommandId, command: &Command, first: Option<Seq>) -> CommandReceipt {
    state.receipt_of(id, command).unwrap_or(CommandReceipt::new(first.unwrap_or(state.head), None))
}

impl Awaited {
    /// Somebody waits for the end of the call that `caused` begins with.
    fn extend(&mut self, caused: &[Entry], then: Option<oneshot::Sender<CallOutcome>>) {
        if let (Some(first), Some(then)) = (caused.first(), then) {
            self.0.insert(CallId(first.seq), then);
        }
    }

    /// The calls that nobody waits for any more.
    fn abandoned(&self) -> Vec<CallId> {
        self.0.iter().filter(|(_, waiting)| waiting.is_closed()).map(|(call, _)| *call).collect()
    }

    /// Who is to be told of an end among `entries`. A call that stands for another one inherits whoever waits.
    fn ends(&mut self, entries: &[Arc<Entry>]) -> Vec<(oneshot::Sender<CallOutcome>, CallOutcome)> {
        let mut ends = Vec::new();
        for entry in entries {
            match &entry.event {
                Event::Called { replaces: Some(old), .. } => {
                    if let Some(waiting) = self.0.remove(old) {
                        self.0.insert(CallId(entry.seq), waiting);
                    }
                }
                Event::CallEnded { call, outcome } => {
                    ends.extend(self.0.remove(call).map(|waiting| (waiting, outcome.clone())));
                }
                Event::Opened(_)
                | Event::Equipped(_)
                | Event::Set { .. }
                | Event::Prompted { .. }
                | Event::TaskOpened { .. }
                | Event::Unqueued { .. }
                | Event::Requeued { .. }
                | Event::Released
                | Event::TurnStarted { .. }
                | Event::Commanded { .. }
                | Event::Rewound { .. }
                | Event::Checkpointed(_)
                | Event::Attached { .. }
                | Event::Said { .. }
                | Event::Piece { .. }
                | Event::ItemEnded { .. }
                | Event::Retrying { .. }
                | Event::FellBack { .. }
                | Event::Noted { .. }
                | Event::StepEnded { .. }
                | Event::Called { .. }
                | Event::Allowed { .. }
                | Event::Asked { .. }
                | Event::AskKept { .. }
                | Event::Answered { .. }
                | Event::Kept { .. }
                | Event::CompactWanted
                | Event::Compacted { .. }
                | Event::NotCompacted { .. }
                | Event::Uncompacted
                | Event::CallStarted { .. }
                | Event::Output { .. }
                | Event::Spent { .. }
                | Event::TurnEnded { .. }
                | Event::TaskClosed { .. } => {}
            }
        }
        ends
    }
}

/// The fold of a session's whole log.
async fn load(shared: &HostShared, session: SessionId) -> Result<(SessionState, Transcript), StoreError> {
    let mut state = SessionState::default();
    let mut transcript = Transcript::default();
    loop {
        let page = shared.journal.store.log.read(session, state.head, LOAD_PAGE).await?;
        if page.is_empty() {
            return Ok((state, transcript));
        }
        for entry in page {
            state.apply(&entry);
            transcript.apply(&entry);
        }
    }
}

/// The host's clock.
pub(crate) fn now() -> UnixMillis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    UnixMillis(since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}

/// How long an actor with nothing to do stays, by how many there are. Where many come and go, memory that is used again
/// at once is worth more than a session that may be spoken to again.
pub(crate) fn patience(actors: usize) -> Duration {
    if actors > 512 { Duration::from_millis(10) } else { Duration::from_secs(60) }
}
