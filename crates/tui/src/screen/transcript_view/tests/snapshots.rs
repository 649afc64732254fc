//! Every kind of block at three widths, to be read.

use super::test_log::{TestLog, me, origin_of, result, seat, text_of};
use super::*;
use crate::testing::{hello_change, hello_patch};
use insta::assert_snapshot;
use serde_json::json;

fn ok(display: Option<ResultDisplay>) -> CallOutcome {
    CallOutcome::Succeeded { result: CallResult { display, ..result("for the model") } }
}

fn text(text: &str) -> Option<ResultDisplay> {
    Some(ResultDisplay::Text { text: text.into() })
}

fn failed(message: &str) -> CallOutcome {
    let error = CallError { kind: "file_not_found".into(), message: message.into() };
    CallOutcome::Failed { error, result: None }
}

fn calls(log: &mut TestLog) {
    log.ran("read_file", json!({ "file_path": "/ws/src/lib.rs" }), 12, ok(text("120 lines read")));
    log.ran("read_file", json!({ "path": "gone.rs" }), 1, failed("gone.rs does not exist; list the directory first"));
    log.ran("list_directory", json!({ "path": "." }), 3, ok(text("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl")));
    log.ran("replace", json!({ "file_path": "/ws/hello.py" }), 40, ok(Some(ResultDisplay::Diff(hello_change()))));
    let patch = json!({ "patch": "*** Update File: hello.py\n*** Add File: notes.md\n*** Update File: old.md\n*** Move to: new.md" });
    log.ran("apply_patch", patch, 40, ok(Some(ResultDisplay::Patch { files: hello_patch() })));
    let denied = CallOutcome::Denied { why: "rule 3 of the policy forbids rm".into() };
    log.ran("run_shell_command", json!({ "command": "rm -rf /" }), 0, denied);
    log.ran("web_fetch", json!({ "prompt": "sum up https://example.com" }), 900, CallOutcome::Cancelled);
    log.ran("save_memory", json!({ "fact": "tabs" }), 5, CallOutcome::Interrupted);
    log.ran("write_file", json!({ "file_path": "x" }), 5, CallOutcome::Superseded);
}

fn shell(log: &mut TestLog, ends: bool) -> CallId {
    let call = log.call("run_shell_command", json!({ "command": "cargo test" }), None);
    log.asked(call, "cargo test");
    log.answered(seat("web"), call, &once_choice(), None);
    let saved = Ok("abc".into());
    log.agent(Event::Checkpointed(WorkspaceCheckpoint {
        call,
        name: "2026-01-01-cargo".into(),
        saved,
        file: None,
        files: vec![],
    }));
    log.agent(Event::CallStarted { call });
    let lines: String = (1..=14).map(|number| format!("test number_{number} ... \x1b[32mok\x1b[0m\n")).collect();
    log.agent(Event::Output { call, offset: 0, text: lines.clone() });
    let offset = lines.len() as u64;
    log.agent(Event::Output { call, offset, text: "Building 10 %\rBuilding 100 %\n\x1b[31mFAILED\x1b[0m".into() });
    log.at += 3_210;
    if ends {
        let result = CallResult { exit_code: Some(101), ..result("") };
        log.agent(Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } });
    }
    call
}

fn answers(log: &mut TestLog) {
    let call = log.call("run_shell_command", json!({ "command": "rm x" }), None);
    log.asked(call, "rm x");
    log.answered(seat("web"), call, &cancel_choice(), None);
    log.agent(Event::CallEnded { call, outcome: CallOutcome::Declined });
    let call = log.call("write_file", json!({ "file_path": "notes.md" }), None);
    log.asked(call, "x");
    let lasting = lasting_choice(Grant::Tool { tool: "write_file".into() }, GrantScope::Workspace);
    log.answered(me(), call, &lasting, Some(AnswerEdit::Content { new: "mine".into() }));
    log.agent(Event::CallStarted { call });
    log.agent(Event::CallEnded { call, outcome: ok(Some(ResultDisplay::Diff(hello_change()))) });
    let (grant, reach) = (Grant::Tool { tool: "write_file".into() }, GrantScope::Workspace);
    log.agent(Event::Kept { grant: grant.clone(), reach, failure: None });
    log.agent(Event::Kept { grant, reach, failure: Some("the policy file is read-only".into()) });
    let call = log.call("ask_user", json!({ "questions": [] }), None);
    let details = AskDetails::Generic {
        description: "Which?".into(),
        schema: Some(json!({ "properties": { "q": { "title": "Colour", "type": "string" } } })),
    };
    let ask = Ask::new(details, vec![once_choice(), cancel_choice()]);
    log.agent(Event::Asked { call, kind: ToolKind::Converse, ask, revision: 0 });
    log.answered(me(), call, &once_choice(), Some(AnswerEdit::Answers { answers: json!({ "q": "green" }) }));
    log.agent(Event::CallStarted { call });
    log.agent(Event::CallEnded { call, outcome: ok(text("Colour: green")) });
}

