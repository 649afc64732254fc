//! What keys do, as errands.

use super::ScreenTester;
use crate::screen::app::{AppEffect, HelpSection, ProcessStatus};
use crate::screen::input::TerminalFocus;
use crate::screen::overlay::confirm_dialog::SessionLocation;
use crate::screen::overlay::{SessionFolders, UiEffect};
use crate::screen::settings::NotificationMethod;
use crate::screen::terminal_control::TerminalControl;
use crate::testing::run_ask;
use crossterm::event::{KeyCode, KeyModifiers};
use pollux_session::{
    ApprovalMode, CallId, CancelScope, Command, Event, PolicyVerdict, Refusal, Report, SendError, SessionSetting,
    ToolKind, TurnOutcome, UnixMillis,
};
use pretty_assertions::assert_eq;
use ratatui::layout::Size;
use serde_json::json;

fn sends(command: Command) -> AppEffect {
    AppEffect::Ui(UiEffect::Send(command))
}

fn cancels() -> AppEffect {
    sends(Command::Cancel { scope: CancelScope::Turn })
}

#[test]
fn prompts_words_and_commands() {
    let mut table = ScreenTester::new(80, 24);
    let prompt = |text: &str| AppEffect::Ui(UiEffect::Prompt(text.into()));
    let remember = |text: &str| AppEffect::RememberPrompt(text.into());
    for (typed, errands) in [
        ("hello", vec![remember("hello"), prompt("hello")]),
        ("/memory show", vec![remember("/memory show"), AppEffect::AgentCommand("/memory show".into())]),
        ("/quit", vec![remember("/quit"), AppEffect::Ui(UiEffect::Quit)]),
        ("/model x", vec![remember("/model x"), sends(Command::Set { setting: SessionSetting::Model("x".into()) })]),
        ("!ls -la", vec![remember("!ls -la"), prompt("/shell ls -la")]),
        ("/export a.json", vec![remember("/export a.json"), AppEffect::Export(Some("a.json".into()))]),
        ("/a2a open 7", vec![remember("/a2a open 7"), AppEffect::Ui(UiEffect::OpenEndpoint(Some(7)))]),
    ] {
        table.enters(typed);
        table.app.offer_commands(Vec::new());
        assert_eq!(table.take_effects(), errands, "{typed}");
    }
}

