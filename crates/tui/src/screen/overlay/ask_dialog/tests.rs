use super::AskDialog;
use crate::screen::overlay::key_guard::GuardedOverlay;
use crate::screen::overlay::testing::{key, shots, text, view_of};
use crate::screen::overlay::{Overlay, OverlayStep, UiEffect};
use crate::screen::theme::dark;
use crate::testing::{EVIL, FakeSession, edit_ask, hello_change, patch_ask, run_ask};
use insta::assert_snapshot;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod attacks;
mod edits;
mod instead;
mod turning;
mod writing;

/// A dialog and a clock that only the test moves.
struct AskDialogTester {
    session: Arc<FakeSession>,
    dialog: AskDialog,
    now: Instant,
    /// The rows of the screen on which keys are pressed.
    height: u16,
}

impl AskDialogTester {
    /// A session whose agent wants these calls; each asks as given.
    fn with(asks: Vec<(&str, serde_json::Value, Ask)>) -> AskDialogTester {
        let session = FakeSession::open();
        session.seat("terminal").prompts("go on");
        let calls: Vec<(&str, serde_json::Value)> = asks.iter().map(|(tool, args, _)| (*tool, args.clone())).collect();
        let ids = session.calls(&calls);
        for (id, (.., ask)) in ids.into_iter().zip(asks) {
            session.vets(id, ToolKind::Execute, PolicyVerdict::Ask(ask));
        }
        let start = Instant::now();
        let dialog = AskDialog::new(&view_of(&session), start).unwrap();
        let mut desk = AskDialogTester { session, dialog, now: start, height: 24 };
        desk.pauses(400);
        desk.draws(80, 24);
        desk
    }

    fn running(commands: &[&str]) -> AskDialogTester {
        let ask = |command: &&'static str| ("run_shell_command", json!({ "command": command }), run_ask(command));
        let commands: Vec<&'static str> = commands.iter().map(|command| &*command.to_string().leak()).collect();
        AskDialogTester::with(commands.iter().map(ask).collect())
    }

    fn editing() -> AskDialogTester {
        let args = json!({ "file_path": "hello.py" });
        AskDialogTester::with(vec![("write_file", args, edit_ask(hello_change()))])
    }

    fn patching() -> AskDialogTester {
        let args = json!({ "patch": "*** Update File: hello.py\n*** Add File: notes.md\n*** Update File: old.md\n*** Move to: new.md" });
        let desk = AskDialogTester::with(vec![("apply_patch", args, patch_ask())]);
        // On fewer rows the end of the patch is out of sight.
        desk.draws(80, 40);
        AskDialogTester { height: 40, ..desk }
    }

