//! One target's deliverer: reads the task's log from the target's own cursor and tells the receiver what is news, in
//! order, each until it is taken.

use super::news::{Gathering, News};
use super::post::{Outcome, Post};
use super::slots::Slots;
use super::target::{Destination, Key};
use super::{ORIGIN, Patience};
use crate::audience::Audience;
use crate::cursor;
use crate::dialect::Dialect;
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::rooms::{Place, Rooms};
use crate::snapshot::{self, History};
use crate::version::Version;
use pollux_session::{PushBook, PushTarget, Seq, TaskStatus};
use pollux_wire::a2a::Artifact;
use pollux_wire::jsonrpc;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How often a body is offered that its receiver says it cannot take.
const UNWANTED_ATTEMPTS: u32 = 3;

/// How long a task that rests is still followed.
const LINGER: Duration = Duration::from_secs(30);

/// What every worker works with.
pub(super) struct Works {
    pub(super) book: Arc<dyn PushBook>,
    pub(super) rooms: Rooms,
    pub(super) feeds: Arc<Feeds>,
    pub(super) post: Post,
    pub(super) slots: Slots,
    pub(super) patience: Patience,
}

/// One target's deliverer.
pub(super) struct Worker {
    works: Arc<Works>,
    key: Key,
    destination: Destination,
    /// The newest entry that was told, or was no news.
    cursor: Seq,
}

/// Why a worker has nothing more to do.
enum End {
    /// The task takes no more messages and all of it has been told.
    Closed,
    /// There was nothing to tell: the task was closed before the target was set. The target stays until it is deleted.
    Idle,
    /// The receiver is not there any more and said so.
    Gone,
    /// The receiver failed for too long.
    GivenUp(String),
    /// The target, or its task, is not in the book.
    Forgotten,
    /// The log could not be read.
    Unreadable(Fault),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        if fault.code == jsonrpc::TASK_NOT_FOUND { End::Forgotten } else { End::Unreadable(fault) }
    }
}

impl Worker {
    /// The deliverer of `target`.
    pub(super) fn new(works: Arc<Works>, target: &PushTarget) -> Result<Worker, Fault> {
        let destination = Destination::read(&target.form)?;
        Ok(Worker { works, key: Key::of(target), destination, cursor: target.cursor })
    }

    /// Deliver until there is nothing more to deliver.
    pub(super) async fn run(mut self) {
        let mut failures = 0;
        loop {
            let task = self.key.task;
            match self.deliver_all().await {
                End::Closed => return self.forget().await,
                End::Gone => {
                    tracing::info!("{ORIGIN} the receiver of task {task}'s news is gone, so its target is removed");
                    return self.forget().await;
                }
                End::GivenUp(why) => {
                    tracing::warn!(
                        "{ORIGIN} gave up pushing task {task}'s news: {why}; its target is removed, set it again to go on"
                    );
                    return self.forget().await;
                }
                End::Idle | End::Forgotten => return,
                End::Unreadable(fault) => {
                    failures += 1;
                    tracing::warn!("{ORIGIN} pushing task {task}'s news waits: {fault}");
                    sleep(self.works.patience.wait(failures, None, luck())).await;
                }
            }
        }
    }

    async fn deliver_all(&mut self) -> End {
        match self.follow().await {
            Ok(end) | Err(end) => end,
        }
    }