#[test]
fn a_command_that_is_typed_before_the_list_is_there_waits_for_it() {
    let mut table = ScreenTester::new(80, 24);
    let prompt = |text: &str| AppEffect::Ui(UiEffect::Prompt(text.into()));
    let remember = |text: &str| AppEffect::RememberPrompt(text.into());
    table.enters("/hel");
    table.types("next");
    table.app.paste(" prompt".into());
    table.presses(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(table.take_effects(), [], "nobody knows yet what it names");
    table.app.offer_commands(Vec::new());
    let after =
        [remember("/help"), AppEffect::OpenHelp(HelpSection::Commands), remember("next prompt"), prompt("next prompt")];
    assert_eq!(table.take_effects(), after);
    // What the screen knows by itself waits for nobody.
    table.enters("/quit");
    assert_eq!(table.take_effects(), [remember("/quit"), AppEffect::Ui(UiEffect::Quit)]);
    // Two in a row, each with its own look.
    table.enters("/hel");
    table.enters("/unheard-of thing");
    table.app.offer_commands(Vec::new());
    assert_eq!(table.take_effects(), [remember("/help"), AppEffect::OpenHelp(HelpSection::Commands)]);
    table.app.offer_commands(Vec::new());
    let agents = |line: &str| AppEffect::AgentCommand(line.into());
    assert_eq!(table.take_effects(), [remember("/unheard-of thing"), agents("/unheard-of thing")]);
}

#[test]
fn whoever_does_not_wait_for_the_list_has_their_text_back() {
    let mut table = ScreenTester::new(80, 24);
    for (code, modifiers) in [(KeyCode::Esc, KeyModifiers::NONE), (KeyCode::Char('c'), KeyModifiers::CONTROL)] {
        table.enters("/hel");
        table.types("lost");
        table.presses(code, modifiers);
        table.app.offer_commands(Vec::new());
        assert_eq!(table.take_effects(), [], "{code:?}");
        assert_eq!(table.app.draft(), "/hel");
        table.app.compose(String::new());
    }
}

#[test]
fn what_waits_for_the_list_never_answers_an_ask() {
    let mut table = ScreenTester::new(80, 24);
    table.enters("/hel");
    table.types("1");
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.sees();
    table.app.offer_commands(Vec::new());
    assert_eq!(
        table.take_effects(),
        [AppEffect::RememberPrompt("/help".into()), AppEffect::OpenHelp(HelpSection::Commands)]
    );
    assert_eq!(table.app.draft(), "1");
}

#[test]
fn modes_are_cycled_and_the_last_is_asked_about() {
    let mut table = ScreenTester::new(80, 24);
    let mode = |mode| sends(Command::Set { setting: SessionSetting::Mode(mode) });
    table.presses(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(table.take_effects(), [mode(ApprovalMode::AutoEdit)]);
    table.presses(KeyCode::Char('y'), KeyModifiers::CONTROL);
    assert_eq!(table.take_effects(), []);
    table.types("y");
    assert_eq!(table.take_effects(), [], "it may have been meant for the composer");
    assert_eq!(table.app.draft(), "y");
    table.sees();
    table.presses(KeyCode::Up, KeyModifiers::NONE);
    table.types("y");
    assert_eq!(table.take_effects(), [mode(ApprovalMode::Yolo)]);
}

#[test]
fn ctrl_y_goes_back_to_the_mode_before() {
    let mut table = ScreenTester::new(80, 24);
    let mode = |mode| Command::Set { setting: SessionSetting::Mode(mode) };
    table.seat.does("plan", mode(ApprovalMode::Plan)).unwrap();
    table.follow();
    table.presses(KeyCode::Char('y'), KeyModifiers::CONTROL);
    table.seat.does("yolo", mode(ApprovalMode::Yolo)).unwrap();
    table.follow();
    table.sees();
    table.types("y");
    table.take_effects();
    table.presses(KeyCode::Char('y'), KeyModifiers::CONTROL);
    assert_eq!(table.take_effects(), [sends(mode(ApprovalMode::Plan))]);
}

#[test]
fn shift_tab_goes_through_all_modes_and_stops_at_the_dangerous_one() {
    let mut table = ScreenTester::new(80, 24);
    let mode = |mode| Command::Set { setting: SessionSetting::Mode(mode) };
    let shift_tab = |table: &mut ScreenTester| table.presses(KeyCode::BackTab, KeyModifiers::SHIFT);
    for next in [ApprovalMode::AutoEdit, ApprovalMode::Plan] {
        shift_tab(&mut table);
        assert_eq!(table.take_effects(), [sends(mode(next))]);
        table.seat.does(next.name(), mode(next)).unwrap();
        table.follow();
    }
    shift_tab(&mut table);
    assert_eq!(table.take_effects(), [], "it asks");
    shift_tab(&mut table);
    assert_eq!(
        table.take_effects(),
        [sends(mode(ApprovalMode::Default))],
        "pressed once more, it goes on to the first"
    );
    shift_tab(&mut table);
    table.sees();
    table.types("y");
    assert_eq!(table.take_effects(), [sends(mode(ApprovalMode::Yolo))]);
    table.seat.does("yolo", mode(ApprovalMode::Yolo)).unwrap();
    table.follow();
    shift_tab(&mut table);
    assert_eq!(table.take_effects(), [sends(mode(ApprovalMode::Default))]);
}

#[test]
fn shift_tab_twice_is_two_steps_however_slow_the_session_is() {
    let mut table = ScreenTester::new(80, 24);
    let mode = |mode| Command::Set { setting: SessionSetting::Mode(mode) };
    table.presses(KeyCode::BackTab, KeyModifiers::SHIFT);
    table.presses(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(table.take_effects(), [sends(mode(ApprovalMode::AutoEdit)), sends(mode(ApprovalMode::Plan))]);
    // Refused, it is forgotten.
    let refused = Err(SendError::Refused(Refusal::NotOwed));
    table.app.take_receipt(&mode(ApprovalMode::Plan), refused);
    table.presses(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(table.take_effects(), [sends(mode(ApprovalMode::AutoEdit))]);
}

#[test]
fn escape_stops_the_turn_and_never_fires_the_queue() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("one");
    table.seat.prompts("two");
    table.follow();
    table.presses(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(table.take_effects(), [cancels()]);
}

#[test]
fn ctrl_c_empties_then_stops_then_leaves() {
    let mut table = ScreenTester::new(80, 24);
    table.types("half");
    let ctrl_c = |table: &mut ScreenTester| table.presses(KeyCode::Char('c'), KeyModifiers::CONTROL);
    ctrl_c(&mut table);
    assert_eq!((table.app.draft(), table.take_effects()), (String::new(), vec![]));
    table.seat.prompts("one");
    table.follow();
    ctrl_c(&mut table);
    assert_eq!(table.take_effects(), [cancels()]);
    table.seat.does("cancel", Command::Cancel { scope: CancelScope::Turn }).unwrap();
    table.follow();
    ctrl_c(&mut table);
    assert_eq!(table.take_effects(), []);
    ctrl_c(&mut table);
    assert_eq!(table.take_effects(), [AppEffect::Ui(UiEffect::Quit)]);
}

#[test]
fn a_command_of_the_persons_own_is_answered_to_the_letter() {
    let hidden = format!("touch x{}", " ".repeat(500));
    for (typed, asked, answered) in [
        ("!touch x", "touch x", 1),
        ("!touch x", "touch y", 0),
        // What was not typed after the mark, or not read as a whole, is asked about.
        ("/shell touch x", "touch x", 0),
        ("!touch x\u{202e}", "touch x", 0),
        (&format!("!{hidden}; true"), "touch x", 0),
    ] {
        let mut table = ScreenTester::new(80, 24);
        table.enters(typed);
        table.take_effects();
        let receipt = table.seat.does("p", crate::send::prompt_command(&*table.seat, "/shell touch x".into())).unwrap();
        let sent = crate::send::prompt_command(&*table.seat, "/shell touch x".into());
        table.app.take_receipt(&sent, Ok(receipt));
        table.follow();
        table.session.asks_to_run(asked);
        table.follow();
        let answers = table.take_effects().into_iter().filter(|app_effect| {
            matches!(app_effect, AppEffect::Ui(UiEffect::Send(Command::Answer { option, .. })) if option == "proceed_once")
        });
        assert_eq!(answers.count(), answered, "{typed}");
    }
}

#[test]
fn a_command_of_the_persons_own_that_waits_in_the_queue_needs_no_second_yes_either() {
    // Whether somebody else changes the text of the prompt while it waits.
    for (changed, answered) in [(None, 1), (Some("/shell touch y"), 0)] {
        let mut table = ScreenTester::new(80, 24);
        table.seat.prompts("go");
        table.follow();
        table.enters("!touch x");
        table.take_effects();
        let sent = crate::send::prompt_command(&*table.seat, "/shell touch x".into());
        let receipt = table.seat.does("p", sent.clone()).unwrap();
        table.app.take_receipt(&sent, Ok(receipt));
        table.follow();
        let prompt = table.session.state().queue[0].id;
        if let Some(text) = changed {
            table.session.seat("A2A zed").does("q", Command::Requeue { prompt, text: text.into() }).unwrap();
        }
        table.session.rests();
        table.follow();
        table.session.asks_to_run(changed.map_or("touch x", |text| text.trim_start_matches("/shell ")));
        table.follow();
        let answers = table.take_effects().into_iter().filter(|app_effect| {
            matches!(app_effect, AppEffect::Ui(UiEffect::Send(Command::Answer { option, .. })) if option == "proceed_once")
        });
        assert_eq!(answers.count(), answered, "{changed:?}");
    }
}

#[test]
fn what_a_command_left_running_is_told_at_its_call() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    let call = table.session.asks_to_run("sleep 60 & echo ok");
    table.seat.answers(call, "proceed_once").unwrap();
    table.session.runs(call, pollux_session::Report::Starting);
    let text = "ok\n[Background processes were stopped when the command ended.]\n".to_owned();
    let result = pollux_session::CallResult { text, exit_code: Some(0), ..pollux_session::CallResult::default() };
    table.session.ends_call(call, result);
    table.follow();
    let seen = table.sees();
    assert!(seen.contains("what it left running in the background was stopped when it ended"), "{seen}");
}

#[test]
fn a_no_with_words_is_one_command_of_the_persons_own() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    table.session.asks_backwards(&["make", "make install"]);
    table.follow();
    let calls: Vec<CallId> = table.session.state().turn.unwrap().calls.keys().copied().collect();
    let no = |call: &CallId| Command::Answer { call: *call, option: "cancel".into(), edit: None };
    let command = |text: &str| crate::send::instead_command(&*table.seat, calls.iter().map(no).collect(), text.into());
    // What a command would begin with is meant for the model.
    let sent = command("/usr is not ours");
    let receipt = table.seat.does("no", sent.clone()).unwrap();
    let again = command("use just");
    table.app.take_receipt(&sent, Ok(receipt));
    table.follow();
    let seen = table.sees();
    assert!(seen.contains("\n>  /usr is not ours") && !seen.contains("[terminal] - run"), "{seen}");
    let turns = table.session.by_clients();
    assert!(
        matches!(&turns[turns.len() - 1], Event::Prompted { text, .. } if text == " /usr is not ours"),
        "{turns:?}"
    );
    // Somebody was faster: nothing of it happened, and what was written is in the composer.
    let refusal = table.seat.does("again", again.clone()).unwrap_err();
    table.app.take_receipt(&again, Err(SendError::Refused(refusal)));
    assert_eq!(table.app.draft(), "use just");
}

#[test]
fn somebody_who_looks_elsewhere_is_called() {
    let mut table = ScreenTester::new(80, 24);
    table.app.focus(TerminalFocus::Lost);
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    let told = TerminalControl::Notify { title: "Pollux".into(), text: "an ask is open".into() };
    let (told, bell) = (AppEffect::Control(told), AppEffect::Control(TerminalControl::Bell));
    assert_eq!(table.take_effects(), [told.clone(), bell.clone()]);
    // As the settings say.
    for (method, wanted) in [
        (None, vec![]),
        (Some(NotificationMethod::Bell), vec![bell]),
        (Some(NotificationMethod::Osc9), vec![told.clone()]),
        (Some(NotificationMethod::Osc777), vec![told]),
    ] {
        let mut other = ScreenTester::new(80, 24);
        other.app.set_notifications(method);
        other.app.focus(TerminalFocus::Lost);
        other.seat.prompts("go");
        other.session.asks_to_run("make");
        other.follow();
        assert_eq!(other.take_effects(), wanted, "{method:?}");
    }
    table.app.focus(TerminalFocus::Gained);
    table.seat.does("cancel", Command::Cancel { scope: CancelScope::Turn }).unwrap();
    table.follow();
    assert_eq!(table.take_effects(), []);
    assert_eq!(table.session.state().tasks.values().next().unwrap().last, Some(TurnOutcome::Cancelled));
}

#[test]
fn what_a_key_would_do_the_second_time_is_said_for_a_moment_and_leaves_nothing() {
    for (code, modifiers, hint) in [
        (KeyCode::Esc, KeyModifiers::NONE, "nothing runs; Esc again goes back to an earlier prompt"),
        (KeyCode::Char('c'), KeyModifiers::CONTROL, "nothing is running; press Ctrl+C again, or Ctrl+D, to leave"),
    ] {
        let mut table = ScreenTester::new(80, 24);
        let before = table.sees_now();
        table.presses(code, modifiers);
        assert!(table.sees_now().contains(hint), "{}", table.sees_now());
        // Once its time is over, the screen is as it was.
        assert_eq!(table.sees(), before);
        assert!(
            !table
                .app
                .frame(Size { width: 80, height: 24 }, UnixMillis(0))
                .above
                .iter()
                .any(|line| line.to_string().contains(hint))
        );
    }
    let mut table = ScreenTester::new(80, 24);
    let lines = table.sees_now().lines().count();
    table.seat.does("set", Command::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) }).unwrap();
    table.follow();
    let screen = table.sees_now();
    assert!(screen.contains("plan mode") && !screen.contains("mode set"), "{screen}");
    assert_eq!(screen.lines().count(), lines);
}

