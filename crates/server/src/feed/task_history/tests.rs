//! What is folded again, and what is let go.

use super::{KEPT_BYTES, TaskHistoryCache};
use crate::feed::SessionFeeds;
use parking_lot::Mutex;
use pollux_session::{
    BoxFuture, Command, CommandId, CommandReceipt, ContextId, Entry, EntryAuthor, Event, Notice, NoticeFeed, Owner,
    ReadError, Refusal, Rights, Seat, SendError, Seq, SessionId, SessionOpened, SessionOverrides, TaskKind, UnixMillis,
    Who,
};
use pretty_assertions::assert_eq;
use std::sync::Arc;
use uuid::Uuid;

/// A log that notes where it is read from.
struct RecordingSeat {
    session: SessionId,
    who: Who,
    entries: Mutex<Vec<Arc<Entry>>>,
    reads: Mutex<Vec<Seq>>,
}

struct SilentNotices;

impl NoticeFeed for SilentNotices {
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>> {
        Box::pin(async { None })
    }
}

impl RecordingSeat {
    fn new() -> RecordingSeat {
        let session = SessionId(Uuid::now_v7());
        let owner = Owner("me".into());
        let opened = SessionOpened {
            main_task: session.main_task(),
            owner: owner.clone(),
            context: ContextId::new("ctx").expect("a label"),
            workspace: "/".into(),
            overrides: SessionOverrides::default(),
            release: "test".into(),
            edge: serde_json::Value::Null,
        };
        let who = Who { owner, principal: "local".into(), label: "test".into(), rights: Rights::all() };
        let log = RecordingSeat { session, who, entries: Mutex::default(), reads: Mutex::default() };
        log.add(Event::Opened(opened));
        log
    }

    fn add(&self, event: Event) {
        let mut entries = self.entries.lock();
        let seq = Seq(entries.len() as u64 + 1);
        entries.push(Arc::new(Entry { seq, at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event }));
    }

    fn prompt(&self, text: &str) {
        let fingerprint = pollux_session::CommandFingerprint::of(&CommandId(text.len().to_string()), &Command::Release);
        let task = self.session.main_task();
        let (kind, text) = (TaskKind::OpenEnded, text.into());
        self.add(Event::Prompted {
            fingerprint,
            task,
            kind,
            text,
            media: vec![],
            piped_len: 0,
            command: None,
            dialect: None,
            parts: vec![],
        });
    }

    fn reads(&self) -> Vec<u64> {
        std::mem::take(&mut *self.reads.lock()).into_iter().map(|seq| seq.0).collect()
    }
}

impl Seat for RecordingSeat {
    fn session(&self) -> SessionId {
        self.session
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        1
    }

    fn send(&self, _: CommandId, _: Command) -> BoxFuture<'_, Result<CommandReceipt, SendError>> {
        Box::pin(async { Err(Refusal::NotOwed.into()) })
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async move {
            self.reads.lock().push(after);
            let entries = self.entries.lock();
            let from = usize::try_from(after.0).expect("a small number");
            Ok(entries.iter().skip(from).take(limit).cloned().collect())
        })
    }

    fn changed(&self, after: Seq) -> BoxFuture<'_, Result<Seq, ReadError>> {
        Box::pin(async move { Ok(after) })
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        Box::new(SilentNotices)
    }
}

#[tokio::test]
async fn only_what_is_new_is_folded_again() {
    let (tales, log) = (TaskHistoryCache::default(), RecordingSeat::new());
    log.prompt("one");
    drop(tales.newest(&log).await.expect("it can be read"));
    assert_eq!(log.reads(), [0, 2]);
    log.prompt("two");
    let task_history = tales.newest(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [2, 3]);
    assert_eq!((task_history.state.state.head, task_history.transcript.lines().count()), (Seq(3), 2));
}

#[tokio::test]
async fn the_oldest_is_let_go_when_there_is_no_room() {
    let (tales, first, large) = (TaskHistoryCache::default(), RecordingSeat::new(), RecordingSeat::new());
    drop(tales.newest(&first).await.expect("it can be read"));
    assert_eq!(first.reads(), [0, 1]);
    large.prompt(&"x".repeat(KEPT_BYTES));
    drop(tales.newest(&large).await.expect("it can be read"));
    drop(tales.newest(&first).await.expect("it can be read"));
    assert_eq!(first.reads(), [0, 1], "it was let go");
    assert_eq!(large.reads(), [0, 2]);
    drop(tales.newest(&large).await.expect("it can be read"));
    assert_eq!(large.reads(), [0, 2], "one that fills the shelf alone is not kept");
}

/// A stream about a message begins at the message's entry: what is kept of the session must not be newer.
#[tokio::test]
async fn a_glance_leaves_what_is_kept_where_it_was() {
    let (log, feeds) = (RecordingSeat::new(), SessionFeeds::default());
    feeds.state_at_head(&log).await.expect("it can be read");
    log.prompt("one");
    log.reads();
    feeds.uncached_state_at_head(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [1, 2]);
    feeds.uncached_state_at_head(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [1, 2], "it is as far as before");
    feeds.state_at_head(&log).await.expect("it can be read");
    feeds.uncached_state_at_head(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [1, 2, 2], "now it is at the end");
}
