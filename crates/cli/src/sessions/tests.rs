use super::*;
use pollux_session::{Context, Owner, Seq, SessionId, Summary};
use pollux_store::{DataDir, Holder, StoreError};
use pretty_assertions::assert_eq;
use std::path::Path;
use uuid::Uuid;

const HOUR: u64 = 3_600_000;

fn kept(keeper: Keeper, title: &str, changed: u64) -> Kept {
    let id = SessionId(Uuid::from_u128(7));
    let summary = Summary {
        id,
        owner: Owner("local".into()),
        context: Context::new("c").unwrap(),
        workspace: "/ws".into(),
        title: title.into(),
        opened: At(0),
        changed: At(changed),
        head: Seq(3),
    };
    Kept { id: Some(id), keeper, dir: DataDir::at(Path::new("/data")), summary: Ok(summary), holder: Ok(None) }
}

#[test]
fn a_line_says_which_when_where_and_what() {
    let id = SessionId(Uuid::from_u128(7));
    let now = At(100 * HOUR);
    let told = |session: &Kept| line(session, now);
    assert_eq!(told(&kept(Keeper::Terminal, "fix it", 97 * HOUR)), format!("{id}    3 h ago  /ws  fix it"));
    let evil = kept(Keeper::Server, "a\u{1b}[2J\nb\u{9b}c\u{202e}d", 100 * HOUR);
    let shown = "a␛[2J⏎b⟨U+009B⟩c⟨U+202E⟩d";
    assert_eq!(told(&evil), format!("{id}   just now  /ws  {shown}  (of pollux serve)"));
    let holder = Holder { pid: 42, port: Some(4711), workspace: "/ws".into(), since: At(0) };
    let running = Kept { holder: Ok(Some(holder)), ..kept(Keeper::Terminal, "", 0) };
    assert_eq!(told(&running), format!("{id}    4 d ago  /ws  (nothing said yet)  [running: pid 42 on port 4711]"));
    let broken = Kept { id: None, summary: Err(StoreError::Foreign("log.db".into())), ..kept(Keeper::Server, "", 0) };
    assert!(told(&broken).starts_with("/data/log.db  cannot be read: "), "{}", told(&broken));
    let dir = DataDir::at(Path::new("/da\u{202e}ta"));
    let elsewhere = Kept { dir, summary: Err(StoreError::Foreign("\u{1b}c".into())), ..broken };
    assert!(!told(&elsewhere).contains(['\u{202e}', '\u{1b}']), "{}", told(&elsewhere));
}

#[test]
fn ages_are_rounded_down() {
    let age = |ago: u64| age(At(0), At(ago));
    assert_eq!(age(59_999), "just now");
    assert_eq!(age(60_000), "1 min ago");
    assert_eq!(age(HOUR - 1), "59 min ago");
    assert_eq!(age(47 * HOUR), "47 h ago");
    assert_eq!(age(48 * HOUR), "2 d ago");
}
