//! Asks: answered here, answered elsewhere, one after the other.

use super::succeeded;
use crate::line_mode::tests::check;
use crate::testing::*;
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_command_is_allowed_and_its_output_shown() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("test it").await;
    let call = session.asks_to_run("npm test\nnpm run lint");
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > test it
            ? Run a command  npm test⏎npm run lint
              run in /ws:
              | npm test
              | npm run lint
              1. Allow once
              2. Allow exactly this command in this session
              3. Decline
            answer 1-3: "#]],
    )
    .await;
    table.types("1").await;
    session.runs(call, Report::Starting);
    session.runs(call, Report::Output { text: "ok 1\r\nok".into(), skipped: 0 });
    session.runs(call, Report::Output { text: " 2\n".into(), skipped: 0 });
    session.runs(call, Report::Output { text: "ok 9".into(), skipped: 700 });
    session.advance_clock(1_250);
    session.ends_call(call, succeeded());
    session.says(ItemKind::Text, "All green.\n");
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > test it
            ? Run a command  npm test⏎npm run lint
              run in /ws:
              | npm test
              | npm run lint
              1. Allow once
              2. Allow exactly this command in this session
              3. Decline
            answer 1-3: 1
            ▸ run_shell_command  npm test⏎npm run lint
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
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("edit it").await;
    let call = session.calls(&[("write_file", json!({ "file_path": "hello.py", "content": "a\n\nc\n" }))])[0];
    session.vets(call, ToolKind::Edit, PolicyVerdict::Ask(edit_ask(hello_change())));
    table.settle().await;
    table.types("cancel").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > edit it
            ? Write a file  hello.py
              change /ws/hello.py:
              | --- a/hello.py
              | +++ b/hello.py
              | @@ -1,3 +1,3 @@
              |  a
              |
              | -b
              | +c
              1. Allow once
              2. Allow every file write and edit in this session
              3. Decline
              e PATH. Allow once, with the content of the file PATH instead
            answer 1-3: cancel
            ▸ write_file  hello.py  - declined
            Stopped: write_file hello.py was declined. Say what to do instead.

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_change_is_allowed_with_the_content_of_a_file() {
    let workspace = tempfile::tempdir().unwrap();
    std::fs::write(workspace.path().join("mine.txt"), "my own\n").unwrap();
    let session = FakeSession::open_in(workspace.path().to_str().unwrap());
    let table = LineModeTester::start(&session).await;
    table.types("edit it").await;
    let call = session.calls(&[("write_file", json!({ "file_path": "hello.py" }))])[0];
    session.vets(call, ToolKind::Edit, PolicyVerdict::Ask(edit_ask(hello_change())));
    table.settle().await;
    table.types("e missing.txt").await;
    assert!(table.sees().await.contains("missing.txt cannot be taken: No such file or directory"));
    table.types("e mine.txt").await;
    let answer = session.by_clients().pop();
    let Some(Event::Answered { choice, allows, edit, .. }) = answer else { panic!("{answer:?}") };
    let content = Some(AnswerEdit::Content { new: "my own\n".into() });
    assert_eq!((choice.as_str(), allows, edit), ("proceed_once", true, content));
    session.runs(call, Report::Starting);
    session.advance_clock(3);
    let written = FileDiff { patch: "@@ -1,3 +1 @@\n-a\n+my own\n".into(), ..hello_change() };
    session.ends_call(call, CallResult { display: Some(ResultDisplay::Diff(written)), ..CallResult::default() });
    let screen = table.sees().await;
    let end = screen.split_once("▸ ").unwrap().1;
    assert_eq!(end, "write_file  hello.py  ✓ 3 ms\n  | @@ -1,3 +1 @@\n  | -a\n  | +my own\n");
}

