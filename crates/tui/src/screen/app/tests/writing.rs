//! What somebody is writing in an ask, and what becomes of it when something comes in between.

use super::ScreenTester;
use crate::screen::app::AppEffect;
use crate::screen::overlay::UiEffect;
use crate::testing::{edit_ask, hello_change, patch_ask};
use crossterm::event::{KeyCode, KeyModifiers};
use pollux_session::{
    AnswerEdit, CallId, Command, EditedFile, EntryAuthor, PolicyVerdict, Refusal, SendError, ToolKind,
};
use pretty_assertions::assert_eq;
use serde_json::json;

/// A screen on which somebody changes what is to be written.
fn writing(text: &str) -> (ScreenTester, CallId) {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("change it");
    let calls = table.session.calls(&[("replace", json!({ "file_path": "hello.py" }))]);
    table.session.vets(calls[0], ToolKind::Edit, PolicyVerdict::Ask(edit_ask(hello_change())));
    table.follow();
    table.sees();
    table.types("e");
    table.presses(KeyCode::Home, KeyModifiers::CONTROL);
    table.types(text);
    (table, calls[0])
}

#[test]
fn what_was_being_written_when_another_decides_can_be_had_again() {
    let (mut table, call) = writing("mine: ");
    table.session.seat("A2A zed").answers(call, "proceed_once").unwrap();
    table.follow();
    let seen = table.sees();
    let seen = seen.replace("\n  ", " ");
    for said in ["decided by A2A zed: Allow once, while you were writing hello.py", "what you wrote was not used; Up"] {
        assert!(seen.contains(said), "{seen}");
    }
    assert_eq!(table.app.draft(), "", "nothing that the next Enter would send");
    table.presses(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(table.app.draft(), "mine: a\n\nc\n");
}

#[test]
fn what_was_sent_too_late_can_be_had_again() {
    let (mut table, call) = writing("mine: ");
    table.presses(KeyCode::Char('s'), KeyModifiers::CONTROL);
    let Some(AppEffect::Ui(UiEffect::Send(answer))) = table.take_effects().pop() else { panic!("it is sent") };
    table.session.seat("A2A zed").answers(call, "proceed_once").unwrap();
    table.follow();
    let by = EntryAuthor::Client { principal: "local".into(), label: "A2A zed".into() };
    let choice = "proceed_once".to_owned();
    table.app.take_receipt(&answer, Err(SendError::Refused(Refusal::AlreadyDecided { call, choice, by })));
    assert!(table.sees().contains("what you wrote was not used"), "{}", table.sees());
    table.presses(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(table.app.draft(), "mine: a\n\nc\n");
}

#[test]
fn nothing_is_said_of_what_was_not_changed_or_was_sent() {
    let (mut table, call) = writing("");
    table.session.seat("A2A zed").answers(call, "proceed_once").unwrap();
    table.follow();
    assert!(!table.sees().contains("while you were writing"), "{}", table.sees());
    let (mut table, call) = writing("mine: ");
    table.presses(KeyCode::Char('s'), KeyModifiers::CONTROL);
    table.seat.answers(call, "proceed_once").unwrap();
    table.follow();
    assert!(!table.sees().contains("while you were writing"), "{}", table.sees());
}

#[test]
fn what_is_being_written_stays_while_the_ask_is_put_aside() {
    let (mut table, call) = writing("mine: ");
    table.presses(KeyCode::Char('a'), KeyModifiers::ALT);
    table.presses(KeyCode::Char('a'), KeyModifiers::ALT);
    table.presses(KeyCode::Char('s'), KeyModifiers::CONTROL);
    assert_eq!(table.take_effects(), [], "it has only just appeared");
    table.sees();
    table.presses(KeyCode::Char('s'), KeyModifiers::CONTROL);
    let edit = Some(AnswerEdit::Content { new: "mine: a\n\nc\n".into() });
    assert_eq!(
        table.take_effects(),
        [AppEffect::Ui(UiEffect::Send(Command::Answer { call, option: "proceed_once".into(), edit }))]
    );
}

#[test]
fn what_the_persons_editor_gives_back_as_it_was_asked_for_is_no_edit() {
    let (table, call) = writing("");
    assert_eq!(table.app.content_edit(call, None, Vec::new(), hello_change().new), None);
    let new = "other\n".to_owned();
    assert_eq!(table.app.content_edit(call, None, Vec::new(), new.clone()), Some(AnswerEdit::Content { new }));
}

#[test]
fn what_an_editor_leaves_of_a_file_of_a_patch_names_the_file() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("edit");
    let call = table.session.calls(&[("apply_patch", json!({ "patch": "" }))])[0];
    table.session.vets(call, ToolKind::Edit, PolicyVerdict::Ask(patch_ask()));
    table.follow();
    let path = || Some("/ws/notes.md".to_owned());
    let edited = |path: &str| EditedFile { path: path.into(), new: "mine".into() };
    assert_eq!(table.app.content_edit(call, path(), Vec::new(), "# Notes\n".into()), None);
    let edit = table.app.content_edit(call, path(), vec![edited("/ws/hello.py")], "mine".into());
    let files = vec![edited("/ws/hello.py"), edited("/ws/notes.md")];
    assert_eq!(edit, Some(AnswerEdit::Files { files }));
    let edit = table.app.content_edit(call, path(), vec![edited("/ws/hello.py")], "# Notes\n".into());
    assert_eq!(edit, Some(AnswerEdit::Files { files: vec![edited("/ws/hello.py")] }));
}
