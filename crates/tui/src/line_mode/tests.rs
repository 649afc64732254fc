mod asks;
mod children;
mod context;
mod pipe;
mod questions;
mod typing;

use super::ExitReason;
use crate::ansi_writer::ColourMode;
use crate::line_input::EchoSource;
use crate::testing::*;
use expect_test::{Expect, expect};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;

pub(super) async fn check(table: &LineModeTester, expected: &Expect) {
    expected.assert_eq(&table.sees().await);
}

fn succeeded() -> CallResult {
    CallResult { text: "ok".into(), exit_code: Some(0), ..CallResult::default() }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_answered_as_the_answer_comes() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("hello").await;
    session.says(ItemKind::Thought, "**Greeting");
    session.says(ItemKind::Thought, " back**\nThey said hello.");
    session.says(ItemKind::Text, "Hi ");
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > hello
            ◦ Greeting back
            Hi "#]],
    )
    .await;
    session.says(ItemKind::Text, "there.");
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > hello
            ◦ Greeting back
            Hi there.

            > "#]],
    )
    .await;
    let (_, ended) = table.leaves().await;
    assert_eq!(ended, ExitReason::EndOfInput);
}

#[tokio::test(start_paused = true)]
async fn what_others_type_is_marked() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    session.seat("A2A").prompts("from a client\nof two lines");
    session.says(ItemKind::Text, "Yes.");
    session.seat("A2A zed").prompts("from zed");
    session.says(ItemKind::Text, " Really.");
    session.rests();
    session.rests();
    session.seat("terminal").prompts("from another terminal");
    session.rests();
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > 
        [A2A] from a client
        of two lines
        Yes.
        [A2A zed] from zed  (queued)
         Really.

        [A2A zed] from zed

        [terminal] from another terminal

        > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn ctrl_c_cancels_a_turn_and_leaves_when_nothing_runs() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("count").await;
    session.says(ItemKind::Text, "1 2 3");
    table.settle().await;
    table.types("go on later").await;
    table.interrupts().await;
    assert!(session.state().turn.is_none() && session.state().held().next().is_some());
    table.interrupts().await;
    table.types("/queue go").await;
    session.rests();
    table.settle().await;
    table.interrupts().await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > count
            1 2 3go on later
            queued: go on later
            ^C
             … (cut short)
            cancelled
            held in the queue: 1 prompt; /queue go continues, /queue drop N takes one out

            > ^C
            nothing is running; press Ctrl+C again, or Ctrl+D, to leave
            > /queue go
            the queue goes on
            > go on later

            > ^C
            nothing is running; press Ctrl+C again, or Ctrl+D, to leave
            > "#]],
    )
    .await;
    table.interrupts().await;
    assert_eq!(table.wait_for_exit().await, ExitReason::Quit);
}

#[tokio::test(start_paused = true)]
async fn prompts_wait_in_the_queue() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("/queue").await;
    table.types("first").await;
    table.types("second").await;
    session.seat("A2A zed").prompts("third");
    table.settle().await;
    table.types("/queue").await;
    table.types("/queue drop 7").await;
    // The numbers are those of the list on the screen, also when the queue has moved on.
    session.rests();
    table.settle().await;
    table.types("/queue drop 2").await;
    table.types("/queue drop 1").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > /queue
            no prompt is waiting
            > first
            second
            queued: second
            [A2A zed] third  (queued)
            /queue
            1. second
            2. [A2A zed] third
            /queue drop 7
            no prompt 7 on the list; /queue shows it

            > second
            /queue drop 2
            taken out of the queue: third
            /queue drop 1
            there is no prompt-5 waiting in the queue
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn slash_commands_are_not_prompts() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    for line in ["/mode", "/mode plan", "/mode wild", "/cancel", "/etc/hosts", "/status", "> /etc/hosts", "/quit"] {
        table.types(line).await;
    }
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > /mode
            mode: default
            > /mode plan
            mode set: plan
            > /mode wild
            no mode wild: choose default, auto_edit, plan or yolo
            > /cancel
            nothing is running that could be cancelled
            > /etc/hosts
            no command /etc/hosts; /help lists them; to send the line to the agent, put a space before the slash
            > /status
            model: demo (not an AI)
            mode: plan
            workspace: /ws
            session: 00000000-0000-0000-0000-000000000007
            now: nothing has run yet
            queue: 0 prompts waiting
            open: 0 asks
            allowed in this session: nothing
            > > /etc/hosts
            /quit
        "#]],
    )
    .await;
    assert_eq!(table.wait_for_exit().await, ExitReason::Quit);
}

