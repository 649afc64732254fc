//! `ask_user`: questions for the person, answered in any client.

mod answers;
mod questions;

use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::pluralize::pluralize;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{
    AnswerEdit, AskDetails, AskOption, BoxFuture, BuiltInTool, CallResult, CallState, ResultDisplay, ToolKind,
    cancel_choice, once_choice,
};
use questions::AskUserArguments;
use serde_json::{Value, json};
use std::path::Path;

const NAME: &str = BuiltInTool::AskUser.name();

pub(crate) struct AskUserTool;

impl Tool for AskUserTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<AskUserArguments>(
            NAME,
            "Asks the person one to four questions and returns their answers. Use it for decisions that are theirs: a \
             preference, an unclear requirement, a choice between ways that differ in more than detail. Offer choices \
             where you can; the person can always write something else.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let questions: AskUserArguments = parse(args)?;
            questions.check()?;
            let details = AskDetails::Generic { description: questions.describe(), schema: Some(questions.schema()) };
            let summary = format!("Ask {}", pluralize(questions.len(), "question", "questions"));
            let preview = CallPreview::new(NAME, ToolKind::Converse, summary, details);
            let send = AskOption { name: "Send the answers".into(), ..once_choice() };
            let dismiss = AskOption { name: "Dismiss the questions".into(), ..cancel_choice() };
            Ok(CallPreview { options: Some(vec![send, dismiss]), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let questions: AskUserArguments = parse(&call.args)?;
            questions.check()?;
            let given = match &call.edit {
                Some(AnswerEdit::Answers { answers }) => answers::read(&questions, answers),
                Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }) | None => Vec::new(),
            };
            if given.is_empty() {
                return Ok(ToolRunOutcome::from_text(
                    "The person dismissed the questions without an answer. Go on with what you know, or ask in plain \
                     words.",
                ));
            }
            let shown = given.iter().map(|(at, answer)| format!("{}: {answer}", questions.header(*at)));
            let display = ResultDisplay::Text { text: shown.collect::<Vec<_>>().join("\n") };
            let answers: serde_json::Map<String, Value> =
                given.iter().map(|(at, answer)| (at.to_string(), Value::from(answer.as_str()))).collect();
            let text = json!({ "answers": answers }).to_string();
            Ok(ToolRunOutcome::succeeded(CallResult { text, display: Some(display), ..CallResult::default() }))
        })
    }
}
