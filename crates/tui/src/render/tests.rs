use super::render;
use crate::ansi_writer::{AnsiWriter, ColourMode};
use crate::testing::*;
use expect_test::{Expect, expect};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;

/// The whole log as a screen, drawn entry by entry for a seat that has done nothing itself.
fn draw(session: &FakeSession, colour: ColourMode) -> String {
    let mut view = SessionView::new(EntryAuthor::Client { principal: "local".into(), label: "terminal".into() });
    let mut ansi_writer = AnsiWriter::new(colour);
    for entry in session.entries() {
        let page = render(&view, &entry, EntryOrigin::Other);
        assert_eq!(page, render(&view, &entry, EntryOrigin::Other), "rendering changes nothing");
        ansi_writer.draw(&page);
        view.apply(&entry, EntryOrigin::Other);
    }
    ansi_writer.take()
}

fn check(session: &FakeSession, expected: &Expect) {
    expected.assert_eq(&draw(session, ColourMode::Never));
}

/// A session in which a client has prompted and the model wants one call, which policy allows.
fn running(tool: &str, args: serde_json::Value, kind: ToolKind) -> (Arc<FakeSession>, CallId) {
    let session = FakeSession::open();
    session.seat("A2A").prompts("go");
    let call = session.calls(&[(tool, args)])[0];
    session.vets(call, kind, PolicyVerdict::allow("by rule"));
    session.runs(call, Report::Starting);
    (session, call)
}