#[test]
fn a_program_that_wants_keys_is_not_run_after_an_exclamation_mark() {
    for (typed, runs) in [
        ("!python3", false),
        ("!/usr/bin/vim notes.txt", false),
        ("!python3 -c 'print(1)'", true),
        ("!echo 1 | python3", true),
        ("!ls", true),
    ] {
        let mut table = ScreenTester::new(100, 24);
        table.enters(typed);
        let is_sent = |app_effect: &AppEffect| matches!(app_effect, AppEffect::Ui(UiEffect::Prompt(_)));
        assert_eq!(table.take_effects().iter().any(is_sent), runs, "{typed}");
        assert_eq!(table.sees().contains("needs a terminal, and `!` has none. Press Ctrl+Z"), !runs, "{typed}");
    }
}

/// A terminal at a session that so many clients have joined.
fn shared(running: SessionLocation, clients: usize) -> ScreenTester {
    let mut table = ScreenTester::new(80, 24);
    table.app.session_location = running;
    table.app.set_process_status(ProcessStatus { port: Some(41242), clients, ..ProcessStatus::default() });
    table
}

#[test]
fn whoever_would_take_the_session_from_others_is_asked_once() {
    let quit = [AppEffect::Ui(UiEffect::Quit)];
    for (key, clients, hint) in [
        ('d', 2, "2 clients are attached and lose the session; press Ctrl+D again to leave"),
        ('c', 1, "1 client is attached and loses the session; press Ctrl+C again to leave"),
    ] {
        let mut table = shared(SessionLocation::Here, clients);
        table.presses(KeyCode::Char(key), KeyModifiers::CONTROL);
        assert_eq!(table.take_effects(), []);
        assert!(table.sees_now().contains(hint), "{}", table.sees_now());
        table.presses(KeyCode::Char(key), KeyModifiers::CONTROL);
        assert_eq!(table.take_effects(), quit);
    }
    let mut table = shared(SessionLocation::Here, 2);
    table.enters("/quit");
    assert_eq!(table.take_effects(), [AppEffect::RememberPrompt("/quit".into())]);
    assert!(table.sees().contains("2 clients are attached and lose the session."), "{}", table.sees());
    table.types("y");
    assert_eq!(table.take_effects(), quit);
    let mut table = shared(SessionLocation::Here, 2);
    table.enters("/resume");
    assert_eq!(
        table.take_effects(),
        [AppEffect::RememberPrompt("/resume".into()), AppEffect::OpenSessions(SessionFolders::This)]
    );
    assert!(table.sees().contains("lose the session if you resume another one"), "{}", table.sees());
    // Nobody loses anything by the going of a guest, or of somebody who is alone.
    for mut table in [shared(SessionLocation::Elsewhere, 2), shared(SessionLocation::Here, 0)] {
        table.presses(KeyCode::Char('d'), KeyModifiers::CONTROL);
        assert_eq!(table.take_effects(), quit);
    }
}

