use super::{
    ClientRow, SessionFolders, SessionRow, clients_at, format_age, models, rewind_at, rewind_scope, sessions_at, themes,
};
use crate::model_offers::ModelOffer;
use crate::screen::overlay::list_picker::ListPicker;
use crate::screen::overlay::testing::{key, shots_of};
use crate::screen::overlay::{Overlay, OverlayStep, RewindPoint, UiEffect};
use crate::testing::{EVIL, FakeSession};
use insta::assert_snapshot;
use pollux_session::{
    ApprovalMode, CallId, Command, Entry, Event, Report, Seq, SessionId, SessionSetting, UnixMillis,
    WorkspaceCheckpoint,
};
use pretty_assertions::assert_eq;
use std::sync::Arc;
use std::time::{Duration, Instant};
use uuid::Uuid;

const HOUR: u64 = 3_600_000;
const NOW: UnixMillis = UnixMillis(100 * HOUR);

fn session(number: u128, title: &str, hours: u64, note: &str) -> SessionRow {
    SessionRow {
        id: SessionId(Uuid::from_u128(number)),
        title: title.into(),
        workspace: "/home/ada/loom".into(),
        changed: UnixMillis(NOW.0 - hours * HOUR),
        note: note.into(),
    }
}

fn client(id: u64, label: &str) -> ClientRow {
    ClientRow {
        id,
        label: label.into(),
        principal: "local".into(),
        how: "WebSocket".into(),
        rights: "observe, prompt, approve".into(),
        since: UnixMillis(NOW.0 - 2 * HOUR),
    }
}

fn offered(lines: &[&str], current: &str) -> ListPicker {
    offered_with_hint(lines, current, None)
}

fn offered_with_hint(lines: &[&str], current: &str, hint: Option<&str>) -> ListPicker {
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    models(ModelOffer::from_lines(&lines, |name| name == current, current), hint)
}

#[test]
fn the_models() {
    let lines = ["gemini-2.5-pro  1M context · thinks", "", "demo (not an AI)", "bare"];
    let mut list = offered(&lines, "demo");
    assert_snapshot!(shots_of(&list));
    let set =
        |name: &str| OverlayStep::Finish(UiEffect::Send(Command::Set { setting: SessionSetting::Model(name.into()) }));
    assert_eq!(list.key(key("enter")), set("demo"), "the arrow is on the one in use");
    list.key(key("end"));
    assert_eq!(list.key(key("enter")), set("bare"));
    // One that was set by its name.
    let mut list = offered(&["bare"], "another");
    assert!(shots_of(&list).contains("another  in use"));
    assert_eq!(list.key(key("enter")), set("another"));
}

#[test]
fn whoever_has_no_key_sees_below_the_models_what_opens_more() {
    let hint = "No API key found. For other models, set GEMINI_API_KEY and start Pollux again.";
    assert_snapshot!(shots_of(&offered_with_hint(&["demo (not an AI)"], "demo", Some(hint))));
}

#[test]
fn the_sessions_newest_first() {
    let rows = vec![
        session(1, "fix the failing test", 70, ""),
        session(2, "write the docs", 1, "open in pid 4711 on port 41242"),
        session(3, " ", 5, ""),
    ];
    let mut list = sessions_at(rows, "/home/ada/loom", SessionFolders::This, NOW);
    assert_snapshot!(shots_of(&list));
    assert_eq!(list.key(key("enter")), OverlayStep::Finish(UiEffect::Resume(SessionId(Uuid::from_u128(2)))));
}

