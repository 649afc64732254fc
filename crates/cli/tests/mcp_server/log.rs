//! The logs that the server left.

use anyhow::Result;
use pollux_session::{CallOutcome, Entry, Event, Seq, SessionId};
use pollux_store::{SessionDir, SessionStore, kept_sessions};
use pollux_testkit::program::TestHome;
use std::path::PathBuf;
use std::sync::Arc;

fn state(home: &TestHome) -> PathBuf {
    home.path("state").join("pollux")
}

/// Every session that is kept, newest first.
pub(crate) fn sessions(home: &TestHome) -> Result<Vec<SessionId>> {
    Ok(kept_sessions(&state(home))?.into_iter().map(|session| session.place.id).collect())
}

/// The whole log of a session.
pub(crate) async fn entries(home: &TestHome, session: SessionId) -> Result<Vec<Arc<Entry>>> {
    let store = SessionStore::open(&SessionDir::at(&state(home), session).dir.log())?;
    Ok(store.log.read(session, Seq::START, 10_000).await?)
}

/// The ends of the calls of the one session, oldest end first.
pub(crate) async fn ends(home: &TestHome) -> Result<Vec<CallOutcome>> {
    let kept = sessions(home)?;
    assert_eq!(kept.len(), 1, "one connection is one session");
    let ends = entries(home, kept[0]).await?.into_iter().filter_map(|entry| match &entry.event {
        Event::CallEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    });
    Ok(ends.collect())
}
