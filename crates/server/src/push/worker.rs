//! One target's deliverer: reads the task's log from the target's own cursor and tells the receiver what is news, in
//! order, each until it is taken.

use super::delivery_slots::DeliverySlots;
use super::notification::{NotificationCollector, PushNotification};
use super::sender::{DeliveryOutcome, PushSender};
use super::target::{PushDestination, PushTargetKey};
use super::{ORIGIN, PushRetryPolicy};
use crate::client_profile::ClientProfile;
use crate::cursor;
use crate::dialect::Dialect;
use crate::errors::RequestError;
use crate::feed::{AskReader, SessionFeeds};
use crate::session_access::{SessionAccess, TaskHandle};
use crate::task_snapshot::{self, HistoryLength};
use crate::version::A2aVersion;
use pollux_session::{PushTarget, PushTargets, Seq, TaskStatus};
use pollux_wire::a2a::Artifact;
use pollux_wire::jsonrpc;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// The number of times that a body is offered that its receiver says it cannot take.
const UNWANTED_ATTEMPTS: u32 = 3;

/// The time for which a task that rests is still followed.
const LINGER: Duration = Duration::from_secs(30);

/// The state that every worker shares.
pub(super) struct DeliveryContext {
    pub(super) targets: Arc<dyn PushTargets>,
    pub(super) sessions: SessionAccess,
    pub(super) feeds: Arc<SessionFeeds>,
    pub(super) sender: PushSender,
    pub(super) slots: DeliverySlots,
    pub(super) retry: PushRetryPolicy,
}

/// One target's deliverer.
pub(super) struct DeliveryWorker {
    context: Arc<DeliveryContext>,
    key: PushTargetKey,
    destination: PushDestination,
    /// The receiver, as a reader of asks.
    reader: AskReader,
    /// The newest entry that was told, or was no news.
    cursor: Seq,
}

/// Why a worker has nothing more to do.
enum WorkerEnd {
    /// The task takes no more messages and all of it has been told.
    Closed,
    /// There was nothing to tell: the task was closed before the target was set. The target stays until it is deleted.
    Idle,
    /// The receiver is not there any more and said so.
    Gone,
    /// The receiver failed for too long.
    GivenUp(String),
    /// The target, or its task, is not known any more.
    Forgotten,
    /// The log could not be read.
    Unreadable(RequestError),
}

impl From<RequestError> for WorkerEnd {
    fn from(fault: RequestError) -> WorkerEnd {
        if fault.code == jsonrpc::TASK_NOT_FOUND { WorkerEnd::Forgotten } else { WorkerEnd::Unreadable(fault) }
    }
}

impl DeliveryWorker {
    /// The deliverer of `target`.
    pub(super) fn new(context: Arc<DeliveryContext>, target: &PushTarget) -> Result<DeliveryWorker, RequestError> {
        let destination = PushDestination::read(&target.form)?;
        let reader = context.feeds.new_reader();
        Ok(DeliveryWorker { context, key: PushTargetKey::new(target), destination, reader, cursor: target.cursor })
    }

    /// Deliver until there is nothing more to deliver.
    pub(super) async fn run(mut self) {
        let mut failures = 0;
        loop {
            let task = self.key.task;
            match self.deliver_all().await {
                WorkerEnd::Closed => return self.delete_target().await,
                WorkerEnd::Gone => {
                    tracing::info!("{ORIGIN} the receiver of task {task}'s news is gone, so its target is removed");
                    return self.delete_target().await;
                }
                WorkerEnd::GivenUp(why) => {
                    tracing::warn!(
                        "{ORIGIN} gave up pushing task {task}'s news: {why}; its target is removed, set it again to go on"
                    );
                    return self.delete_target().await;
                }
                WorkerEnd::Idle | WorkerEnd::Forgotten => return,
                WorkerEnd::Unreadable(fault) => {
                    failures += 1;
                    tracing::warn!("{ORIGIN} pushing task {task}'s news waits: {fault}");
                    sleep(self.context.retry.wait(failures, None, random_jitter())).await;
                }
            }
        }
    }

    async fn deliver_all(&mut self) -> WorkerEnd {
        match self.follow().await {
            Ok(end) | Err(end) => end,
        }
    }