    /// Tell what is news after the cursor, until the task is closed.
    async fn follow(&mut self) -> Result<End, End> {
        let place = self.works.rooms.find(&self.key.who(), &self.key.task.to_string()).await?;
        {
            // Many targets are taken up at once after a restart; their logs are not read all at once.
            let _slot = self.works.slots.take(&self.key.owner).await;
            let scene = self.works.feeds.at_head(&*place.seat).await.map_err(Fault::from)?;
            if self.cursor >= scene.state.head && matches!(scene.status(place.view), TaskStatus::Closed(_)) {
                return Ok(End::Idle);
            }
        }
        let Audience { version, extension } = self.destination.audience;
        let dialect = Dialect::Rfc(version.into(), extension);
        loop {
            // A task that rests for long is not followed: waiting for its session to change costs less than a tail.
            place.seat.changed(self.cursor).await.map_err(Fault::from)?;
            let mut watch = self.works.feeds.watch(&place.seat, place.view, dialect, self.cursor);
            let mut gathering = Gathering::new(self.destination.audience);
            let mut idle = false;
            loop {
                let shown = match timeout(if idle { LINGER } else { Duration::MAX }, watch.next()).await {
                    Ok(shown) => shown.map_err(Fault::from)?,
                    Err(_) => break,
                };
                for news in gathering.take(&shown) {
                    self.tell(&place, &news).await?;
                }
                if shown.closed {
                    return Ok(End::Closed);
                }
                if gathering.is_empty() {
                    self.cursor = shown.seq;
                }
                idle = shown.quiet && gathering.is_empty();
            }
        }
    }

    /// Tell the receiver one piece of news, as often as it takes, and write down that it was told.
    async fn tell(&mut self, place: &Place, news: &News) -> Result<(), End> {
        let artifacts = self.made(place, news).await?;
        let body = news.body(self.destination.audience.version, &artifacts);
        let id = format!("{}-{}", cursor::write(place.seat.incarnation(), news.seq), news.number);
        let (began, mut failures) = (Instant::now(), 0);
        loop {
            let slot = self.works.slots.take(&self.key.owner).await;
            let outcome = self.works.post.send(&self.destination, &id, body.clone()).await;
            drop(slot);
            failures += 1;
            let (why, wait) = match outcome {
                Outcome::Delivered => break,
                Outcome::Gone => return Err(End::Gone),
                Outcome::Unwanted(why) if failures >= UNWANTED_ATTEMPTS => {
                    tracing::warn!("{ORIGIN} passed over news of task {} for a receiver: {why}", self.key.task);
                    break;
                }
                Outcome::Unwanted(why) => (why, None),
                Outcome::Failed { why, wait } => (why, wait),
            };
            let patience = &self.works.patience;
            if failures >= patience.attempts || began.elapsed() >= patience.give_up_after {
                return Err(End::GivenUp(why));
            }
            sleep(patience.wait(failures, wait, luck())).await;
        }
        if news.complete { self.keep(news.seq).await } else { Ok(()) }
    }

    /// What the task has made, for a receiver that is told the task itself.
    async fn made(&self, place: &Place, news: &News) -> Result<Vec<Artifact>, End> {
        if !news.at_rest || self.destination.audience.version == Version::V10 {
            return Ok(Vec::new());
        }
        let audience = self.destination.audience;
        let task = snapshot::whole(&self.works.feeds, place, History::Newest(0), audience).await?;
        Ok(task.artifacts)
    }

    /// Write down how far the receiver has been told. If that fails it is told again after a restart, which is allowed.
    async fn keep(&mut self, seq: Seq) -> Result<(), End> {
        self.cursor = seq;
        let Key { owner, task, id } = &self.key;
        match self.works.book.delivered(owner, *task, id, seq).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(End::Forgotten),
            Err(error) => {
                tracing::warn!("{ORIGIN} how far task {task}'s news was pushed is not kept: {error}");
                Ok(())
            }
        }
    }

    async fn forget(&self) {
        if let Err(error) = self.works.book.remove(&self.key.who(), self.key.task, &self.key.id).await {
            tracing::warn!("{ORIGIN} a target of task {} could not be removed: {error}", self.key.task);
        }
    }
}

/// A random byte; without randomness all wait equally long.
fn luck() -> u8 {
    let mut byte = [u8::MAX];
    // A failure leaves the byte as it is.
    let _ = getrandom::fill(&mut byte);
    byte[0]
}
