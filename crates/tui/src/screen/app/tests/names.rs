//! Names that others give themselves. The gate lets few of these through; the screen relies on none of that.

use super::ScreenTester;
use crate::screen::app::ProcessStatus;
use crate::screen::overlay::{ClientRow, pickers};
use crate::testing::{EVIL, assert_harmless, run_ask};
use crossterm::event::{KeyCode, KeyModifiers};
use insta::assert_snapshot;
use jiff::tz::TimeZone;
use pollux_session::{PolicyVerdict, ToolKind, UnixMillis};
use serde_json::json;

/// What the screen shows now, with the name in it. Its bytes are only our own sequences, or [`ScreenTester::sees`] fails.
fn seen(table: &mut ScreenTester, scene: &str) -> String {
    let screen = table.sees();
    assert_harmless(&screen);
    assert!(screen.contains("0;pwn␇"), "{scene}:\n{screen}");
    format!("=== {scene}\n{}\n", screen.trim_end())
}

#[test]
fn a_name_that_wants_to_be_a_sequence() {
    let mut table = ScreenTester::new(120, 24);
    table.app.transcript.set_zone(TimeZone::UTC);
    let evil = table.session.seat(EVIL);
    evil.prompts("of theirs");
    let calls = table.session.calls(&[("run_shell_command", json!({})), ("run_shell_command", json!({}))]);
    for call in &calls {
        table.session.vets(*call, ToolKind::Execute, PolicyVerdict::Ask(run_ask("make")));
    }
    table.follow();
    let mut scenes = vec![seen(&mut table, "it has prompted")];
    evil.answers(calls[0], "proceed_once").unwrap();
    table.follow();
    scenes.push(seen(&mut table, "it has decided the ask that was on the screen"));
    evil.answers(calls[1], "proceed_once").unwrap();
    evil.prompts("waits");
    table.follow();
    scenes.push(seen(&mut table, "its prompt waits"));
    let trouble = Some(format!("the session at {EVIL} is over for this terminal: it is full"));
    let around = ProcessStatus {
        port: Some(7),
        clients: 1,
        branch: Some("\u{1b}]0;pwn\u{7}main".into()),
        connection_problem: trouble,
        ..ProcessStatus::default()
    };
    table.app.set_process_status(around);
    scenes.push(seen(&mut table, "the status line and the banner"));
    assert_snapshot!(scenes.join("\n"));
}

#[test]
fn such_a_client_is_listed_and_removed() {
    let mut table = ScreenTester::new(120, 24);
    let (label, principal, how, rights) = (EVIL.into(), EVIL.into(), EVIL.into(), EVIL.into());
    let client = ClientRow { id: 7, label, principal, how, rights, since: UnixMillis(0) };
    table.app.open(Box::new(pickers::clients(vec![client])));
    let listed = seen(&mut table, "the list of clients");
    table.presses(KeyCode::Enter, KeyModifiers::NONE);
    assert_snapshot!([listed, seen(&mut table, "whether it shall leave")].join("\n"));
}
