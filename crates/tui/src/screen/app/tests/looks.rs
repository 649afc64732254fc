//! Every state of the whole screen, to be read by a person.

use super::{ScreenTester, at_widths};
use crate::screen::app::ProcessStatus;
use crate::testing::{edit_ask, hello_change};
use crossterm::event::{KeyCode, KeyModifiers};
use insta::assert_snapshot;
use pollux_session::{
    ApprovalMode, CallResult, CancelScope, Command, ItemKind, PolicyVerdict, Report, Seq, SessionSetting, ToolKind,
};
use pretty_assertions::assert_eq;
use serde_json::json;

/// As the cli says them of a link (`around/joined.rs`, which this crate may not use; a test there has the same).
const LOST: &str = "not connected: cannot reach 127.0.0.1:41242: Connection refused (os error 111); trying again, nothing \
                    typed is lost, Ctrl+D leaves";
const CLOSED: &str =
    "sharing was closed where the session runs; waiting a minute for it to be opened again, Ctrl+D leaves";

fn prompt(table: &mut ScreenTester, text: &str) {
    let command = crate::send::prompt_command(&*table.seat, text.into());
    let receipt = table.seat.does(text, command.clone()).unwrap();
    table.app.take_receipt(&command, Ok(receipt));
    table.follow();
}

#[test]
fn before_the_first_prompt() {
    assert_snapshot!(at_widths(|_| {}));
}

#[test]
fn while_an_answer_streams() {
    assert_snapshot!(at_widths(|table| {
        prompt(table, "explain the tests");
        table.session.says(ItemKind::Thought, "**Reading the tests** and more");
        table.session.says(ItemKind::Text, "They are **all** green.\n\n- one\n- two");
        table.follow();
    }));
}

#[test]
fn an_ask() {
    assert_snapshot!(at_widths(|table| {
        prompt(table, "run it");
        table.session.asks_to_run("cargo test --workspace && echo done");
        table.follow();
    }));
}

#[test]
fn an_ask_put_aside_while_the_person_types() {
    assert_snapshot!(at_widths(|table| {
        prompt(table, "run it");
        table.session.asks_to_run("cargo test");
        table.follow();
        table.presses(KeyCode::Char('a'), KeyModifiers::ALT);
        table.types("and then");
    }));
}

#[test]
fn a_change_to_be_approved() {
    assert_snapshot!(at_widths(|table| {
        prompt(table, "change it");
        let calls = table.session.calls(&[("replace", json!({ "file_path": "hello.py" }))]);
        table.session.vets(calls[0], ToolKind::Edit, PolicyVerdict::Ask(edit_ask(hello_change())));
        table.follow();
    }));
}

#[test]
fn a_queue_and_one_that_is_held() {
    assert_snapshot!(at_widths(|table| {
        prompt(table, "first");
        prompt(table, "second");
        prompt(table, "third");
        table.seat.does("cancel", Command::Cancel { scope: CancelScope::Turn }).unwrap();
        table.follow();
    }));
}

#[test]
fn yolo_shared_and_in_trouble() {
    assert_snapshot!(at_widths(|table| {
        table.seat.does("yolo", Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) }).unwrap();
        table.follow();
        table.app.set_process_status(ProcessStatus {
            port: Some(41242),
            clients: 2,
            pending_commands: 1,
            context_window: Some(1000),
            connection_problem: Some(LOST.into()),
            ..ProcessStatus::default()
        });
    }));
}

#[test]
fn a_session_that_its_owner_has_closed() {
    assert_snapshot!(at_widths(|table| {
        let trouble = Some(CLOSED.into());
        table.app.set_process_status(ProcessStatus {
            port: Some(41242),
            connection_problem: trouble,
            ..ProcessStatus::default()
        });
    }));
}

#[test]
fn while_what_was_said_before_is_read() {
    assert_snapshot!(at_widths(|table| {
        prompt(table, "explain the tests");
        table.app.set_catch_up(Some((Seq(256), Seq(50_000))));
    }));
}

/// A turn in which the agent has a list.
fn with_todos(table: &mut ScreenTester) {
    prompt(table, "tidy up");
    let todo = |description: &str, status: &str| json!({ "description": description, "status": status });
    let todos = [
        todo("Read the tests", "completed"),
        todo("Make the slow ones wait for an event instead of the clock", "in_progress"),
        todo("Run all of them", "pending"),
        todo("Buy a faster machine", "cancelled"),
    ];
    let calls = table.session.calls(&[("write_todos", json!({ "todos": todos }))]);
    table.session.vets(calls[0], ToolKind::Read, PolicyVerdict::allow("it changes nothing"));
    table.session.runs(calls[0], Report::Starting);
    table.session.ends_call(calls[0], CallResult::default());
    table.follow();
}

#[test]
fn the_list_of_the_agent() {
    assert_snapshot!(at_widths(with_todos));
}

#[test]
fn the_list_of_the_agent_is_put_away() {
    let mut table = ScreenTester::new(80, 24);
    with_todos(&mut table);
    for is_shown in [true, false, true] {
        assert_eq!(table.sees().contains("▸ Make the slow ones wait"), is_shown);
        table.presses(KeyCode::Char('t'), KeyModifiers::CONTROL);
    }
}

#[test]
fn everything_that_asks_first() {
    assert_snapshot!(at_widths(|table| {
        table.presses(KeyCode::Char('y'), KeyModifiers::CONTROL);
    }));
}

#[test]
fn the_beginning_of_an_ask_is_on_the_smallest_screen() {
    for height in [6, 8, 11] {
        let mut table = ScreenTester::new(40, height);
        table.seat.prompts("go on");
        table.session.asks_to_run("npm test");
        table.follow();
        let seen = table.sees();
        assert!(seen.contains("? Run a command  npm test"), "at {height}:\n{seen}");
    }
    let mut table = ScreenTester::new(40, 5);
    table.seat.prompts("go on");
    table.session.asks_to_run("npm test");
    table.follow();
    assert!(table.sees().contains("enlarge the window to 20x6"), "{}", table.sees());
}
