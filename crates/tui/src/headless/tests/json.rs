//! One JSON object at the end.

use super::{TestRun, step, turn};
use crate::headless::{AskResponder, HeadlessOutcome, HeadlessSettings, OutputFormat, report_failure, run_headless};
use crate::testing::{EVIL, FakeSession, TestOutput, assert_harmless};
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn start(session: &std::sync::Arc<FakeSession>) -> TestRun {
    TestRun::start_in(session, AskResponder::Nobody, OutputFormat::Json).await
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_one_object() {
    let session = FakeSession::open();
    let run = start(&session).await;
    turn(&session);
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, errors.as_str()), (HeadlessOutcome::Rested, ""));
    expect![[r#"
        {
          "session_id": "00000000-0000-0000-0000-000000000007",
          "response": "It says \u001b[2Ja.",
          "stats": {
            "models": {
              "demo": {
                "api": {
                  "totalRequests": 3,
                  "totalErrors": 1,
                  "totalLatencyMs": 97,
                  "errorsByType": {
                    "503 overloaded": 1
                  }
                },
                "tokens": {
                  "input": 60,
                  "prompt": 100,
                  "candidates": 20,
                  "total": 125,
                  "cached": 40,
                  "thoughts": 5,
                  "tool": 0
                },
                "roles": {
                  "main": {
                    "totalRequests": 3,
                    "totalErrors": 1,
                    "totalLatencyMs": 97,
                    "tokens": {
                      "input": 60,
                      "prompt": 100,
                      "candidates": 20,
                      "total": 125,
                      "cached": 40,
                      "thoughts": 5,
                      "tool": 0
                    }
                  }
                }
              }
            },
            "tools": {
              "totalCalls": 1,
              "totalSuccess": 1,
              "totalFail": 0,
              "totalDurationMs": 3,
              "totalDecisions": {
                "accept": 0,
                "reject": 0,
                "modify": 0,
                "auto_accept": 1
              },
              "byName": {
                "read_file": {
                  "count": 1,
                  "success": 1,
                  "fail": 0,
                  "durationMs": 3,
                  "decisions": {
                    "accept": 0,
                    "reject": 0,
                    "modify": 0,
                    "auto_accept": 1
                  }
                }
              }
            },
            "files": {
              "totalLinesAdded": 0,
              "totalLinesRemoved": 0
            },
            "cost": 0.1
          }
        }
    "#]]
    .assert_eq(&output);
}

#[tokio::test(start_paused = true)]
async fn the_response_is_the_last_thing_that_was_said() {
    let session = FakeSession::open();
    let run = start(&session).await;
    session.says(ItemKind::Text, "All is done.");
    let call = session.calls(&[("write_todos", json!({}))])[0];
    session.vets(call, ToolKind::Converse, PolicyVerdict::allow("always"));
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    session.thinks(step("MAX_TOKENS", ModelUsage::default(), &["a.example"]));
    let (_, output, _) = run.ends().await;
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(report["response"], "All is done.");
    assert_eq!(report["warnings"], json!(["the model stopped early: MAX_TOKENS"]));
    assert_eq!(report["citations"], json!(["a.example"]));
    assert_eq!(report.get("error"), None);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_on_the_output() {
    let session = FakeSession::open();
    let run = start(&session).await;
    session.says(ItemKind::Text, EVIL);
    session.thinks(Report::StepFailed { failure: TurnFailure { kind: "quota".into(), message: EVIL.into() } });
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, errors.as_str()), (HeadlessOutcome::Failed, ""));
    assert_harmless(&output);
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(report["response"], EVIL);
    assert_eq!(report["error"], json!({ "type": "quota", "message": EVIL, "code": 1 }));
}

#[tokio::test(start_paused = true)]
async fn what_nobody_allowed_is_an_error_that_names_the_way_out() {
    let session = FakeSession::open();
    let run = start(&session).await;
    session.asks_to_run("npm test");
    run.settle().await;
    session.rests();
    let (outcome, output, errors) = run.ends().await;
    assert_eq!((outcome, errors.as_str()), (HeadlessOutcome::Denied, ""));
    let report: Value = serde_json::from_str(&output).unwrap();
    let sentence = "denied, because nobody is here to allow it: run_shell_command  npm test\nrun again with \
        --allowed-tools 'run_shell_command(npm test)' to allow this command, or with --yolo to allow everything";
    assert_eq!(report["error"], json!({ "type": "denied", "message": sentence, "code": 1 }));
    assert_eq!(report["warnings"], json!([sentence]));
    assert_eq!(report["stats"]["tools"]["totalDecisions"]["reject"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_is_told() {
    let session = FakeSession::open();
    let run = start(&session).await;
    session.says(ItemKind::Text, "Half");
    run.settle().await;
    run.shutdown.cancel();
    let (outcome, output, _) = run.ends().await;
    assert_eq!(outcome, HeadlessOutcome::Cancelled);
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(report["response"], "Half");
    assert_eq!(report["error"], json!({ "type": "cancelled", "message": "the turn was cancelled", "code": 130 }));
}

#[tokio::test(start_paused = true)]
async fn a_refused_prompt_is_told() {
    for format in [OutputFormat::Json, OutputFormat::StreamJson] {
        let session = FakeSession::open();
        let (output, errors) = (TestOutput::default(), TestOutput::default());
        let settings = HeadlessSettings { format, ..HeadlessSettings::default() };
        let seat = session.seat("terminal");
        let token = CancellationToken::new();
        let outcome =
            run_headless(seat, " ".into(), output.clone(), errors, AskResponder::Nobody, settings, token).await;
        assert_eq!(outcome.unwrap(), HeadlessOutcome::Failed);
        let report: Value = serde_json::from_str(&output.text()).unwrap();
        let error = json!({ "type": "refused", "message": "the prompt is empty; send some text", "code": 1 });
        assert_eq!(report["error"], error);
    }
}

#[tokio::test]
async fn what_goes_wrong_before_the_session_is_told_too() {
    let failure = || TurnFailure { kind: "no_key".into(), message: "set GEMINI_API_KEY".into() };
    let told = |format| async move {
        let output = TestOutput::default();
        report_failure(output.clone(), format, None, failure(), 2).await.unwrap();
        output.text()
    };
    assert_eq!(told(OutputFormat::Text).await, "");
    let error = json!({ "type": "no_key", "message": "set GEMINI_API_KEY", "code": 2 });
    let report: Value = serde_json::from_str(&told(OutputFormat::Json).await).unwrap();
    assert_eq!((&report["session_id"], &report["response"], &report["error"]), (&json!(null), &json!(""), &error));
    let lines = told(OutputFormat::StreamJson).await;
    let line: Value = serde_json::from_str(&lines).unwrap();
    assert_eq!(
        (lines.lines().count(), &line["type"], &line["status"], &line["error"]),
        (1, &json!("result"), &json!("error"), &error)
    );
}