#[test]
fn a_refused_prompt_is_typed_already() {
    let mut table = ScreenTester::new(80, 24);
    let command = crate::send::prompt_command(&*table.seat, "precious".into());
    table.app.take_receipt(&command, Err(pollux_session::SendError::Lost("the disk is full".into())));
    assert_eq!(table.app.draft(), "precious");
    assert!(table.sees().contains("the disk is full"));
}

#[test]
fn an_ask_that_was_behind_something_takes_no_key_at_once() {
    let mut table = ScreenTester::new(80, 24);
    table.enters("/theme");
    table.take_effects();
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.sees();
    table.presses(KeyCode::Esc, KeyModifiers::NONE);
    table.take_effects();
    table.presses(KeyCode::Enter, KeyModifiers::NONE);
    table.presses(KeyCode::Char('1'), KeyModifiers::NONE);
    assert_eq!(table.take_effects(), []);
    table.sees();
    table.presses(KeyCode::Char('1'), KeyModifiers::NONE);
    assert_eq!(table.take_effects().len(), 1);
}

#[test]
fn whoever_is_in_the_middle_of_a_sentence_ends_it() {
    let mut table = ScreenTester::new(80, 24);
    table.types("please ex");
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.types("plain");
    assert_eq!((table.app.draft().as_str(), table.take_effects()), ("please explain", vec![]));
}

