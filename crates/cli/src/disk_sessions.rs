//! The sessions kept on this machine, wherever they lie: a database for each session of a terminal, one for a server.

use crate::session_storage::{resolve_workspace, unreadable};
use crate::settings::UsageError;
use pollux_session::{ConversationStats, Seq, SessionId, SessionSummary};
use pollux_store::{DataDir, DatabaseLock, LockError, LockHolder, SessionStore, StoreError, kept_sessions};
use pollux_tui::one_line;
use std::path::Path;

#[cfg(test)]
mod tests;

/// The fewest characters of an id that are taken for it.
const SHORTEST: usize = 8;
/// The characters of an id that name the millisecond in which its session began, so hardly any other one shares them; the
/// first 8 are the same for a whole minute.
pub(crate) const DISTINCT_ID_CHARS: usize = 13;
/// The most sessions that are named when a short id may mean several.
const NAMED: usize = 5;

/// The sessions of one kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionDatabaseKind {
    /// A terminal, which keeps one.
    Terminal,
    /// `pollux serve`, which keeps many.
    Server,
}

/// A session on disk.
pub(crate) struct DiskSession {
    /// Which; nothing for a server's database that cannot be read.
    pub(crate) id: Option<SessionId>,
    pub(crate) database: SessionDatabaseKind,
    pub(crate) dir: DataDir,
    /// Its summary, or why that cannot be read.
    pub(crate) summary: Result<SessionSummary, StoreError>,
    /// The process that has its database open, or why that is unknown.
    pub(crate) holder: Result<Option<LockHolder>, LockError>,
}

/// A session to go on with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResumableSession {
    pub(crate) id: SessionId,
    pub(crate) dir: DataDir,
    pub(crate) workspace: String,
}

/// Every session that is kept under `data_dir`, newest change first, unreadable ones last.
pub(crate) fn list_sessions(data_dir: &Path) -> anyhow::Result<Vec<DiskSession>> {
    let refuse = |error| UsageError(format!("cannot list the sessions in {}: {error}", data_dir.display()));
    let of_terminals = kept_sessions(data_dir).map_err(refuse)?.into_iter().map(|session| DiskSession {
        id: Some(session.place.id),
        database: SessionDatabaseKind::Terminal,
        dir: session.place.dir,
        summary: session.summary,
        holder: session.holder,
    });
    // A server keeps its sessions here when it was told to, and one below otherwise.
    let of_servers =
        [data_dir.to_owned(), data_dir.join("serve")].into_iter().flat_map(|dir| list_server_sessions(&dir));
    let mut kept: Vec<DiskSession> = of_terminals.chain(of_servers).collect();
    kept.sort_by_key(|kept| std::cmp::Reverse(kept.summary.as_ref().ok().map(|found| (found.changed, found.id))));
    Ok(kept)
}

fn list_server_sessions(dir: &Path) -> Vec<DiskSession> {
    let dir = DataDir::at(dir);
    if !dir.log().exists() {
        return Vec::new();
    }
    let kept = |id, summary| {
        let holder = DatabaseLock::holder(dir.path());
        DiskSession { id, database: SessionDatabaseKind::Server, dir: dir.clone(), summary, holder }
    };
    match SessionStore::peek(&dir.log()) {
        Ok(found) => found.into_iter().map(|summary| kept(Some(summary.id), Ok(summary))).collect(),
        Err(error) => vec![kept(None, Err(error))],
    }
}

/// The session called `name`, to go on with.
pub(crate) fn find_session(data_dir: &Path, name: &str) -> anyhow::Result<ResumableSession> {
    let (id, kept) = find_disk_session(data_dir, name)?;
    let workspace = resolve_workspace(Path::new(&kept.summary.map_err(unreadable)?.workspace))?;
    Ok(ResumableSession { id, dir: kept.dir, workspace })
}

/// The session called `name`, readable or not: its id, or the beginning of it that no other one shares.
pub(crate) fn find_disk_session(data_dir: &Path, name: &str) -> anyhow::Result<(SessionId, DiskSession)> {
    let refuse = |why: String| anyhow::Error::from(UsageError(why));
    let lists = "`pollux sessions --all` lists them";
    let wanted = name.to_ascii_lowercase();
    let whole: Option<SessionId> = wanted.parse().ok();
    if whole.is_none() && !wanted.chars().all(|ch| ch.is_ascii_hexdigit() || ch == '-') {
        return Err(refuse(format!("{name:?} is not a session id; {lists}")));
    }
    if whole.is_none() && wanted.len() < SHORTEST {
        return Err(refuse(format!(
            "{name:?} is too short for a session id: give the first {DISTINCT_ID_CHARS} characters; {lists}"
        )));
    }
    let is_it = |id: SessionId| whole.map_or_else(|| id.to_string().starts_with(&wanted), |whole| whole == id);
    let mut matching: Vec<(SessionId, DiskSession)> = list_sessions(data_dir)?
        .into_iter()
        .filter_map(|kept| Some((kept.id.filter(|id| is_it(*id))?, kept)))
        .collect();
    if matching.len() > 1 {
        return Err(refuse(explain_ambiguous(name, &matching)));
    }
    matching.pop().ok_or_else(|| refuse(format!("there is no session {name}; {lists}")))
}

