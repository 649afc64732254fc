use super::*;
use pollux_session::{CommandFingerprint, EntryAuthor, ItemId, ItemKind, TaskKind};
use pretty_assertions::assert_eq;
use uuid::Uuid;

const SESSION: SessionId = SessionId(Uuid::from_u128(1));

fn entry(seq: u64, task: Option<(TaskId, u64)>, event: Event) -> Entry {
    Entry { seq: Seq(seq), at: UnixMillis(seq * 10), by: EntryAuthor::Agent, task, event }
}

fn prompted(seq: u64, task: TaskId, task_seq: u64, text: &str) -> Entry {
    let fingerprint = CommandFingerprint("print".into());
    let (kind, text) = (TaskKind::Once, text.into());
    let event = Event::Prompted {
        fingerprint,
        task,
        kind,
        text,
        media: vec![],
        piped_len: 0,
        command: None,
        dialect: None,
        parts: vec![],
    };
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
    let rows = EntryRows::encode(SESSION, &[entry(5, None, piece)]).unwrap();
    assert_eq!((rows.first, rows.last(), rows.change), (Some(Seq(5)), Some(Seq(5)), None));
}

#[test]
fn entries_share_rows_up_to_a_size_and_are_found_in_them_by_number() {
    let said = |seq: u64, text: String| entry(seq, None, Event::Said { kind: ItemKind::Text, text, response: None });
    let entries = [said(5, "a\nb".into()), said(6, "x".repeat(ROW_BYTES)), said(7, "c".into()), said(8, "d".into())];
    let rows = EntryRows::encode(SESSION, &entries).unwrap();
    assert_eq!(
        rows.rows.iter().map(|row| (row.last, row.at)).collect::<Vec<_>>(),
        [(Seq(6), UnixMillis(60)), (Seq(8), UnixMillis(80))]
    );
    let found = rows.rows.iter().flat_map(|row| lines(row.last, &row.body));
    let expected = entries.iter().map(|entry| (entry.seq, encode(entry)));
    assert_eq!(found.map(|(seq, line)| (seq, line.to_vec())).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn the_first_prompt_with_words_gives_the_title_and_new_tasks_are_those_numbered_one() {
    let (new, old) = (TaskId(Uuid::from_u128(2)), TaskId(Uuid::from_u128(3)));
    let entries =
        [prompted(5, SESSION.main_task(), 1, "  "), prompted(6, new, 1, "first"), prompted(7, old, 4, "second")];
    let rows = EntryRows::encode(SESSION, &entries).unwrap();
    assert_eq!(rows.new_tasks, [new]);
    assert_eq!(rows.change, Some(SessionRowChange { at: UnixMillis(70), title: "first".into(), in_turn: None }));
}

#[test]
fn a_gap_is_a_conflict() {
    let entries = [entry(1, None, Event::Released), entry(3, None, Event::Released)];
    let conflict = StoreError::Conflict { session: SESSION, expected: Seq(2), found: Seq(3) };
    assert_eq!(EntryRows::encode(SESSION, &entries).err(), Some(conflict));
}
