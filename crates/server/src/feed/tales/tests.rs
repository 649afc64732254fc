//! What is folded again, and what is let go.

use super::{KEPT_BYTES, Tales};
use crate::feed::Feeds;
use pollux_session::{
    At, By, Command, CommandId, Context, Entry, Event, Notice, Notices, Opened, Overrides, Owner, Pending, ReadError,
    Receipt, Refusal, Rights, Seat, SendError, Seq, SessionId, TaskKind, Who,
};
use pretty_assertions::assert_eq;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A log that notes where it is read from.
struct Log {
    session: SessionId,
    who: Who,
    entries: Mutex<Vec<Arc<Entry>>>,
    reads: Mutex<Vec<Seq>>,
}

struct Silence;

impl Notices for Silence {
    fn next(&mut self) -> Pending<'_, Option<Notice>> {
        Box::pin(async { None })
    }
}

impl Log {
    fn new() -> Log {
        let session = SessionId(Uuid::now_v7());
        let owner = Owner("me".into());
        let opened = Opened {
            main_task: session.main_task(),
            owner: owner.clone(),
            context: Context::new("ctx").expect("a label"),
            workspace: "/".into(),
            overrides: Overrides::default(),
            release: "test".into(),
            edge: serde_json::Value::Null,
        };
        let who = Who { owner, principal: "local".into(), label: "test".into(), rights: Rights::all() };
        let log = Log { session, who, entries: Mutex::default(), reads: Mutex::default() };
        log.add(Event::Opened(opened));
        log
    }

    fn add(&self, event: Event) {
        let mut entries = self.entries.lock().expect("nothing panics here");
        let seq = Seq(entries.len() as u64 + 1);
        entries.push(Arc::new(Entry { seq, at: At(0), by: By::Agent, task: None, event }));
    }

    fn prompt(&self, text: &str) {
        let fingerprint = pollux_session::Fingerprint::of(&CommandId(text.len().to_string()), &Command::Release);
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
        std::mem::take(&mut *self.reads.lock().expect("nothing panics here")).into_iter().map(|seq| seq.0).collect()
    }
}

impl Seat for Log {
    fn session(&self) -> SessionId {
        self.session
    }

    fn who(&self) -> &Who {
        &self.who
    }

    fn incarnation(&self) -> u32 {
        1
    }

    fn send(&self, _: CommandId, _: Command) -> Pending<'_, Result<Receipt, SendError>> {
        Box::pin(async { Err(Refusal::NotOwed.into()) })
    }

    fn read(&self, after: Seq, limit: usize) -> Pending<'_, Result<Vec<Arc<Entry>>, ReadError>> {
        Box::pin(async move {
            self.reads.lock().expect("nothing panics here").push(after);
            let entries = self.entries.lock().expect("nothing panics here");
            let from = usize::try_from(after.0).expect("a small number");
            Ok(entries.iter().skip(from).take(limit).cloned().collect())
        })
    }

    fn changed(&self, after: Seq) -> Pending<'_, Result<Seq, ReadError>> {
        Box::pin(async move { Ok(after) })
    }

    fn notices(&self) -> Box<dyn Notices> {
        Box::new(Silence)
    }
}

#[tokio::test]
async fn only_what_is_new_is_folded_again() {
    let (tales, log) = (Tales::default(), Log::new());
    log.prompt("one");
    drop(tales.newest(&log).await.expect("it can be read"));
    assert_eq!(log.reads(), [0, 2]);
    log.prompt("two");
    let tale = tales.newest(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [2, 3]);
    assert_eq!((tale.scene.state.head, tale.transcript.lines().count()), (Seq(3), 2));
}

#[tokio::test]
async fn the_oldest_is_let_go_when_there_is_no_room() {
    let (tales, first, large) = (Tales::default(), Log::new(), Log::new());
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
    let (log, feeds) = (Log::new(), Feeds::default());
    feeds.at_head(&log).await.expect("it can be read");
    log.prompt("one");
    log.reads();
    feeds.glance(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [1, 2]);
    feeds.glance(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [1, 2], "it is as far as before");
    feeds.at_head(&log).await.expect("it can be read");
    feeds.glance(&log).await.expect("it can be read");
    assert_eq!(log.reads(), [1, 2, 2], "now it is at the end");
}
