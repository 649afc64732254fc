//! A book of targets in memory, which a test can wait for.

use pollux_session::{BoxFuture, Owner, PushTarget, PushTargets, RosterError, Seq, Who};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;
use uuid::Uuid;

pub(crate) struct MemoryPushTargets(watch::Sender<Vec<PushTarget>>);

impl MemoryPushTargets {
    pub(crate) fn new() -> Arc<MemoryPushTargets> {
        Arc::new(MemoryPushTargets(watch::Sender::new(Vec::new())))
    }

    /// The ids and cursors that it holds.
    pub(crate) fn cursors(&self) -> Vec<(String, Seq)> {
        self.0.borrow().iter().map(|target| (target.id.clone(), target.cursor)).collect()
    }

    /// Wait until it holds what `wanted` wants.
    pub(crate) async fn until(&self, wanted: impl Fn(&[PushTarget]) -> bool) {
        let mut targets = self.0.subscribe();
        let reached = targets.wait_for(|targets| wanted(targets));
        let reached = tokio::time::timeout(super::TEST_TIMEOUT, reached).await;
        drop(reached.expect("the book gets there").expect("the book lives"));
    }

    /// Change what is stored of every target, as another release may have written it.
    pub(crate) fn change_forms(&self, change: impl Fn(&mut Value)) {
        self.change(|targets| targets.iter_mut().for_each(|target| change(&mut target.form)));
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<PushTarget>) -> T) -> T {
        let mut changed = None;
        self.0.send_modify(|targets| changed = Some(change(targets)));
        changed.expect("it was changed")
    }
}

fn is(target: &PushTarget, owner: &Owner, task: Uuid, id: &str) -> bool {
    target.owner == *owner && target.task == task && target.id == id
}

impl PushTargets for MemoryPushTargets {
    fn put(&self, target: PushTarget) -> BoxFuture<'_, Result<(), RosterError>> {
        Box::pin(async move {
            self.change(|targets| {
                targets.retain(|known| !is(known, &target.owner, target.task, &target.id));
                targets.push(target);
            });
            Ok(())
        })
    }

    fn of<'a>(&'a self, who: &'a Who, task: Uuid) -> BoxFuture<'a, Result<Vec<PushTarget>, RosterError>> {
        let mine = |target: &&PushTarget| target.owner == who.owner && target.task == task;
        let mut found: Vec<_> = self.0.borrow().iter().filter(mine).cloned().collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Box::pin(async move { Ok(found) })
    }

    fn remove<'a>(&'a self, who: &'a Who, task: Uuid, id: &'a str) -> BoxFuture<'a, Result<bool, RosterError>> {
        Box::pin(async move {
            Ok(self.change(|targets| {
                let before = targets.len();
                targets.retain(|known| !is(known, &who.owner, task, id));
                targets.len() < before
            }))
        })
    }

    fn all(&self) -> BoxFuture<'_, Result<Vec<PushTarget>, RosterError>> {
        Box::pin(async move { Ok(self.0.borrow().clone()) })
    }

    fn delivered<'a>(
        &'a self,
        owner: &'a Owner,
        task: Uuid,
        id: &'a str,
        cursor: Seq,
    ) -> BoxFuture<'a, Result<bool, RosterError>> {
        Box::pin(async move {
            Ok(self.change(|targets| {
                let known = targets.iter_mut().find(|known| is(known, owner, task, id));
                known.map(|known| known.cursor = cursor).is_some()
            }))
        })
    }
}
