//! What the screen says of what is allowed and of what runs in the background.

use super::ScreenTester;
use crate::screen::app::{AppEffect, ProcessStatus};
use crate::screen::environment::{BackgroundCommandRow, SavedPermissions};
use crate::screen::overlay::UiEffect;
use crate::testing::{EVIL, assert_harmless, run_ask};
use crossterm::event::{KeyCode, KeyModifiers};
use pollux_session::{
    Ask, AskDetails, CallResult, Command, Grant, GrantScope, PolicyVerdict, Report, SessionSetting, ToolKind,
    UnixMillis, cancel_choice, lasting_choice, once_choice, session_choice,
};
use pretty_assertions::assert_eq;
use serde_json::json;

fn effects_of(table: &mut ScreenTester, line: &str) -> Vec<AppEffect> {
    table.enters(line);
    let effects = table.take_effects().into_iter();
    effects.filter(|effect| !matches!(effect, AppEffect::RememberPrompt(_))).collect()
}

fn allow_for_session(table: &mut ScreenTester, grant: Grant) {
    table.seat.prompts("go");
    let call = table.session.calls(&[("web_fetch", json!({}))])[0];
    let options = vec![once_choice(), session_choice(grant), cancel_choice()];
    let ask = Ask::new(AskDetails::generic("Fetch it"), options);
    table.session.vets(call, ToolKind::Fetch, PolicyVerdict::Ask(ask));
    table.seat.answers(call, "proceed_always").unwrap();
    table.session.runs(call, Report::Starting);
    table.session.ends_call(call, CallResult::default());
    table.session.rests();
    table.follow();
}

fn background() -> Vec<BackgroundCommandRow> {
    let command = "python3 -m http.server 8123".to_owned();
    vec![BackgroundCommandRow { pid: 4711, command, started_at: UnixMillis(0) }]
}

#[test]
fn what_is_allowed_is_listed_and_taken_back() {
    let mut table = ScreenTester::new(100, 30);
    allow_for_session(&mut table, Grant::Tool { tool: "web_fetch".into() });
    assert_eq!(effects_of(&mut table, "/permissions"), [AppEffect::ShowPermissions]);
    let (file, allowed) = ("/home/me/auto-saved.toml".to_owned(), vec!["every replace everywhere".to_owned()]);
    table.app.say_permissions(Ok(SavedPermissions { file, allowed }));
    let seen = table.sees();
    for said in [
        "  1. every web_fetch (by you)",
        "/permissions drop NUMBER takes one back",
        "allowed by /home/me/auto-saved.toml",
        "  - every replace everywhere",
    ] {
        assert!(seen.contains(said), "{said}: {seen}");
    }
    let setting = SessionSetting::WithoutGrant(Grant::Tool { tool: "web_fetch".into() });
    let command = Command::Set { setting };
    assert_eq!(effects_of(&mut table, "/permissions drop 1"), [AppEffect::Ui(UiEffect::Send(command.clone()))]);
    assert_eq!(effects_of(&mut table, "/permissions drop 2"), []);
    assert!(table.sees().contains("there is no number 2"));
    table.seat.does("drop", command).unwrap();
    table.follow();
    assert!(table.sees().contains("no longer allowed in this session: every web_fetch"), "{}", table.sees());
    table.enters("/status");
    assert!(table.sees().contains("allowed in this session: nothing"));
}

#[test]
fn a_command_that_is_allowed_cannot_act_on_the_terminal() {
    let mut table = ScreenTester::new(100, 30);
    allow_for_session(&mut table, Grant::Command { command: EVIL.into(), directory: None });
    table.app.say_permissions(Err(EVIL.into()));
    table.app.set_process_status(ProcessStatus {
        background: Some(vec![BackgroundCommandRow { pid: 1, command: EVIL.into(), started_at: UnixMillis(0) }]),
        ..ProcessStatus::default()
    });
    table.app.say_background();
    let seen = table.sees();
    seen.lines().for_each(assert_harmless);
    assert!(seen.contains("  `e␛"), "{seen}");
}

#[test]
fn commands_in_the_background_are_counted_listed_and_stopped() {
    let mut table = ScreenTester::new(100, 30);
    assert_eq!(effects_of(&mut table, "/background"), [AppEffect::ShowBackground]);
    table.app.say_background();
    assert!(table.sees().contains("the terminal that holds the session knows"));
    table.app.set_process_status(ProcessStatus { background: Some(background()), ..ProcessStatus::default() });
    let seen = table.sees();
    assert!(seen.trim_end().lines().last().unwrap().contains("1 in background"), "{seen}");
    table.app.say_background();
    table.enters("/status");
    let seen = table.sees();
    assert_eq!(seen.matches("  4711 · python3 -m http.server 8123 · ").count(), 2, "{seen}");
    assert!(seen.contains("/background stop PID ends one"), "{seen}");
    table.take_effects();
    assert_eq!(effects_of(&mut table, "/background stop 4711"), [AppEffect::StopBackground(4711)]);
    assert_eq!(effects_of(&mut table, "/shells stop all"), []);
    // Whoever leaves during a turn is told that it ends.
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.sees();
    table.presses(KeyCode::Char('a'), KeyModifiers::ALT);
    table.presses(KeyCode::Char('d'), KeyModifiers::CONTROL);
    assert!(table.sees().contains("1 command in the background ends."), "{}", table.sees());
}

#[test]
fn a_folder_that_is_not_trusted_is_named_where_lasting_options_are_missing() {
    let hint = "trust the folder: `pollux trust`";
    let trusted = [(Some(false), true), (Some(true), false), (None, false)];
    for (is_folder_trusted, is_said) in trusted {
        let mut table = ScreenTester::new(100, 30);
        table.app.set_process_status(ProcessStatus { is_folder_trusted, ..ProcessStatus::default() });
        table.seat.prompts("go");
        table.session.asks_to_run("make");
        table.follow();
        assert_eq!(table.sees().contains(hint), is_said, "{is_folder_trusted:?}: {}", table.sees());
    }
    let grant = || Grant::Tool { tool: "x".into() };
    let asks = [
        run_ask("make").with_reason(Some("It asks because you do not trust this folder; `pollux trust`.".into())),
        Ask::new(
            AskDetails::generic("Go?"),
            vec![session_choice(grant()), lasting_choice(grant(), GrantScope::Always), cancel_choice()],
        ),
        Ask::new(AskDetails::generic("Go?"), vec![once_choice(), cancel_choice()]),
    ];
    for ask in asks {
        let mut table = ScreenTester::new(100, 30);
        table.app.set_process_status(ProcessStatus { is_folder_trusted: Some(false), ..ProcessStatus::default() });
        table.seat.prompts("go");
        let call = table.session.calls(&[("x", json!({}))])[0];
        table.session.vets(call, ToolKind::Execute, PolicyVerdict::Ask(ask));
        table.follow();
        assert!(!table.sees().contains(hint), "{}", table.sees());
    }
}

#[test]
fn a_sentence_that_was_begun_keeps_its_digits_when_something_asks() {
    let mut table = ScreenTester::new(80, 24);
    table.types("also add a d");
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    assert!(table.sees().contains("to answer, press ↑↓ first"), "{}", table.sees());
    table.types("ependency in 1 file");
    table.presses(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(table.take_effects(), []);
    assert_eq!(table.app.draft(), "also add a dependency in 1 file");
    table.sees();
    table.presses(KeyCode::Down, KeyModifiers::NONE);
    table.sees();
    table.types("1");
    assert!(matches!(table.take_effects().as_slice(), [AppEffect::Ui(UiEffect::Send(Command::Answer { .. }))]));
}
