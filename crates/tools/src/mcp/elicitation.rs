//! `elicitation`: a server's question for the person, as a call of its own that asks.
//!
//! The call is made for the call during which the server asked, never by a model. It is an ask like any other: every
//! client can answer it, and the first answer wins.

mod answer_form;

use super::questions::{OpenQuestions, is_one, one};
use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{
    AnswerEdit, ApprovalMode, AskDetails, AskOption, BoxFuture, BuiltInTool, CallResult, CallState, ResultDisplay,
    ToolKind, cancel_choice, once_choice,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// The tool's name.
pub(super) const NAME: &str = BuiltInTool::Elicitation.name();
/// The word for answers that are not what the server asked for.
pub(super) const MISFIT: &str = "invalid_answers";

/// A question of a server. The words are the server's: data, shown as such.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct McpElicitationRequest {
    pub(super) server: String,
    pub(super) message: String,
    /// The JSON schema of the values it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<Value>,
    /// The page it wants to be visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    /// Why the answer before was not sent on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
    /// The number of running calls of the server that may be the one that asks.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) calls: usize,
}

/// Asks what servers want to know.
pub(super) struct ElicitationTool(pub(super) Vec<OpenQuestions>);

impl ElicitationTool {
    /// The question, if a server has asked it.
    fn question(&self, args: &Value) -> Result<McpElicitationRequest, ToolError> {
        if self.0.iter().any(|open| open.is_open(NAME, args)) {
            return parse(args);
        }
        let why = "only an MCP server asks this way, while one of its calls runs; use ask_user for questions of yours";
        Err(ToolError::BadArguments(why.into()))
    }
}

impl McpElicitationRequest {
    fn describe(&self) -> String {
        let McpElicitationRequest { server, message, url, problem, calls, .. } = self;
        let mut text = match problem {
            Some(problem) => format!("The answer was not sent: {problem}.\n\n"),
            None => String::new(),
        };
        text.push_str(&format!("The MCP server {server} asks:\n{message}"));
        if let Some(url) = url {
            text.push_str(&format!("\n\nIt wants you to open this page, and nothing opens it for you:\n{url}"));
        }
        if *calls > 1 {
            text.push_str(&format!("\n\nIt runs {calls} calls and does not say which of them asks."));
        }
        text
    }

    fn options(&self) -> Vec<AskOption> {
        let accept = if self.url.is_some() { "I open the page" } else { "Send the answers to the server" };
        vec![
            AskOption { name: accept.into(), ..once_choice() },
            AskOption { name: "Decline to answer".into(), ..cancel_choice() },
        ]
    }
}

impl Tool for ElicitationTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.into(),
            description: "Puts a question of an MCP server to the person.".into(),
            parameters: json!({ "type": "object", "properties": {} }).into(),
        }
    }

    fn offered_in(&self, _: ApprovalMode) -> bool {
        false
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let question = self.question(args)?;
            let details = AskDetails::Generic { description: question.describe(), schema: question.schema.clone() };
            let summary = format!("A question of the MCP server {}", question.server);
            let preview = CallPreview::new(NAME, ToolKind::Converse, summary, details);
            Ok(CallPreview { options: Some(question.options()), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let question = self.question(&call.args)?;
            let Some(schema) = &question.schema else {
                return Ok(ToolRunOutcome::from_text("The person opens the page."));
            };
            let given = match &call.edit {
                Some(AnswerEdit::Answers { answers }) => answers,
                Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }) | None => &Value::Null,
            };
            let answers = answer_form::fit(schema, given).map_err(|problem| ToolError::failed(MISFIT, problem))?;
            let shown = answers.iter().map(|(name, answer)| format!("{name}: {answer}")).collect::<Vec<_>>();
            let display = Some(ResultDisplay::Text { text: shown.join("\n") });
            Ok(ToolRunOutcome::succeeded(CallResult {
                text: Value::Object(answers).to_string(),
                display,
                ..CallResult::default()
            }))
        })
    }
}
