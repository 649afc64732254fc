//! Asks that want more than a choice.

use crate::line_mode::tests::check;
use crate::testing::*;
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// Two questions as the `ask_user` tool puts them.
fn questions() -> Value {
    json!({ "type": "object", "properties": {
        "0": {
            "title": "Auth",
            "description": "How do people sign in?",
            "type": "string",
            "anyOf": [
                { "const": "OAuth", "description": "in the browser" },
                { "const": "Key" },
                { "type": "string", "title": "Other" },
            ],
        },
        "1": { "title": "Where", "description": "Which directory?", "type": "string", "examples": ["/srv"] },
    } })
}

fn send_or_dismiss() -> Vec<AskOption> {
    let send = AskOption { name: "Send the answers".into(), ..once_choice() };
    vec![send, AskOption { name: "Dismiss the questions".into(), ..cancel_choice() }]
}

/// The answer that is in the log.
fn answered(session: &FakeSession) -> (String, Option<AnswerEdit>) {
    let answer = session.by_clients().into_iter().rev().find_map(|event| match event {
        Event::Answered { choice, edit, .. } => Some((choice, edit)),
        _ => None,
    });
    answer.expect("an answer")
}

fn answers(answers: Value) -> Option<AnswerEdit> {
    Some(AnswerEdit::Answers { answers })
}

#[tokio::test(start_paused = true)]
async fn questions_are_answered_one_after_the_other() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("set it up").await;
    let words = "1. How do people sign in?\n   - OAuth: in the browser\n   - Key\n2. Which directory?";
    let call = session.asks_questions(words, questions(), send_or_dismiss());
    table.settle().await;
    table.types("7").await;
    table.types("1").await;
    table.types("/srv/app").await;
    check(
        &table,
        &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > set it up
        ? Question
          Auth  (1 of 2 questions)
          | How do people sign in?
          1. OAuth: in the browser
          2. Key
          or type an answer of your own; /skip leaves it out, /decline answers nothing
        answer 1-2: 7
        7 is not on the list; give a number from it
        ? Question
          Auth  (1 of 2 questions)
          | How do people sign in?
          1. OAuth: in the browser
          2. Key
          or type an answer of your own; /skip leaves it out, /decline answers nothing
        answer 1-2: 1
          Where  (2 of 2 questions)
          | Which directory?
          for example /srv
          /skip leaves it out, /decline answers nothing
        answer: /srv/app
    "#]],
    )
    .await;
    assert_eq!(answered(&session), ("proceed_once".into(), answers(json!({ "0": "OAuth", "1": "/srv/app" }))));
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    session.rests();
    assert!(session.state().turn.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_question_is_skipped_and_slash_commands_still_work() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("set it up").await;
    session.asks_questions("Some things first", questions(), send_or_dismiss());
    table.settle().await;
    table.types("/skip").await;
    table.types("/mode").await;
    table.types("here").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > set it up
            ? Question
              | Some things first
              Auth  (1 of 2 questions)
              | How do people sign in?
              1. OAuth: in the browser
              2. Key
              or type an answer of your own; /skip leaves it out, /decline answers nothing
            answer 1-2: /skip
              Where  (2 of 2 questions)
              | Which directory?
              for example /srv
              /skip leaves it out, /decline answers nothing
            answer: /mode
            mode: default
            ? Question: Which directory?  (still open)
            answer: here
        "#]],
    )
    .await;
    assert_eq!(answered(&session), ("proceed_once".into(), answers(json!({ "1": "here" }))));
}

#[tokio::test(start_paused = true)]
async fn questions_are_declined() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("set it up").await;
    session.asks_questions("Some things first", questions(), send_or_dismiss());
    table.settle().await;
    table.types("Key").await;
    table.types("/decline").await;
    assert_eq!(answered(&session), ("cancel".into(), None));
    table.types("/skip").await;
    assert!(table.sees().await.ends_with("/skip\nno question is open\n> "), "{}", table.sees().await);
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_approved_with_a_word_about_it() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("plan it").await;
    let schema = json!({ "properties": { "feedback": { "title": "Feedback", "type": "string" } } });
    let freely = AskOption { id: "proceed_always".into(), name: "Yes, and edit freely".into(), ..once_choice() };
    let asking = AskOption { name: "Yes, and ask before edits".into(), ..once_choice() };
    session.asks_questions("# Plan\n1. Write it", schema, vec![freely, asking, cancel_choice()]);
    table.settle().await;
    table.types("looks good").await;
    table.types("2").await;
    table.types("mind the tests").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > plan it
            ? Question
              | # Plan
              | 1. Write it
              1. Yes, and edit freely
              2. Yes, and ask before edits
              3. Decline
            answer 1-3: looks good
            an ask is open, so this was not sent. Answer 1-3 or n first, or type > to send it now:
            > looks good
            ? Question
              1. Yes, and edit freely
              2. Yes, and ask before edits
              3. Decline
            answer 1-3: 2
              Feedback
              /skip leaves it out, /decline answers nothing
            answer: mind the tests
        "#]],
    )
    .await;
    assert_eq!(answered(&session), ("proceed_once".into(), answers(json!({ "feedback": "mind the tests" }))));
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_that_was_closed_elsewhere_is_no_prompt() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("set it up").await;
    let call = session.asks_questions("Some things first", questions(), send_or_dismiss());
    table.settle().await;
    table.types("2").await;
    let edit = answers(json!({ "0": "Key", "1": "/opt" }));
    let zed = session.seat("A2A zed");
    zed.does("a", Command::Answer { call, option: "proceed_once".into(), edit }).unwrap();
    table.settle().await;
    table.types("in /srv/app").await;
    assert!(session.state().queue.is_empty());
    table.types("a prompt").await;
    assert_eq!(session.state().queue.len(), 1);
    check(&table, &expect![[r#"
        Pollux test
        model: demo (not an AI)

        > set it up
        ? Question
          | Some things first
          Auth  (1 of 2 questions)
          | How do people sign in?
          1. OAuth: in the browser
          2. Key
          or type an answer of your own; /skip leaves it out, /decline answers nothing
        answer 1-2: 2
          Where  (2 of 2 questions)
          | Which directory?
          for example /srv
          /skip leaves it out, /decline answers nothing
        answer: 
        decided by A2A zed: Send the answers
          | Auth: Key
          | Where: /opt
        in /srv/app
        too late, the ask was already decided by A2A zed: Send the answers. Nothing was sent; > before a line sends it anyway
        a prompt
        queued: a prompt
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn what_another_answers_is_told_once() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.types("set it up").await;
    let call = session.asks_questions("Some things first", questions(), send_or_dismiss());
    table.settle().await;
    let (zed, edit) = (session.seat("A2A zed"), answers(json!({ "0": "Key", "1": "/opt" })));
    zed.does("a", Command::Answer { call, option: "proceed_once".into(), edit }).unwrap();
    table.settle().await;
    session.runs(call, Report::Starting);
    let display = Some(ResultDisplay::Text { text: "Auth: Key\nWhere: /opt".into() });
    session.ends_call(call, CallResult { display, ..CallResult::default() });
    let seen = table.sees().await;
    assert_eq!(seen.matches("Where: /opt").count(), 1, "{seen}");
}
