use super::*;
use pollux_session::{ContextId, Owner, Seq, SessionId, SessionSummary};
use pollux_store::{DataDir, LockHolder, StoreError};
use pretty_assertions::assert_eq;
use std::path::Path;
use uuid::Uuid;

const HOUR: u64 = 3_600_000;

fn disk_session(keeper: SessionDatabaseKind, title: &str, changed: u64) -> DiskSession {
    let id = SessionId(Uuid::from_u128(7));
    let summary = SessionSummary {
        id,
        owner: Owner("local".into()),
        context: ContextId::new("c").unwrap(),
        workspace: "/ws".into(),
        title: title.into(),
        opened: UnixMillis(0),
        changed: UnixMillis(changed),
        head: Seq(3),
    };
    DiskSession {
        id: Some(id),
        database: keeper,
        dir: DataDir::at(Path::new("/data")),
        summary: Ok(summary),
        holder: Ok(None),
    }
}

#[test]
fn a_line_says_which_when_where_and_what() {
    let id = SessionId(Uuid::from_u128(7));
    let now = UnixMillis(100 * HOUR);
    let told = |session: &DiskSession| format_line(session, true, now);
    assert_eq!(
        told(&disk_session(SessionDatabaseKind::Terminal, "fix it", 97 * HOUR)),
        format!("{id}     3 h ago  /ws  fix it")
    );
    let evil = disk_session(SessionDatabaseKind::Server, "a\u{1b}[2J\nb\u{9b}c\u{202e}d", 100 * HOUR);
    let shown = "a␛[2J⏎b⟨U+009B⟩c⟨U+202E⟩d";
    assert_eq!(told(&evil), format!("{id}    just now  /ws  {shown}  (of pollux serve)"));
    let holder = LockHolder { pid: 42, port: Some(4711), workspace: "/ws".into(), since: UnixMillis(0) };
    let running = DiskSession { holder: Ok(Some(holder)), ..disk_session(SessionDatabaseKind::Terminal, "", 0) };
    assert_eq!(told(&running), format!("{id}  4 days ago  /ws  (nothing said yet)  [running: pid 42 on port 4711]"));
    let broken = DiskSession {
        id: None,
        summary: Err(StoreError::Foreign("log.db".into())),
        ..disk_session(SessionDatabaseKind::Server, "", 0)
    };
    assert!(told(&broken).starts_with("/data/log.db  cannot be read: "), "{}", told(&broken));
    let dir = DataDir::at(Path::new("/da\u{202e}ta"));
    let elsewhere = DiskSession { dir, summary: Err(StoreError::Foreign("\u{1b}c".into())), ..broken };
    assert!(!told(&elsewhere).contains(['\u{202e}', '\u{1b}']), "{}", told(&elsewhere));
}

#[test]
fn a_folder_lists_its_own_sessions_and_counts_the_others() {
    let id = SessionId(Uuid::from_u128(7));
    let one = disk_session(SessionDatabaseKind::Terminal, "fix it", 0);
    let broken = DiskSession { summary: Err(StoreError::Foreign("log.db".into())), ..one };
    let sessions = [disk_session(SessionDatabaseKind::Terminal, "fix it", 0), broken];
    let list = |here: Option<&str>| format_list(&sessions, here, UnixMillis(0));
    let unreadable = list(None)[1].clone();
    assert_eq!(list(None), [format!("{id}    just now  /ws  fix it"), unreadable.clone()]);
    assert_eq!(list(Some("/ws")), [format!("{id}    just now  fix it"), unreadable.clone()]);
    assert_eq!(
        list(Some("/")),
        [unreadable, "1 session in other folders: `pollux sessions --all`".to_owned()],
        "what cannot be read may belong here"
    );
    let nothing = |sessions: &[DiskSession]| format_list(sessions, Some("/"), UnixMillis(0));
    assert_eq!(nothing(&[]), ["no sessions yet; `pollux` starts one"]);
    let elsewhere = "no sessions in this folder; 1 session in other folders: `pollux sessions --all`";
    assert_eq!(nothing(&sessions[..1]), [elsewhere]);
}
