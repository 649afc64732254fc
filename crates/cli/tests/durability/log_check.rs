//! The log itself, once nobody writes it any more.

use super::conversation::WatchedConversation;
use anyhow::{Context as _, Result, ensure};
use pollux_session::{CallId, Event, Owner, Seq, SessionState, TaskId, TaskStatus, TurnOutcome};
use pollux_store::{DataDir, SessionStore};
use pretty_assertions::assert_eq;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One session for each conversation; every log whole, at rest, and without a call that started twice.
pub(crate) async fn check(data: &Path, conversations: &[WatchedConversation]) -> Result<()> {
    let store = SessionStore::open(&DataDir::at(data).log())?;
    let sessions = store.index.list(&Owner("local".into()), usize::MAX).await?;
    assert_eq!(sessions.len(), conversations.len(), "a message that was sent again must not begin another session");
    for session in sessions {
        let mut state = SessionState::default();
        let mut tasks: BTreeMap<TaskId, u64> = BTreeMap::new();
        let mut started: BTreeSet<CallId> = BTreeSet::new();
        let mut prompts = 0;
        loop {
            let page = store.log.read(session.id, state.head, 1000).await?;
            if page.is_empty() {
                break;
            }
            for entry in page {
                assert_eq!(entry.seq, state.head.next(), "session {}", session.id);
                if let Some((task, number)) = entry.task {
                    let before = tasks.insert(task, number).unwrap_or(0);
                    assert_eq!(number, before + 1, "task {task}");
                }
                match &entry.event {
                    Event::CallStarted { call } => ensure!(started.insert(*call), "{call} started twice"),
                    Event::Prompted { .. } => prompts += 1,
                    _ => {}
                }
                state.apply(&entry);
            }
        }
        assert_eq!((prompts, state.session_status()), (1, TaskStatus::Resting(TurnOutcome::Rested)));
        ensure!(state.head > Seq::START, "session {} is empty", session.id);
    }
    store
        .index
        .unfinished()
        .await
        .context("the list of unfinished sessions")?
        .is_empty()
        .then_some(())
        .context("all are at rest")
}
