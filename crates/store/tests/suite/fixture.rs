//! Small sessions to write and read back.

use pollux_session::{
    ApprovalMode, CommandFingerprint, ContextId, Entry, EntryAuthor, Event, ItemId, ItemKind, Owner, PromptId, Seq,
    SessionId, SessionOpened, SessionOverrides, TaskId, TaskKind, TaskMark, TurnOutcome, UnixMillis,
};
use pollux_store::{CreateOutcome, EntryBatch, Epoch, Log, NewSession, PushTargetStore, TaskIndex, TaskUpdate};
use std::sync::Arc;
use uuid::Uuid;

pub(crate) fn session(number: u128) -> SessionId {
    SessionId(Uuid::from_u128(number))
}

pub(crate) fn task(number: u128) -> TaskId {
    TaskId(Uuid::from_u128(number))
}

pub(crate) fn ann() -> Owner {
    Owner("ann".into())
}

pub(crate) fn bob() -> Owner {
    Owner("bob".into())
}

pub(crate) fn context(label: &str) -> ContextId {
    ContextId::new(label).unwrap()
}

/// Entry `seq`, at time 1000 + `seq`.
pub(crate) fn entry(seq: u64, task: Option<(TaskId, u64)>, event: Event) -> Entry {
    Entry { seq: Seq(seq), at: UnixMillis(1000 + seq), by: EntryAuthor::Agent, task, event }
}

pub(crate) fn piece(seq: u64, text: &str) -> Entry {
    entry(seq, None, Event::Piece { item: ItemId(Seq(2)), offset: 0, text: text.into() })
}

pub(crate) fn said(seq: u64, text: &str) -> Entry {
    entry(seq, None, Event::Said { kind: ItemKind::Text, text: text.into(), response: None })
}

pub(crate) fn released(seq: u64) -> Entry {
    entry(seq, None, Event::Released)
}

pub(crate) fn prompted(seq: u64, task: TaskId, task_seq: u64, text: &str) -> Entry {
    let fingerprint = CommandFingerprint(format!("print {seq}"));
    let (kind, text) = (TaskKind::OpenEnded, text.into());
    let event = Event::Prompted {
        fingerprint,
        task,
        kind,
        text,
        media: vec![],
        piped_len: 0,
        command: None,
        dialect: None,
        parts: vec![],
    };
    entry(seq, Some((task, task_seq)), event)
}

pub(crate) fn turn_started(seq: u64) -> Entry {
    let (prompt, task) = (PromptId(Seq(2)), task(1));
    let event =
        Event::TurnStarted { prompt, task, model: "demo".into(), mode: ApprovalMode::Default, tools: Vec::new() };
    entry(seq, None, event)
}

pub(crate) fn turn_ended(seq: u64) -> Entry {
    entry(seq, None, Event::TurnEnded { outcome: TurnOutcome::Rested })
}

/// Ann's session `number`, labelled `c`, opened at time 1000.
pub(crate) fn opening(number: u128) -> NewSession {
    let id = session(number);
    let opened = SessionOpened {
        main_task: id.main_task(),
        owner: ann(),
        context: context("c"),
        workspace: "/ws".into(),
        overrides: SessionOverrides::default(),
        release: "0.1.0".into(),
        edge: serde_json::Value::Null,
    };
    NewSession {
        id,
        owner: ann(),
        context: context("c"),
        workspace: "/ws".into(),
        opened: UnixMillis(1000),
        once: None,
        entries: vec![Arc::new(entry(1, None, Event::Opened(opened)))],
        marks: vec![],
    }
}

/// The entries with which [`opening`] begins session `number`.
pub(crate) fn first_entries(number: u128) -> Vec<Entry> {
    opening(number).entries.into_iter().map(Arc::unwrap_or_clone).collect()
}

/// All that a backend can do.
pub(crate) trait Backend: Log + TaskIndex + PushTargetStore {}

impl<T: Log + TaskIndex + PushTargetStore> Backend for T {}

/// Create a session that is not there yet.
pub(crate) async fn create(log: &dyn Log, session: NewSession) -> Epoch {
    match log.create(session).await.unwrap() {
        CreateOutcome::New(epoch) => epoch,
        CreateOutcome::Existing(other) => panic!("found session {other} instead of a new one"),
    }
}

pub(crate) fn batch(session: SessionId, epoch: Epoch, entries: impl IntoIterator<Item = Entry>) -> EntryBatch {
    EntryBatch { session, epoch, entries: entries.into_iter().map(Arc::new).collect(), marks: vec![] }
}

/// Session 1, with a completed task for each of `numbers`, all in one commit. None of their ids ends with a zero byte.
pub(crate) async fn with_many_tasks(log: &dyn Log, numbers: impl IntoIterator<Item = u128>) -> Epoch {
    let epoch = create(log, opening(1)).await;
    let tasks: Vec<TaskId> = numbers.into_iter().map(|number| task((number << 8) | 1)).collect();
    let entries = tasks.iter().zip(2..).map(|(task, seq)| prompted(seq, *task, 1, "go"));
    let marks = tasks.iter().map(|task| standing(*task, TaskMark::Completed)).collect();
    log.append(EntryBatch { marks, ..batch(session(1), epoch, entries) }).await.unwrap();
    epoch
}

pub(crate) fn standing(task: TaskId, mark: TaskMark) -> TaskUpdate {
    TaskUpdate { task, kind: TaskKind::Once, mark }
}

/// Everything a session holds.
pub(crate) async fn all(log: &dyn Log, session: SessionId) -> Vec<Entry> {
    let page = log.read(session, Seq::START, 10_000).await.unwrap();
    page.iter().map(|entry| Entry::clone(entry)).collect()
}
