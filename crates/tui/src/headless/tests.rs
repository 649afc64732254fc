mod json;
mod stream;

use super::{AskResponder, HeadlessOutcome, HeadlessSettings, OutputFormat, run_headless};
use crate::line_input::{EchoSource, LineInput};
use crate::send::TerminalError;
use crate::testing::{EVIL, FakeSession, TestOutput, assert_harmless, hello_change};
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// `pollux -p`, started.
struct TestRun {
    output: TestOutput,
    errors: TestOutput,
    shutdown: CancellationToken,
    task: JoinHandle<Result<HeadlessOutcome, TerminalError>>,
}

impl TestRun {
    async fn start(session: &Arc<FakeSession>, asks: AskResponder) -> TestRun {
        TestRun::start_in(session, asks, OutputFormat::Text).await
    }

    async fn start_in(session: &Arc<FakeSession>, asks: AskResponder, format: OutputFormat) -> TestRun {
        TestRun::start_with(session, asks, HeadlessSettings { format, ..HeadlessSettings::default() }).await
    }

    async fn start_with(session: &Arc<FakeSession>, asks: AskResponder, settings: HeadlessSettings) -> TestRun {
        let prices = Some(PriceLookup::new(|_, usage| Some(usage.prompt as f64 / 1000.0)));
        let settings = HeadlessSettings { prices, ..settings };
        let (output, errors, shutdown) = (TestOutput::default(), TestOutput::default(), CancellationToken::new());
        let seat = session.seat("terminal");
        let run = run_headless(seat, "do it".into(), output.clone(), errors.clone(), asks, settings, shutdown.clone());
        let run = TestRun { output, errors, shutdown, task: tokio::spawn(run) };
        run.settle().await;
        run
    }

    /// Virtual time moves when every task waits.
    async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    async fn ends(self) -> (HeadlessOutcome, String, String) {
        let outcome = self.task.await.unwrap().unwrap();
        (outcome, self.output.text(), self.errors.text())
    }
}

/// A step without calls.
fn step(finish: &str, usage: ModelUsage, citations: &[&str]) -> Report {
    let citations = citations.iter().map(|line| (*line).to_owned()).collect();
    Report::StepDone { fragments: vec![], calls: vec![], finish: finish.into(), usage, citations, response: None }
}

