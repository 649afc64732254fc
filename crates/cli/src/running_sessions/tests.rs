use super::*;
use pretty_assertions::assert_eq;
use uuid::Uuid;

fn running(pid: u32, port: Option<u16>, session: Option<u128>) -> SessionProcess {
    let session = session.map(|id| SessionId(Uuid::from_u128(id)));
    SessionProcess { pid, port, session, workspace: "/w".into(), title: String::new(), changed: None, turn: None }
}

fn refusal<T>(result: anyhow::Result<T>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn the_only_session_with_a_port_needs_no_naming() {
    let found = choose_only(vec![running(1, None, Some(7)), running(2, Some(9), Some(8))]).unwrap();
    assert!(matches!(found, ProcessMatch::One(SessionProcess { pid: 2, .. })));
    let found = choose_only(vec![running(1, Some(8), Some(7)), running(2, Some(9), Some(8))]).unwrap();
    assert!(matches!(found, ProcessMatch::Several));
    // A server has many.
    assert!(matches!(choose_only(vec![running(3, Some(9), None)]).unwrap(), ProcessMatch::Several));
}

#[test]
fn several_are_listed_with_what_to_type_and_what_each_is_about() {
    let now = UnixMillis(10 * 60_000);
    let fix = SessionProcess {
        title: "fix the test".into(),
        changed: Some(UnixMillis(3 * 60_000)),
        turn: Some(TaskMark::InputRequired),
        ..running(3, Some(41243), Some(1))
    };
    let busy = SessionProcess { turn: Some(TaskMark::Working), changed: Some(now), ..running(4, Some(9), Some(2)) };
    let idle =
        |id: u128| SessionProcess { changed: Some(now), title: "port it".into(), ..running(5, Some(8), Some(id)) };
    let unknown = running(6, Some(7), Some(3));
    let (one, other) = (1 << 100, 1 << 101);
    let prefix = |id: u128| Uuid::from_u128(id).to_string()[..13].to_owned();
    let expected = [
        "several sessions are shared; type one of these to join:".to_owned(),
        "  pollux attach 41243          fix the test".to_owned(),
        "      /w · 7 min ago · waits for an answer · pid 3".to_owned(),
        "  pollux attach 9              (nothing said yet)".to_owned(),
        "      /w · just now · working · pid 4".to_owned(),
        "  pollux attach 7              (not stored)".to_owned(),
        "      /w · pid 6".to_owned(),
        // Two on one port are told apart by their ids.
        format!("  pollux attach {}  port it", prefix(one)),
        "      /w · just now · idle · pid 5".to_owned(),
        format!("  pollux attach {}  port it", prefix(other)),
        "      /w · just now · idle · pid 5".to_owned(),
    ];
    assert_eq!(describe_several(&[fix, busy, unknown, idle(one), idle(other)], now), expected.join("\n"));
    let many: Vec<SessionProcess> = (1..=22).map(|id| running(3, Some(9), Some(id))).collect();
    assert!(describe_several(&many, now).ends_with("\n  and 2 more, which `pollux sessions --all` lists"));
    let none = "the server has no session yet; when a client has started one, type: pollux attach SESSION_ID\n  \
                pollux serve (pid 3, port 9) in /w";
    assert_eq!(describe_several(&[running(3, Some(9), None)], now), none);
}

#[test]
fn nothing_to_join_says_what_to_do() {
    assert_eq!(
        refusal(choose_only(Vec::new())),
        "no session runs here; `pollux --a2a-port 0` starts one that you can join"
    );
    let session = SessionId(Uuid::from_u128(7));
    let expected = format!("session {session} (pid 1) in /w is not shared: {OPEN_A_PORT}");
    assert_eq!(refusal(choose_only(vec![running(1, None, Some(7))])), expected);
    let expected = format!("2 sessions run here, and none of them is shared: {OPEN_A_PORT}");
    assert_eq!(refusal(choose_only(vec![running(1, None, Some(7)), running(2, None, Some(8))])), expected);
}

#[test]
fn a_name_is_a_process_or_the_beginning_of_an_id() {
    let id = 0x0199_f3a0_0000_7000_8000_0000_0000_0001;
    let all =
        || vec![running(12, Some(9), Some(id)), running(13, Some(9), Some(id + 1)), running(13, Some(9), Some(5))];
    assert_eq!(by_name("12", all()).unwrap().pid, 12);
    let ports = || vec![running(12, Some(13), Some(id)), running(13, Some(41_243), Some(5))];
    assert_eq!(by_name("41243", ports()).unwrap().pid, 13);
    assert_eq!(by_name("13", ports()).unwrap().pid, 13, "a process goes before a port");
    assert_eq!(
        refusal(by_name("9", all())),
        "the server on port 9 has many sessions: give the id of one (`pollux sessions --all` lists them)"
    );
    assert_eq!(by_name("0199f3a0-0000-7000-8000-000000000001", all()).unwrap().pid, 12);
    let several = "2 running sessions begin with 0199F3A0: give more of the id, 13 characters usually tell them apart";
    assert_eq!(refusal(by_name("0199F3A0", all())), several);
    assert_eq!(
        refusal(by_name("13", all())),
        "pid 13 has many sessions: give the id of one (`pollux sessions --all` lists them)"
    );
    let unknown = "no running session matches 99; `pollux attach` lists those that you can join";
    assert_eq!(refusal(by_name("99", all())), unknown);
    let ways =
        "give a port, an address (http://127.0.0.1:PORT), a process id, or the first 13 characters of a session id";
    assert_eq!(refusal(by_name("mine", all())), format!("\"mine\" names no session: {ways}"));
}

#[test]
fn a_session_without_a_port_cannot_be_joined() {
    let expected = "the session of pid 1 is not shared: type /a2a open in its terminal, or start it with --a2a-port";
    assert_eq!(refusal(running(1, None, Some(7)).address(None, Path::new("/"))), expected);
    let expected = "pid 1 is a server with many sessions: give the id of one (`pollux sessions --all` lists them)";
    assert_eq!(refusal(running(1, Some(2), None).address(None, Path::new("/"))), expected);
}

#[test]
fn what_others_wrote_does_not_act_on_the_terminal() {
    let (workspace, title) = ("/w\u{1b}[2J\u{9b}c".into(), "hi\u{7}\nyou\u{202e}".into());
    let odd = SessionProcess { workspace, title, ..running(1, Some(2), None) };
    assert!(odd.describe("2", UnixMillis(0)).concat().contains("hi␇⏎you⟨U+202E⟩"));
    assert_eq!(odd.to_string(), "pollux serve (pid 1, port 2) in /w␛[2J⟨U+009B⟩c, \"hi␇⏎you⟨U+202E⟩\"");
}

#[test]
fn two_terminals_are_told_apart_by_their_names() {
    assert_eq!(terminal_name_of(Some("/dev/pts/3"), 7), "terminal pts-3");
    assert_eq!(terminal_name_of(Some("/dev/tty1"), 7), "terminal tty1");
    assert_eq!(terminal_name_of(None, 7), "terminal 7");
}
