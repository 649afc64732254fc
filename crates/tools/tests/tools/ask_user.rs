//! `ask_user`: questions out, answers in.

use crate::tools::test_workspace::{ToolTestWorkspace, call, done, success};
use pollux_session::{AnswerEdit, AskDetails, ResultDisplay, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn questions() -> Value {
    json!({ "questions": [
        {
            "question": "Which database?",
            "header": "Database",
            "type": "choice",
            "options": [
                { "label": "SQLite", "description": "One file." },
                { "label": "PostgreSQL", "description": "A server." },
            ],
        },
        { "question": "Tests too?", "header": "Tests", "type": "yesno" },
        { "question": "What name?", "header": "Name", "type": "text", "placeholder": "pollux" },
    ]})
}

async fn run_with_answers(answers: Option<Value>) -> (String, Option<ResultDisplay>) {
    let room = ToolTestWorkspace::new();
    let edit = answers.map(|answers| AnswerEdit::Answers { answers });
    let call = room.preview_and_answer("ask_user", questions(), edit).await;
    let result = success(done(room.run_call(&call).await.0));
    (result.text, result.display)
}

#[tokio::test]
async fn questions_are_shown_in_words_with_the_schema_of_the_answers() {
    let preview = ToolTestWorkspace::new().preview("ask_user", questions()).await.unwrap();
    let description = "1. Which database?\n   - SQLite: One file.\n   - PostgreSQL: A server.\n2. Tests too?\n   - Yes\n   \
                       - No\n3. What name?";
    let other = json!({ "type": "string", "title": "Other" });
    let schema = json!({
        "type": "object",
        "properties": {
            "0": {
                "type": "string",
                "anyOf": [
                    { "const": "SQLite", "description": "One file." },
                    { "const": "PostgreSQL", "description": "A server." },
                    other,
                ],
                "title": "Database",
                "description": "Which database?",
            },
            "1": {
                "type": "string",
                "anyOf": [{ "const": "Yes" }, { "const": "No" }, other],
                "title": "Tests",
                "description": "Tests too?",
            },
            "2": { "type": "string", "title": "Name", "description": "What name?", "examples": ["pollux"] },
        },
    });
    assert_eq!(preview.details, AskDetails::Generic { description: description.into(), schema: Some(schema) });
    assert_eq!((preview.kind, preview.summary.as_str()), (ToolKind::Converse, "Ask 3 questions"));
    let options: Vec<(String, bool)> =
        preview.options.unwrap().into_iter().map(|choice| (choice.id, choice.allows)).collect();
    assert_eq!(options, [("proceed_once".to_owned(), true), ("cancel".to_owned(), false)]);
}

#[tokio::test]
async fn answers_reach_the_model_by_number() {
    let text = r#"{"answers":{"0":"SQLite","1":"Yes"}}"#;
    let display = Some(ResultDisplay::Text { text: "Database: SQLite\nTests: Yes".into() });
    for answers in [
        json!({ "0": "SQLite", "1": "Yes", "2": "  ", "9": "stray" }),
        json!({ "answers": { "0": "SQLite", "1": true } }),
        json!({ "Database": "SQLite", "Tests": true, "Name": null }),
        json!(["SQLite", "Yes"]),
    ] {
        assert_eq!(run_with_answers(Some(answers.clone())).await, (text.to_owned(), display.clone()), "{answers}");
    }
}

#[tokio::test]
async fn no_answer_is_told_in_words() {
    let text = "The person dismissed the questions without an answer. Go on with what you know, or ask in plain words.";
    for answers in [None, Some(json!({})), Some(json!("bare")), Some(json!({ "0": {} }))] {
        assert_eq!(run_with_answers(answers).await, (text.to_owned(), None));
    }
}

#[tokio::test]
async fn several_options_may_be_picked_and_a_single_answer_may_be_bare() {
    let room = ToolTestWorkspace::new();
    let options = json!([{ "label": "a", "description": "" }, { "label": "b", "description": "" }]);
    let args = json!({ "questions": [
        { "question": "Which?", "header": "W", "type": "choice", "options": options, "multiSelect": true },
    ]});
    let preview = room.preview("ask_user", args.clone()).await.unwrap();
    let AskDetails::Generic { description, schema: Some(schema) } = preview.details else { panic!("no schema") };
    assert_eq!(description, "Which?\n   - a\n   - b");
    assert_eq!(schema["properties"]["0"]["type"], "array");
    for (answers, expected) in [(json!({ "0": ["a", "b"] }), "a, b"), (json!("a"), "a")] {
        let call =
            pollux_session::CallState { edit: Some(AnswerEdit::Answers { answers }), ..call("ask_user", args.clone()) };
        let text = success(done(room.run_call(&call).await.0)).text;
        assert_eq!(text, json!({ "answers": { "0": expected } }).to_string());
    }
}

#[tokio::test]
async fn questions_that_make_no_sense_are_refused() {
    let room = ToolTestWorkspace::new();
    let question = json!({ "question": "Why?", "header": "W", "type": "text" });
    let cases = [
        (json!([]), "argument `questions`: ask one to 4 questions, not 0"),
        (
            json!([question, question, question, question, question]),
            "argument `questions`: ask one to 4 questions, not 5",
        ),
        (json!([{ "question": " ", "header": "W", "type": "text" }]), "argument `questions`: question 1 is empty"),
        (
            json!([{ "question": "Which?", "header": "W", "type": "choice" }]),
            "argument `questions`: question 1 is a choice and must offer 2 to 4 options",
        ),
    ];
    for (questions, message) in cases {
        assert_eq!(room.refusal("ask_user", json!({ "questions": questions })).await.message, message);
    }
}