#[test]
fn a_change_nobody_was_asked_about_shows_its_diff() {
    let (session, call) = running("write_file", json!({ "file_path": "hello.py" }), ToolKind::Edit);
    session.ends_call(call, CallResult { display: Some(ResultDisplay::Diff(hello_change())), ..CallResult::default() });
    check(
        &session,
        &expect![[r#"
        [A2A] go
        ▸ write_file  hello.py  ✓ 0 ms
          | --- a/hello.py
          | +++ b/hello.py
          | @@ -1,3 +1,3 @@
          |  a
          |
          | -b
          | +c
    "#]],
    );
}

#[test]
fn colours_mark_a_diff() {
    let (session, call) = running("write_file", json!({ "file_path": "a" }), ToolKind::Edit);
    let change = FileDiff { patch: "@@ -1 +1 @@\n-b\n+c\n".into(), ..hello_change() };
    session.ends_call(call, CallResult { display: Some(ResultDisplay::Diff(change)), ..CallResult::default() });
    let drawn = draw(&session, ColourMode::Always).replace('\u{1b}', "ESC");
    expect![[r#"
        ESC[36m[A2A] ESC[0mgo
        ▸ write_file  a  ESC[32m✓ 0 msESC[0m
        ESC[36m  | @@ -1 +1 @@
        ESC[0mESC[31m  | -b
        ESC[0mESC[32m  | +c
        ESC[0m"#]]
    .assert_eq(&drawn);
}

#[test]
fn a_long_result_is_cut_where_one_can_see_it() {
    let (session, call) = running("list_directory", json!({ "dir_path": "." }), ToolKind::Read);
    let text: String = (1..=23).map(|number| format!("file {number}\n")).collect();
    session.ends_call(call, CallResult { display: Some(ResultDisplay::Text { text }), ..CallResult::default() });
    let drawn = draw(&session, ColourMode::Never);
    assert!(drawn.ends_with("    file 19\n    file 20\n    … 3 more lines\n"), "{drawn}");
}

#[test]
fn long_arguments_are_cut_on_the_line_of_a_call_and_whole_in_its_ask() {
    let command = format!("echo {} && rm -rf important", "x".repeat(300));
    let session = FakeSession::open();
    session.seat("A2A").prompts("go");
    let call = session.asks_to_run(&command);
    let mut view = SessionView::new(EntryAuthor::Agent);
    for entry in session.entries() {
        view.apply(&entry, EntryOrigin::Other);
    }
    let mut ansi_writer = AnsiWriter::new(ColourMode::Never);
    ansi_writer.draw(&super::render_ask(&view, view.call(call).unwrap(), None));
    let drawn = ansi_writer.take();
    assert!(drawn.contains(&format!("  | {command}\n")), "{drawn}");
    assert!(drawn.starts_with(&format!("? Run a command  {}…\n", &command[..100])), "{drawn}");
}

#[test]
fn a_superseded_call_and_a_failed_command() {
    let (session, call) = running("write_file", json!({ "file_path": "a" }), ToolKind::Edit);
    session.runs(call, Report::Stale);
    let again = session.state().turn.unwrap().calls.into_keys().next_back().unwrap();
    session.vets(again, ToolKind::Execute, PolicyVerdict::allow("by rule"));
    session.runs(again, Report::Starting);
    session.advance_clock(61_000);
    let error = CallError { kind: "exit".into(), message: "the command failed\nwith two lines".into() };
    let result = Some(CallResult { exit_code: Some(2), ..CallResult::default() });
    session.runs(again, Report::Done { outcome: CallOutcome::Failed { error, result } });
    check(
        &session,
        &expect![[r#"
            [A2A] go
            ▸ write_file  a  - not done: the file changed after it was shown (0 ms)
            ▸ write_file  a  ✗ the command failed
                with two lines (exit 2, 1 min 1 s)
        "#]],
    );
}

#[test]
fn a_command_in_the_background_is_told_with_what_became_of_it() {
    let args = json!({"command": "npm start", "is_background": true});
    let (session, id) = running("run_shell_command", args, ToolKind::Execute);
    let display = Some(ResultDisplay::Text { text: "no such port".into() });
    session.ends_call(id, CallResult { exit_code: Some(2), display, ..CallResult::default() });
    let drawn = draw(&session, ColourMode::Never);
    assert!(drawn.contains("npm start (in the background)  ✗ exit 2"), "{drawn}");
    assert!(drawn.contains("no such port"), "{drawn}");
}

#[test]
fn files_that_come_with_a_prompt_are_named() {
    let session = FakeSession::open();
    let target = PromptTarget::Existing { task: session.state().opened.unwrap().main_task };
    let blob = BlobRef { sha256: "a".into(), len: 1, media: "image/png".into() };
    let media = vec![MediaContent { name: "a.png".into(), blob }];
    session
        .seat("A2A")
        .does("1", Command::Prompt { target, text: "look".into(), media, piped_len: 0, dialect: None, parts: vec![] })
        .unwrap();
    check(
        &session,
        &expect![[r#"
            [A2A] look
            @a.png
        "#]],
    );
}

#[test]
fn what_others_change_names_them() {
    let session = FakeSession::open();
    let zed = session.seat("A2A zed");
    zed.does("1", Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) }).unwrap();
    zed.prompts("one");
    zed.prompts("two");
    let two = session.state().queue[0].id;
    zed.does("2", Command::Requeue { prompt: two, text: "zwei".into() }).unwrap();
    zed.does("3", Command::Cancel { scope: CancelScope::Turn }).unwrap();
    zed.does("4", Command::Unqueue { prompt: two }).unwrap();
    let main = session.state().opened.unwrap().main_task;
    zed.does("5", Command::Cancel { scope: CancelScope::Task { task: main } }).unwrap();
    check(
        &session,
        &expect![[r#"
            mode set by A2A zed: yolo (nothing asks from now on)
            [A2A zed] one
            [A2A zed] two  (queued)
            changed in the queue by A2A zed: zwei
            cancelled by A2A zed
            held in the queue: 1 prompt; /queue go continues, /queue drop N takes one out

            taken out of the queue by A2A zed: zwei
            task closed by A2A zed
        "#]],
    );
}

#[test]
fn a_step_that_ends_oddly_and_its_sources() {
    let session = FakeSession::open();
    session.seat("A2A").prompts("go");
    session.thinks(Report::StepDone {
        fragments: vec![ModelFragment { kind: ItemKind::Text, text: "Long".into(), end: None }],
        calls: vec![],
        finish: "MAX_TOKENS".into(),
        usage: ModelUsage::default(),
        citations: vec!["(Rust) https://example.com".into()],
        response: None,
    });
    check(
        &session,
        &expect![[r#"
        [A2A] go
        Long
        sources:
          (Rust) https://example.com
        the model stopped early: MAX_TOKENS

    "#]],
    );
}

#[test]
fn a_grant_closes_an_ask() {
    let session = FakeSession::open();
    session.seat("A2A").prompts("go");
    let calls = session
        .calls(&[("run_shell_command", json!({ "command": "ls" })), ("run_shell_command", json!({ "command": "ls" }))]);
    for call in &calls {
        session.vets(*call, ToolKind::Execute, PolicyVerdict::Ask(run_ask("ls")));
    }
    session.seat("A2A zed").answers(calls[0], "proceed_always").unwrap();
    session.vets(calls[1], ToolKind::Execute, PolicyVerdict::allow("allowed for this session"));
    check(
        &session,
        &expect![[r#"
        [A2A] go
        decided by A2A zed: Allow `ls` in this session  (run_shell_command  ls)
        no answer needed any more: allowed for this session
    "#]],
    );
}