fn delegated(log: &mut TestLog) {
    let parent = log.call("delegate_to_agent", json!({ "agent_name": "investigator", "prompt": "find it" }), None);
    let (why, plan) = ("its calls ask".into(), None);
    log.agent(Event::Allowed { call: parent, kind: ToolKind::Delegate, why, plan });
    log.agent(Event::CallStarted { call: parent });
    let printed = "• looking around\n✗ write_file: DOCS.md (it has no such tool)\n";
    log.agent(Event::Output { call: parent, offset: 0, text: printed.into() });
    for path in ["a.rs", "b.rs"] {
        let child = log.call("read_file", json!({ "path": path }), Some(parent));
        log.agent(Event::CallStarted { call: child });
        log.agent(Event::CallEnded { call: child, outcome: ok(text("3 lines read")) });
    }
    let usage = ModelUsage { prompt: 900, ..ModelUsage::default() };
    log.agent(Event::Spent { call: parent, model: "demo".into(), usage });
    let report: String = (1..=14).map(|number| format!("Finding {number}.\n")).collect();
    log.agent(Event::CallEnded { call: parent, outcome: CallOutcome::Succeeded { result: result(&report) } });
}

fn setting_changes(log: &mut TestLog) {
    log.add(me(), Event::Set { setting: SessionSetting::Mode(ApprovalMode::AutoEdit) });
    log.add(seat("web"), Event::Set { setting: SessionSetting::Model("gemini-2.5-pro".into()) });
    log.agent(Event::Equipped(RuntimeDescription {
        model: "one".into(),
        tools: vec![],
        ..RuntimeDescription::default()
    }));
    log.agent(Event::Equipped(RuntimeDescription {
        model: "other".into(),
        tools: vec![],
        ..RuntimeDescription::default()
    }));
    let first = log.queue(seat("web"), "later");
    let second = log.queue(me(), "never");
    log.add(seat("web"), Event::Requeued { prompt: first, text: "even later".into() });
    log.add(me(), Event::Unqueued { prompt: second });
    log.add(me(), Event::Released);
    log.add(seat("web"), Event::CompactWanted);
    let usage = ModelUsage { prompt: 45_678, output: 900, ..ModelUsage::default() };
    let summary = (1..=12).map(|number| format!("point {number}")).collect::<Vec<_>>().join("\n");
    log.agent(Event::Compacted { before: Seq(3), summary, usage });
    log.agent(Event::NotCompacted { why: "the conversation is too short".into() });
    log.add(me(), Event::Uncompacted);
    log.agent(Event::Rewound { to: Seq(3) });
    log.agent(Event::TaskClosed { task: TaskId(uuid::Uuid::from_u128(9)), closing: TaskClosing::Completed });
    log.add(seat("web"), Event::TaskClosed { task: TaskId(uuid::Uuid::from_u128(9)), closing: TaskClosing::Cancelled });
    log.begin(first);
}

fn troubles(log: &mut TestLog) {
    let reason = "503: the model is overloaded".to_owned();
    log.agent(Event::Retrying { reason, attempt: 2, wait_ms: 4_000 });
    let why = "pro has no quota left until tomorrow".to_owned();
    log.agent(Event::FellBack { from: "pro".into(), to: "flash".into(), why });
    log.item(ItemKind::Text, "This answer stops in the", true);
    log.agent(Event::StepEnded {
        finish: "MAX_TOKENS".into(),
        usage: ModelUsage::default(),
        citations: vec!["Rust Book (https://doc.rust-lang.org/book/)".into(), "https://example.com".into()],
        response: None,
    });
    log.queue(me(), "waits");
    log.add(seat("web"), Event::TurnEnded { outcome: TurnOutcome::Cancelled });
    log.prompt("again");
    let message = "the API key was refused: set GEMINI_API_KEY, or choose another model with /model".to_owned();
    let failure = TurnFailure { kind: "key".into(), message };
    log.agent(Event::TurnEnded { outcome: TurnOutcome::Failed { failure } });
}

