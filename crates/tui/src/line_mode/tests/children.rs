//! Calls that a running call had made, other models that step in, and what goes wrong in plain sight.

use crate::line_mode::tests::check;
use crate::testing::*;
use expect_test::expect;
use pollux_session::*;
use serde_json::json;

/// A call that hands work to an agent and runs. Somebody has prompted before.
fn delegating(session: &FakeSession) -> CallId {
    let call = session.calls(&[("invoke_agent", json!({ "agent_name": "reviewer", "prompt": "review it" }))])[0];
    session.vets(call, ToolKind::Delegate, PolicyVerdict::allow("agents ask for themselves"));
    session.runs(call, Report::Starting);
    call
}

#[tokio::test(start_paused = true)]
async fn what_a_call_had_made_stands_under_it_with_its_name() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("review it").await;
    let parent = delegating(&session);
    session.runs(parent, Report::Output { text: "• reading a.txt\n".into(), skipped: 0 });
    let child = session.calls_within(parent, "read_file", json!({ "file_path": "a.txt" }));
    session.vets(child, ToolKind::Read, PolicyVerdict::allow("reading"));
    session.runs(child, Report::Starting);
    let display = Some(ResultDisplay::Text { text: "3 lines".into() });
    session.ends_call(child, CallResult { display, ..CallResult::default() });
    let child = session.calls_within(parent, "run_shell_command", json!({ "command": "npm test" }));
    session.vets(child, ToolKind::Execute, PolicyVerdict::Ask(run_ask("npm test")));
    table.settle().await;
    table.types("1").await;
    session.runs(child, Report::Starting);
    session.runs(child, Report::Output { text: "1 failed\n".into(), skipped: 0 });
    session.ends_call(child, CallResult { exit_code: Some(1), ..CallResult::default() });
    session.runs(
        parent,
        Report::Spent { model: "small".into(), usage: ModelUsage { prompt: 7, ..ModelUsage::default() } },
    );
    session.ends_call(parent, CallResult::default());
    session.rests();
    table.settle().await;
    table.types("/stats").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > review it
            ▸ invoke_agent reviewer  review it
                • reading a.txt
                ▸ read_file  a.txt  (for invoke_agent reviewer)  ✓ 0 ms
                    3 lines
            ? Run a command  npm test  (for invoke_agent reviewer)
              run in /ws:
              | npm test
              1. Allow once
              2. Allow `npm test` in this session
              3. Decline
            answer 1-3: 1
                ▸ run_shell_command  npm test  (for invoke_agent reviewer)
                    1 failed
                    ✗ exit 1, 0 ms
            ▸ invoke_agent reviewer  review it
                ✓ 0 ms

            > /stats
            newest turn: 3 model calls, 7 tokens sent (0 cached), 0 received, 0 for thoughts, cost unknown
            session: 3 model calls, 7 tokens sent (0 cached), 0 received, 0 for thoughts, cost unknown
              demo: 2 model calls, 0 tokens sent (0 cached), 0 received, 0 for thoughts, $0.0000
              small: 1 model call, 7 tokens sent (0 cached), 0 received, 0 for thoughts, cost unknown
            tools: 3 calls, 2 succeeded, 1 did not
            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_steps_in_is_named_with_the_way_back() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("go").await;
    session.thinks(Report::FellBack { from: "pro".into(), to: "flash".into(), why: "pro is out of quota".into() });
    session.says(ItemKind::Text, "Done.");
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > go
            pro is out of quota
            flash answers from now on; /model pro goes back
            Done.

            > "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_is_told_what_does_while_others_work() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("set it up").await;
    let calls = session.calls(&[("read_file", json!({ "file_path": "a.txt" })), ("ask_user", json!({}))]);
    let schema = json!({ "type": "object", "properties": { "n": { "title": "Count", "type": "integer" } } });
    let details = AskDetails::Generic { description: "How many?".into(), schema: Some(schema) };
    let ask = Ask::new(details, vec![once_choice(), cancel_choice()]);
    session.vets(calls[0], ToolKind::Read, PolicyVerdict::allow("reading"));
    session.runs(calls[0], Report::Starting);
    session.vets(calls[1], ToolKind::Converse, PolicyVerdict::Ask(ask));
    table.settle().await;
    table.types("many").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > set it up
            ▸ read_file  a.txt
            ? Question
              | How many?
              Count
              /skip leaves it out, /decline answers nothing
            answer with a whole number: many
            many is not a whole number
            ? Question
              Count
              /skip leaves it out, /decline answers nothing
            answer with a whole number: "#]],
    )
    .await;
}