#[test]
fn sessions_of_other_folders_are_counted_and_shown_when_asked_for() {
    let rows = || {
        let elsewhere = SessionRow { workspace: "/home/ada/web".into(), ..session(2, "write the docs", 1, "") };
        vec![session(1, "fix the failing test", 70, ""), elsewhere]
    };
    let list = |workspace: &str, folders| shots_of(&sessions_at(rows(), workspace, folders, NOW));
    let here = list("/home/ada/loom", SessionFolders::This);
    assert!(here.contains("fix the failing test") && !here.contains("write the docs"), "{here}");
    assert!(here.contains("(1 more in other folders: /resume all)"), "{here}");
    let all = list("/home/ada/loom", SessionFolders::All);
    assert!(all.contains("/home/ada/loom") && all.contains("/home/ada/web"), "{all}");
    assert!(!all.contains("more in other folders"), "{all}");
    let none = list("/tmp", SessionFolders::This);
    assert!(none.contains("no other session in this folder") && none.contains("2 more in other folders"), "{none}");
}

#[test]
fn the_prompts_newest_first() {
    let log = FakeSession::open();
    let seat = log.seat("terminal");
    seat.prompts("first");
    log.rests();
    log.advance_clock(HOUR);
    seat.prompts("second\nwith a line\nand another");
    let entries = log.entries();
    let mut list = rewind_at(&entries, UnixMillis(2 * HOUR));
    assert_snapshot!(shots_of(&list));
    let OverlayStep::Finish(UiEffect::Rewind(Seq(newer), _)) = list.key(key("enter")) else { panic!("no rewind") };
    list.key(key("down"));
    let OverlayStep::Finish(UiEffect::Rewind(Seq(older), _)) = list.key(key("enter")) else { panic!("no rewind") };
    assert!(older < newer);
}

#[test]
fn only_prompts_that_a_model_answered_are_gone_back_to_and_files_too_where_they_changed() {
    let log = FakeSession::open();
    let seat = log.seat("terminal");
    seat.prompts("write it");
    log.rests();
    seat.prompts("/about");
    log.thinks(Report::Commanded { name: "about".into() });
    log.rests();
    seat.prompts("/shell pwd");
    log.thinks(Report::Commanded { name: "shell".into() });
    log.thinks(Report::Attached { name: "! pwd".into(), text: "/ws".into(), media: vec![], seen: Vec::new() });
    log.rests();
    seat.prompts("talk");
    log.rests();
    let mut entries = log.entries();
    let first = entries.iter().position(|entry| matches!(entry.event, Event::TurnStarted { .. })).unwrap();
    let saved = WorkspaceCheckpoint {
        call: CallId(entries[first].seq),
        name: "before-it".into(),
        saved: Ok("ab12".into()),
        file: None,
        files: vec![],
    };
    let checkpointed = Entry { event: Event::Checkpointed(saved), ..Entry::clone(&entries[first]) };
    entries.insert(first + 1, Arc::new(checkpointed));
    let prompt = |text: &str| {
        let is_it = |entry: &&Arc<Entry>| matches!(&entry.event, Event::Prompted { text: told, .. } if told == text);
        entries.iter().find(is_it).unwrap().seq
    };
    let mut list = rewind_at(&entries, NOW);
    assert_eq!(list.key(key("enter")), OverlayStep::Finish(UiEffect::Rewind(prompt("talk"), "talk".into())));
    list.key(key("down"));
    let (seq, text, checkpoint) = (prompt("write it"), "write it".to_owned(), "4".to_owned());
    let point = RewindPoint { seq, text: text.clone(), checkpoint };
    assert_eq!(list.key(key("enter")), OverlayStep::Finish(UiEffect::AskRewindScope(point.clone())));
    list.key(key("down"));
    assert_eq!(
        list.key(key("enter")),
        OverlayStep::Finish(UiEffect::AskRewindScope(point.clone())),
        "there are only two"
    );
    let yolo = shots_of(&rewind_scope(point.clone(), ApprovalMode::Yolo));
    assert!(yolo.contains("those the agent changed; yolo mode does not ask"), "{yolo}");
    let mut reach = rewind_scope(point.clone(), ApprovalMode::Default);
    assert!(shots_of(&reach).contains("those the agent changed; shown first"));
    assert_eq!(reach.key(key("enter")), OverlayStep::Finish(UiEffect::Rewind(seq, text)));
    reach.key(key("down"));
    assert_eq!(reach.key(key("enter")), OverlayStep::Finish(UiEffect::RewindFiles(point)));
}

