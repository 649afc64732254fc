//! A person who writes a prompt while something asks: nothing of the sentence answers, however long they pause in it.

use super::*;
use crate::screen::overlay::ask_dialog::WRITING_HINT;
use pretty_assertions::assert_eq;

/// Type one key after the other, slowly, and think for a while after it.
fn writes(desk: &mut AskDialogTester, text: &str) {
    for letter in text.chars() {
        let code = crossterm::event::KeyCode::Char(letter);
        assert_eq!(desk.dialog.key_at(code.into(), desk.now), OverlayStep::ForComposer, "{letter} of {text}");
        desk.dialog.tell_draft(true);
        desk.pauses(500);
    }
    desk.pauses(2_000);
    desk.draws(80, 24);
}

fn plan() -> AskDialogTester {
    let schema = json!({ "properties": {
        "approved": { "type": "boolean", "default": true },
        "approvalMode": { "type": "string", "enum": ["default", "autoEdit"] },
        "feedback": { "type": "string" },
    } });
    let details = AskDetails::Generic { description: "# Plan".into(), schema: Some(schema) };
    AskDialogTester::with(vec![("exit_plan_mode", json!({}), Ask::new(details, vec![once_choice(), cancel_choice()]))])
}

fn question(property: &serde_json::Value) -> AskDialogTester {
    let schema = json!({ "type": "object", "properties": { "how": property } });
    let details = AskDetails::Generic { description: "How?".into(), schema: Some(schema) };
    AskDialogTester::with(vec![("ask_user", json!({}), Ask::new(details, vec![once_choice(), cancel_choice()]))])
}

fn list() -> AskDialogTester {
    question(&json!({ "type": "string", "anyOf": [{ "const": "a" }, { "type": "string", "title": "Other" }] }))
}

#[test]
fn a_sentence_with_digits_and_an_e_answers_nothing() {
    let asks: [fn() -> AskDialogTester; 5] = [
        || AskDialogTester::running(&["touch danger"]),
        AskDialogTester::editing,
        plan,
        || question(&json!({ "type": "boolean" })),
        || AskDialogTester::running(&["one", "two"]),
    ];
    for (number, ask) in asks.into_iter().enumerate() {
        let mut desk = ask();
        // A word that no dialog here takes comes first.
        writes(&mut desk, "add 1 file, 2 edits; eEe and 3");
        for name in ["enter", "tab", "backtab"] {
            assert_eq!(desk.presses(&[name]), OverlayStep::Stay, "{name} in {number}");
            assert!(desk.draws(80, 24).contains(WRITING_HINT), "{}", desk.draws(80, 24));
            desk.pauses(2_000);
        }
        for name in ["C-g", "C-s", "C-n", "back", "A-enter", "left", "1"] {
            assert_eq!(desk.presses(&[name]), OverlayStep::ForComposer, "{name} in {number}");
            desk.pauses(2_000);
        }
        assert!(desk.draws(80, 24).trim_end().ends_with("press ↑↓ first. Esc declines"), "{}", desk.draws(80, 24));
    }
}

#[test]
fn what_stood_in_the_composer_before_keeps_every_key() {
    let asks: [fn() -> AskDialogTester; 4] = [
        || AskDialogTester::running(&["touch danger"]),
        AskDialogTester::editing,
        list,
        || question(&json!({ "type": "string" })),
    ];
    for (number, ask) in asks.into_iter().enumerate() {
        for name in ["1", "2", "e", "E", "x", "y", "C-g"] {
            let mut desk = ask();
            desk.dialog.tell_draft(true);
            let seen = desk.draws(80, 24);
            assert!(seen.contains(WRITING_HINT) && !seen.contains("(cursor"), "{seen}");
            assert_eq!(desk.presses(&[name]), OverlayStep::ForComposer, "{name} in {number}");
        }
        let mut desk = ask();
        desk.dialog.tell_draft(true);
        assert_eq!(desk.dialog.paste_at("1", desk.now), OverlayStep::ForComposer);
        assert_eq!(desk.presses(&["enter"]), OverlayStep::Stay);
    }
}