#[tokio::test(start_paused = true)]
async fn a_line_that_ends_in_a_backslash_goes_on() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("one\\").await;
    table.types("two").await;
    let events = session.by_clients();
    assert!(matches!(&events[..], [Event::Prompted { text, .. }] if text == "one\ntwo"), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn a_resumed_session_looks_as_it_did() {
    let session = FakeSession::open();
    let before = session.seat("terminal");
    before.prompts("hello");
    session.says(ItemKind::Text, "Hi.");
    session.rests();
    session.seat("A2A zed").prompts("test it");
    let first = session.asks_to_run("npm test");
    before.answers(first, "proceed_once").unwrap();
    session.runs(first, Report::Starting);
    session.advance_clock(20);
    session
        .take(&SessionInput::Woken(RuntimeDescription {
            model: "gemini".into(),
            tools: vec![],
            ..RuntimeDescription::default()
        }))
        .unwrap();
    session.asks_to_run("npm ci");
    let table = LineModeTester::start(&session).await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > hello
            Hi.

            [A2A zed] test it
            ? Run a command  npm test
              run in /ws:
              | npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Decline
            answered: Allow once
            ▸ run_shell_command  npm test
            model: gemini
            ▸ run_shell_command  npm test  ✗ interrupted: it was running when the process ended (20 ms)
            ? Run a command  npm ci
              run in /ws:
              | npm ci
              1. Allow once
              2. Allow `npm ci` in this session
              3. Decline
            answer 1-3: "#]],
    )
    .await;
    table.types("1").await;
    assert!(session.state().turn.unwrap().calls.values().all(|call| call.phase == CallPhase::Ready));
}

#[tokio::test(start_paused = true)]
async fn retries_failures_and_denials_are_said_in_words() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("try").await;
    session.says(ItemKind::Text, "Half a");
    session.thinks(Report::Retrying { reason: "503 overloaded".into(), attempt: 2, wait_ms: 1500 });
    let calls = session.calls(&[("read_file", json!({ "file_path": "no" })), ("odd", json!({}))]);
    let error = CallError { kind: "file_not_found".into(), message: "no file no".into() };
    session.vets(
        calls[0],
        ToolKind::Read,
        PolicyVerdict::Fail { outcome: CallOutcome::Failed { error, result: None } },
    );
    session.vets(calls[1], ToolKind::Read, PolicyVerdict::Deny { why: "plan mode changes nothing".into() });
    let failure =
        TurnFailure { kind: "model_refused".into(), message: "the key is not valid; set GEMINI_API_KEY".into() };
    session.thinks(Report::StepFailed { failure });
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > try
            Half a … (cut short)
            the model call failed: 503 overloaded
            trying again in 1.5 s (attempt 2)
            ▸ read_file  no  ✗ no file no
            ▸ odd  ✗ denied: plan mode changes nothing
            ✗ the key is not valid; set GEMINI_API_KEY

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn notices_are_printed_from_their_level_on() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    session.notices(NoticeLevel::Debug, "detail");
    session.notices(NoticeLevel::Info, "A2A client connected");
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > 
        A2A client connected
        > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_it() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("work").await;
    table.shutdown.cancel();
    assert_eq!(table.wait_for_exit().await, ExitReason::Shutdown);
    assert!(session.state().turn.is_some(), "leaving stops nothing");
}