#[test]
fn what_is_written_around_an_opening_dialog_is_in_the_composer_and_answers_nothing() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    assert!(table.sees_now().contains("just appeared: what you type now goes to the composer"));
    // Begun when the dialog was there already, with digits in it, and ended after a pause for thought.
    table.types("fix 3");
    table.sees();
    table.types("x bugs");
    table.presses(KeyCode::Backspace, KeyModifiers::NONE);
    table.app.paste(" at 1".into());
    let seen = table.sees();
    assert!(seen.contains("> fix 3x bug at 1"), "it can be read below the dialog: {seen}");
    assert!(seen.contains("what you type goes to the composer; to answer, press ↑↓ first. Esc declines"), "{seen}");
    // Nothing is sent past a question.
    table.presses(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!((table.app.draft().as_str(), table.take_effects()), ("fix 3x bug at 1", vec![]));
    table.sees();
    table.presses(KeyCode::Down, KeyModifiers::NONE);
    table.presses(KeyCode::Char('1'), KeyModifiers::NONE);
    assert_eq!(table.take_effects().len(), 1, "the dialog is answered as ever");
    assert_eq!(table.app.draft(), "fix 3x bug at 1");
}

#[test]
fn a_digit_that_is_pressed_twice_for_a_dialog_is_no_text() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.sees();
    table.types("11");
    assert_eq!((table.take_effects().len(), table.app.draft()), (1, String::new()));
}

