//! A roster in memory, whose sessions a test works through by hand, and a client of the router.

pub(crate) mod client;
pub(crate) mod memory_file_store;
pub(crate) mod script;
pub(crate) mod socket;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use pollux_session::{
    BoxFuture, CheckpointLocation, ClientCredentials, Command, CommandEnvelope, CommandFingerprint, CommandId,
    CommandReceipt, ContextId, Effect, Entry, EntryAuthor, Event, FoundSession, Notice, NoticeFeed, OpenSessionRequest,
    Owner, ReadError, Report, Right, Rights, Roster, RosterError, RuntimeDescription, Seat, SendError, Seq, SessionId,
    SessionInput, SessionLookup, SessionOpened, SessionOverrides, SessionState, SessionSummary, TaskKind, TaskMark,
    TaskPage, TaskQuery, TaskRow, UnixMillis, UnpromptedTasks, Who, WorkspaceCheckpoint, next, take,
};
use std::sync::Arc;
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

/// The moment at which everything happens.
pub(crate) const NOW: UnixMillis = UnixMillis(1_763_164_800_000);
/// The time as the wire writes it.
pub(crate) const NOW_TEXT: &str = "2025-11-15T00:00:00.000Z";
/// Which life of the log the cursors name.
pub(crate) const INCARNATION: u32 = 71;

/// Every session of a test.
#[derive(Default)]
pub(crate) struct TestRoster {
    sessions: Mutex<Vec<Arc<ScriptedSession>>>,
    once: Mutex<Vec<(CommandFingerprint, SessionId)>>,
    /// Credentials that sessions were lent.
    pub(crate) lent: LentCredentials,
    count: watch::Sender<usize>,
}

/// One session, worked through by hand.
pub(crate) struct ScriptedSession {
    pub(crate) id: SessionId,
    owner: Owner,
    inner: Mutex<(SessionState, Vec<Arc<Entry>>)>,
    head: watch::Sender<Seq>,
    notices: broadcast::Sender<Notice>,
}

struct TestSeat {
    session: Arc<ScriptedSession>,
    who: Who,
    lent: LentCredentials,
}

type LentCredentials = Arc<Mutex<Vec<(SessionId, ClientCredentials)>>>;

struct NoticeReceiver(broadcast::Receiver<Notice>);

/// Somebody with all rights.
pub(crate) fn who(name: &str) -> Who {
    Who { owner: Owner("me".into()), principal: "local".into(), label: name.into(), rights: Rights::all() }
}

/// Somebody who may only look.
pub(crate) fn observer() -> Who {
    Who { rights: Rights::of([Right::Observe]), ..who("observer") }
}

impl TestRoster {
    pub(crate) fn new() -> Arc<TestRoster> {
        Arc::default()
    }

    /// Open a session of `me`.
    pub(crate) fn session(&self, context: &str, workspace: &str) -> Arc<ScriptedSession> {
        let label = ContextId::new(context).expect("a label");
        let (id, workspace) = (SessionId(Uuid::now_v7()), workspace.into());
        self.add(
            &who("terminal"),
            OpenSessionRequest {
                id,
                context: label,
                workspace,
                overrides: SessionOverrides::default(),
                once: None,
                edge: serde_json::Value::Null,
            },
        )
    }

    /// The sessions, oldest first.
    pub(crate) fn sessions(&self) -> Vec<Arc<ScriptedSession>> {
        self.sessions.lock().clone()
    }

    /// The first session, once there is one.
    pub(crate) async fn opened(&self) -> Arc<ScriptedSession> {
        let mut count = self.count.subscribe();
        count.wait_for(|count| *count > 0).await.expect("the house stands");
        self.newest()
    }

    /// The third session, once there is one.
    pub(crate) async fn third(&self) -> Arc<ScriptedSession> {
        let mut count = self.count.subscribe();
        count.wait_for(|count| *count > 2).await.expect("the house stands");
        self.newest()
    }