#[tokio::test(start_paused = true)]
async fn no_field_can_harm_the_terminal() {
    for colour in [ColourMode::Always, ColourMode::Never] {
        let session = FakeSession::open_in(EVIL);
        let table = LineModeTester::start_with(&session, colour, EchoSource::Seat).await;
        let evil = session.seat(EVIL);
        evil.prompts(EVIL);
        session.says(ItemKind::Thought, &format!("**{EVIL}**\n"));
        session.says(ItemKind::Text, EVIL);
        session.thinks(Report::Retrying { reason: EVIL.into(), attempt: 2, wait_ms: 1 });
        evil.prompts(&format!("queued {EVIL}"));
        session.notices(NoticeLevel::Error, EVIL);
        let calls = session.calls(&[
            (EVIL, json!({ "command": EVIL })),
            (EVIL, json!({ "file_path": EVIL })),
            (EVIL, json!({ EVIL: EVIL })),
            (EVIL, json!({})),
        ]);
        let text = || EVIL.to_owned();
        let change = || FileDiff { name: text(), path: text(), old: None, new: text(), patch: format!("+{EVIL}\n") };
        let option = AskOption { id: text(), name: text(), allows: true, grant: None, reach: GrantScope::Session };
        let shell = AskDetails::Execute { command: text(), directory: text() };
        session.vets(calls[0], ToolKind::Execute, PolicyVerdict::Ask(Ask::new(shell, vec![option.clone()])));
        session.vets(
            calls[1],
            ToolKind::Edit,
            PolicyVerdict::Ask(Ask::new(AskDetails::Edit(change()), vec![option.clone()])),
        );
        let generic = AskDetails::generic(text());
        session.vets(calls[2], ToolKind::Read, PolicyVerdict::Ask(Ask::new(generic, vec![option])));
        session.vets(calls[3], ToolKind::Read, PolicyVerdict::Deny { why: text() });
        table.settle().await;
        let shows = |display| CallResult { display: Some(display), ..CallResult::default() };
        let error = CallError { kind: text(), message: text() };
        let outcomes = [
            CallOutcome::Succeeded { result: shows(ResultDisplay::Text { text: text() }) },
            CallOutcome::Failed { error, result: Some(shows(ResultDisplay::Diff(change()))) },
            CallOutcome::Succeeded { result: shows(ResultDisplay::Text { text: text() }) },
        ];
        let edit = Some(AnswerEdit::Content { new: text() });
        for ((call, outcome), edit) in calls.iter().zip(outcomes).zip([None, edit, None]) {
            evil.does(&call.to_string(), Command::Answer { call: *call, option: text(), edit }).unwrap();
            session.runs(*call, Report::Starting);
            if *call != calls[2] {
                session.runs(*call, Report::Output { text: text(), skipped: 0 });
            }
            table.settle().await;
            session.runs(*call, Report::Done { outcome });
        }
        session.thinks(Report::StepFailed { failure: TurnFailure { kind: text(), message: text() } });
        session
            .take(&SessionInput::Woken(RuntimeDescription {
                model: text(),
                tools: vec![text()],
                ..RuntimeDescription::default()
            }))
            .unwrap();
        session.thinks(Report::StepDone {
            fragments: vec![],
            calls: vec![],
            finish: text(),
            usage: ModelUsage::default(),
            citations: vec![text()],
            response: None,
        });
        context::hostile_conversation(&session, &evil, &table).await;
        for line in ["/status", "/queue", "/model", "/tools", "/stats", EVIL] {
            table.types(line).await;
        }
        let screen = table.sees().await;
        assert_harmless(&screen);
        assert!(screen.matches("␛[2J").count() > 20, "what was sent is shown, not dropped: {screen}");
    }
}