#[test]
fn a_call_that_asks_is_told_once() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    table.session.asks_to_run("make all");
    table.follow();
    let seen = table.sees();
    assert_eq!(seen.matches("? ").count(), 1, "the dialog says it: {seen}");
    assert!(!seen.contains("waits for you") && !seen.contains("Esc to cancel"), "{seen}");
    table.presses(KeyCode::Char('a'), KeyModifiers::ALT);
    let seen = table.sees();
    assert!(seen.contains("? run_shell_command make all  waits for you"), "without the dialog its line does: {seen}");
    assert_eq!(seen.matches("make all").count(), 1, "{seen}");
}

#[test]
fn a_call_that_runs_is_told_once() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    let call = table.session.asks_to_run("make all");
    table.seat.answers(call, "proceed_once").unwrap();
    table.session.runs(call, Report::Starting);
    table.follow();
    let seen = table.sees();
    assert_eq!(seen.matches("make all").count(), 1, "{seen}");
    assert!(seen.contains("Working  (") && seen.contains("Esc to cancel"), "{seen}");
}

#[test]
fn the_first_call_asks_first_whichever_policy_asks_about_first() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    let calls =
        table.session.calls(&["make a", "make b", "make c"].map(|it| ("run_shell_command", json!({ "command": it }))));
    for (call, command) in calls.into_iter().zip(["make a", "make b", "make c"]).rev() {
        table.session.vets(call, ToolKind::Execute, PolicyVerdict::Ask(run_ask(command)));
        // Each of them is on the screen by itself before the next one comes.
        table.follow();
    }
    let seen = table.sees();
    assert!(seen.contains("? Run a command  make a  (1 of 3 open asks)"), "{seen}");
}