/// Why `name` is not enough, with the newest of the sessions it may mean and what each is about.
fn explain_ambiguous(name: &str, matching: &[(SessionId, DiskSession)]) -> String {
    let about = |kept: &DiskSession| {
        kept.summary.as_ref().map_or_else(|_| "cannot be read".into(), |found| one_line(&found.title, 60))
    };
    let named = matching.iter().take(NAMED).map(|(id, kept)| format!("\n  {id}  {}", about(kept)));
    let count = matching.len();
    let more = count.checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("\n  and {more} more, which `pollux sessions --all` lists")).unwrap_or_default();
    let advice = format!("give more of the id, {DISTINCT_ID_CHARS} characters usually tell them apart");
    format!("{count} sessions begin with {name}: {advice}{}{more}", named.collect::<String>())
}

/// The newest session a terminal had in `workspace` in which a model was asked: one that was opened and left again, or that
/// answered nothing but commands such as `/help`, is nothing to go on with.
pub(crate) fn newest_session(data_dir: &Path, workspace: &str) -> anyhow::Result<ResumableSession> {
    let (readable, damaged): (Vec<DiskSession>, Vec<DiskSession>) = list_sessions(data_dir)?
        .into_iter()
        .filter(|kept| kept.database == SessionDatabaseKind::Terminal)
        .partition(|kept| kept.summary.is_ok());
    let here = |kept: DiskSession| {
        let is_here =
            kept.summary.as_ref().is_ok_and(|summary| summary.workspace == workspace && !summary.title.is_empty());
        let id = kept.id.filter(|id| is_here && asked_model(&kept.dir, *id))?;
        Some(ResumableSession { id, dir: kept.dir, workspace: workspace.to_owned() })
    };
    let found = readable.into_iter().find_map(here);
    // Ids begin with the time. Where a damaged session was, and so whether it was meant, nobody can tell.
    let newer = damaged.iter().filter(|kept| kept.id > found.as_ref().map(|found| found.id)).max_by_key(|kept| kept.id);
    match (found, newer.and_then(describe_damage)) {
        (Some(found), damage) => {
            if let Some(damage) = damage {
                tracing::warn!("{damage}; going on with session {}, the newest one that can be read", found.id);
            }
            Ok(found)
        }
        (None, Some(damage)) => {
            let way_out = "start without --resume or --continue";
            Err(UsageError(format!("no earlier session in {workspace} can be read: {damage}; {way_out}")).into())
        }
        (None, None) => {
            let way_out = "start one without --resume or --continue";
            Err(UsageError(format!("there is no earlier session in {workspace}; {way_out}")).into())
        }
    }
}

/// Whether a session asked a model, or was about to. One that cannot be read further may have: it is gone on with, and that says
/// what is wrong.
fn asked_model(dir: &DataDir, id: SessionId) -> bool {
    let (mut stats, mut after) = (ConversationStats::default(), Seq::START);
    loop {
        let Ok(entries) = SessionStore::peek_entries(&dir.log(), id, after) else { return true };
        let Some(last) = entries.last() else { return stats.turns > 0 };
        after = last.seq;
        entries.iter().for_each(|entry| stats.apply(entry));
        // A command takes its turn back in the entry after that which began it.
        if stats.turns > 1 || stats.has_model_calls() {
            return true;
        }
    }
}

/// Which session is damaged, how, and what to do about it.
fn describe_damage(kept: &DiskSession) -> Option<String> {
    let (id, error) = (kept.id?, kept.summary.as_ref().err()?);
    Some(format!("session {id} is damaged ({error}); move {} away or put a copy back", kept.dir.path().display()))
}

/// Why a session that is open elsewhere cannot be opened here, and how to join it there.
pub(crate) fn explain_held(id: SessionId, error: &LockError) -> String {
    let LockError::Held(holder) = error else { return error.to_string() };
    let way_out = match holder.port {
        Some(port) => format!(
            "join it with `pollux attach {id}`, join it at http://127.0.0.1:{port}/ (A2A, task {id}) or \
             ws://127.0.0.1:{port}/ws, or end it there first"
        ),
        None => format!(
            "end it there first; with /a2a open typed there, or started with --a2a-port, it can be joined while it runs: \
             `pollux attach {id}`"
        ),
    };
    format!("session {id} is open elsewhere, held by {holder}: {way_out}")
}
