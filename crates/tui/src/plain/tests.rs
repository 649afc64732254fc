mod children;
mod context;
mod questions;
mod typing;

use super::Ended;
use crate::lines::Echo;
use crate::pen::Colour;
use crate::testing::*;
use expect_test::{Expect, expect};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;

pub(super) async fn check(table: &Table, expected: &Expect) {
    expected.assert_eq(&table.sees().await);
}

fn succeeded() -> CallResult {
    CallResult { text: "ok".into(), exit_code: Some(0), ..CallResult::default() }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_answered_as_the_answer_comes() {
    let session = Session::open();
    let table = Table::sit(&session).await;
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
        ✦ Greeting back
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
        ✦ Greeting back
        Hi there.

        > "#]],
    )
    .await;
    let (_, ended) = table.leaves().await;
    assert_eq!(ended, Ended::EndOfInput);
}

#[tokio::test(start_paused = true)]
async fn a_command_is_allowed_and_its_output_shown() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("test it").await;
    let call = session.asks_to_run("npm test\nnpm run lint");
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > test it
        ? run_shell_command  npm test⏎npm run lint
          run in /ws:
          | npm test
          | npm run lint
          1. Allow once
          2. Allow `npm test⏎npm run lint` in this session
          3. Cancel
        answer 1-3: "#]],
    )
    .await;
    table.types("1").await;
    session.runs(call, Report::Starting);
    session.runs(call, Report::Output { text: "ok 1\r\nok".into(), skipped: 0 });
    session.runs(call, Report::Output { text: " 2\n".into(), skipped: 0 });
    session.runs(call, Report::Output { text: "ok 9".into(), skipped: 700 });
    session.passes(1_250);
    session.done(call, succeeded());
    session.says(ItemKind::Text, "All green.\n");
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > test it
            ? run_shell_command  npm test⏎npm run lint
              run in /ws:
              | npm test
              | npm run lint
              1. Allow once
              2. Allow `npm test⏎npm run lint` in this session
              3. Cancel
            answer 1-3: 1
            ● run_shell_command  npm test⏎npm run lint
                ok 1
                ok 2
                … 700 bytes not shown
                ok 9
                ✓ exit 0, 1.2 s
            All green.

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_change_is_declined() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("edit it").await;
    let call = session.calls(&[("write_file", json!({ "file_path": "hello.py", "content": "a\n\nc\n" }))])[0];
    session.vets(call, ToolKind::Edit, Verdict::Ask(edit_ask(hello_change())));
    table.settle().await;
    table.types("cancel").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > edit it
            ? write_file  hello.py
              change /ws/hello.py:
              | --- a/hello.py
              | +++ b/hello.py
              | @@ -1,3 +1,3 @@
              |  a
              |
              | -b
              | +c
              1. Allow once
              2. Allow every write_file in this session
              3. Cancel
              e PATH. Allow once, with the content of the file PATH instead
            answer 1-3: cancel
            ● write_file  hello.py  ✗ declined

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_change_is_allowed_with_the_content_of_a_file() {
    let workspace = tempfile::tempdir().unwrap();
    std::fs::write(workspace.path().join("mine.txt"), "my own\n").unwrap();
    let session = Session::open_in(workspace.path().to_str().unwrap());
    let table = Table::sit(&session).await;
    table.types("edit it").await;
    let call = session.calls(&[("write_file", json!({ "file_path": "hello.py" }))])[0];
    session.vets(call, ToolKind::Edit, Verdict::Ask(edit_ask(hello_change())));
    table.settle().await;
    table.types("e missing.txt").await;
    assert!(table.sees().await.contains("missing.txt cannot be taken: No such file or directory"));
    table.types("e mine.txt").await;
    let answer = session.by_clients().pop();
    let Some(Event::Answered { choice, allows, edit, .. }) = answer else { panic!("{answer:?}") };
    let content = Some(Edit::Content { new: "my own\n".into() });
    assert_eq!((choice.as_str(), allows, edit), ("proceed_once", true, content));
    session.runs(call, Report::Starting);
    session.passes(3);
    let written = FileDiff { patch: "@@ -1,3 +1 @@\n-a\n+my own\n".into(), ..hello_change() };
    session.done(call, CallResult { display: Some(Display::Diff(written)), ..CallResult::default() });
    let screen = table.sees().await;
    let end = screen.split_once("● ").unwrap().1;
    assert_eq!(end, "write_file  hello.py  ✓ 3 ms\n  | @@ -1,3 +1 @@\n  | -a\n  | +my own\n");
}