#[test]
fn leaving_yolo_is_told_as_entering_it_is() {
    let mut table = ScreenTester::new(80, 24);
    for mode in [ApprovalMode::Yolo, ApprovalMode::Default, ApprovalMode::Plan] {
        table.seat.does(mode.name(), Command::Set { setting: SessionSetting::Mode(mode) }).unwrap();
        table.follow();
    }
    let seen = table.sees();
    assert!(seen.contains("mode set: yolo (nothing asks from now on)"), "{seen}");
    assert!(seen.contains("mode set: default"), "{seen}");
    assert!(!seen.contains("mode set: plan"), "the status line shows it: {seen}");
}

#[test]
fn leaving_with_an_open_ask_takes_two_presses_and_keeps_it() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.sees();
    table.presses(KeyCode::Char('d'), KeyModifiers::CONTROL);
    let seen = table.sees_now();
    assert!(seen.contains("an ask waits for you: Ctrl+D again leaves and keeps it open"), "{seen}");
    assert_eq!(table.take_effects(), []);
    table.presses(KeyCode::Char('d'), KeyModifiers::CONTROL);
    assert_eq!(table.take_effects(), [AppEffect::Ui(UiEffect::Quit)]);
    assert_eq!(table.session.state().turn.unwrap().asking_calls().count(), 1);
}

#[test]
fn a_line_that_is_typed_before_leave_is_asked_is_whole() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    table.follow();
    table.presses(KeyCode::Char('d'), KeyModifiers::CONTROL);
    table.types("/quit");
    table.presses(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!((table.app.draft().as_str(), table.take_effects()), ("/quit", vec![]));
}

#[test]
fn a_text_is_edited_behind_a_dialog() {
    let mut table = ScreenTester::new(80, 24);
    table.types("one two");
    table.seat.prompts("go");
    table.session.asks_to_run("make");
    table.follow();
    table.sees();
    table.presses(KeyCode::Char('w'), KeyModifiers::CONTROL);
    assert_eq!(table.app.draft(), "one ");
    table.presses(KeyCode::Char('u'), KeyModifiers::CONTROL);
    assert_eq!(table.app.draft(), "");
}

#[test]
fn a_prompt_that_is_cancelled_before_an_answer_is_in_the_composer_again() {
    for (said, draft, wanted) in [(None, "", "go"), (None, "mine", "mine"), (Some("well"), "", "")] {
        let mut table = ScreenTester::new(80, 24);
        let command = crate::send::prompt_command(&*table.seat, "go".into());
        let receipt = table.seat.does("go", command.clone()).unwrap();
        table.app.take_receipt(&command, Ok(receipt));
        table.follow();
        if let Some(said) = said {
            table.session.says(pollux_session::ItemKind::Text, said);
        }
        table.types(draft);
        table.seat.does("cancel", Command::Cancel { scope: pollux_session::CancelScope::Turn }).unwrap();
        table.follow();
        assert_eq!(table.app.draft(), wanted, "{said:?}");
    }
}