/// One of everything.
pub(super) fn conversation() -> TestLog {
    let mut log = TestLog::default();
    log.open("/ws");
    log.prompt("fix the failing test\nand say why: @src/lib.rs");
    log.agent(Event::Attached { name: "@src/lib.rs".into(), text: "…".into(), media: vec![], seen: Vec::new() });
    log.item(ItemKind::Thought, "**Reading the tests**\nI will look.\n\n**Planning**\nThen fix.", false);
    log.says("I will look at the test first. It is in `src/lib.rs`:\n\n```rust\n#[test]\nfn it() {}\n```\n\n1. run it\n2. fix it");
    log.step_ended();
    calls(&mut log);
    shell(&mut log, true);
    answers(&mut log);
    delegated(&mut log);
    log.says("Done. The test **passes** now.");
    log.agent(Event::TurnEnded { outcome: TurnOutcome::Rested });
    log.prompt_by(seat("zed"), "thanks");
    log.says("You are welcome.");
    log.agent(Event::TurnEnded { outcome: TurnOutcome::Rested });
    setting_changes(&mut log);
    troubles(&mut log);
    log
}

#[test]
fn the_whole_conversation() {
    for width in [40, 80, 120] {
        assert_snapshot!(format!("conversation_{width}"), rendered_text(&conversation(), width, false));
    }
}

fn folded(log: &TestLog) -> (TranscriptView, SessionView) {
    let (mut transcript_view, mut view) = (chronicle(), SessionView::new(me()));
    for entry in &log.entries {
        view.apply(entry, origin_of(entry));
        transcript_view.apply(&view, entry, origin_of(entry));
    }
    (transcript_view, view)
}

#[test]
fn what_is_still_going_on() {
    let mut log = TestLog::default();
    log.open("/ws");
    log.prompt("go");
    log.step_ended();
    log.call("glob", json!({ "pattern": "**/*.rs" }), None);
    let call = log.call("write_file", json!({ "file_path": "notes.md" }), None);
    log.asked(call, "x");
    let call = log.call("read_file", json!({ "path": "ready.rs" }), None);
    log.agent(Event::Allowed { call, kind: ToolKind::Read, why: "reading is allowed".into(), plan: None });
    shell(&mut log, false);
    let parent = log.call("delegate_to_agent", json!({ "agent_name": "investigator" }), None);
    log.agent(Event::CallStarted { call: parent });
    let child = log.call("read_file", json!({ "path": "a.rs" }), Some(parent));
    log.agent(Event::CallStarted { call: child });
    for width in [40, 80, 120] {
        let (mut transcript_view, view) = folded(&log);
        transcript_view.finished(width, &dark());
        let live = transcript_view.live(&view, width, 100, &dark(), UnixMillis(log.at + 61_000));
        assert_snapshot!(format!("live_{width}"), text_of(&live));
    }
}

#[test]
fn what_the_terminal_says_itself() {
    for width in [40, 80, 120] {
        let mut transcript_view = chronicle();
        transcript_view.greet(vec!["Pollux 0.1.0 in ~/project".into(), "model: demo (not an AI)".into()]);
        transcript_view.say(NoteTone::Info, "a2a endpoint: http://127.0.0.1:41242".into());
        transcript_view.say(NoteTone::Good, "copied the newest answer".into());
        transcript_view.say(NoteTone::Warn, "the connection is lost; trying again".into());
        transcript_view.say(NoteTone::Bad, "there is no theme called pink; /theme lists what there is".into());
        transcript_view.notice(&Notice { level: NoticeLevel::Warn, text: "isTrusted in a request is ignored".into() });
        assert_snapshot!(format!("own_words_{width}"), text_of(&transcript_view.finished(width, &dark())));
    }
}

#[test]
fn everything_opened() {
    let (mut transcript_view, _) = folded(&conversation());
    transcript_view.say(NoteTone::Info, "said here".into());
    for width in [40, 80, 120] {
        assert_snapshot!(
            format!("opened_{width}"),
            text_of(&transcript_view.snapshot().expanded_lines(width, &dark()))
        );
    }
}