    /// The newest session.
    pub(crate) fn newest(&self) -> Arc<ScriptedSession> {
        self.sessions().pop().expect("a session was opened")
    }

    fn add(&self, who: &Who, opening: OpenSessionRequest) -> Arc<ScriptedSession> {
        let id = opening.id;
        let opened = SessionOpened {
            main_task: id.main_task(),
            owner: who.owner.clone(),
            context: opening.context,
            workspace: opening.workspace,
            overrides: opening.overrides,
            release: "test".into(),
            edge: opening.edge,
        };
        let (mut state, first) = SessionState::open(opened, EntryAuthor::from(who), NOW);
        let equipment = RuntimeDescription {
            model: "script".into(),
            tools: vec!["write_file".into()],
            ..RuntimeDescription::default()
        };
        let woken = take(&mut state, &SessionInput::Woken(equipment), NOW).expect("waking is never refused");
        let log: Vec<_> = std::iter::once(first).chain(woken).map(Arc::new).collect();
        let session = Arc::new(ScriptedSession {
            id,
            owner: who.owner.clone(),
            head: watch::Sender::new(state.head),
            inner: Mutex::new((state, log)),
            notices: broadcast::Sender::new(16),
        });
        self.sessions.lock().push(Arc::clone(&session));
        self.count.send_modify(|count| *count += 1);
        session
    }
}

/// A call by its name within its session, whatever the id on the wire says besides.
pub(crate) fn within_session(call: &str) -> &str {
    call.rfind("-call-").map_or(call, |at| &call[at + 1..])
}

impl ScriptedSession {
    /// The id by which clients know a call of this session.
    pub(crate) fn call_id(&self, call: u64) -> String {
        format!("{}-call-{call}", URL_SAFE_NO_PAD.encode(self.id.0.as_bytes()))
    }

    /// Report what came of the work that is owed and that `pick` chooses.
    pub(crate) fn report(&self, pick: impl Fn(&Effect) -> bool, report: Report) {
        let owed = next(&self.inner.lock().0);
        let effect = owed.into_iter().find(pick).expect("the work is owed");
        self.input(&SessionInput::Report { effect, report }).expect("owed work may be reported");
    }

    /// A command of somebody's.
    pub(crate) fn command(&self, who: &Who, id: &str, command: Command) -> Result<CommandReceipt, SendError> {
        let envelope = CommandEnvelope { id: CommandId(id.into()), who: who.clone(), at: NOW, command };
        let first = self.input(&SessionInput::Command(envelope.clone()))?;
        let state = &self.inner.lock().0;
        let receipt = state.receipt_of(&envelope.id, &envelope.command);
        Ok(receipt.unwrap_or(CommandReceipt::new(first.unwrap_or(state.head), None)))
    }

    /// Say something on the console.
    pub(crate) fn notice(&self, notice: Notice) {
        drop(self.notices.send(notice));
    }

    /// The whole log.
    pub(crate) fn log(&self) -> Vec<Arc<Entry>> {
        self.inner.lock().1.clone()
    }

    /// The newest number.
    pub(crate) fn head(&self) -> Seq {
        *self.head.borrow()
    }

    /// Wait until some work is owed that `pick` chooses.
    pub(crate) async fn owes(&self, pick: impl Fn(&Effect) -> bool) {
        let mut head = self.head.subscribe();
        loop {
            head.borrow_and_update();
            if next(&self.inner.lock().0).iter().any(&pick) {
                return;
            }
            head.changed().await.expect("the session lives");
        }
    }

    /// Wait until the state is as `fits` wants it.
    pub(crate) async fn holds(&self, fits: impl Fn(&SessionState) -> bool) {
        let mut head = self.head.subscribe();
        loop {
            head.borrow_and_update();
            if fits(&self.inner.lock().0) {
                return;
            }
            head.changed().await.expect("the session lives");
        }
    }

