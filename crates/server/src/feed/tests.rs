//! Folds that are shared, read again and let go.

use super::session_cache::{KEPT, KEPT_BYTES};
use super::{FeedWatcher, SessionFeeds};
use crate::client_profile::ToolExtension;
use crate::dialect::{Dialect, EventEncoding};
use crate::message_files::MessageFiles;
use crate::presence::Presence;
use crate::wire_state::TaskScope;
use parking_lot::Mutex;
use pollux_session::{
    BoxFuture, Command, CommandId, CommandReceipt, ContextId, Entry, EntryAuthor, Event, Notice, NoticeFeed, Owner,
    ReadError, Refusal, Rights, Seat, SendError, Seq, SessionId, SessionOpened, SessionOverrides, TaskKind, UnixMillis,
    Who,
};
use pretty_assertions::assert_eq;
use std::sync::Arc;
use tokio::sync::watch;
use uuid::Uuid;

/// A log that notes where it is read from.
struct RecordingSeat {
    session: SessionId,
    who: Who,
    entries: Mutex<Vec<Arc<Entry>>>,
    head: watch::Sender<u64>,
    reads: Mutex<Vec<Seq>>,
    failure: watch::Sender<bool>,
}

struct SilentNotices;

fn new_feeds() -> SessionFeeds {
    SessionFeeds::new(MessageFiles(None), Presence::default(), UnixMillis::default())
}

impl NoticeFeed for SilentNotices {
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>> {
        Box::pin(async { None })
    }
}

impl RecordingSeat {
    fn new() -> Arc<RecordingSeat> {
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
        let log = RecordingSeat {
            session,
            who,
            entries: Mutex::default(),
            head: watch::Sender::new(0),
            reads: Mutex::default(),
            failure: watch::Sender::new(false),
        };
        log.add(Event::Opened(opened));
        Arc::new(log)
    }

    fn add(&self, event: Event) {
        let mut entries = self.entries.lock();
        let seq = Seq(entries.len() as u64 + 1);
        let task = Some((self.session.main_task(), seq.0));
        entries.push(Arc::new(Entry { seq, at: UnixMillis(0), by: EntryAuthor::Agent, task, event }));
        self.head.send_replace(seq.0);
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
        Box::pin(async move {
            let (mut head, mut failure) = (self.head.subscribe(), self.failure.subscribe());
            tokio::select! {
                newest = head.wait_for(|head| *head > after.0) => Ok(Seq(*newest.expect("the log is there"))),
                _ = failure.wait_for(|failed| *failed) => Err(ReadError("the disk is full".into())),
            }
        })
    }

    fn notices(&self) -> Box<dyn NoticeFeed> {
        Box::new(SilentNotices)
    }
}

impl RecordingSeat {
    /// A seat of somebody else at the same log.
    fn shared(self: &Arc<Self>) -> Arc<dyn Seat> {
        Arc::clone(self) as Arc<dyn Seat>
    }
}

const RFC: Dialect = Dialect::Rfc(EventEncoding::Json03, ToolExtension::Declared);

fn watch_main(feeds: &SessionFeeds, log: &Arc<RecordingSeat>, dialect: Dialect, after: u64) -> FeedWatcher {
    feeds.watch(&log.shared(), TaskScope::Task(log.session.main_task()), dialect, Seq(after))
}

/// The number of the next entry, and how many frames it became.
async fn next(watcher: &mut FeedWatcher) -> (u64, usize) {
    let shown = watcher.next().await.expect("it can be read");
    (shown.seq().0, shown.frames.len())
}

#[tokio::test]
async fn only_what_is_new_is_folded_again() {
    let (feeds, log) = (new_feeds(), RecordingSeat::new());
    log.prompt("one");
    drop(feeds.task_history(&*log).await.expect("it can be read"));
    assert_eq!(log.reads(), [0, 2, 0], "the state, its end, and the conversation");
    log.prompt("two");
    let history = feeds.task_history(&*log).await.expect("it can be read");
    assert_eq!(log.reads(), [2, 3, 2]);
    assert_eq!((history.state.state.head, history.transcript().lines().count()), (Seq(3), 2));
    let state = feeds.newest_state(&*log).await.expect("it can be read");
    assert_eq!(log.reads(), [3], "the state is the same one");
    assert!(Arc::ptr_eq(&state, &history.state));
}

#[tokio::test]
async fn a_conversation_is_let_go_when_there_is_no_room_and_the_state_stays() {
    let (feeds, first, large) = (new_feeds(), RecordingSeat::new(), RecordingSeat::new());
    drop(feeds.task_history(&*first).await.expect("it can be read"));
    assert_eq!(first.reads(), [0, 1, 0]);
    large.prompt(&"x".repeat(KEPT_BYTES));
    drop(feeds.task_history(&*large).await.expect("it can be read"));
    assert_eq!(large.reads(), [0, 2, 0]);
    drop(feeds.task_history(&*first).await.expect("it can be read"));
    assert_eq!(first.reads(), [1, 0], "its conversation was let go, not its state");
    drop(feeds.task_history(&*large).await.expect("it can be read"));
    assert_eq!(large.reads(), [2, 0], "a conversation that is too long for all the room is not kept");
}