#[tokio::test(start_paused = true)]
async fn a_patch_is_shown_whole_and_allowed_with_the_content_of_a_file() {
    let workspace = tempfile::tempdir().unwrap();
    std::fs::write(workspace.path().join("mine.txt"), "my own\n").unwrap();
    let session = FakeSession::open_in(workspace.path().to_str().unwrap());
    let table = LineModeTester::start(&session).await;
    table.types("edit it").await;
    let args = json!({ "patch": "*** Update File: hello.py\n*** Add File: notes.md" });
    let call = session.calls(&[("apply_patch", args)])[0];
    session.vets(call, ToolKind::Edit, PolicyVerdict::Ask(patch_ask()));
    table.settle().await;
    // The fourth file goes away, and there is no fifth.
    for line in ["e mine.txt", "e 4 mine.txt", "e 5 mine.txt"] {
        table.types(line).await;
    }
    table.types("e 2 mine.txt").await;
    let answer = session.by_clients().pop();
    let Some(Event::Answered { edit, .. }) = answer else { panic!("{answer:?}") };
    let file = EditedFile { path: "/ws/notes.md".into(), new: "my own\n".into() };
    assert_eq!(edit, Some(AnswerEdit::Files { files: vec![file] }));
    session.runs(call, Report::Starting);
    session.advance_clock(3);
    let display = Some(ResultDisplay::Patch { files: hello_patch() });
    session.ends_call(call, CallResult { display, ..CallResult::default() });
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > edit it
            ? Change files  hello.py, notes.md
              change 4 files:
              file 1: hello.py
              | --- a/hello.py
              | +++ b/hello.py
              | @@ -1,3 +1,3 @@
              |  a
              |
              | -b
              | +c
              file 2: notes.md (new)
              | --- /dev/null
              | +++ notes.md
              | @@ -0,0 +1 @@
              | +# Notes
              file 3: new.md (moved from old.md)
              file 4: gone.txt (deleted)
              | --- gone.txt
              | +++ /dev/null
              | @@ -1 +0,0 @@
              | -bye
              1. Allow once
              2. Allow every file write and edit in this session
              3. Decline
              e NUMBER PATH. Allow once, with the content of PATH for the file of that number
            answer 1-3: e mine.txt
            an ask is open, so this was not sent. Answer 1-3, y or n first, or type > to send it now:
            > e mine.txt
            ? Change files  hello.py, notes.md
              1. Allow once
              2. Allow every file write and edit in this session
              3. Decline
              e NUMBER PATH. Allow once, with the content of PATH for the file of that number
            answer 1-3: e 4 mine.txt
            an ask is open, so this was not sent. Answer 1-3, y or n first, or type > to send it now:
            > e 4 mine.txt
            ? Change files  hello.py, notes.md
              1. Allow once
              2. Allow every file write and edit in this session
              3. Decline
              e NUMBER PATH. Allow once, with the content of PATH for the file of that number
            answer 1-3: e 5 mine.txt
            an ask is open, so this was not sent. Answer 1-3, y or n first, or type > to send it now:
            > e 5 mine.txt
            ? Change files  hello.py, notes.md
              1. Allow once
              2. Allow every file write and edit in this session
              3. Decline
              e NUMBER PATH. Allow once, with the content of PATH for the file of that number
            answer 1-3: e 2 mine.txt
            ▸ apply_patch  hello.py, notes.md  ✓ 3 ms
                hello.py
              | --- a/hello.py
              | +++ b/hello.py
              | @@ -1,3 +1,3 @@
              |  a
              |
              | -b
              | +c
                notes.md (new)
              | --- /dev/null
              | +++ notes.md
              | @@ -0,0 +1 @@
              | +# Notes
                new.md (moved from old.md)
                gone.txt (deleted)
              | --- gone.txt
              | +++ /dev/null
              | @@ -1 +0,0 @@
              | -bye
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_ask_closes_when_another_seat_answers() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
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
            ? Run a command  npm test
              run in /ws:
              | npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Decline
            answer 1-3: 
            decided by A2A zed: Allow once
            ▸ run_shell_command  npm test1
            too late, the ask was already decided by A2A zed: Allow once. Nothing was sent; > before a line sends it anyway
        "#]],
    )
    .await;
    table.types("and then lint").await;
    assert_eq!(session.state().queue.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_loses_the_race_learns_who_won() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
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
            ? Run a command  npm test
              run in /ws:
              | npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Decline
            answer 1-3: 1
            call-6 was already decided: A2A zed chose cancel
            decided by A2A zed: Decline
            ▸ run_shell_command  npm test  - declined
            Stopped: run_shell_command npm test was declined. Say what to do instead.

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn asks_are_shown_one_after_the_other_in_the_order_of_the_calls() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("both").await;
    session.asks_backwards(&["make a", "make b"]);
    table.settle().await;
    table.types("1").await;
    table.types("3").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > both
            ? Run a command  make a
              run in /ws:
              | make a
              1. Allow once
              2. Allow `make a` in this session
              3. Decline
            (2 asks open; the next one is shown when this one is answered)
            answer 1-3: 1
            ? Run a command  make b
              run in /ws:
              | make b
              1. Allow once
              2. Allow `make b` in this session
              3. Decline
            answer 1-3: 3
            ▸ run_shell_command  make b  - declined
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_not_taken_for_an_ask_that_has_just_replaced_another() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("both").await;
    let calls = session.calls(&[
        ("run_shell_command", json!({ "command": "ls" })),
        ("run_shell_command", json!({ "command": "rm -rf build" })),
    ]);
    session.vets(calls[0], ToolKind::Execute, PolicyVerdict::Ask(run_ask("ls")));
    session.vets(calls[1], ToolKind::Execute, PolicyVerdict::Ask(run_ask("rm -rf build")));
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
async fn no_cancels() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("test it").await;
    let call = session.asks_to_run("npm test");
    table.settle().await;
    table.types("no").await;
    let decisions = session.state().decisions;
    let chosen = decisions.iter().filter(|decision| decision.call == call).filter_map(|decision| decision.answer());
    assert_eq!(chosen.map(|(choice, _)| choice).collect::<Vec<_>>(), ["cancel"]);
}

