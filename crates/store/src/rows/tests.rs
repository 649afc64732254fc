use super::*;
use pollux_session::{By, Fingerprint, ItemId, TaskKind};
use pretty_assertions::assert_eq;
use uuid::Uuid;

const SESSION: SessionId = SessionId(Uuid::from_u128(1));

fn entry(seq: u64, task: Option<(TaskId, u64)>, event: Event) -> Entry {
    Entry { seq: Seq(seq), at: At(seq * 10), by: By::Agent, task, event }
}

fn prompted(seq: u64, task: TaskId, task_seq: u64, text: &str) -> Entry {
    let fingerprint = Fingerprint("print".into());
    let (kind, text) = (TaskKind::Once, text.into());
    let event = Event::Prompted { fingerprint, task, kind, text, media: vec![], command: None };
    entry(seq, Some((task, task_seq)), event)
}

#[test]
fn a_title_is_one_short_line() {
    let check = |text: &str, title: &str| assert_eq!(shorten(text), title, "{text:?}");
    check("", "");
    check(" \n\t ", "");
    check("fix it", "fix it");
    check("  fix\r\n  the \u{1b}[31mbug\u{7}  ", "fix the [31mbug");
    check(&"x".repeat(79), &"x".repeat(79));
    check(&"x".repeat(81), &format!("{}…", "x".repeat(79)));
    check(&"ü".repeat(200), &format!("{}…", "ü".repeat(79)));
    check(&format!("{} end", "x".repeat(78)), &format!("{}…", "x".repeat(78)));
}

#[test]
fn pieces_alone_change_nothing_else() {
    let piece = Event::Piece { item: ItemId(Seq(4)), offset: 0, text: "x".into() };
    let rows = Rows::encode(SESSION, &[entry(5, None, piece)]).unwrap();
    assert_eq!((rows.first(), rows.last(), rows.change), (Some(Seq(5)), Some(Seq(5)), None));
    assert_eq!(rows.bytes, rows.rows[0].body.len());
}

#[test]
fn the_first_prompt_with_words_gives_the_title_and_new_tasks_are_those_numbered_one() {
    let (new, old) = (TaskId(Uuid::from_u128(2)), TaskId(Uuid::from_u128(3)));
    let entries =
        [prompted(5, SESSION.main_task(), 1, "  "), prompted(6, new, 1, "first"), prompted(7, old, 4, "second")];
    let rows = Rows::encode(SESSION, &entries).unwrap();
    assert_eq!(rows.new_tasks(SESSION).collect::<Vec<_>>(), [new]);
    assert_eq!(rows.change, Some(Change { at: At(70), title: "first".into(), in_turn: None }));
}

#[test]
fn a_gap_is_a_conflict() {
    let entries = [entry(1, None, Event::Released), entry(3, None, Event::Released)];
    let conflict = StoreError::Conflict { session: SESSION, expected: Seq(2), found: Seq(3) };
    assert_eq!(Rows::encode(SESSION, &entries).err(), Some(conflict));
}
