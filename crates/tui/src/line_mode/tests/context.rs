//! Changes around the turns: the model, lasting grants, summaries; and the commands that show them.

use crate::line_mode::tests::check;
use crate::testing::*;
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn compacted(summary: &str) -> Report {
    Report::Compacted {
        before: Seq(3),
        summary: summary.into(),
        usage: ModelUsage { prompt: 900, ..ModelUsage::default() },
    }
}

fn step(usage: ModelUsage) -> Report {
    Report::StepDone {
        fragments: vec![],
        calls: vec![],
        finish: "STOP".into(),
        usage,
        citations: vec![],
        response: None,
    }
}

/// Everything of this page, with evil in all of it.
pub(super) async fn hostile_conversation(session: &FakeSession, evil: &FakeSeat, table: &LineModeTester) {
    evil.prompts("once more");
    let model = SessionSetting::Model(EVIL.into());
    evil.does("set", Command::Set { setting: model }).unwrap();
    let schema = json!({ "properties": { EVIL: {
        "title": EVIL,
        "description": EVIL,
        "default": EVIL,
        "anyOf": [{ "const": EVIL, "description": EVIL }, {}],
    } } });
    session.thinks(Report::Attached { name: EVIL.into(), text: EVIL.into(), media: vec![], seen: Vec::new() });
    let call = session.asks_questions(EVIL, schema, vec![once_choice()]);
    table.settle().await;
    let edit = Some(AnswerEdit::Answers { answers: json!({ EVIL: EVIL }) });
    evil.does("answers", Command::Answer { call, option: "proceed_once".into(), edit }).unwrap();
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    let grant = Grant::Prefix { words: vec![EVIL.into()], options: Vec::new(), directory: None };
    for failure in [Some(EVIL), None] {
        let call = session.calls(&[(EVIL, json!({ EVIL: EVIL }))])[0];
        let details = AskDetails::Mcp { server: EVIL.into(), tool: EVIL.into(), version: McpToolVersion::default() };
        let ask = Ask::new(details, vec![lasting_choice(grant.clone(), GrantScope::Always)]);
        session.vets(call, ToolKind::Fetch, PolicyVerdict::Ask(ask));
        table.settle().await;
        evil.does(&call.to_string(), Command::Answer { call, option: "proceed_always_and_save".into(), edit: None })
            .unwrap();
        session.keeps(failure);
        session.runs(call, Report::Starting);
        session.ends_call(call, CallResult::default());
    }
    evil.does("compact", Command::Compact).unwrap();
    session.rests();
    session.compacts(Report::NotCompacted { why: EVIL.into() });
    evil.does("compact again", Command::Compact).unwrap();
    session.compacts(compacted(EVIL));
    session
        .take(&SessionInput::Woken(RuntimeDescription {
            model: EVIL.into(),
            tools: vec![EVIL.into()],
            ..RuntimeDescription::default()
        }))
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn yolo_is_asked_about_first() {
    for (line, mode, prompts) in
        [("y", ApprovalMode::Yolo, 0), ("n", ApprovalMode::Default, 0), ("yes please", ApprovalMode::Default, 1)]
    {
        let session = FakeSession::open();
        let table = LineModeTester::start(&session).await;
        table.types("/mode yolo").await;
        assert_eq!(session.state().mode, ApprovalMode::Default);
        assert!(table.sees().await.contains("Let everything run without asking (yolo)?"));
        table.types(line).await;
        assert_eq!(session.state().mode, mode, "{line}");
        let is_prompt = |event: &Event| matches!(event, Event::Prompted { .. });
        assert_eq!(session.by_clients().iter().filter(|event| is_prompt(event)).count(), prompts, "{line}");
    }
    // A y that may be meant for an ask is for neither.
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("go").await;
    table.types("/mode yolo").await;
    let call = session.asks_to_run("make");
    table.settle().await;
    table.types("y").await;
    assert_eq!(
        (session.state().mode, session.state().turn.unwrap().calls[&call].chosen.clone()),
        (ApprovalMode::Default, None)
    );
}

#[tokio::test(start_paused = true)]
async fn the_model_is_switched() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("/model").await;
    table.types("/model gemini-2.5-pro").await;
    table.types("/model").await;
    table.types("work").await;
    session.seat("A2A zed").does("m", Command::Set { setting: SessionSetting::Model("other".into()) }).unwrap();
    session.rests();
    table.settle().await;
    table.types("/model").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > /model
            model: demo (not an AI)
              demo  in use
              gemini-2.5-pro
            /model NAME sets another one, from the next turn on
            > /model gemini-2.5-pro
            model set: gemini-2.5-pro
            > /model
            model: gemini-2.5-pro
              demo
              gemini-2.5-pro  in use
            /model NAME sets another one, from the next turn on
            > work
            model set by A2A zed: other, from the next turn on

            > /model
            model: other
              other  in use
              demo
              gemini-2.5-pro
            /model NAME sets another one, from the next turn on
            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_made_shown_and_taken_back() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("/uncompress").await;
    table.types("work").await;
    table.types("/compress").await;
    session.rests();
    table.settle().await;
    table.types("wait for it").await;
    session.compacts(compacted(&(1..=25).map(|line| format!("line {line}\n")).collect::<String>()));
    session.rests();
    table.settle().await;
    table.types("/uncompress").await;
    table.types("/compress").await;
    session.compacts(Report::NotCompacted { why: "it is short already".into() });
    table.settle().await;
    table.types("/compress").await;
    table.interrupts().await;
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > /uncompress
        there is no summary to take back
        > work
        /compress
        summary of the conversation requested: it is made when this turn is over

        > wait for it
        queued: wait for it
        > 
        for the model, the conversation so far is this summary (900 tokens became 0):
          | line 1
          | line 2
          | line 3
          | line 4
          | line 5
          | line 6
          | line 7
          | line 8
          | line 9
          | line 10
          | line 11
          | line 12
          | line 13
          | line 14
          | line 15
          | line 16
          | line 17
          | line 18
          | line 19
          | line 20
          | … 5 more lines
        /uncompress takes it back
        > wait for it

        > /uncompress
        the newest summary was taken back: the model sees what it stood for
        > /compress
        summary of the conversation requested: it is made now, and prompts wait until it is done
        > 
        no summary was made: it is short already
        > /compress
        summary of the conversation requested: it is made now, and prompts wait until it is done
        > ^C
        no summary was made: cancelled
        > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_lasting_grant_is_kept_or_not() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("work").await;
    for (server, failure) in [("files", None), ("mail", Some("the policy file is read-only"))] {
        let args = json!({ "path": "/ws/a", "deep": { "list": [1, 2] } });
        let call = session.calls(&[("mcp_files_list", args)])[0];
        let grant = Grant::Server { server: server.into() };
        let details =
            AskDetails::Mcp { server: server.into(), tool: "list".into(), version: McpToolVersion::default() };
        let ask = Ask::new(details, vec![once_choice(), lasting_choice(grant, GrantScope::Workspace), cancel_choice()]);
        session.vets(call, ToolKind::Fetch, PolicyVerdict::Ask(ask));
        table.settle().await;
        table.types("2").await;
        session.keeps(failure);
        session.runs(call, Report::Starting);
        session.ends_call(call, CallResult::default());
    }
    check(&table, &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > work
        ? Call an MCP tool  mcp_files_list  /ws/a
          call list of the MCP server files with:
          | {
          |   "path": "/ws/a",
          |   "deep": {
          |     "list": [
          |       1,
          |       2
          |     ]
          |   }
          | }
          1. Allow once
          2. Allow every tool of the MCP server files in this workspace from now on
          3. Decline
        answer 1-3: 2
        kept in your policy file: every tool of the MCP server files is allowed in this workspace from now on
        ▸ mcp_files_list  /ws/a  ✓ 0 ms
        ? Call an MCP tool  mcp_files_list  /ws/a
          call list of the MCP server mail with:
          | {
          |   "path": "/ws/a",
          |   "deep": {
          |     "list": [
          |       1,
          |       2
          |     ]
          |   }
          | }
          1. Allow once
          2. Allow every tool of the MCP server mail in this workspace from now on
          3. Decline
        answer 1-3: 2
        every tool of the MCP server mail is allowed in this session only; it could not be kept: the policy file is read-only
        ▸ mcp_files_list  /ws/a  ✓ 0 ms
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn stats_are_shown() {
    let session = FakeSession::open();
    session
        .take(&SessionInput::Woken(RuntimeDescription {
            model: "demo".into(),
            tools: vec!["glob".into(), "replace".into()],
            ..RuntimeDescription::default()
        }))
        .unwrap();
    let table = LineModeTester::start(&session).await;
    table.types("/stats").await;
    table.types("work").await;
    session.thinks(step(ModelUsage { prompt: 1000, cached: 200, output: 30, thoughts: 4 }));
    table.types("again").await;
    session.thinks(Report::Retrying { reason: "503".into(), attempt: 2, wait_ms: 1 });
    let call = session.calls(&[("glob", json!({ "pattern": "*" }))])[0];
    session.vets(call, ToolKind::Read, PolicyVerdict::Deny { why: "no".into() });
    session.thinks(step(ModelUsage { prompt: 500, ..ModelUsage::default() }));
    table.settle().await;
    table.types("/stats").await;
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > /stats
        newest turn: 0 model calls, 0 tokens sent (0 cached), 0 received, 0 for thoughts
        session: 0 model calls, 0 tokens sent (0 cached), 0 received, 0 for thoughts
        tools: 0 calls, 0 succeeded, 0 did not
        > work
        again

        the model call failed: 503
        trying again in 1 ms (attempt 2)
        ▸ glob  *  ✗ denied: no

        > /stats
        newest turn: 3 model calls (1 failed), 500 tokens sent (0 cached), 0 received, 0 for thoughts, $0.5000
        session: 4 model calls (1 failed), 1500 tokens sent (200 cached), 30 received, 4 for thoughts, $1.5000
        tools: 1 call, 0 succeeded, 1 did not
        > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_a_prompt_mentions_is_named() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("explain @a.rs").await;
    session.thinks(Report::Attached {
        name: "@a.rs".into(),
        text: "fn main() {}".into(),
        media: vec![],
        seen: Vec::new(),
    });
    session.says(ItemKind::Text, "It is empty.");
    session.rests();
    let screen = table.sees().await;
    assert_eq!(
        screen.lines().skip(3).collect::<Vec<_>>(),
        ["> explain @a.rs", "@a.rs was read", "It is empty.", "", "> "]
    );
}

#[tokio::test(start_paused = true)]
async fn the_agents_commands_are_prompts_and_cost_nothing() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("/memory show").await;
    session.thinks(Report::Commanded { name: "memory show".into() });
    session.says(ItemKind::Text, "There is none.");
    session.rests();
    table.settle().await;
    table.types("/s:greet you").await;
    session.thinks(Report::Commanded { name: "s:greet".into() });
    session.thinks(Report::StepFailed { failure: TurnFailure { kind: "command_failed".into(), message: "no".into() } });
    table.settle().await;
    table.types("/memroy").await;
    for line in ["> /memory", " /memory"] {
        table.types(line).await;
        session.says(ItemKind::Text, "That is a word.");
        session.rests();
        table.settle().await;
    }
    table.types("/stats").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > /memory show
            There is none.

            > /s:greet you
            ✗ no

            > /memroy
            no command /memroy; did you mean /memory? Else, to send the line to the agent, put a space before the slash
            > > /memory
            That is a word.

            >  /memory
            That is a word.

            > /stats
            newest turn: 1 model call, 0 tokens sent (0 cached), 0 received, 0 for thoughts, $0.0000
            session: 2 model calls, 0 tokens sent (0 cached), 0 received, 0 for thoughts, $0.0000
            tools: 0 calls, 0 succeeded, 0 did not
            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn help_lists_both_kinds_of_commands() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("/help").await;
    let screen = table.sees().await;
    let (own, theirs) = screen.split_once("Commands that the agent answers, here and elsewhere:\n").unwrap();
    assert!(own.contains("/queue                Show waiting prompts (drop, go)"), "{own}");
    assert_eq!(
        theirs,
        "  /memory               What is remembered (show, add)\n  /tools                What there is\n> "
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_that_goes_on_shows_the_plan_that_was_approved() {
    let session = FakeSession::open();
    let me = session.seat("terminal");
    me.prompts("plan");
    let plan = "# Two files\n\n1. write one\n2. write two";
    let call = session.calls(&[("exit_plan_mode", json!({ "plan": plan }))])[0];
    let ask = Ask::new(AskDetails::generic(plan), vec![once_choice(), cancel_choice()]);
    session.vets(call, ToolKind::Converse, PolicyVerdict::Ask(ask));
    me.answers(call, "proceed_once").unwrap();
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    session.rests();
    let table = LineModeTester::start(&session).await;
    let seen = table.sees().await;
    assert_eq!(seen.matches("# Two files").count(), 1, "{seen}");
    assert!(seen.contains("| 2. write two") && seen.contains("answered: Allow once"), "{seen}");
}