    fn input(&self, input: &SessionInput) -> Result<Option<Seq>, SendError> {
        let mut inner = self.inner.lock();
        let (state, log) = &mut *inner;
        let entries = take(state, input, NOW)?;
        let first = entries.first().map(|entry| entry.seq);
        log.extend(entries.into_iter().map(Arc::new));
        self.head.send_replace(state.head);
        Ok(first)
    }
}

/// The name of a tool server that this roster refuses to lend.
pub(crate) const UNLENDABLE: &str = "unlendable";

fn check_lent(lent: &ClientCredentials) -> Result<(), String> {
    let is_bad = lent.servers.contains_key(UNLENDABLE);
    if is_bad { Err("this server cannot be lent".into()) } else { Ok(()) }
}

impl Roster for TestRoster {
    fn open<'a>(
        &'a self,
        who: &'a Who,
        opening: OpenSessionRequest,
    ) -> BoxFuture<'a, Result<Arc<dyn Seat>, RosterError>> {
        Box::pin(async move {
            let known = self.once.lock().iter().find(|(once, _)| Some(once) == opening.once.as_ref()).cloned();
            let once = opening.once.clone();
            let session = match known {
                Some((_, id)) => self.sessions().into_iter().find(|session| session.id == id).expect("it was opened"),
                None => self.add(who, opening),
            };
            self.once.lock().extend(once.map(|once| (once, session.id)));
            Ok(Arc::new(TestSeat { session, who: who.clone(), lent: self.lent.clone() }) as Arc<dyn Seat>)
        })
    }

    fn find<'a>(
        &'a self,
        who: &'a Who,
        target: &'a SessionLookup,
    ) -> BoxFuture<'a, Result<Option<FoundSession>, RosterError>> {
        Box::pin(async move {
            let mine = self.sessions().into_iter().rev().filter(|session| session.owner == who.owner);
            let found = mine.into_iter().find_map(|session| {
                let inner = session.inner.lock();
                let task = match target {
                    SessionLookup::Id(id) if session.id.0 == *id => None,
                    SessionLookup::Id(id) => Some(*inner.0.tasks.keys().find(|task| task.0 == *id)?),
                    SessionLookup::Context(context) => {
                        inner.0.opened.as_ref().filter(|opened| opened.context == *context)?;
                        None
                    }
                };
                drop(inner);
                Some((session, task))
            });
            Ok(found.map(|(session, task)| FoundSession {
                seat: Arc::new(TestSeat { session, who: who.clone(), lent: self.lent.clone() }),
                task,
            }))
        })
    }

    fn check_lent(&self, _: &Who, lent: ClientCredentials) -> Result<(), String> {
        check_lent(&lent)
    }

    fn entrust<'a>(
        &'a self,
        who: &'a Who,
        session: SessionId,
        lent: ClientCredentials,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            self.check_lent(who, lent.clone())?;
            self.lent.lock().push((session, lent));
            Ok(())
        })
    }

    fn list<'a>(&'a self, who: &'a Who, limit: usize) -> BoxFuture<'a, Result<Vec<SessionSummary>, RosterError>> {
        Box::pin(async move {
            let mine = self.sessions().into_iter().rev().filter(|session| session.owner == who.owner);
            let summary = |session: Arc<ScriptedSession>| {
                let state = session.inner.lock().0.clone();
                let opened = state.opened.unwrap();
                let prompted = session.log().iter().find_map(|entry| match &entry.event {
                    Event::Prompted { text, .. } => Some(text.clone()),
                    _ => None,
                });
                SessionSummary {
                    id: session.id,
                    owner: opened.owner,
                    context: opened.context,
                    workspace: opened.workspace,
                    title: prompted.unwrap_or_default(),
                    opened: NOW,
                    changed: NOW,
                    head: state.head,
                }
            };
            Ok(mine.take(limit).map(summary).collect())
        })
    }

    fn checkpoints<'a>(
        &'a self,
        who: &'a Who,
        workspace: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<CheckpointLocation>, RosterError>> {
        Box::pin(async move {
            let mine = self.sessions().into_iter().filter(|session| session.owner == who.owner);
            let mut found: Vec<_> = mine
                .filter(|session| session.inner.lock().0.opened.as_ref().unwrap().workspace == workspace)
                .flat_map(|session| session.log())
                .filter_map(|entry| match (&entry.event, entry.task) {
                    (Event::Checkpointed(WorkspaceCheckpoint { name, saved: Ok(_), .. }), Some((task, _))) => {
                        Some((entry.at, CheckpointLocation { task, name: name.clone() }))
                    }
                    _ => None,
                })
                .collect();
            found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
            Ok(found.into_iter().map(|(_, landmark)| landmark).take(limit).collect())
        })
    }

    /// By the same rules as the store's, newest change first.
    fn tasks<'a>(&'a self, who: &'a Who, query: TaskQuery) -> BoxFuture<'a, Result<TaskPage, RosterError>> {
        Box::pin(async move {
            let mut rows = Vec::new();
            for session in self.sessions().into_iter().filter(|session| session.owner == who.owner) {
                let inner = session.inner.lock();
                let context = inner.0.opened.as_ref().unwrap().context.clone();
                if query.unprompted == UnpromptedTasks::Listed && inner.0.tasks.values().all(|known| known.entries == 0)
                {
                    let (task, kind, mark) = (session.id.main_task(), TaskKind::OpenEnded, TaskMark::Submitted);
                    let (session, context) = (session.id, context.clone());
                    rows.push(TaskRow { task, session, context, kind, mark, since: NOW });
                }
                for (task, known) in inner.0.tasks.iter().filter(|(_, known)| known.entries > 0) {
                    let mark = TaskMark::from(&inner.0.task_status(*task).unwrap());
                    let (task, kind, since) = (*task, known.kind, known.changed);
                    rows.push(TaskRow { task, session: session.id, context: context.clone(), kind, mark, since });
                }
            }
            rows.retain(|row| {
                query.context.as_ref().is_none_or(|context| row.context == *context)
                    && (query.marks.is_empty() || query.marks.contains(&row.mark))
                    && query.since.is_none_or(|since| row.since >= since)
            });
            rows.sort_by_key(|row| std::cmp::Reverse(row.place()));
            let total = rows.len() as u64;
            rows.retain(|row| query.after.is_none_or(|after| row.place() < after));
            let more = rows.len() > query.limit;
            rows.truncate(query.limit);
            let next = rows.last().filter(|_| more).map(TaskRow::place);
            Ok(TaskPage { rows, total, next })
        })
    }
}

impl Seat for TestSeat {
    fn session(&self) -> SessionId {
        self.session.id
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        INCARNATION
    }

    fn send(&self, id: CommandId, command: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async move { self.session.command(&self.who, &id.0, command) })
    }

    fn send_lending(
        &self,
        id: CommandId,
        command: Command,
        lent: ClientCredentials,
    ) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async move {
            check_lent(&lent).map_err(|why| pollux_session::Refusal::NotLent { why })?;
            let receipt = self.session.command(&self.who, &id.0, command)?;
            if !lent.is_empty() {
                self.lent.lock().push((self.session.id, lent));
            }
            Ok(receipt)
        })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async move {
            let inner = self.session.inner.lock();
            Ok(inner.1.iter().skip(usize::try_from(after.0).unwrap()).take(limit).cloned().collect())
        })
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        Box::pin(async move {
            let mut head = self.session.head.subscribe();
            let newest = head.wait_for(|head| *head > after).await.map_err(|error| ReadError(error.to_string()))?;
            Ok(*newest)
        })
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        Box::new(NoticeReceiver(self.session.notices.subscribe()))
    }
}

impl NoticeFeed for NoticeReceiver {
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>> {
        Box::pin(async { self.0.recv().await.ok() })
    }
}
