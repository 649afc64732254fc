use super::*;
use pollux_session::{ContextId, Owner, Seq, UnixMillis};
use pretty_assertions::assert_eq;
use uuid::Uuid;

#[test]
fn a_name_that_cannot_be_an_id_is_told_apart_from_one_that_is_unknown() {
    let dir = tempfile::tempdir().unwrap();
    let refusal = |name: &str| find_session(dir.path(), name).unwrap_err().to_string();
    let lists = "`pollux sessions --all` lists them";
    assert_eq!(refusal("yesterday"), format!("\"yesterday\" is not a session id; {lists}"));
    let short = format!("\"0198c0d\" is too short for a session id: give the first 13 characters; {lists}");
    assert_eq!(refusal("0198c0d"), short);
    assert_eq!(refusal("0198C0DE"), format!("there is no session 0198C0DE; {lists}"));
}

#[test]
fn whoever_finds_a_session_open_is_told_how_to_join_it() {
    let id = SessionId(Uuid::from_u128(7));
    let holder = |port| LockHolder { pid: 42, port, workspace: "/ws".into(), since: UnixMillis(0) };
    assert_eq!(
        explain_held(id, &LockError::Held(holder(Some(4711)))),
        format!(
            "session {id} is open elsewhere, held by pid 42 on port 4711: join it with `pollux attach {id}`, \
             join it at http://127.0.0.1:4711/ (A2A, task {id}) or ws://127.0.0.1:4711/ws, or end it there first"
        )
    );
    assert_eq!(
        explain_held(id, &LockError::Held(holder(None))),
        format!(
            "session {id} is open elsewhere, held by pid 42, which is not shared: end it there first; with /a2a open \
             typed there, or started with --a2a-port, it can be joined while it runs: `pollux attach {id}`"
        )
    );
}

#[test]
fn an_id_that_several_sessions_share_names_them_and_what_they_are_about() {
    let kept = |number: u128| {
        let id = SessionId(Uuid::from_u128(number));
        let title = format!("task {number}");
        let (owner, context) = (Owner("local".into()), ContextId::new("c").unwrap());
        let (workspace, at, head) = ("/ws".into(), UnixMillis(0), Seq(3));
        let summary = SessionSummary { id, owner, context, workspace, title, opened: at, changed: at, head };
        let dir = DataDir::at(Path::new("/data"));
        (
            id,
            DiskSession {
                id: Some(id),
                database: SessionDatabaseKind::Terminal,
                dir,
                summary: Ok(summary),
                holder: Ok(None),
            },
        )
    };
    let shared = "6 sessions begin with 00000000: give more of the id, 13 characters usually tell them apart";
    let mut expected = shared.to_owned();
    for number in 1..=5 {
        expected += &format!("\n  00000000-0000-0000-0000-00000000000{number}  task {number}");
    }
    expected += "\n  and 1 more, which `pollux sessions --all` lists";
    assert_eq!(explain_ambiguous("00000000", &(1..=6).map(kept).collect::<Vec<_>>()), expected);
}

#[test]
fn a_damaged_session_is_named_where_no_other_one_can_be_gone_on_with() {
    let data = tempfile::tempdir().unwrap();
    let none = "there is no earlier session in /ws; start one without --resume or --continue";
    assert_eq!(newest_session(data.path(), "/ws").unwrap_err().to_string(), none);
    let id = SessionId(Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0001));
    let dir = pollux_store::SessionDir::at(data.path(), id).dir;
    dir.create().unwrap();
    std::fs::write(dir.log(), "this is no database, and has been one before it was damaged").unwrap();
    let told = newest_session(data.path(), "/ws").unwrap_err().to_string();
    let begins = format!("no earlier session in /ws can be read: session {id} is damaged (");
    assert!(told.starts_with(&begins) && told.contains(&format!("move {} away", dir.path().display())), "{told}");
}