    /// Tell what is news after the cursor, until the task is closed.
    async fn follow(&mut self) -> Result<WorkerEnd, WorkerEnd> {
        let handle = self.context.sessions.find(&self.key.who(), &self.key.task.to_string()).await?;
        {
            // Many targets are taken up at once after a restart; their logs are not read all at once.
            let _slot = self.context.slots.take(&self.key.owner).await;
            let wire_state = self.context.feeds.newest_state(&*handle.seat).await.map_err(RequestError::from)?;
            if self.cursor >= wire_state.state.head && matches!(wire_state.status(handle.scope), TaskStatus::Closed(_))
            {
                return Ok(WorkerEnd::Idle);
            }
        }
        let ClientProfile { version, extension } = self.destination.audience;
        let dialect = Dialect::Rfc(version.into(), extension);
        loop {
            // A task that rests for long is not followed: waiting for its session to change costs less than a tail.
            handle.seat.changed(self.cursor).await.map_err(RequestError::from)?;
            let mut watch = self.context.feeds.watch(&handle.seat, handle.scope, dialect, self.cursor);
            watch.show_asks_to(self.reader, self.destination.set_by.clone());
            let mut collector = NotificationCollector::new(self.destination.audience);
            let mut idle = false;
            loop {
                let shown = match timeout(if idle { LINGER } else { Duration::MAX }, watch.next()).await {
                    Ok(shown) => shown.map_err(RequestError::from)?,
                    Err(_) => break,
                };
                for news in collector.take(&shown) {
                    self.deliver(&handle, &news).await?;
                }
                if shown.standing.closed {
                    return Ok(WorkerEnd::Closed);
                }
                if collector.is_empty() {
                    self.cursor = shown.seq();
                }
                idle = shown.standing.quiet && collector.is_empty();
            }
        }
    }

    /// Tell the receiver one piece of news, as often as it takes, and write down that it was told.
    async fn deliver(&mut self, handle: &TaskHandle, news: &PushNotification) -> Result<(), WorkerEnd> {
        let artifacts = self.artifacts(handle, news).await?;
        let body = news.body(self.destination.audience.version, &artifacts);
        let id = format!("{}-{}", cursor::write(handle.seat.incarnation(), news.seq), news.number);
        let (began, mut failures) = (Instant::now(), 0);
        loop {
            let slot = self.context.slots.take(&self.key.owner).await;
            let outcome = self.context.sender.send(&self.destination, &id, body.clone()).await;
            drop(slot);
            failures += 1;
            let (why, wait) = match outcome {
                DeliveryOutcome::Delivered => break,
                DeliveryOutcome::Gone => return Err(WorkerEnd::Gone),
                DeliveryOutcome::Unwanted(why) if failures >= UNWANTED_ATTEMPTS => {
                    tracing::warn!("{ORIGIN} passed over news of task {} for a receiver: {why}", self.key.task);
                    break;
                }
                DeliveryOutcome::Unwanted(why) => (why, None),
                DeliveryOutcome::Failed { why, wait } => (why, wait),
            };
            let retry = &self.context.retry;
            if failures >= retry.attempts || began.elapsed() >= retry.give_up_after {
                return Err(WorkerEnd::GivenUp(why));
            }
            sleep(retry.wait(failures, wait, random_jitter())).await;
        }
        if news.complete { self.save_cursor(news.seq).await } else { Ok(()) }
    }

    /// The artifacts of the task, for a receiver that is told the task itself.
    async fn artifacts(&self, handle: &TaskHandle, news: &PushNotification) -> Result<Vec<Artifact>, WorkerEnd> {
        if !news.at_rest || self.destination.audience.version == A2aVersion::V10 {
            return Ok(Vec::new());
        }
        let audience = self.destination.audience;
        let task = task_snapshot::whole_task(&self.context.feeds, handle, HistoryLength::Newest(0), audience).await?;
        Ok(task.artifacts)
    }

    /// Write down how far the receiver has been told. If that fails it is told again after a restart, which is allowed.
    async fn save_cursor(&mut self, seq: Seq) -> Result<(), WorkerEnd> {
        self.cursor = seq;
        let PushTargetKey { owner, task, id } = &self.key;
        match self.context.targets.delivered(owner, *task, id, seq).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(WorkerEnd::Forgotten),
            Err(error) => {
                tracing::warn!("{ORIGIN} how far task {task}'s news was pushed is not kept: {error}");
                Ok(())
            }
        }
    }

    async fn delete_target(&self) {
        if let Err(error) = self.context.targets.remove(&self.key.who(), self.key.task, &self.key.id).await {
            tracing::warn!("{ORIGIN} a target of task {} could not be removed: {error}", self.key.task);
        }
    }
}

/// A random byte; without randomness all wait equally long.
fn random_jitter() -> u8 {
    let mut byte = [u8::MAX];
    // A failure leaves the byte as it is.
    let _ = getrandom::fill(&mut byte);
    byte[0]
}
