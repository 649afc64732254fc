//! Declining with words: what the model should do instead.

use super::*;
use pretty_assertions::assert_eq;

/// What sending these words comes to: a no to each of the calls, and the words.
fn instead(calls: &[CallId], text: &str) -> OverlayStep {
    let answer = |call: &CallId| Command::Answer { call: *call, option: "cancel".into(), edit: None };
    OverlayStep::Do(UiEffect::Instead { declined: calls.iter().map(answer).collect(), text: text.into() })
}

#[test]
fn a_command_with_what_to_do_instead() {
    let mut desk = AskDialogTester::running(&["rm -rf build"]);
    assert_eq!(desk.presses(&["tab", "u", "s", "e", "space", "m", "a", "k", "e"]), OverlayStep::Stay);
    assert_snapshot!(desk.shots(24));
    assert_snapshot!("a_command_with_what_to_do_instead_on_a_small_screen", desk.draws(40, 12));
}

#[test]
fn words_go_with_a_no_to_everything_that_is_asked() {
    let mut desk = AskDialogTester::running(&["one", "two"]);
    let calls = [desk.call(0), desk.call(1)];
    assert_eq!(desk.presses(&["tab", "n", "o", "1", "enter"]), instead(&calls, "no1"));
    // They are on their way: the next key would only be refused.
    assert_eq!(desk.presses(&["1"]), OverlayStep::Stay);
    let mut desk = AskDialogTester::editing();
    assert_eq!(desk.presses(&["tab", "a", "C-j", "b", "enter"]), instead(&[desk.call(0)], "a\nb"));
    let mut desk = AskDialogTester::running(&["one"]);
    desk.presses(&["tab"]);
    assert_eq!(desk.dialog.paste_at("two words", desk.now), OverlayStep::Stay);
    assert_eq!(desk.presses(&["enter"]), instead(&[desk.call(0)], "two words"));
}

#[test]
fn nothing_is_decided_before_there_are_words() {
    let mut desk = AskDialogTester::running(&["one"]);
    assert_eq!(desk.presses(&["tab", "enter"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains("say what to do instead, then press Enter"), "{}", desk.draws(80, 24));
    // Esc leaves the field, and what was written stays.
    assert_eq!(desk.presses(&["x", "esc"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains("nothing is decided"), "{}", desk.draws(80, 24));
    assert_eq!(desk.presses(&["tab", "y", "enter"]), instead(&[desk.call(0)], "xy"));
    // Nobody can be told no where there is no option for it.
    let ask = ("t", json!({}), Ask::new(AskDetails::generic("Go?"), vec![once_choice()]));
    let mut desk = AskDialogTester::with(vec![ask]);
    desk.presses(&["tab"]);
    assert!(!desk.draws(80, 24).contains("instead"), "{}", desk.draws(80, 24));
}

#[test]
fn words_for_an_ask_that_somebody_else_has_decided_are_kept() {
    let mut desk = AskDialogTester::running(&["one"]);
    desk.presses(&["tab", "h", "i"]);
    desk.session.seat("A2A zed").answers(desk.call(0), "proceed_once").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Close);
    let unsent = GuardedOverlay::unsent(&mut desk.dialog);
    assert_eq!(unsent.len(), 1);
    assert!(unsent[0].why.ends_with("while you were writing what to do instead"), "{}", unsent[0].why);
    assert_eq!(unsent[0].text, "hi");
}

/// A question about a command that the client `label` has sent: no model wants it.
fn restoring(label: &str) -> AskDialogTester {
    let session = FakeSession::open();
    session.seat(label).prompts("/restore 3");
    session.thinks(Report::Commanded { name: "restore".into() });
    let id = session.calls(&[("restore_checkpoint", json!({ "to": "before write_file a" }))])[0];
    let back = AskOption { name: "Go back".into(), ..once_choice() };
    let stay = AskOption { name: "Leave everything as it is".into(), ..cancel_choice() };
    session.vets(
        id,
        ToolKind::Edit,
        PolicyVerdict::Ask(Ask::new(AskDetails::generic("It changes a."), vec![back, stay])),
    );
    let start = Instant::now();
    let dialog = AskDialog::new(&view_of(&session), start).unwrap();
    let mut desk = AskDialogTester { session, dialog, now: start, height: 24 };
    desk.pauses(400);
    desk.draws(80, 24);
    desk
}

#[test]
fn a_question_about_ones_own_command_is_answered_with_a_letter() {
    for (letter, option) in [("y", "proceed_once"), ("N", "cancel")] {
        let mut desk = restoring("terminal");
        let call = desk.call(0);
        assert_eq!(desk.presses(&[letter]), answer(call, option, None));
    }
    let mut desk = restoring("terminal");
    assert_eq!(desk.presses(&["tab"]), OverlayStep::Stay);
    let seen = desk.draws(80, 24);
    assert!(seen.contains("y, n or ↑↓ and Enter") && !seen.contains("instead"), "{seen}");
    // What the model or somebody else wants is allowed by no letter.
    assert_eq!(restoring("A2A zed").presses(&["y"]), OverlayStep::ForComposer);
    let ask = ("write_file", json!({}), Ask::new(AskDetails::generic("It?"), vec![once_choice(), cancel_choice()]));
    let mut desk = AskDialogTester::with(vec![ask]);
    assert_eq!(desk.presses(&["y"]), OverlayStep::ForComposer);
}
