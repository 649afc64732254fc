use super::*;
use crate::error::StoreError;
use crate::lock::{DatabaseLock, LockHolder};
use crate::log::{Log, NewSession};
use crate::sqlite::SqliteLog;
use pollux_session::{ContextId, Entry, EntryAuthor, Event, Owner, Seq, SessionSummary, UnixMillis};
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use uuid::Uuid;

fn id(number: u128) -> SessionId {
    SessionId(Uuid::from_u128(number))
}

fn place(state: &Path, number: u128) -> SessionDir {
    let place = SessionDir::at(state, id(number));
    place.dir.create().unwrap();
    place
}

async fn keep(place: &SessionDir, changed: u64) -> SqliteLog {
    let log = SqliteLog::open(&place.dir.log()).unwrap();
    let first =
        Entry { seq: Seq(1), at: UnixMillis(changed), by: EntryAuthor::Agent, task: None, event: Event::Released };
    let session = NewSession {
        id: place.id,
        owner: Owner("ann".into()),
        context: ContextId::new("c").unwrap(),
        workspace: "/ws".into(),
        opened: UnixMillis(1),
        once: None,
        entries: vec![Arc::new(first)],
        marks: vec![],
    };
    log.create(session).await.unwrap();
    log
}

fn summary(number: u128, changed: u64) -> SessionSummary {
    SessionSummary {
        id: id(number),
        owner: Owner("ann".into()),
        context: ContextId::new("c").unwrap(),
        workspace: "/ws".into(),
        title: String::new(),
        opened: UnixMillis(1),
        changed: UnixMillis(changed),
        head: Seq(1),
    }
}

#[test]
fn a_directory_is_for_its_owner_only() {
    let state = tempfile::tempdir().unwrap();
    let place = place(state.path(), 1);
    assert_eq!(place.dir.path(), state.path().join("sessions").join(id(1).to_string()));
    place.dir.create().unwrap();
    drop(SqliteLog::open(&place.dir.log()).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(place.dir.path()), mode(&place.dir.log())), (0o700, 0o600));
}

#[tokio::test]
async fn kept_sessions_are_listed_newest_change_first_in_use_or_not() {
    let state = tempfile::tempdir().unwrap();
    let (old, new) = (place(state.path(), 1), place(state.path(), 2));
    drop(keep(&old, 10).await);
    let _in_use = keep(&new, 20).await;
    let holder = LockHolder { pid: 11, port: Some(80), workspace: "/ws".into(), since: UnixMillis(7) };
    let _lock = DatabaseLock::take(new.dir.path(), &holder).unwrap();

    let kept = kept_sessions(state.path()).unwrap();
    let seen: Vec<_> = kept.into_iter().map(|kept| (kept.place, kept.summary, kept.holder.unwrap())).collect();
    assert_eq!(seen, [(new, Ok(summary(2, 20)), Some(holder)), (old, Ok(summary(1, 10)), None)]);
}

#[tokio::test]
async fn what_cannot_be_read_comes_last_and_what_holds_no_session_is_left_out() {
    let state = tempfile::tempdir().unwrap();
    drop(keep(&place(state.path(), 1), 10).await);
    let later = place(state.path(), 2);
    drop(keep(&later, 20).await);
    rusqlite::Connection::open(later.dir.log()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let torn = place(state.path(), 3);
    fs::write(torn.dir.log(), vec![b'?'; 8192]).unwrap();
    place(state.path(), 4);
    drop(SqliteLog::open(&place(state.path(), 5).dir.log()).unwrap());
    fs::write(place(state.path(), 6).dir.log(), b"").unwrap();
    fs::create_dir(state.path().join("sessions/notes")).unwrap();

    let kept = kept_sessions(state.path()).unwrap();
    assert_eq!(kept[0].summary, Ok(summary(1, 10)));
    let mut unreadable: Vec<_> = kept[1..].iter().map(|kept| (kept.place.id, kept.summary.clone().err())).collect();
    unreadable.sort_by_key(|(id, _)| *id);
    let newer = StoreError::Newer { log: later.dir.log().to_string_lossy().into_owned(), found: 99, known: 7 };
    assert_eq!(unreadable[0], (id(2), Some(newer)));
    assert!(matches!(&unreadable[1], (found, Some(StoreError::NotDatabase(_))) if *found == id(3)), "{unreadable:?}");
    assert_eq!(unreadable.len(), 2);
}

#[test]
fn without_a_state_directory_there_are_no_sessions() {
    let state = tempfile::tempdir().unwrap();
    assert_eq!(kept_sessions(&state.path().join("missing")).unwrap().len(), 0);
}
