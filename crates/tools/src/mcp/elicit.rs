//! `elicitation`: a server's question for the person, as a call of its own that asks.
//!
//! The call is made for the call during which the server asked, never by a model. It is an ask like any other: every
//! client can answer it, and the first answer wins.

mod form;

use super::questions::{OpenQuestions, is_one, one};
use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::Output;
use crate::tool::{Declaration, Preview, Ran, Tool};
use pollux_session::{
    Call, CallResult, Choice, Details, Display, Edit, Mode, Pending, ToolKind, cancel_choice, once_choice,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// The tool's name.
pub(super) const NAME: &str = "elicitation";
/// The word for answers that are not what the server asked for.
pub(super) const MISFIT: &str = "invalid_answers";

/// What a server wants to know. The words are the server's: data, shown as such.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Elicitation {
    /// The server.
    pub(super) server: String,
    /// What it asks.
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
    /// How many running calls of the server may be the one that asks.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) calls: usize,
}

/// Asks what servers want to know.
pub(super) struct Elicit(pub(super) Vec<OpenQuestions>);

impl Elicit {
    /// The question, if a server has asked it.
    fn question(&self, args: &Value) -> Result<Elicitation, ToolError> {
        if self.0.iter().any(|open| open.is_open(NAME, args)) {
            return parse(args);
        }
        let why = "only an MCP server asks this way, while one of its calls runs; use ask_user for questions of yours";
        Err(ToolError::BadArguments(why.into()))
    }
}

impl Elicitation {
    fn in_words(&self) -> String {
        let Elicitation { server, message, url, problem, calls, .. } = self;
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

    fn options(&self) -> Vec<Choice> {
        let accept = if self.url.is_some() { "I open the page" } else { "Send the answers to the server" };
        vec![
            Choice { name: accept.into(), ..once_choice() },
            Choice { name: "Decline to answer".into(), ..cancel_choice() },
        ]
    }
}

impl Tool for Elicit {
    fn declaration(&self) -> Declaration {
        Declaration {
            name: NAME.into(),
            description: "Puts a question of an MCP server to the person.".into(),
            parameters: json!({ "type": "object", "properties": {} }).into(),
        }
    }

    fn offered_in(&self, _: Mode) -> bool {
        false
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let question = self.question(args)?;
            let details = Details::Generic { description: question.in_words(), schema: question.schema.clone() };
            let summary = format!("A question of the MCP server {}", question.server);
            let preview = Preview::new(NAME, ToolKind::Converse, summary, details);
            Ok(Preview { options: Some(question.options()), ..preview })
        })
    }

    fn run<'a>(&'a self, _: &'a Path, call: &'a Call, _: &'a mut dyn Output) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            let question = self.question(&call.args)?;
            let Some(schema) = &question.schema else { return Ok(Ran::said("The person opens the page.")) };
            let given = match &call.edit {
                Some(Edit::Answers { answers }) => answers,
                Some(Edit::Content { .. }) | None => &Value::Null,
            };
            let answers = form::fit(schema, given).map_err(|problem| ToolError::failed(MISFIT, problem))?;
            let shown = answers.iter().map(|(name, answer)| format!("{name}: {answer}")).collect::<Vec<_>>();
            let display = Some(Display::Text { text: shown.join("\n") });
            Ok(Ran::succeeded(CallResult {
                text: Value::Object(answers).to_string(),
                display,
                ..CallResult::default()
            }))
        })
    }
}
