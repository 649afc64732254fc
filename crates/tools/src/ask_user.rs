//! `ask_user`: questions for the person, answered in any client.

mod answers;
mod questions;

use crate::arguments::parse;
use crate::counted::counted;
use crate::error::ToolError;
use crate::output::Output;
use crate::tool::{Declaration, Preview, Ran, Tool};
use pollux_session::{Call, CallResult, Choice, Details, Display, Edit, Pending, ToolKind, cancel_choice, once_choice};
use questions::Questions;
use serde_json::{Value, json};
use std::path::Path;

const NAME: &str = "ask_user";

pub(crate) struct AskUser;

impl Tool for AskUser {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Questions>(
            NAME,
            "Asks the person one to four questions and returns their answers. Use it for decisions that are theirs: a \
             preference, an unclear requirement, a choice between ways that differ in more than detail. Offer choices \
             where you can; the person can always write something else.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let questions: Questions = parse(args)?;
            questions.check()?;
            let details = Details::Generic { description: questions.in_words(), schema: Some(questions.schema()) };
            let summary = format!("Ask {}", counted(questions.len(), "question", "questions"));
            let preview = Preview::new(NAME, ToolKind::Converse, summary, details);
            let send = Choice { name: "Send the answers".into(), ..once_choice() };
            let dismiss = Choice { name: "Dismiss the questions".into(), ..cancel_choice() };
            Ok(Preview { options: Some(vec![send, dismiss]), ..preview })
        })
    }

    fn run<'a>(&'a self, _: &'a Path, call: &'a Call, _: &'a mut dyn Output) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            let questions: Questions = parse(&call.args)?;
            questions.check()?;
            let given = match &call.edit {
                Some(Edit::Answers { answers }) => answers::read(&questions, answers),
                Some(Edit::Content { .. }) | None => Vec::new(),
            };
            if given.is_empty() {
                return Ok(Ran::said(
                    "The person dismissed the questions without an answer. Go on with what you know, or ask in plain \
                     words.",
                ));
            }
            let shown = given.iter().map(|(at, answer)| format!("{}: {answer}", questions.header(*at)));
            let display = Display::Text { text: shown.collect::<Vec<_>>().join("\n") };
            let answers: serde_json::Map<String, Value> =
                given.iter().map(|(at, answer)| (at.to_string(), Value::from(answer.as_str()))).collect();
            let text = json!({ "answers": answers }).to_string();
            Ok(Ran::succeeded(CallResult { text, display: Some(display), ..CallResult::default() }))
        })
    }
}