#[test]
fn the_clients_leave_after_a_question() {
    let mut list = clients_at(vec![client(1, "terminal"), client(9, "A2A zed")], NOW);
    assert_snapshot!(shots_of(&list));
    list.key(key("down"));
    assert_eq!(list.key(key("enter")), OverlayStep::Stay);
    assert!(shots_of(&list).contains("? Remove A2A zed from this session?"));
    assert_eq!(list.key(key("esc")), OverlayStep::Stay);
    assert!(shots_of(&list).contains("Who is here"));
    list.key(key("enter"));
    assert_eq!(list.paste("y"), OverlayStep::Stay);
    assert_eq!(list.key(key("1")), OverlayStep::ForComposer, "it may have been meant for something else");
    while let Some(left) = list.changes_at().and_then(|at| at.checked_duration_since(Instant::now())) {
        std::thread::sleep(left + Duration::from_millis(1));
    }
    assert_eq!(list.key(key("y")), OverlayStep::Finish(UiEffect::RemoveClient(9)));
}

#[test]
fn the_themes_are_shown_while_the_arrow_moves() {
    let theme = |name: &str| UiEffect::UseTheme(name.into());
    let mut list = themes("light", "light");
    assert_snapshot!(shots_of(&list));
    assert_eq!(list.key(key("down")), OverlayStep::Do(theme("plain")));
    assert_eq!(list.key(key("down")), OverlayStep::Stay);
    assert_eq!(list.key(key("enter")), OverlayStep::Finish(theme("plain")));
    assert_eq!(themes("light", "light").key(key("esc")), OverlayStep::Finish(theme("light")));
    assert_eq!(themes("dark", "dark").paste("light"), OverlayStep::Do(theme("light")));
}

#[test]
fn after_a_clear_there_is_no_prompt_since_then() {
    let log = FakeSession::open();
    let seat = log.seat("terminal");
    seat.prompts("one");
    log.rests();
    seat.prompts("/clear");
    log.thinks(Report::Commanded { name: "clear".into() });
    log.thinks(Report::Rewound { to: Seq::START });
    log.rests();
    let seen = shots_of(&rewind_at(&log.entries(), NOW));
    assert!(seen.contains("no prompt since /clear"), "{seen}");
}

#[test]
fn lists_may_be_empty() {
    let lists = [
        offered(&[], "demo"),
        sessions_at(vec![], "/", SessionFolders::All, NOW),
        clients_at(vec![], NOW),
        rewind_at(&[], NOW),
    ];
    for mut list in lists {
        shots_of(&list);
        assert_eq!(list.key(key("enter")), OverlayStep::Stay);
    }
}

#[test]
fn names_cannot_act_on_the_terminal() {
    let evil = SessionRow { workspace: EVIL.into(), ..session(1, EVIL, 1, EVIL) };
    assert!(shots_of(&sessions_at(vec![evil], "/", SessionFolders::All, NOW)).contains('␛'));
    let evil = ClientRow { principal: EVIL.into(), how: EVIL.into(), rights: EVIL.into(), ..client(1, EVIL) };
    let mut list = clients_at(vec![evil], NOW);
    assert!(shots_of(&list).contains('␛'));
    list.key(key("enter"));
    assert!(shots_of(&list).contains('␛'));
    assert!(shots_of(&offered(&[&format!("{EVIL} {EVIL}")], EVIL)).contains('␛'));
}

#[test]
fn times_are_short() {
    let minutes = |count: u64| format_age(UnixMillis(NOW.0 - count * 60_000), NOW);
    assert_eq!(
        [0, 1, 59, 60, 2879, 2880].map(minutes),
        ["just now", "1 min ago", "59 min ago", "1 h ago", "47 h ago", "2 days ago"]
    );
    assert_eq!(format_age(UnixMillis(5), UnixMillis(0)), "just now");
}
