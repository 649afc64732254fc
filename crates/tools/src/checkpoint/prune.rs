//! Lets go of checkpoints that nobody can name any more, and has git pack the rest.

use super::error::CheckpointError;
use super::index::DRAFT;
use super::shadow_repository::{ShadowRepository, reference};
use pollux_session::SessionId;
use std::collections::HashSet;
use std::fs::{DirEntry, Metadata, read_dir, remove_file};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::timeout;

#[cfg(test)]
mod tests;

/// The time limit of tidying up.
const LIMIT: Duration = Duration::from_secs(10 * 60);
/// Younger files are left alone: somebody may be about to use them.
const YOUNG: Duration = Duration::from_secs(60 * 60);
/// Sessions that made no checkpoint for so long lose theirs: they may be gone, and only their log would know.
const FORGOTTEN: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// When git packs what lies about singly, and how long it keeps what nothing refers to.
const PACKING: [&str; 9] =
    ["-c", "gc.auto=3000", "-c", "gc.autoDetach=false", "-c", "gc.pruneExpire=3.days.ago", "gc", "--auto", "--quiet"];

/// Let go of what `session` kept besides `named`, and of what was kept for sessions long forgotten.
pub(super) async fn prune_checkpoints(shadow: Arc<ShadowRepository>, session: SessionId, named: HashSet<String>) {
    let work = async {
        let old = old_references(&shadow, session, &named, SystemTime::now());
        if !old.is_empty() {
            let wishes = old.iter().flat_map(|name| format!("delete {name}\n").into_bytes()).collect();
            shadow.run(("let go of checkpoints", &["update-ref", "--stdin"]), wishes).await?;
        }
        remove_left_drafts(shadow.directory());
        shadow.run(("tidy up", &PACKING), Vec::new()).await.map(drop)
    };
    let done = timeout(LIMIT, work).await.unwrap_or(Err(CheckpointError::TooSlow(LIMIT)));
    if let Err(error) = done {
        tracing::debug!(%error, "checkpoints were not tidied up; it is tried again later");
    }
}

/// The references that may go.
pub(super) fn old_references(
    shadow: &ShadowRepository,
    session: SessionId,
    named: &HashSet<String>,
    now: SystemTime,
) -> Vec<String> {
    let own = names_in(&shadow.references(session), YOUNG, now).into_iter().filter(|tree| !named.contains(tree));
    let mut old: Vec<String> = own.map(|tree| reference(session, &tree)).collect();
    for other in entries(&shadow.directory().join("refs/checkpoints")) {
        let (all, idle) = (entries(&other.path()), names_in(&other.path(), FORGOTTEN, now));
        let Some(name) = other.file_name().to_str().map(str::to_owned) else { continue };
        if name != session.to_string() && all.len() == idle.len() {
            old.extend(idle.iter().map(|tree| format!("refs/checkpoints/{name}/{tree}")));
        }
    }
    old
}

/// The names of the files in `directory` that are older than `age`.
fn names_in(directory: &Path, age: Duration, now: SystemTime) -> Vec<String> {
    let is_old = |about: &Metadata| about.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|is| is > age));
    let old = entries(directory).into_iter().filter(|entry| entry.metadata().is_ok_and(|about| is_old(&about)));
    old.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Drafts of processes that were killed. Their own time is that of the index they were copied from.
fn remove_left_drafts(directory: &Path) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed();
    for entry in entries(directory) {
        let is_draft = entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT));
        let is_old = entry.metadata().is_ok_and(|about| now - about.ctime() > YOUNG.as_secs().cast_signed());
        if is_draft && is_old {
            // Somebody else may have been quicker.
            let _ = remove_file(entry.path());
        }
    }
}

fn entries(directory: &Path) -> Vec<DirEntry> {
    read_dir(directory).into_iter().flatten().flatten().collect()
}