#[tokio::test(start_paused = true)]
async fn an_ask_closes_when_another_seat_answers() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    let zed = session.seat("A2A zed");
    table.types("test it").await;
    let call = session.asks_to_run("npm test");
    table.settle().await;
    zed.answers(call, "proceed_once").unwrap();
    session.runs(call, Report::Starting);
    table.settle().await;
    let before = session.entries().len();
    table.types("1").await;
    assert_eq!(session.entries().len(), before, "a late answer is not sent as a prompt");
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > test it
        ? run_shell_command  npm test
          run in /ws:
          | npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Cancel
        answer 1-3: 
        decided by A2A zed: Allow once
        ● run_shell_command  npm test1
        too late, the ask was already decided by A2A zed: Allow once. Nothing was sent; > before a line sends it anyway
    "#]],
    )
    .await;
    table.types("and then lint").await;
    assert_eq!(session.state().queue.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_loses_the_race_learns_who_won() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("test it").await;
    let call = session.asks_to_run("npm test");
    table.settle().await;
    // No await in between: the line is there before the terminal has read the other answer.
    session.seat("A2A zed").answers(call, "cancel").unwrap();
    table.types("1").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > test it
            ? run_shell_command  npm test
              run in /ws:
              | npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Cancel
            answer 1-3: 1
            call-6 was already decided: A2A zed chose cancel
            decided by A2A zed: Cancel
            ● run_shell_command  npm test  ✗ declined

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn asks_are_shown_one_after_the_other() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("both").await;
    let calls = session.calls(&[
        ("run_shell_command", json!({ "command": "make a" })),
        ("run_shell_command", json!({ "command": "make b" })),
    ]);
    session.vets(calls[1], ToolKind::Execute, Verdict::Ask(run_ask("make b")));
    session.vets(calls[0], ToolKind::Execute, Verdict::Ask(run_ask("make a")));
    table.settle().await;
    table.types("1").await;
    table.types("3").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > both
            ? run_shell_command  make b
              run in /ws:
              | make b
              1. Allow once
              2. Allow `make b` in this session
              3. Cancel
            (2 asks open; the next one is shown when this one is answered)
            answer 1-3: 1
            ? run_shell_command  make a
              run in /ws:
              | make a
              1. Allow once
              2. Allow `make a` in this session
              3. Cancel
            answer 1-3: 3
            ● run_shell_command  make a  ✗ declined
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_not_taken_for_an_ask_that_has_just_replaced_another() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("both").await;
    let calls = session.calls(&[
        ("run_shell_command", json!({ "command": "ls" })),
        ("run_shell_command", json!({ "command": "rm -rf build" })),
    ]);
    session.vets(calls[0], ToolKind::Execute, Verdict::Ask(run_ask("ls")));
    session.vets(calls[1], ToolKind::Execute, Verdict::Ask(run_ask("rm -rf build")));
    table.settle().await;
    session.seat("A2A").answers(calls[0], "proceed_once").unwrap();
    table.settle().await;
    table.types("1").await;
    let asking = |call| matches!(session.state().turn.unwrap().calls[&call].phase, CallPhase::Asking { .. });
    assert!(asking(calls[1]));
    table.types("1").await;
    assert!(!asking(calls[1]));
}

#[tokio::test(start_paused = true)]
async fn other_text_during_an_ask_is_kept_and_can_be_sent() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("test it").await;
    session.asks_to_run("npm test");
    table.settle().await;
    table.types("use yarn instead").await;
    assert_eq!(session.state().queue.len(), 0);
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > test it
        ? run_shell_command  npm test
          run in /ws:
          | npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Cancel
        answer 1-3: use yarn instead
        an ask is open, so this was not sent. Answer first, or type > to send it now:
        > use yarn instead
        ? run_shell_command  npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Cancel
        answer 1-3: "#]],
    )
    .await;
    table.types(">").await;
    table.types("> 1").await;
    table.types(">").await;
    let waiting: Vec<String> = session.state().queue.iter().map(|waiting| waiting.text.clone()).collect();
    assert_eq!(waiting, ["use yarn instead", "1"]);
}

