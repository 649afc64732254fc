//! Pushing a task's news to where its clients want it: at least once, in order, from a cursor of each target's own that
//! outlives the process.

mod address;
mod allowed;
mod news;
mod patience;
mod post;
mod proof;
mod reach;
mod settings;
mod slots;
mod target;
mod worker;

pub use allowed::read_push_host;
pub use settings::{Patience, PushSettings, Resolver};
pub(crate) use target::{form, told_config, without_secret};

use crate::errors::Fault;
use crate::feed::Feeds;
use crate::rooms::Rooms;
use pollux_session::{PushBook, PushTarget, RosterError, Who};
use pollux_wire::a2a::PushNotificationConfig;
use post::Post;
use proof::Proof;
use reach::Reach;
use slots::Slots;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use target::Key;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;
use worker::{Worker, Works};

/// How many targets one task may have.
const MAX_TARGETS: usize = 10;
/// Where a line of the log comes from.
const ORIGIN: &str = "[A2AService]";

/// Keeps the targets and delivers to them.
pub(crate) struct Push {
    works: Arc<Works>,
    workers: Mutex<HashMap<Key, Running>>,
    /// One change of the book at a time, so that no worker delivers what was just taken back.
    changes: tokio::sync::Mutex<()>,
    shutdown: CancellationToken,
}

/// A worker at work. It stops when this is dropped.
struct Running {
    stop: DropGuard,
    done: JoinHandle<()>,
}

impl Push {
    /// Deliver to what the book holds, and to what is added. Needs a runtime to work in.
    pub(crate) fn start(
        settings: PushSettings,
        rooms: Rooms,
        feeds: Arc<Feeds>,
        shutdown: CancellationToken,
    ) -> Arc<Push> {
        let PushSettings { book, allowed_hosts, patience, resolver } = settings;
        let post = Post::new(Reach::new(&allowed_hosts, resolver), &patience);
        let works = Arc::new(Works { book, rooms, feeds, post, slots: Slots::new(), patience });
        let push =
            Arc::new(Push { works, workers: Mutex::default(), changes: tokio::sync::Mutex::default(), shutdown });
        let weak = Arc::downgrade(&push);
        tokio::spawn(async move {
            if let Some(push) = weak.upgrade() {
                push.take_up().await;
            }
        });
        push
    }

    /// The book of targets.
    pub(crate) fn book(&self) -> &dyn PushBook {
        self.works.book.as_ref()
    }

    /// Whether news may be pushed there.
    pub(crate) async fn check(&self, config: &PushNotificationConfig) -> Result<(), Fault> {
        config.check().map_err(|flaw| Fault::params(flaw.to_string()))?;
        Proof::of(config)?;
        self.works.post.reach().admit(&config.url).await
    }

    /// Whether a task has room for a target of this name.
    pub(crate) async fn has_room(&self, who: &Who, task: Uuid, id: &str) -> Result<(), Fault> {
        let known = self.book().of(who, task).await?;
        if known.len() >= MAX_TARGETS && known.iter().all(|target| target.id != id) {
            return Err(Fault::params(format!(
                "the task has {MAX_TARGETS} push configurations, which is all it may have; delete one first"
            )));
        }
        Ok(())
    }

    /// Write a target down and begin to deliver to it. One that is known goes on from where it is.
    pub(crate) async fn add(&self, who: &Who, mut target: PushTarget) -> Result<(), Fault> {
        let _alone = self.changes.lock().await;
        self.has_room(who, target.task, &target.id).await?;
        let key = Key::of(&target);
        self.stop(&key).await;
        let known = self.known(who, &key).await?;
        if let Some(known) = &known {
            target.cursor = known.cursor;
        }
        match self.book().put(target.clone()).await {
            Ok(()) => {
                self.begin(&target);
                Ok(())
            }
            Err(error) => {
                known.iter().for_each(|known| self.begin(known));
                Err(error.into())
            }
        }
    }

    /// Forget a target. When this returns nothing more is sent to it.
    pub(crate) async fn remove(&self, who: &Who, task: Uuid, id: &str) -> Result<bool, RosterError> {
        let _alone = self.changes.lock().await;
        let removed = self.book().remove(who, task, id).await?;
        self.stop(&Key { owner: who.owner.clone(), task, id: id.to_owned() }).await;
        Ok(removed)
    }

    async fn known(&self, who: &Who, key: &Key) -> Result<Option<PushTarget>, RosterError> {
        Ok(self.book().of(who, key.task).await?.into_iter().find(|target| target.id == key.id))
    }

    /// Go on with what was not delivered before the process started.
    async fn take_up(&self) {
        let _alone = self.changes.lock().await;
        let mut failures = 0;
        let targets = loop {
            match self.book().all().await {
                Ok(targets) => break targets,
                // The process ends before it has read them: the next one takes them up.
                Err(_) if self.shutdown.is_cancelled() => return,
                Err(error) => {
                    failures += 1;
                    tracing::warn!("{ORIGIN} push targets cannot be read: {error}");
                    let wait = self.works.patience.wait(failures, None, u8::MAX);
                    tokio::select! {
                        () = tokio::time::sleep(wait) => {}
                        () = self.shutdown.cancelled() => return,
                    }
                }
            }
        };
        for target in &targets {
            self.begin(target);
        }
    }

    fn begin(&self, target: &PushTarget) {
        let worker = match Worker::new(Arc::clone(&self.works), target) {
            Ok(worker) => worker,
            Err(fault) => return tracing::warn!("{ORIGIN} a push target of task {} is left: {fault}", target.task),
        };
        let stop = self.shutdown.child_token();
        let stopped = stop.clone();
        let done = tokio::spawn(async move {
            tokio::select! {
                biased;
                () = stopped.cancelled() => {}
                () = worker.run() => {}
            }
        });
        let mut workers = self.workers();
        workers.retain(|_, running| !running.done.is_finished());
        workers.insert(Key::of(target), Running { stop: stop.drop_guard(), done });
    }

    /// Stop delivering, and wait until that is so.
    async fn stop(&self, key: &Key) {
        let running = self.workers().remove(key);
        if let Some(Running { stop, done }) = running {
            drop(stop);
            // A worker that panicked delivers nothing either.
            let _ = done.await;
        }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<Key, Running>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
