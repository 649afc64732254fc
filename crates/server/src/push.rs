//! Pushing a task's news to where its clients want it: at least once, in order, from a cursor of each target's own that
//! outlives the process.

mod allowed_hosts;
mod auth_headers;
mod delivery_slots;
mod destination_policy;
mod notification;
mod public_address;
mod retry;
mod sender;
mod settings;
mod target;
mod worker;

pub use allowed_hosts::read_push_host;
pub use settings::{PushRetryPolicy, PushSettings, Resolver};
pub(crate) use target::{stored_form, visible_config, without_secret};

use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::session_access::SessionAccess;
use auth_headers::PushAuthHeaders;
use delivery_slots::DeliverySlots;
use destination_policy::DestinationPolicy;
use parking_lot::{Mutex, MutexGuard};
use pollux_session::{PushTarget, PushTargets, RosterError, Who};
use pollux_wire::a2a::PushNotificationConfig;
use sender::PushSender;
use std::collections::HashMap;
use std::sync::Arc;
use target::PushTargetKey;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;
use worker::{DeliveryContext, DeliveryWorker};

/// The most targets of one task.
const MAX_TARGETS: usize = 10;
/// Where a line of the log comes from.
const ORIGIN: &str = "[A2AService]";

/// Keeps the targets and delivers to them.
pub(crate) struct PushService {
    context: Arc<DeliveryContext>,
    workers: Mutex<HashMap<PushTargetKey, RunningWorker>>,
    /// One change of the targets at a time, so that no worker delivers what was just taken back.
    changes: tokio::sync::Mutex<()>,
    shutdown: CancellationToken,
}

/// A worker at work. It stops when this is dropped.
struct RunningWorker {
    stop: DropGuard,
    done: JoinHandle<()>,
}

impl PushService {
    /// Deliver to the targets that are known, and to those that are added. Needs a runtime to work in.
    pub(crate) fn start(
        settings: PushSettings,
        session_access: SessionAccess,
        feeds: Arc<SessionFeeds>,
        shutdown: CancellationToken,
    ) -> Arc<PushService> {
        let PushSettings { targets, allowed_hosts, retry, resolver } = settings;
        let sender = PushSender::new(DestinationPolicy::new(&allowed_hosts, resolver), &retry);
        let context = Arc::new(DeliveryContext {
            targets,
            sessions: session_access,
            feeds,
            sender,
            slots: DeliverySlots::new(),
            retry,
        });
        let push = Arc::new(PushService {
            context,
            workers: Mutex::default(),
            changes: tokio::sync::Mutex::default(),
            shutdown,
        });
        let weak = Arc::downgrade(&push);
        tokio::spawn(async move {
            if let Some(push) = weak.upgrade() {
                push.resume_undelivered().await;
            }
        });
        push
    }

    /// Where targets are kept.
    pub(crate) fn targets(&self) -> &dyn PushTargets {
        self.context.targets.as_ref()
    }

    /// Check that news may be pushed there.
    pub(crate) async fn check(&self, config: &PushNotificationConfig) -> Result<(), RequestError> {
        config.check().map_err(|flaw| RequestError::invalid_params(flaw.to_string()))?;
        PushAuthHeaders::from_config(config)?;
        self.context.sender.destination_policy().admit(&config.url).await
    }

    /// Check that a task has room for a target of this name.
    pub(crate) async fn has_room(&self, who: &Who, task: Uuid, id: &str) -> Result<(), RequestError> {
        let known = self.targets().of(who, task).await?;
        if known.len() >= MAX_TARGETS && known.iter().all(|target| target.id != id) {
            return Err(RequestError::invalid_params(format!(
                "the task has {MAX_TARGETS} push configurations, which is all it may have; delete one first"
            )));
        }
        Ok(())
    }

    /// Write a target down and begin to deliver to it. One that is known goes on from where it is.
    pub(crate) async fn add(&self, who: &Who, mut target: PushTarget) -> Result<(), RequestError> {
        let _alone = self.changes.lock().await;
        self.has_room(who, target.task, &target.id).await?;
        let key = PushTargetKey::new(&target);
        self.stop(&key).await;
        let known = self.find_target(who, &key).await?;
        if let Some(known) = &known {
            target.cursor = known.cursor;
        }
        match self.targets().put(target.clone()).await {
            Ok(()) => {
                self.start_worker(&target);
                Ok(())
            }
            Err(error) => {
                known.iter().for_each(|known| self.start_worker(known));
                Err(error.into())
            }
        }
    }

    /// Forget a target. When this returns nothing more is sent to it.
    pub(crate) async fn remove(&self, who: &Who, task: Uuid, id: &str) -> Result<bool, RosterError> {
        let _alone = self.changes.lock().await;
        let removed = self.targets().remove(who, task, id).await?;
        self.stop(&PushTargetKey { owner: who.owner.clone(), task, id: id.to_owned() }).await;
        Ok(removed)
    }

    async fn find_target(&self, who: &Who, key: &PushTargetKey) -> Result<Option<PushTarget>, RosterError> {
        Ok(self.targets().of(who, key.task).await?.into_iter().find(|target| target.id == key.id))
    }

    /// Go on with what was not delivered before the process started.
    async fn resume_undelivered(&self) {
        let _alone = self.changes.lock().await;
        let mut failures = 0;
        let targets = loop {
            match self.targets().all().await {
                Ok(targets) => break targets,
                // The process ends before it has read them: the next one takes them up.
                Err(_) if self.shutdown.is_cancelled() => return,
                Err(error) => {
                    failures += 1;
                    tracing::warn!("{ORIGIN} push targets cannot be read: {error}");
                    let wait = self.context.retry.wait(failures, None, u8::MAX);
                    tokio::select! {
                        () = tokio::time::sleep(wait) => {}
                        () = self.shutdown.cancelled() => return,
                    }
                }
            }
        };
        for target in &targets {
            self.start_worker(target);
        }
    }

    fn start_worker(&self, target: &PushTarget) {
        let worker = match DeliveryWorker::new(Arc::clone(&self.context), target) {
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
        workers.insert(PushTargetKey::new(target), RunningWorker { stop: stop.drop_guard(), done });
    }

    /// Stop delivering, and wait until that is so.
    async fn stop(&self, key: &PushTargetKey) {
        let running = self.workers().remove(key);
        if let Some(RunningWorker { stop, done }) = running {
            drop(stop);
            // A worker that panicked delivers nothing either.
            let _ = done.await;
        }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<PushTargetKey, RunningWorker>> {
        self.workers.lock()
    }
}
