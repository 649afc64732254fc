//! The log of a session, once nobody writes it any more.

use super::verdict::{RaceChoice, RaceDecision};
use anyhow::{Context as _, Result};
use pollux_session::{EntryAuthor, Event, Grant, Seq, SessionState};
use pollux_store::{SessionStore, kept_sessions};
use pretty_assertions::assert_eq;
use std::path::Path;

/// One answer for each round, as `decided` says, and a grant for each "always" that won: a losing one leaves none.
pub(crate) async fn check(state_dir: &Path, decided: &[RaceDecision]) -> Result<()> {
    let session = kept_sessions(state_dir)?.pop().context("a session")?.place;
    let store = SessionStore::open(&session.dir.log())?;
    let mut state = SessionState::default();
    let mut answered = Vec::new();
    let mut started = 0;
    loop {
        let page = store.log.read(session.id, state.head, 1000).await?;
        if page.is_empty() {
            break;
        }
        for entry in page {
            match (&entry.event, &entry.by) {
                (Event::Answered { choice, .. }, EntryAuthor::Client { label, .. }) => {
                    answered.push(RaceDecision { by: label.clone(), choice: RaceChoice::named(choice)? });
                }
                (Event::CallStarted { .. }, _) => started += 1,
                _ => {}
            }
            state.apply(&entry);
        }
    }
    assert_eq!(answered, decided);
    assert_eq!(started, decided.iter().filter(|decision| decision.choice.runs()).count());
    assert_eq!(state.grants, grants(decided));
    assert_eq!(store.log.head(session.id).await?, Some(state.head).filter(|head| *head > Seq::START));
    Ok(())
}

/// The grants, each with who gave it.
fn grants(decided: &[RaceDecision]) -> Vec<(Grant, EntryAuthor)> {
    let always = decided.iter().enumerate().filter(|(_, decision)| decision.choice == RaceChoice::Always);
    let grant = |(round, decision): (usize, &RaceDecision)| {
        let by = EntryAuthor::Client { principal: "local".into(), label: decision.by.clone() };
        (Grant::Command { command: format!("echo {round} >>ran"), directory: Some(".".into()) }, by)
    };
    always.map(grant).collect()
}