#[tokio::test(start_paused = true)]
async fn what_others_type_is_marked() {
    let session = Session::open();
    let table = Table::sit(&session).await;
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
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("count").await;
    session.says(ItemKind::Text, "1 2 3");
    table.settle().await;
    table.types("go on later").await;
    table.interrupts().await;
    assert!(session.state().turn.is_none() && session.state().held);
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
            held in the queue: 1 prompt; /queue go sends on, /queue drop N takes one out

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
    assert_eq!(table.ended().await, Ended::Quit);
}

#[tokio::test(start_paused = true)]
async fn prompts_wait_in_the_queue() {
    let session = Session::open();
    let table = Table::sit(&session).await;
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
    let session = Session::open();
    let table = Table::sit(&session).await;
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
            no command /etc/hosts; /help lists them; to send the line to the agent, put > before it
            > /status
            model: demo (not an AI)
            mode: plan
            workspace: /ws
            session: 00000000-0000-0000-0000-000000000007
            now: nothing has run yet
            queue: 0 prompts waiting
            open: 0 asks
            > > /etc/hosts
            /quit
        "#]],
    )
    .await;
    assert_eq!(table.ended().await, Ended::Quit);
}

#[tokio::test(start_paused = true)]
async fn a_line_that_ends_in_a_backslash_goes_on() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("one\\").await;
    table.types("two").await;
    let events = session.by_clients();
    assert!(matches!(&events[..], [Event::Prompted { text, .. }] if text == "one\ntwo"), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn a_resumed_session_looks_as_it_did() {
    let session = Session::open();
    let before = session.seat("terminal");
    before.prompts("hello");
    session.says(ItemKind::Text, "Hi.");
    session.rests();
    session.seat("A2A zed").prompts("test it");
    let first = session.asks_to_run("npm test");
    before.answers(first, "proceed_once").unwrap();
    session.runs(first, Report::Starting);
    session.passes(20);
    session.take(&Input::Woken(Equipment { model: "gemini".into(), tools: vec![] })).unwrap();
    session.asks_to_run("npm ci");
    let table = Table::sit(&session).await;
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > hello
        Hi.

        [A2A zed] test it
        ? run_shell_command  npm test
          run in /ws:
          | npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Cancel
        answered: Allow once
        ● run_shell_command  npm test
        model: gemini
        ● run_shell_command  npm test  ✗ interrupted: it was running when the process ended (20 ms)
        ? run_shell_command  npm ci
          run in /ws:
          | npm ci
          1. Allow once
          2. Allow `npm ci` in this session
          3. Cancel
        answer 1-3: "#]],
    )
    .await;
    table.types("1").await;
    assert!(session.state().turn.unwrap().calls.values().all(|call| call.phase == CallPhase::Ready));
}

