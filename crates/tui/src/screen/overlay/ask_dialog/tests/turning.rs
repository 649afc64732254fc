//! Several asks, and asks that are decided elsewhere.

use super::*;
use pretty_assertions::assert_eq;

#[test]
fn keys_turn_from_ask_to_ask() {
    let table: &[(&[&str], usize)] =
        &[(&["right"], 1), (&["left"], 2), (&["backtab"], 2), (&["C-n"], 1), (&["C-p"], 2)];
    for (keys, at) in table {
        let mut desk = AskDialogTester::running(&["one", "two", "three"]);
        assert_eq!(desk.presses(keys), OverlayStep::Stay);
        assert!(desk.draws(80, 24).contains(&format!("({} of 3 open asks)", at + 1)), "{keys:?}");
        // Another ask is on the screen, so keys are ignored again.
        assert_eq!(desk.presses(&["1"]), OverlayStep::Stay);
        desk.pauses(400);
        assert_eq!(desk.presses(&["1"]), answer(desk.call(*at), "proceed_once", None), "{keys:?}");
    }
}

#[test]
fn esc_declines_every_open_ask_and_a_numbered_no_only_its_own() {
    let mut desk = AskDialogTester::running(&["one", "two", "three"]);
    let calls = [0, 1, 2].map(|at| desk.call(at));
    assert_eq!(desk.presses(&["3"]), answer(calls[0], "cancel", None));
    desk.session.seat("terminal").answers(calls[0], "cancel").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Stay);
    desk.pauses(400);
    assert_eq!(desk.presses(&["esc"]), declines(&calls[1..]));
    // The log has them one after the other; none of that is news to whoever pressed the key.
    desk.session.seat("terminal").answers(calls[1], "cancel").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Stay);
    assert!(!desk.draws(80, 24).contains("another one now"), "{}", desk.draws(80, 24));
    desk.session.seat("terminal").answers(calls[2], "cancel").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Close);
}

#[test]
fn esc_leaves_open_what_cannot_be_declined() {
    let ask = |options| ("t", json!({}), Ask::new(AskDetails::generic("Go?"), options));
    let mut desk = AskDialogTester::with(vec![ask(vec![once_choice(), cancel_choice()]), ask(vec![once_choice()])]);
    assert_eq!(desk.presses(&["esc"]), declines(&[desk.call(0)]));
}

#[test]
fn the_next_ask_comes_when_this_one_is_decided_elsewhere() {
    let mut desk = AskDialogTester::running(&["one", "two"]);
    desk.session.seat("A2A zed").answers(desk.call(0), "proceed_always").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Stay);
    assert_snapshot!(desk.draws(80, 24));
    // A digit that was meant for the first one does not answer the second one.
    assert_eq!(desk.presses(&["1"]), OverlayStep::Stay);
    desk.pauses(400);
    assert_eq!(desk.presses(&["2"]), answer(desk.call(1), "proceed_always", None));
}

#[test]
fn the_dialog_closes_when_nothing_is_asked_any_more() {
    let mut desk = AskDialogTester::running(&["one"]);
    assert_eq!(desk.follows(), OverlayStep::Stay);
    desk.session.seat("web").answers(desk.call(0), "cancel").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Close);
    assert_eq!(desk.dialog.key_at(key("1"), desk.now), OverlayStep::Close);
}

#[test]
fn what_this_seat_answered_is_not_told_as_news() {
    let mut desk = AskDialogTester::running(&["one", "two"]);
    desk.presses(&["1"]);
    desk.session.seat("terminal").answers(desk.call(0), "proceed_once").unwrap();
    assert_eq!(desk.follows(), OverlayStep::Stay);
    assert!(!desk.draws(80, 24).contains("decided by"));
    assert!(desk.draws(80, 24).contains("keys are ignored"));
}

#[test]
fn another_entry_leaves_the_ask_and_its_draft_alone() {
    let mut desk = AskDialogTester::editing();
    desk.presses(&["e", "C-home", "x"]);
    desk.session.seat("A2A zed").prompts("by the way");
    assert_eq!(desk.follows(), OverlayStep::Stay);
    let edit = Some(AnswerEdit::Content { new: "xa\n\nc\n".into() });
    assert_eq!(desk.presses(&["C-s"]), answer(desk.call(0), "proceed_once", edit));
}

#[test]
fn an_ask_that_comes_later_waits_its_turn() {
    let session = FakeSession::open();
    session.seat("terminal").prompts("go on");
    let calls = session.calls(&[("a", json!({})), ("b", json!({}))]);
    session.vets(calls[0], ToolKind::Execute, PolicyVerdict::Ask(run_ask("first")));
    let now = Instant::now();
    let dialog = AskDialog::new(&view_of(&session), now).unwrap();
    let mut desk = AskDialogTester { session, dialog, now, height: 24 };
    desk.pauses(400);
    desk.draws(80, 24);
    desk.session.vets(calls[1], ToolKind::Execute, PolicyVerdict::Ask(run_ask("second")));
    assert_eq!(desk.follows(), OverlayStep::Stay);
    assert!(desk.draws(80, 24).starts_with("? a  (1 of 2 open asks)"));
    assert_eq!(desk.presses(&["1"]), answer(calls[0], "proceed_once", None));
}

#[test]
fn without_an_ask_there_is_no_dialog() {
    assert!(AskDialog::new(&view_of(&FakeSession::open()), Instant::now()).is_none());
}