    fn pauses(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    /// Press keys one after the other, looking at the screen in between; what the last one came to.
    fn presses(&mut self, keys: &[&str]) -> OverlayStep {
        let mut step = OverlayStep::Stay;
        for name in keys {
            step = self.dialog.key_at(key(name), self.now);
            self.draws(80, self.height);
        }
        step
    }

    fn draws(&self, width: u16, height: u16) -> String {
        text(&self.dialog.render_at(width, height, &dark(), self.now), width, height)
    }

    fn shots(&self, height: u16) -> String {
        shots(height, |width, height, theme| self.dialog.render_at(width, height, theme, self.now))
    }

    fn call(&self, at: usize) -> CallId {
        self.session.state().turn.unwrap().calls.keys().copied().nth(at).unwrap()
    }

    fn follows(&mut self) -> OverlayStep {
        self.dialog.follow_at(&view_of(&self.session), self.now)
    }
}

fn answer(call: CallId, option: &str, edit: Option<AnswerEdit>) -> OverlayStep {
    OverlayStep::Do(UiEffect::Send(Command::Answer { call, option: option.into(), edit }))
}

/// What Esc comes to: a no to each of these.
fn declines(calls: &[CallId]) -> OverlayStep {
    let answer = |call: &CallId| Command::Answer { call: *call, option: "cancel".into(), edit: None };
    OverlayStep::Do(UiEffect::SendEach(calls.iter().map(answer).collect()))
}

#[test]
fn a_command() {
    assert_snapshot!(AskDialogTester::running(&["cargo test --workspace"]).shots(24));
}

#[test]
fn a_command_in_the_background_says_so() {
    let args = json!({ "command": "npm start", "is_background": true });
    let seen = AskDialogTester::with(vec![("run_shell_command", args, run_ask("npm start"))]).draws(80, 24);
    assert!(seen.contains("npm start (in the background)") && seen.contains("run in the background in /ws:"), "{seen}");
}

#[test]
fn the_reason_of_an_ask_is_shown() {
    let ask = run_ask("git status").with_reason(Some("It asks because you do not trust this folder.".into()));
    let dialog = AskDialogTester::with(vec![("run_shell_command", json!({ "command": "git status" }), ask)]);
    let seen = dialog.draws(80, 24);
    assert!(seen.contains("It asks because you do not trust this folder."), "{seen}");
}

#[test]
fn a_long_command_on_a_small_screen() {
    let command = (1..30).map(|line| format!("echo line {line} of a script")).collect::<Vec<_>>().join("\n");
    let session = AskDialogTester::running(&[&command]);
    assert_snapshot!(session.shots(10));
}

#[test]
fn a_change() {
    assert_snapshot!(AskDialogTester::editing().shots(24));
}

#[test]
fn a_change_on_a_small_screen() {
    assert_snapshot!(AskDialogTester::editing().shots(10));
}

#[test]
fn a_new_file() {
    let change =
        FileDiff { old: None, patch: String::new(), new: "def greet():\n\treturn 'hello'\n".into(), ..hello_change() };
    assert_snapshot!(
        AskDialogTester::with(vec![("write_file", json!({ "file_path": "hello.py" }), edit_ask(change))]).shots(24)
    );
}

#[test]
fn a_tool_of_an_mcp_server() {
    let details =
        AskDetails::Mcp { server: "tickets".into(), tool: "add_ticket".into(), version: McpToolVersion::default() };
    let grant = Grant::Server { server: "tickets".into() };
    let options = vec![once_choice(), session_choice(grant), cancel_choice()];
    let args = json!({ "title": "Fix it", "labels": ["bug", "terminal"], "body": "It is broken.\nVery." });
    assert_snapshot!(AskDialogTester::with(vec![("tickets__add_ticket", args, Ask::new(details, options))]).shots(24));
}

#[test]
fn a_fetch() {
    let details = AskDetails::generic("Fetch https://example.com/page and tell the model what it says");
    let grant = Grant::Tool { tool: "web_fetch".into() };
    let ask = Ask::new(details, vec![once_choice(), session_choice(grant), cancel_choice()]);
    assert_snapshot!(
        AskDialogTester::with(vec![("web_fetch", json!({ "prompt": "https://example.com/page" }), ask)]).shots(24)
    );
}

#[test]
fn several_asks() {
    let mut desk = AskDialogTester::running(&["npm test", "npm run build", "rm -rf build"]);
    desk.presses(&["C-n"]);
    assert_snapshot!(desk.shots(24));
}

#[test]
fn digits_and_arrows_choose() {
    let table: &[(&[&str], &str)] = &[
        (&["1"], "proceed_once"),
        (&["2"], "proceed_always"),
        (&["3"], "cancel"),
        (&["enter"], "proceed_once"),
        (&["down", "enter"], "proceed_always"),
        (&["up", "enter"], "cancel"),
    ];
    for (keys, option) in table {
        let mut desk = AskDialogTester::running(&["npm test"]);
        assert_eq!(desk.presses(keys), answer(desk.call(0), option, None), "{keys:?}");
    }
    for keys in [&["esc"][..], &["down", "esc"], &["x", "esc"]] {
        let mut desk = AskDialogTester::running(&["npm test"]);
        desk.presses(&keys[..keys.len() - 1]);
        desk.pauses(400);
        assert_eq!(desk.presses(&["esc"]), declines(&[desk.call(0)]), "{keys:?}");
    }
    for keys in [&["tab"][..], &["C-s"], &["A-1"]] {
        assert_eq!(AskDialogTester::running(&["npm test"]).presses(keys), OverlayStep::Stay, "{keys:?}");
    }
    for keys in [&["4"][..], &["0"], &["x"]] {
        assert_eq!(AskDialogTester::running(&["npm test"]).presses(keys), OverlayStep::ForComposer, "{keys:?}");
    }
}

#[test]
fn what_is_partly_out_of_sight_is_allowed_only_after_its_end_was_shown() {
    let long = (1..=60).map(|line| format!("echo {line}\n")).collect::<String>() + "rm -rf build";
    for keys in [&["1"][..], &["enter"]] {
        let mut desk = AskDialogTester::running(&[long.as_str()]);
        assert!(!desk.draws(80, 24).contains("rm -rf build"));
        assert_eq!(desk.presses(keys), OverlayStep::Stay);
        let seen = desk.draws(80, 24);
        assert!(seen.contains("rm -rf build") && seen.contains("that was not all of it"), "{seen}");
        assert_eq!(desk.presses(keys), answer(desk.call(0), "proceed_once", None));
        // Whoever has looked at the end, or declines, is not held up.
        let mut desk = AskDialogTester::running(&[long.as_str()]);
        assert_eq!(desk.presses(&["end", "home", "1"]), answer(desk.call(0), "proceed_once", None));
        let mut desk = AskDialogTester::running(&[long.as_str()]);
        assert_eq!(desk.presses(&["3"]), answer(desk.call(0), "cancel", None));
    }
}

#[test]
fn it_has_just_appeared_for_a_few_seconds_only() {
    let mut desk = AskDialogTester::running(&["touch danger"]);
    desk.dialog.tell_draft(true);
    desk.dialog.appears_at(desk.now);
    desk.dialog.is_typing_ahead = true;
    desk.presses(&["back"]);
    desk.dialog.tell_draft(false);
    assert!(desk.draws(80, 24).contains("just appeared"), "{}", desk.draws(80, 24));
    desk.dialog.tell_draft(true);
    desk.pauses(30_000);
    desk.presses(&["back"]);
    desk.dialog.tell_draft(false);
    let seen = desk.draws(80, 24);
    assert!(!seen.contains("just appeared") && seen.contains("what you type now goes to the composer"), "{seen}");
}

#[test]
fn what_lasts_takes_enter() {
    let lasting = || {
        let grant = Grant::Tool { tool: "web_fetch".into() };
        let options = vec![once_choice(), lasting_choice(grant, GrantScope::Always), cancel_choice()];
        AskDialogTester::with(vec![("web_fetch", json!({}), Ask::new(AskDetails::generic("Fetch it"), options))])
    };
    for keys in [&["2"][..], &["2", "2"], &["2", "2", "2"]] {
        assert_eq!(lasting().presses(keys), OverlayStep::Stay, "{keys:?}");
    }
    for keys in [&["2", "x"][..], &["2", "x", "enter"]] {
        assert_eq!(lasting().presses(keys), OverlayStep::ForComposer, "{keys:?}");
    }
    for keys in [&["2", "enter"][..], &["down", "enter"], &["2", "2", "enter"]] {
        let mut desk = lasting();
        let option = lasting_choice(Grant::Tool { tool: "web_fetch".into() }, GrantScope::Always).id;
        assert_eq!(desk.presses(keys), answer(desk.call(0), &option, None), "{keys:?}");
    }
}

#[test]
fn a_window_too_small_to_read_takes_no_yes() {
    let small = [(19, 24), (80, 4), (4, 24), (1, 1), (80, 1)];
    for (width, height) in small {
        for name in ["1", "2", "enter", "e", "C-g", "x"] {
            let mut desk = AskDialogTester::running(&["npm test"]);
            let seen = desk.draws(width, height);
            assert!(!seen.contains("Allow"), "{seen}");
            assert_eq!(desk.dialog.key_at(key(name), desk.now), OverlayStep::Stay, "{name} at {width}x{height}");
        }
        let mut desk = AskDialogTester::running(&["npm test"]);
        let no = [("3", answer(desk.call(0), "cancel", None)), ("esc", declines(&[desk.call(0)]))];
        for (name, expected) in no {
            desk.draws(width, height);
            assert_eq!(desk.dialog.key_at(key(name), desk.now), expected, "{name} at {width}x{height}");
            desk.pauses(400);
        }
    }
    let mut desk = AskDialogTester::running(&["npm test"]);
    assert_snapshot!(desk.draws(19, 8));
    // It was enlarged.
    assert!(desk.draws(20, 5).contains("1. Allow once"));
    assert_eq!(desk.dialog.key_at(key("1"), desk.now), answer(desk.call(0), "proceed_once", None));
}

#[test]
fn an_ask_without_a_way_out_says_so() {
    let ask = Ask::new(AskDetails::generic("Go?"), vec![once_choice()]);
    let mut desk = AskDialogTester::with(vec![("t", json!({}), ask)]);
    assert_eq!(desk.presses(&["esc"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains("this cannot be declined here; Ctrl+C stops the turn"));
}

#[test]
fn a_key_that_was_meant_for_the_composer_answers_nothing() {
    let session = FakeSession::open();
    session.seat("terminal").prompts("go on");
    session.asks_to_run("npm test");
    let start = Instant::now();
    let dialog = AskDialog::new(&view_of(&session), start).unwrap();
    let mut desk = AskDialogTester { session, dialog, now: start, height: 24 };
    assert_snapshot!(desk.shots(24));
    for ms in [0, 399, 399, 10] {
        desk.pauses(ms);
        assert_eq!(desk.presses(&["1"]), OverlayStep::ForComposer, "after {ms} ms");
        assert!(desk.draws(80, 24).contains("what you type now goes to the composer"));
    }
    desk.pauses(400);
    assert!(!desk.draws(80, 24).contains("goes to the composer"));
    // They have erased it again.
    assert_eq!(desk.presses(&["1"]), answer(desk.call(0), "proceed_once", None));
}

#[test]
fn a_second_press_does_not_answer_twice() {
    let mut desk = AskDialogTester::running(&["npm test"]);
    let step = answer(desk.call(0), "proceed_once", None);
    assert_eq!(desk.presses(&["1"]), step);
    assert_eq!(desk.presses(&["1"]), OverlayStep::Stay);
    assert!(desk.draws(80, 24).contains("sent: Allow once"));
    // It was refused, or lost: the ask can be answered again.
    desk.pauses(400);
    assert_eq!(desk.presses(&["1"]), step);
}

#[test]
fn an_option_is_not_chosen_before_it_is_on_the_screen() {
    let long = "x".repeat(2_000);
    let mut desk = AskDialogTester::running(&[&long]);
    let small = |desk: &AskDialogTester| desk.draws(40, 6);
    assert!(small(&desk).contains("1-3 Enter · Tab · Esc"), "{}", small(&desk));
    assert_eq!(desk.dialog.key_at(key("1"), desk.now), OverlayStep::Stay);
    assert!(small(&desk).contains("❯ 1. Allow once"));
    assert_eq!(desk.dialog.key_at(key("1"), desk.now), answer(desk.call(0), "proceed_once", None));
}

#[test]
fn the_layer_wants_to_be_drawn_when_its_keys_count_again() {
    let desk = AskDialogTester::running(&["npm test"]);
    assert_eq!(desk.dialog.changes_at(), Some(desk.now));
    assert!(!desk.dialog.is_full_screen());
}