#[test]
fn whoever_asks_for_the_keys_sees_them_first() {
    for (typed, first, later) in
        [("?", "Keys", "Commands"), ("/keys\n", "Keys", "Commands"), ("/help\n", "Commands", "Keys")]
    {
        let mut table = ScreenTester::new(80, 200);
        match typed.strip_suffix('\n') {
            Some(line) => table.enters(line),
            None => table.types(typed),
        }
        let effects = table.take_effects();
        let section = effects.iter().find_map(|effect| match effect {
            AppEffect::OpenHelp(section) => Some(*section),
            _ => None,
        });
        table.app.open_help(Vec::new(), section.unwrap());
        let seen = table.sees();
        let at = |heading: &str| seen.lines().position(|line| line.trim() == heading).unwrap();
        assert!(at(first) < at(later), "{typed}: {seen}");
    }
}

#[test]
fn an_ask_behind_a_list_or_a_page_is_not_hidden() {
    for covered_by in ["/theme", "/help"] {
        let mut table = ScreenTester::new(80, 24);
        table.enters(covered_by);
        if table.take_effects().contains(&AppEffect::OpenHelp(HelpSection::Commands)) {
            table.app.open_help(Vec::new(), HelpSection::Commands);
        }
        assert!(table.app.is_covered() && !table.sees().contains("waits for you"));
        table.seat.prompts("go");
        table.session.asks_to_run("make");
        table.follow();
        let seen = table.sees();
        assert!(seen.contains("? 1 ask waits for you behind this"), "{covered_by}: {seen}");
    }
}

#[test]
fn a_turn_with_a_declined_call_says_so_at_its_end() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    let call = table.session.asks_to_run("make");
    table.seat.answers(call, "cancel").unwrap();
    table.follow();
    let seen = table.sees();
    assert!(seen.contains("· Stopped: run_shell_command make was declined. Say what to do instead."), "{seen}");
    // Who has said it already is not asked again.
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    let call = table.session.asks_to_run("make");
    let no = Command::Answer { call, option: "cancel".into(), edit: None };
    let command = crate::send::instead_command(&*table.seat, vec![no], "use just".into());
    table.seat.does("no", command).unwrap();
    table.follow();
    let seen = table.sees();
    assert!(seen.contains("· Stopped: run_shell_command make was declined.\n"), "{seen}");
}

#[test]
fn a_prompt_that_failed_says_how_to_send_it_again() {
    let mut table = ScreenTester::new(80, 24);
    let command = crate::send::prompt_command(&*table.seat, "go".into());
    let receipt = table.seat.does("go", command.clone()).unwrap();
    table.app.take_receipt(&command, Ok(receipt));
    let failure =
        pollux_session::TurnFailure { kind: "model_unreachable".into(), message: "nothing listens there".into() };
    table.session.thinks(pollux_session::Report::StepFailed { failure });
    table.follow();
    let seen = table.sees();
    assert!(seen.contains("to try again, press Up for your prompt and Enter to send it"), "{seen}");
}

#[test]
fn a_fact_of_the_persons_own_is_remembered_without_a_second_yes() {
    for (typed, asked, effects) in [("tea is best", "tea is best", 1), ("tea is best", "coffee is best", 0)] {
        let mut table = ScreenTester::new(80, 24);
        let line = format!("/memory add {typed}");
        let command = crate::send::prompt_command(&*table.seat, line.clone());
        let receipt = table.seat.does(&line, command.clone()).unwrap();
        table.app.take_receipt(&command, Ok(receipt));
        let call = table.session.calls(&[("save_memory", json!({ "fact": asked }))])[0];
        table.session.vets(call, ToolKind::Edit, PolicyVerdict::Ask(run_ask("remember")));
        table.take_effects();
        table.follow();
        let answer = Command::Answer { call, option: "proceed_once".into(), edit: None };
        assert_eq!(table.take_effects(), vec![sends(answer); effects], "{asked}");
    }
}