#[tokio::test]
async fn a_session_is_let_go_when_others_were_asked_about_since() {
    let (feeds, log, watched) = (new_feeds(), RecordingSeat::new(), RecordingSeat::new());
    feeds.newest_state(&*log).await.expect("it can be read");
    let watcher = watch_main(&feeds, &watched, RFC, 1);
    let state = feeds.newest_state(&*watched).await.expect("it can be read");
    for _ in 0..KEPT {
        feeds.newest_state(&*RecordingSeat::new()).await.expect("it can be read");
    }
    log.reads();
    feeds.newest_state(&*log).await.expect("it can be read");
    assert_eq!(log.reads(), [0, 1], "it was let go");
    let same = feeds.newest_state(&*watched).await.expect("it can be read");
    assert!(Arc::ptr_eq(&state, &same), "one that is watched is found all the same");
    drop(watcher);
}

/// A stream about a message begins at the message's entry. What is known of the session may be newer.
#[tokio::test]
async fn a_stream_that_begins_a_little_earlier_reads_nothing_again() {
    let (feeds, log) = (new_feeds(), RecordingSeat::new());
    log.prompt("one");
    log.prompt("two");
    feeds.newest_state(&*log).await.expect("it can be read");
    log.reads();
    let mut watcher = watch_main(&feeds, &log, RFC, 1);
    assert_eq!([next(&mut watcher).await, next(&mut watcher).await], [(2, 1), (3, 1)]);
    assert!(log.reads().iter().all(|after| *after == 3), "only the end of the log was looked at");
    let before = feeds.state_at(&*log, Seq(2)).await.expect("it can be read");
    assert_eq!((before.state.head, before.state.queue.len()), (Seq(2), 1));
}

#[tokio::test]
async fn all_who_watch_share_one_reader_of_the_log() {
    let (feeds, log) = (new_feeds(), RecordingSeat::new());
    let mut watchers = [RFC, RFC, Dialect::Flat].map(|dialect| watch_main(&feeds, &log, dialect, 1));
    log.prompt("one");
    for watcher in &mut watchers {
        assert_eq!(next(watcher).await, (2, 1));
    }
    log.reads();
    log.prompt("two");
    let [first, second, flat] = &mut watchers;
    let shown = first.next().await.expect("it can be read");
    assert!(Arc::ptr_eq(&shown, &second.next().await.expect("it can be read")), "frames are shared");
    assert_eq!(next(flat).await, (3, 1));
    assert_eq!(log.reads(), [2, 3], "what is new, and that there is no more");
}

#[tokio::test]
async fn who_is_far_behind_reads_alone_and_catches_up() {
    let (feeds, log) = (new_feeds(), RecordingSeat::new());
    for number in 0..3000 {
        log.prompt(&number.to_string());
    }
    let mut watcher = watch_main(&feeds, &log, RFC, 1);
    for seq in 2..=3001 {
        assert_eq!(next(&mut watcher).await.0, seq);
    }
    log.prompt("new");
    assert_eq!(next(&mut watcher).await, (3002, 1));
}

#[tokio::test]
async fn a_log_that_fails_ends_those_who_watch_and_can_be_watched_again() {
    let (feeds, log) = (new_feeds(), RecordingSeat::new());
    let mut watcher = watch_main(&feeds, &log, RFC, 1);
    log.failure.send_replace(true);
    assert_eq!(watcher.next().await.expect_err("it failed"), ReadError("the disk is full".into()));
    log.failure.send_replace(false);
    log.prompt("one");
    assert_eq!(next(&mut watch_main(&feeds, &log, RFC, 1)).await, (2, 1));
}

/// Nobody misses an entry, whoever reads the log for the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everybody_sees_everything_whoever_is_first() {
    const PROMPTS: u64 = 400;
    let (feeds, log) = (Arc::new(new_feeds()), RecordingSeat::new());
    let mut readers = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (feeds, log) = (Arc::clone(&feeds), Arc::clone(&log));
        let dialect = [RFC, Dialect::Flat, Dialect::Page, Dialect::Named][number % 4];
        readers.spawn(async move {
            let mut watcher = watch_main(&feeds, &log, dialect, 1);
            for seq in 2..=PROMPTS + 1 {
                assert_eq!(next(&mut watcher).await.0, seq);
                if number % 2 == 0 {
                    assert!(feeds.newest_state(&*log).await.expect("it can be read").state.head.0 >= seq);
                }
                if seq % 50 == number as u64 {
                    let history = feeds.task_history(&*log).await.expect("it can be read");
                    assert_eq!(history.transcript().lines().count() as u64 + 1, history.state.state.head.0);
                }
            }
        });
    }
    for number in 0..PROMPTS {
        log.prompt(&number.to_string());
        tokio::task::yield_now().await;
    }
    while let Some(reader) = readers.join_next().await {
        reader.expect("it saw everything");
    }
}