#[tokio::test(start_paused = true)]
async fn retries_failures_and_denials_are_said_in_words() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("try").await;
    session.says(ItemKind::Text, "Half a");
    session.thinks(Report::Retrying { reason: "503 overloaded".into(), attempt: 2, wait_ms: 1500 });
    let calls = session.calls(&[("read_file", json!({ "file_path": "no" })), ("odd", json!({}))]);
    let error = CallError { kind: "file_not_found".into(), message: "no file no".into() };
    session.vets(calls[0], ToolKind::Read, Verdict::Fail { outcome: CallOutcome::Failed { error, result: None } });
    session.vets(calls[1], ToolKind::Read, Verdict::Deny { why: "plan mode changes nothing".into() });
    let failure = Failure { kind: "model_refused".into(), message: "the key is not valid; set GEMINI_API_KEY".into() };
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
            ● read_file  no  ✗ no file no
            ● odd  ✗ denied: plan mode changes nothing
            ✗ the key is not valid; set GEMINI_API_KEY

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn notices_are_printed_from_their_level_on() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    session.notices(Level::Debug, "detail");
    session.notices(Level::Info, "A2A client connected");
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
async fn a_pipe_is_worked_off_line_by_line() {
    let session = Session::open();
    let table = Table::sit_with(&session, Colour::Never, Echo::Seat).await;
    table.types("test it").await;
    table.types("1").await;
    let call = session.asks_to_run("npm test");
    table.settle().await;
    session.runs(call, Report::Starting);
    session.done(call, succeeded());
    session.rests();
    table.settle().await;
    let (screen, ended) = table.leaves().await;
    assert_eq!(ended, Ended::EndOfInput);
    expect![[r#"
        Pollux test
        model: demo (not an AI)

        > test it
        ? run_shell_command  npm test
          run in /ws:
          | npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Cancel
        answer 1-3: 1
        ● run_shell_command  npm test  ✓ exit 0, 0 ms

        > 
    "#]]
    .assert_eq(&screen);
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_a_pipe_leaves_open_stays_open() {
    let session = Session::open();
    let table = Table::sit_with(&session, Colour::Never, Echo::Seat).await;
    table.types("test it").await;
    session.asks_to_run("npm test");
    let (screen, ended) = table.leaves().await;
    assert_eq!(ended, Ended::EndOfInput);
    assert!(screen.ends_with("the input has ended while an ask is open; it stays open in the session\n"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_it() {
    let session = Session::open();
    let table = Table::sit(&session).await;
    table.types("work").await;
    table.shutdown.cancel();
    assert_eq!(table.ended().await, Ended::Shutdown);
    assert!(session.state().turn.is_some(), "leaving stops nothing");
}

#[tokio::test(start_paused = true)]
async fn no_field_can_harm_the_terminal() {
    for colour in [Colour::Always, Colour::Never] {
        let session = Session::open_in(EVIL);
        let table = Table::sit_with(&session, colour, Echo::Seat).await;
        let evil = session.seat(EVIL);
        evil.prompts(EVIL);
        session.says(ItemKind::Thought, &format!("**{EVIL}**\n"));
        session.says(ItemKind::Text, EVIL);
        session.thinks(Report::Retrying { reason: EVIL.into(), attempt: 2, wait_ms: 1 });
        evil.prompts(&format!("queued {EVIL}"));
        session.notices(Level::Error, EVIL);
        let calls = session.calls(&[
            (EVIL, json!({ "command": EVIL })),
            (EVIL, json!({ "file_path": EVIL })),
            (EVIL, json!({ EVIL: EVIL })),
            (EVIL, json!({})),
        ]);
        let text = || EVIL.to_owned();
        let change = || FileDiff { name: text(), path: text(), old: None, new: text(), patch: format!("+{EVIL}\n") };
        let option = Choice { id: text(), name: text(), allows: true, grant: None, reach: Reach::Session };
        let shell = Details::Execute { command: text(), directory: text() };
        session.vets(calls[0], ToolKind::Execute, Verdict::Ask(Ask::new(shell, vec![option.clone()])));
        session.vets(calls[1], ToolKind::Edit, Verdict::Ask(Ask::new(Details::Edit(change()), vec![option.clone()])));
        let generic = Details::generic(text());
        session.vets(calls[2], ToolKind::Read, Verdict::Ask(Ask::new(generic, vec![option])));
        session.vets(calls[3], ToolKind::Read, Verdict::Deny { why: text() });
        table.settle().await;
        let shows = |display| CallResult { display: Some(display), ..CallResult::default() };
        let error = CallError { kind: text(), message: text() };
        let outcomes = [
            CallOutcome::Succeeded { result: shows(Display::Text { text: text() }) },
            CallOutcome::Failed { error, result: Some(shows(Display::Diff(change()))) },
            CallOutcome::Succeeded { result: shows(Display::Text { text: text() }) },
        ];
        let edit = Some(Edit::Content { new: text() });
        for ((call, outcome), edit) in calls.iter().zip(outcomes).zip([None, edit, None]) {
            evil.does(&call.to_string(), Command::Answer { call: *call, option: text(), edit }).unwrap();
            session.runs(*call, Report::Starting);
            if *call != calls[2] {
                session.runs(*call, Report::Output { text: text(), skipped: 0 });
            }
            table.settle().await;
            session.runs(*call, Report::Done { outcome });
        }
        session.thinks(Report::StepFailed { failure: Failure { kind: text(), message: text() } });
        session.take(&Input::Woken(Equipment { model: text(), tools: vec![text()] })).unwrap();
        session.thinks(Report::StepDone {
            fragments: vec![],
            calls: vec![],
            finish: text(),
            usage: Usage::default(),
            citations: vec![text()],
        });
        context::unkind(&session, &evil, &table).await;
        for line in ["/status", "/queue", "/model", "/tools", "/stats", EVIL] {
            table.types(line).await;
        }
        let screen = table.sees().await;
        assert_harmless(&screen);
        assert!(screen.matches("␛[2J").count() > 20, "what was sent is shown, not dropped: {screen}");
    }
}
