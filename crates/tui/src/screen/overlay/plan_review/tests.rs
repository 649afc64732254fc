use super::{AskFormOutcome, PlanReview};
use crate::screen::overlay::line_builder::LineBuilder;
use crate::screen::overlay::testing::{key, shots};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pollux_session::{Ask, AskDetails, AskOption, cancel_choice, once_choice};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({ "properties": {
        "approved": { "type": "boolean", "default": true },
        "approvalMode": { "type": "string", "enum": ["default", "autoEdit"] },
        "feedback": { "type": "string" },
    } })
}

fn ask(schema: Value, options: Vec<AskOption>) -> Ask {
    Ask::new(AskDetails::Generic { description: "# Plan\n1. Write it".into(), schema: Some(schema) }, options)
}

fn plan() -> PlanReview {
    let reject = AskOption { name: "Reject the plan".into(), ..cancel_choice() };
    PlanReview::from_ask(&ask(schema(), vec![once_choice(), reject])).unwrap()
}

fn press(plan: &mut PlanReview, keys: &[&str]) -> AskFormOutcome {
    keys.iter().map(|name| plan.key(key(name))).last().unwrap()
}

fn shot(plan: &PlanReview) -> String {
    shots(24, |width, _, theme: &Theme| {
        let mut line_builder = LineBuilder::new(width, theme);
        let (cursor, _) = plan.draw(width, &mut line_builder);
        RenderedLines { lines: line_builder.into_lines(), cursor }
    })
}

#[test]
fn its_options() {
    assert_snapshot!(shot(&plan()));
}

#[test]
fn its_feedback() {
    let mut plan = plan();
    press(&mut plan, &["3"]);
    plan.paste("smaller steps, and the tests first");
    assert_snapshot!(shot(&plan));
}

#[test]
fn keys_decide() {
    let sends = |answers: Value| AskFormOutcome::Send { option: "proceed_once".into(), answers: Some(answers) };
    let table: &[(&[&str], AskFormOutcome)] = &[
        (&["1"], sends(json!({ "approved": true, "approvalMode": "default" }))),
        (&["2"], sends(json!({ "approved": true, "approvalMode": "autoEdit" }))),
        (&["down", "enter"], sends(json!({ "approved": true, "approvalMode": "autoEdit" }))),
        (&["3"], AskFormOutcome::Say("say what should be different, then press Enter".into())),
        (&["3", "enter"], AskFormOutcome::Say("say what should be different, then press Enter".into())),
        (&["3", "n", "o", "enter"], sends(json!({ "approved": false, "feedback": "no" }))),
        (&["3", "n", "A-enter", "o", "enter"], sends(json!({ "approved": false, "feedback": "n\no" }))),
        (&["3", "n", "C-j", "o", "enter"], sends(json!({ "approved": false, "feedback": "n\no" }))),
        (&["tab", "enter"], AskFormOutcome::Say("say what should be different, then press Enter".into())),
        (&["tab", "1", "enter"], sends(json!({ "approved": false, "feedback": "1" }))),
        (&["down", "tab", "n", "o", "enter"], sends(json!({ "approved": false, "feedback": "no" }))),
        (&["tab", "n", "o", "tab", "enter"], sends(json!({ "approved": false, "feedback": "no" }))),
        (
            &["tab", "o", "k", "tab", "1"],
            sends(json!({ "approved": true, "approvalMode": "default", "feedback": "ok" })),
        ),
        (&["tab", "o", "tab", "4"], AskFormOutcome::Decline),
        (&["5"], AskFormOutcome::Nothing),
        (&["x"], AskFormOutcome::Nothing),
    ];
    for (keys, wanted) in table {
        assert_eq!(press(&mut plan(), keys), *wanted, "{keys:?}");
    }
}

#[test]
fn an_ask_that_is_no_plan_is_left_to_the_questions() {
    let only_feedback = json!({ "properties": { "feedback": { "type": "string" } } });
    let in_words = json!({ "properties": { "approved": { "type": "string" }, "feedback": {} } });
    for schema in [json!({}), only_feedback, in_words] {
        assert!(PlanReview::from_ask(&ask(schema, vec![once_choice(), cancel_choice()])).is_none());
    }
    assert!(PlanReview::from_ask(&ask(schema(), vec![once_choice(), once_choice()])).is_none());
    assert!(PlanReview::from_ask(&ask(schema(), vec![cancel_choice()])).is_none());
}

#[test]
fn a_plan_without_modes_is_just_approved() {
    let schema = json!({ "properties": { "approved": { "type": "boolean" }, "feedback": {} } });
    let mut plan = PlanReview::from_ask(&ask(schema, vec![once_choice()])).unwrap();
    let answers = Some(json!({ "approved": true }));
    assert_eq!(press(&mut plan, &["1"]), AskFormOutcome::Send { option: "proceed_once".into(), answers });
}

#[test]
fn nothing_in_it_acts_on_the_terminal() {
    let mut schema = schema();
    schema["properties"]["approvalMode"]["enum"] = json!([EVIL]);
    let reject = AskOption { name: EVIL.into(), ..cancel_choice() };
    let mut plan = PlanReview::from_ask(&ask(schema, vec![once_choice(), reject])).unwrap();
    plan.paste(EVIL);
    assert!(shot(&plan).contains('␛'));
}
