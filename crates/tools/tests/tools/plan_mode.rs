//! `enter_plan_mode` and `exit_plan_mode`.

use crate::tools::test_workspace::{ToolTestWorkspace, call, failure, success};
use pollux_session::{AnswerEdit, ApprovalMode, AskDetails, SessionSetting, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[tokio::test]
async fn entering_asks_and_sets_the_mode() {
    let room = ToolTestWorkspace::new();
    let preview = room.preview("enter_plan_mode", json!({ "reason": "It is large." })).await.unwrap();
    let description = "Switch to plan mode, in which nothing is changed: It is large.";
    assert_eq!((preview.kind, preview.details), (ToolKind::Converse, AskDetails::generic(description)));
    let names: Vec<String> = preview.options.unwrap().into_iter().map(|choice| choice.name).collect();
    assert_eq!(names, ["Switch to plan mode", "Stay in this mode"]);
    let (outcome, settings) = room.run_setting(&call("enter_plan_mode", json!({}))).await;
    success(outcome);
    assert_eq!(settings, [SessionSetting::Mode(ApprovalMode::Plan)]);
}

/// The model's result when a person answers like that, and the settings.
async fn run_with_answers(answers: Option<Value>) -> (String, Vec<SessionSetting>) {
    let room = ToolTestWorkspace::new();
    let edit = answers.map(|answers| AnswerEdit::Answers { answers });
    let call = room.preview_and_answer("exit_plan_mode", json!({ "plan": "1. Do it." }), edit).await;
    let (outcome, settings) = room.run_setting(&call).await;
    (success(outcome).text, settings)
}

#[tokio::test]
async fn the_plan_is_shown_whole_with_the_shape_of_the_answer() {
    let preview = ToolTestWorkspace::new().preview("exit_plan_mode", json!({ "plan": "1. Do it." })).await.unwrap();
    let AskDetails::Generic { description, schema: Some(schema) } = preview.details else { panic!("no schema") };
    assert_eq!((preview.kind, description.as_str()), (ToolKind::Converse, "1. Do it."));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["approved", "approvalMode", "feedback"]);
}

#[tokio::test]
async fn an_approved_plan_ends_plan_mode() {
    let carry_on =
        |rule: &str| format!("The plan is approved and plan mode is over: {rule}. Carry the plan out as written.");
    let asking = carry_on("changes will be asked about one by one, unless a permanent rule of the person allows them");
    let default = vec![SessionSetting::EditsAsk, SessionSetting::Mode(ApprovalMode::Default)];
    assert_eq!(run_with_answers(None).await, (asking.clone(), default.clone()));
    assert_eq!(
        run_with_answers(Some(json!({ "approved": true, "approvalMode": "default" }))).await,
        (asking.clone(), default.clone())
    );
    let auto = carry_on("files may be changed without asking");
    for mode in ["autoEdit", "auto_edit"] {
        let answer = json!({ "approved": true, "approvalMode": mode });
        assert_eq!(
            run_with_answers(Some(answer)).await,
            (auto.clone(), vec![SessionSetting::Mode(ApprovalMode::AutoEdit)])
        );
    }
    let noted = run_with_answers(Some(json!({ "feedback": "Mind the tests." }))).await;
    assert_eq!(noted, (format!("{asking} The person adds: Mind the tests."), default));
}

#[tokio::test]
async fn a_rejected_plan_tells_the_model_why_and_sets_nothing() {
    let with = run_with_answers(Some(json!({ "approved": false, "feedback": " Smaller steps. " }))).await;
    let text = "The plan was not approved; this is still plan mode. The person says: Smaller steps.";
    assert_eq!(with, (text.to_owned(), vec![]));
    let without = run_with_answers(Some(json!({ "approved": false }))).await;
    let text = "The plan was not approved, without a reason; this is still plan mode. Ask what should be different.";
    assert_eq!(without, (text.to_owned(), vec![]));
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_approves_nothing() {
    let room = ToolTestWorkspace::new();
    for answers in [json!("yes"), json!({ "approved": "yes" }), json!({ "approvalMode": "yolo" })] {
        let call = room
            .preview_and_answer("exit_plan_mode", json!({ "plan": "x" }), Some(AnswerEdit::Answers { answers }))
            .await;
        let (outcome, settings) = room.run_setting(&call).await;
        assert_eq!((failure(outcome).kind.as_str(), settings), ("invalid_tool_params", vec![]));
    }
}