#[test]
fn arrows_turn_to_the_dialog() {
    for keys in [&["up", "up", "enter"][..], &["down", "3"], &["pgdn", "up", "3"]] {
        let mut desk = AskDialogTester::running(&["touch danger"]);
        writes(&mut desk, "no, 2");
        assert_eq!(desk.presses(keys), answer(desk.call(0), "cancel", None), "{keys:?}");
    }
    // The first one only turns.
    let mut desk = AskDialogTester::running(&["touch danger"]);
    writes(&mut desk, "yes");
    assert_eq!(desk.presses(&["down", "enter"]), answer(desk.call(0), "proceed_once", None));
    let mut desk = AskDialogTester::running(&["touch danger"]);
    writes(&mut desk, "no");
    assert_eq!(desk.presses(&["esc"]), declines(&[desk.call(0)]));
    // The next letter is for the composer again, and so is what follows.
    let mut desk = AskDialogTester::editing();
    writes(&mut desk, "no");
    desk.presses(&["down"]);
    assert!(!desk.draws(80, 24).contains(WRITING_HINT));
    assert_eq!(desk.presses(&["x"]), OverlayStep::ForComposer);
    desk.pauses(2_000);
    assert_eq!(desk.presses(&["1"]), OverlayStep::ForComposer);
    // Behind an arrow, e edits.
    desk.pauses(2_000);
    desk.presses(&["down", "e", "C-home", "x"]);
    let edit = Some(AnswerEdit::Content { new: "xa\n\nc\n".into() });
    assert_eq!(desk.presses(&["C-s"]), answer(desk.call(0), "proceed_once", edit));
    let mut desk = list();
    desk.dialog.tell_draft(true);
    let answers = Some(AnswerEdit::Answers { answers: json!({ "how": "a" }) });
    assert_eq!(desk.presses(&["down", "1"]), answer(desk.call(0), "proceed_once", answers));
}

#[test]
fn an_arrow_turns_to_the_dialog_without_a_pause() {
    let mut desk = AskDialogTester::running(&["touch danger"]);
    assert_eq!(desk.presses(&["h"]), OverlayStep::ForComposer);
    desk.pauses(50);
    assert_eq!(desk.presses(&["down"]), OverlayStep::Stay);
    assert_eq!(desk.presses(&["3"]), answer(desk.call(0), "cancel", None));
    // Whoever presses one as the dialog appears has not seen it.
    let mut young = AskDialogTester::running(&["touch danger"]);
    young.dialog.tell_draft(true);
    young.dialog.appears_at(young.now);
    young.pauses(50);
    young.presses(&["down"]);
    young.pauses(2_000);
    assert_eq!(young.presses(&["1"]), OverlayStep::ForComposer);
}

#[test]
fn the_next_ask_asks_for_an_arrow_again() {
    let mut desk = AskDialogTester::running(&["one", "two"]);
    desk.dialog.tell_draft(true);
    assert_eq!(desk.presses(&["down", "1"]), answer(desk.call(0), "proceed_once", None));
    desk.session.seat("terminal").answers(desk.call(0), "proceed_once").unwrap();
    desk.follows();
    desk.pauses(2_000);
    assert!(desk.draws(80, 24).contains(WRITING_HINT));
    assert_eq!(desk.presses(&["1"]), OverlayStep::ForComposer);
}

#[test]
fn text_that_is_pasted_or_typed_ahead_is_written_too() {
    let mut pasted = AskDialogTester::running(&["touch danger"]);
    pasted.dialog.paste_at("no, call it safe", pasted.now);
    assert_eq!(pasted.presses(&["enter"]), OverlayStep::Stay);
    let mut young = AskDialogTester::running(&["touch danger"]);
    young.dialog.appears_at(young.now);
    writes(&mut young, "no");
    assert_eq!(young.presses(&["enter"]), OverlayStep::Stay);
}

#[test]
fn a_change_that_is_being_written_takes_every_key() {
    let mut editing = AskDialogTester::editing();
    editing.presses(&["e", "C-home", "a", "1", "enter"]);
    // A page was in front of it for a while.
    editing.dialog.tell_draft(true);
    editing.dialog.appears_at(editing.now);
    assert_eq!(editing.presses(&["x"]), OverlayStep::Stay, "it has only just appeared");
    editing.pauses(400);
    editing.presses(&["b"]);
    let edit = Some(AnswerEdit::Content { new: "a1\nba\n\nc\n".into() });
    assert_eq!(editing.presses(&["C-s"]), answer(editing.call(0), "proceed_once", edit));
}

#[test]
fn a_person_who_put_the_dialog_aside_and_sent_the_prompt_begins_anew() {
    let mut desk = AskDialogTester::running(&["one"]);
    writes(&mut desk, "no");
    desk.dialog.tell_draft(false);
    desk.dialog.appears_at(desk.now);
    desk.pauses(400);
    assert_eq!(desk.presses(&["1"]), answer(desk.call(0), "proceed_once", None));
}