#[tokio::test(start_paused = true)]
async fn other_text_during_an_ask_is_kept_and_can_be_sent() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
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
            ? Run a command  npm test
              run in /ws:
              | npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Decline
            answer 1-3: use yarn instead
            an ask is open, so this was not sent. Answer 1-3, y or n first, or type > to send it now:
            > use yarn instead
            ? Run a command  npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Decline
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
async fn a_command_after_the_mark_runs_and_is_not_asked_about() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("!").await;
    table.types("!vim a.txt").await;
    table.types("!touch x").await;
    let call = session.asks_to_run("touch x");
    table.settle().await;
    session.runs(call, Report::Starting);
    session.ends_call(call, succeeded());
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > !
            put a command after the !
            > !vim a.txt
            `vim a.txt` needs a terminal, and `!` has none. Start it in another terminal.
            > !touch x
            ▸ run_shell_command  touch x  ✓ exit 0, 0 ms

            > "#]],
    )
    .await;
    let prompts: Vec<Event> =
        session.by_clients().into_iter().filter(|event| matches!(event, Event::Prompted { .. })).collect();
    assert!(matches!(&prompts[..], [Event::Prompted { text, .. }] if text == "/shell touch x"), "{prompts:?}");
}

#[tokio::test(start_paused = true)]
async fn only_what_was_typed_to_the_letter_needs_no_second_yes() {
    for (typed, asked) in [("/shell touch x", "touch x"), ("!touch x", "touch y")] {
        let session = FakeSession::open();
        let table = LineModeTester::start(&session).await;
        match typed.strip_prefix('/') {
            Some(_) => session.seat("terminal").prompts(typed),
            None => table.types(typed).await,
        }
        session.asks_to_run(asked);
        let seen = table.sees().await;
        assert!(seen.ends_with("answer 1-3: "), "{typed}: {seen}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_after_the_mark_waits_while_an_ask_is_open() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("go").await;
    session.asks_to_run("make");
    table.settle().await;
    table.types("!ls").await;
    let queued: Vec<String> = session.state().queue.iter().map(|prompt| prompt.text.clone()).collect();
    assert_eq!(queued, ["/shell ls"]);
}

#[tokio::test(start_paused = true)]
async fn a_command_after_the_mark_that_waited_is_not_asked_about_either() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("go").await;
    session.says(pollux_session::ItemKind::Text, "Well.");
    table.settle().await;
    table.types("!sleep 60 & echo ok").await;
    session.rests();
    table.settle().await;
    let call = session.asks_to_run("sleep 60 & echo ok");
    table.settle().await;
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult { text: format!("ok\n{STOPPED}"), exit_code: Some(0), ..CallResult::default() });
    session.rests();
    let seen = table.sees().await;
    let told = "✓ exit 0, 0 ms\n    what it left running in the background was stopped when it ended\n";
    assert!(seen.contains(told) && !seen.contains("Allow once"), "{seen}");
}

/// As the shell tool says it to the model.
const STOPPED: &str = "[Background processes were stopped when the command ended.]\n";