/// A turn with a thought, a retry, a call and an answer.
fn turn(session: &FakeSession) {
    session.says(ItemKind::Thought, "**Looking** at it");
    session.says(ItemKind::Text, "I will ");
    session.advance_clock(40);
    session.thinks(Report::Retrying { reason: "503 overloaded".into(), attempt: 2, wait_ms: 100 });
    session.advance_clock(150);
    session.says(ItemKind::Text, "look.");
    let call = session.calls(&[("read_file", json!({ "file_path": "a.txt" }))])[0];
    session.vets(call, ToolKind::Read, PolicyVerdict::allow("reading"));
    session.runs(call, Report::Starting);
    session.advance_clock(3);
    let display = Some(ResultDisplay::Text { text: "1 line".into() });
    session.ends_call(call, CallResult { text: "the text".into(), display, ..CallResult::default() });
    session.says(ItemKind::Text, "It says \u{1b}[2Ja.");
    session.advance_clock(7);
    session.thinks(step("STOP", ModelUsage { prompt: 100, cached: 40, output: 20, thoughts: 5 }, &[]));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_broke_off_goes_on_where_it_was() {
    let session = FakeSession::open();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    turn(&session);
    let (_, output, errors) = run.ends().await;
    assert_eq!(output, "I will look.\n\nIt says ␛[2Ja.\n");
    expect![[r#"
        ◦ Looking
        the model call failed: 503 overloaded
        trying again in 100 ms (attempt 2)
        ▸ read_file  a.txt  ✓ 3 ms
            1 line
    "#]]
    .assert_eq(&errors);
}

#[tokio::test(start_paused = true)]
async fn the_answer_is_all_there_is_on_the_output() {
    let session = FakeSession::open();
    session.seat("terminal").prompts("earlier");
    session.says(ItemKind::Text, "Not shown.");
    session.rests();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    session.says(ItemKind::Thought, "**Looking**");
    let call = session.calls(&[("read_file", json!({ "file_path": "a.txt" }))])[0];
    session.vets(call, ToolKind::Read, PolicyVerdict::allow("reading"));
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    session.says(ItemKind::Text, "It says ");
    run.settle().await;
    session.seat("A2A zed").prompts("not mine");
    session.says(ItemKind::Text, "a.");
    session.rests();
    session.says(ItemKind::Text, "Somebody else's answer.");
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, output.as_str()), (HeadlessOutcome::Rested, "It says a.\n"));
    expect![[r#"
        ◦ Looking
        ▸ read_file  a.txt  ✓ 0 ms
    "#]]
    .assert_eq(&errors);
}

/// `-p '!ls'`: what it prints is all that anybody wants of it.
#[tokio::test(start_paused = true)]
async fn what_a_command_prints_that_is_the_prompt_is_the_answer() {
    for format in [OutputFormat::Text, OutputFormat::Json, OutputFormat::StreamJson] {
        let session = FakeSession::open();
        let run = TestRun::start_in(&session, AskResponder::Nobody, format).await;
        session.thinks(Report::Commanded { name: "shell".into() });
        let call = session.calls(&[("run_shell_command", json!({"command": "ls"}))])[0];
        session.vets(call, ToolKind::Execute, PolicyVerdict::allow("reading"));
        session.runs(call, Report::Starting);
        session.runs(call, Report::Output { text: "a.txt\n".into(), skipped: 0 });
        session.runs(call, Report::Output { text: "\u{1b}[1mb.txt\u{1b}[0m\n".into(), skipped: 0 });
        session.ends_call(call, CallResult { exit_code: Some(0), ..CallResult::default() });
        session.thinks(Report::Attached { name: "! ls".into(), text: "a.txt".into(), media: vec![], seen: Vec::new() });
        session.rests();
        let (outcome, output, errors) = run.ends().await;
        assert_eq!(outcome, HeadlessOutcome::Rested);
        match format {
            OutputFormat::Text => assert_eq!((output.as_str(), errors.contains("a.txt")), ("a.txt\nb.txt\n", false)),
            OutputFormat::Json => {
                let told: Value = serde_json::from_str(&output).unwrap();
                assert_eq!((&told["response"], &told["stats"]["models"]), (&json!("a.txt\nb.txt\n"), &json!({})));
            }
            OutputFormat::StreamJson => assert!(output.contains(r#""content":"b.txt\n""#), "{output}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn with_nobody_there_an_ask_is_denied_and_the_turn_goes_on() {
    let session = FakeSession::open();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    session.asks_to_run("npm test");
    run.settle().await;
    session.says(ItemKind::Text, "The tests were not run.");
    session.rests();
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, outcome.exit_code()), (HeadlessOutcome::Denied, 1));
    assert_eq!(output, "The tests were not run.\n");
    expect![[r#"
        denied, because nobody is here to allow it: run_shell_command  npm test
        run again with --allowed-tools 'run_shell_command(npm test)' to allow this command, or with --yolo to allow everything
        ▸ run_shell_command  npm test  ✗ denied: nobody is there to allow it
    "#]]
    .assert_eq(&errors);
}

/// A session that was left while this prompt's turn was running, and that another prompt continues.
async fn start_after(session: &Arc<FakeSession>, left_turn: PromptId) -> TestRun {
    let settings = HeadlessSettings { left_turn: Some(left_turn), ..HeadlessSettings::default() };
    TestRun::start_with(session, AskResponder::Nobody, settings).await
}

/// What was left running belongs to an earlier prompt: this one does not wait for it.
#[tokio::test(start_paused = true)]
async fn a_turn_that_was_left_is_cancelled_first() {
    let session = FakeSession::open();
    session.seat("TUI").prompts("earlier");
    session.asks_to_run("npm test");
    let left = session.state().turn.unwrap().prompt;
    let run = start_after(&session, left).await;
    session.says(ItemKind::Text, "Done.");
    session.rests();
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, output.as_str()), (HeadlessOutcome::Rested, "Done.\n"));
    assert_eq!(errors, "the turn that was still running in this session was cancelled\n");
}

/// Whoever runs in yolo mode is not told to run in yolo mode.
#[tokio::test(start_paused = true)]
async fn in_yolo_mode_the_policy_is_what_asks() {
    let session = FakeSession::open();
    session.seat("TUI").does("yolo", Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) }).unwrap();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    session.asks_to_run("npm test");
    run.settle().await;
    session.rests();
    let (_, _, errors) = run.ends().await;
    assert_eq!(
        errors.lines().nth(1),
        Some(
            "yolo mode is on, so this asks because of your policy: change the rule, repair the policy file that was reported \
             at the start, or run it where a person can answer"
        )
    );
}

/// A question of another agent is no matter of the policy.
#[tokio::test(start_paused = true)]
async fn in_yolo_mode_a_question_is_still_a_persons() {
    let session = FakeSession::open();
    session.seat("TUI").does("yolo", Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) }).unwrap();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    let call = session.calls(&[("remote_ask", json!({}))])[0];
    let ask = Ask::new(AskDetails::generic("May it?"), vec![once_choice(), cancel_choice()]);
    session.vets(call, ToolKind::Converse, PolicyVerdict::Ask(ask));
    run.settle().await;
    session.rests();
    let (_, _, errors) = run.ends().await;
    assert_eq!(errors.lines().nth(1), Some("only a person can answer it: run it where one can"));
}

#[tokio::test(start_paused = true)]
async fn the_way_out_fits_what_was_denied() {
    let denied_of = |tool: &'static str, kind, details, options| async move {
        let session = FakeSession::open();
        let run = TestRun::start(&session, AskResponder::Nobody).await;
        let call = session.calls(&[(tool, json!({}))])[0];
        session.vets(call, kind, PolicyVerdict::Ask(Ask::new(details, options)));
        run.settle().await;
        session.rests();
        run.ends().await.2.lines().nth(1).unwrap().to_owned()
    };
    let denied = |tool: &'static str, kind, details| {
        let grant = Grant::Tool { tool: tool.into() };
        denied_of(tool, kind, details, vec![once_choice(), session_choice(grant), cancel_choice()])
    };
    let protected = vec![once_choice(), cancel_choice()];
    let outside = vec![session_choice(Grant::ReadDirectory { directory: "/deps".into() }), cancel_choice()];
    let run = |command: &str| AskDetails::Execute { command: command.into(), directory: "/ws".into() };
    let make = Grant::Prefix { words: vec!["make".into()], options: vec![], directory: None };
    let with_option = Grant::Prefix { words: vec!["cc".into()], options: vec!["-o /x".into()], directory: None };
    let running = |command: &'static str, grant: Grant| {
        denied_of("run_shell_command", ToolKind::Execute, run(command), vec![session_choice(grant), cancel_choice()])
    };
    let exactly = Grant::Command { command: "x".into(), directory: None };
    assert_eq!(
        [
            running("make -j2", make.clone()).await,
            running("cc -o /x a.c", with_option).await,
            // More than words: a rule for the beginning would not cover it.
            running("make && ./a.out", make).await,
            running("cat '$HOME'", exactly).await,
        ],
        [
            "run again with --allowed-tools 'run_shell_command(make)' to allow this command, or with --yolo to allow everything",
            "run again with --allowed-tools 'run_shell_command(cc -o /x a.c)' to allow this command, or with --yolo to allow everything",
            "run again with --allowed-tools run_shell_command to allow this tool, or with --yolo to allow everything",
            "run again with --allowed-tools run_shell_command to allow this tool, or with --yolo to allow everything",
        ]
    );
    let mcp = || AskDetails::Mcp { server: "s".into(), tool: "t".into(), version: McpToolVersion::default() };
    let schema = Some(json!({ "properties": { "0": {} } }));
    let question = AskDetails::Generic { description: "Which?".into(), schema };
    let everything = "or with --yolo to allow everything";
    assert_eq!(
        [
            denied("write_file", ToolKind::Edit, AskDetails::Edit(hello_change())).await,
            denied_of("save_memory", ToolKind::Edit, AskDetails::Edit(hello_change()), protected.clone()).await,
            denied_of("read_file", ToolKind::Read, AskDetails::generic("Read .env"), protected).await,
            denied_of("read_file", ToolKind::Read, AskDetails::generic("Read /deps/a.rs"), outside).await,
            denied("mcp_s_t", ToolKind::Fetch, mcp()).await,
            denied("x; rm -rf ~", ToolKind::Fetch, mcp()).await,
            denied("ask_user", ToolKind::Converse, question).await,
            denied("sampling", ToolKind::Converse, AskDetails::generic("It asks your model.")).await,
        ],
        [
            format!("run again with --approval-mode auto_edit to allow file changes, {everything}"),
            "it changes a protected file: run it where a person can answer, or again with --yolo to allow everything"
                .to_owned(),
            "it reads a protected file, or much outside the workspace: run it where a person can answer, or again with \
             --yolo to allow everything"
                .to_owned(),
            format!("it reads outside the workspace: run again with --include-directories /deps, {everything}"),
            format!("run again with --allowed-tools mcp_s_t to allow this tool, {everything}"),
            "run again with --yolo to allow everything".to_owned(),
            "it has a question: put the answer into the prompt, or run it where a person can answer".to_owned(),
            "only a person can answer it: run it where one can".to_owned(),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked() {
    let session = FakeSession::open();
    let (lines, typed) = mpsc::channel(4);
    let run =
        TestRun::start(&session, AskResponder::Person(LineInput::from_channel(typed, EchoSource::Terminal))).await;
    let call = session.asks_to_run("npm test");
    run.settle().await;
    lines.send(Ok("what?".into())).await.unwrap();
    lines.send(Ok("y".into())).await.unwrap();
    run.settle().await;
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult { exit_code: Some(0), ..CallResult::default() });
    session.rests();
    let (outcome, _, errors) = run.ends().await;
    assert_eq!(outcome, HeadlessOutcome::Rested);
    expect![[r#"
        ? Run a command  npm test
          run in /ws:
          | npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Decline
        answer 1-3: that is no answer: type 1-3, y or n
        ? Run a command  npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Decline
        answer 1-3: ▸ run_shell_command  npm test  ✓ exit 0, 0 ms
    "#]]
    .assert_eq(&errors);
}

#[tokio::test(start_paused = true)]
async fn the_first_call_asks_first() {
    let session = FakeSession::open();
    let (_lines, typed) = mpsc::channel(4);
    let run =
        TestRun::start(&session, AskResponder::Person(LineInput::from_channel(typed, EchoSource::Terminal))).await;
    session.asks_backwards(&["make a", "make b", "make c"]);
    run.settle().await;
    let errors = run.errors.text();
    assert!(errors.starts_with("? Run a command  make a\n"), "{errors}");
}

#[tokio::test(start_paused = true)]
async fn a_line_typed_before_an_ask_does_not_answer_it() {
    let session = FakeSession::open();
    let (lines, typed) = mpsc::channel(4);
    let run =
        TestRun::start(&session, AskResponder::Person(LineInput::from_channel(typed, EchoSource::Terminal))).await;
    lines.send(Ok("1".into())).await.unwrap();
    run.settle().await;
    session.asks_to_run("npm test");
    run.settle().await;
    assert!(session.state().only_asks_remain());
    assert!(run.errors.text().starts_with("not taken: nothing is asked right now\n"));
}

#[tokio::test(start_paused = true)]
async fn what_a_person_who_has_left_would_be_asked_is_denied() {
    let session = FakeSession::open();
    let (lines, typed) = mpsc::channel(4);
    let run =
        TestRun::start(&session, AskResponder::Person(LineInput::from_channel(typed, EchoSource::Terminal))).await;
    session.asks_to_run("npm test");
    run.settle().await;
    drop(lines);
    run.settle().await;
    session.rests();
    assert_eq!(run.ends().await.0, HeadlessOutcome::Denied);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_one() {
    let session = FakeSession::open();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    session.says(ItemKind::Text, EVIL);
    session.thinks(Report::StepFailed { failure: TurnFailure { kind: "x".into(), message: format!("no key {EVIL}") } });
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, outcome.exit_code()), (HeadlessOutcome::Failed, 1));
    assert_harmless(&output);
    assert_harmless(&errors);
    assert!(errors.contains("✗ no key e␛[2J"), "{errors}");
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_cancels_the_turn() {
    let session = FakeSession::open();
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    run.shutdown.cancel();
    let outcome = run.ends().await.0;
    assert_eq!((outcome, outcome.exit_code()), (HeadlessOutcome::Cancelled, 130));
    assert_eq!(session.state().session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_takes_a_waiting_prompt_back_and_leaves_the_running_turn_alone() {
    let session = FakeSession::open();
    session.seat("A2A zed").prompts("busy");
    let run = TestRun::start(&session, AskResponder::Nobody).await;
    assert_eq!(session.state().queue.len(), 1);
    run.shutdown.cancel();
    assert_eq!(run.ends().await.0, HeadlessOutcome::Cancelled);
    assert_eq!((session.state().queue.len(), session.state().turn.is_some()), (0, true));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_somebody_else_has_begun_since_goes_on() {
    let session = FakeSession::open();
    session.seat("terminal").prompts("earlier");
    let left = session.state().turn.unwrap().prompt;
    session.rests();
    session.seat("A2A zed").prompts("busy");
    let run = start_after(&session, left).await;
    assert_eq!(session.state().queue.len(), 1);
    session.rests();
    session.says(ItemKind::Text, "For us.");
    session.rests();
    let (_, output, errors) = run.ends().await;
    assert_eq!((output.as_str(), errors.as_str()), ("For us.\n", ""));
}

#[tokio::test(start_paused = true)]
async fn an_empty_prompt_is_refused() {
    let session = FakeSession::open();
    let seat = session.seat("terminal");
    let (output, errors) = (TestOutput::default(), TestOutput::default());
    let refused = run_headless(
        seat,
        "  ".into(),
        output,
        errors,
        AskResponder::Nobody,
        HeadlessSettings::default(),
        CancellationToken::new(),
    )
    .await;
    assert!(matches!(refused, Err(TerminalError::Send(SendError::Refused(Refusal::EmptyPrompt)))));
}

#[tokio::test(start_paused = true)]
async fn what_happened_first_stands_first_where_both_streams_meet() {
    let session = FakeSession::open();
    let (screen, shutdown) = (TestOutput::default(), CancellationToken::new());
    let seat = session.seat("terminal");
    let settings = HeadlessSettings { format: OutputFormat::Text, ..HeadlessSettings::default() };
    let run =
        run_headless(seat, "do it".into(), screen.clone(), screen.clone(), AskResponder::Nobody, settings, shutdown);
    let task = tokio::spawn(run);
    tokio::time::sleep(Duration::from_millis(1)).await;
    // All of it is there before any of it is read.
    turn(&session);
    assert_eq!(task.await.unwrap().unwrap(), HeadlessOutcome::Rested);
    expect![[r#"
        ◦ Looking
        I will the model call failed: 503 overloaded
        trying again in 100 ms (attempt 2)
        look.
        ▸ read_file  a.txt  ✓ 3 ms
            1 line

        It says ␛[2Ja.
    "#]]
    .assert_eq(&screen.text());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_out_of_turns_has_a_code_of_its_own() {
    for (kind, outcome, code) in
        [("turn_limit", HeadlessOutcome::OutOfTurns, 53), ("quota", HeadlessOutcome::Failed, 1)]
    {
        let session = FakeSession::open();
        let run = TestRun::start_in(&session, AskResponder::Nobody, OutputFormat::Json).await;
        session.thinks(Report::StepFailed { failure: TurnFailure { kind: kind.into(), message: "no more".into() } });
        let (ended, output, _) = run.ends().await;
        assert_eq!((ended, ended.exit_code()), (outcome, code));
        let told: serde_json::Value = serde_json::from_str(&output).unwrap();
        assert_eq!(told["error"], json!({ "type": kind, "message": "no more", "code": code }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_within_a_call_names_it_and_is_counted() {
    for format in [OutputFormat::StreamJson, OutputFormat::Json] {
        let session = FakeSession::open();
        let run = TestRun::start_in(&session, AskResponder::Nobody, format).await;
        session.thinks(Report::FellBack { from: "pro".into(), to: "flash".into(), why: "no quota".into() });
        let parent = session.calls(&[("invoke_agent", json!({ "agent_name": "a" }))])[0];
        session.vets(parent, ToolKind::Delegate, PolicyVerdict::allow("fine"));
        session.runs(parent, Report::Starting);
        let child = session.calls_within(parent, "read_file", json!({ "file_path": "a.txt" }));
        session.vets(child, ToolKind::Read, PolicyVerdict::allow("reading"));
        session.runs(child, Report::Starting);
        session.ends_call(child, CallResult::default());
        let usage = ModelUsage { prompt: 7, ..ModelUsage::default() };
        session.runs(parent, Report::Spent { model: "small".into(), usage });
        session.ends_call(parent, CallResult::default());
        session.rests();
        let (_, output, _) = run.ends().await;
        if format == OutputFormat::Json {
            let told: serde_json::Value = serde_json::from_str(&output).unwrap();
            let tools = &told["stats"]["tools"];
            assert_eq!((&tools["byName"]["read_file"]["count"], &tools["totalCalls"]), (&json!(1), &json!(2)));
            assert_eq!(told["stats"]["models"]["small"]["roles"]["utility_tool"]["tokens"]["prompt"], json!(7));
            assert_eq!(told["warnings"], json!(["no quota; flash answers from now on"]));
            continue;
        }
        let lines: Vec<serde_json::Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let uses: Vec<_> = lines.iter().filter(|line| line["type"] == "tool_use").collect();
        assert_eq!(uses[0].get("parent_tool_id"), None);
        assert_eq!((&uses[1]["parent_tool_id"], &uses[1]["tool_name"]), (&uses[0]["tool_id"], &json!("read_file")));
        let fell = lines.iter().find(|line| line["type"] == "fallback").unwrap();
        assert_eq!((&fell["from"], &fell["to"], &fell["reason"]), (&json!("pro"), &json!("flash"), &json!("no quota")));
        assert_eq!(lines.last().unwrap()["stats"]["tool_calls"], json!(2));
        assert_eq!(lines.last().unwrap()["stats"]["models"]["small"]["input_tokens"], json!(7));
    }
}
