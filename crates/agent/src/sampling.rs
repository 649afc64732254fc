//! `sampling`: an MCP server wants a text of the person's model, and gets it if a person agrees. No model is offered the
//! tool, and only what a server asks at this moment can be asked with it.

use crate::subagent::model_answer::request_answer;
use crate::turn_agent::TurnAgent;
use pollux_model::{MessagePart, MessageRole, ModelMessage, ModelRequest};
use pollux_session::{
    ApprovalMode, AskDetails, AskOption, BoxFuture, CallResult, CallState, ResultDisplay, ToolKind, cancel_choice,
    once_choice,
};
use pollux_tools::{
    CallPreview, McpSamplingAnswer, McpSamplingRequest, McpSamplingRole, McpServers, Tool, ToolCallContext, ToolError,
    ToolRunOutcome, ToolSpec,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

#[cfg(test)]
mod tests;

const NAME: &str = "sampling";
/// The time limit of the model.
const ANSWER_TIME: Duration = Duration::from_secs(5 * 60);
/// About how many bytes of text a token stands for. Providers cut at tokens, and not all can be told where.
const TOKEN_BYTES: usize = 4;

/// The tool, for one turn of one session.
pub(crate) struct SampleModel {
    pub(crate) agent: TurnAgent,
    pub(crate) servers: Vec<Arc<McpServers>>,
    /// The model of the turn.
    pub(crate) model: Option<String>,
    pub(crate) mode: ApprovalMode,
}

impl SampleModel {
    /// The server's request with these arguments.
    fn request(&self, args: &Value) -> Result<McpSamplingRequest, ToolError> {
        let asked = self.servers.iter().find_map(|servers| servers.sampling(args));
        asked.ok_or_else(|| {
            ToolError::BadArguments("only an MCP server asks this way, while one of its calls runs".into())
        })
    }

    async fn sample(
        &self,
        request: &McpSamplingRequest,
        out: &mut dyn ToolCallContext,
    ) -> Result<McpSamplingAnswer, ToolError> {
        let call_context = self.agent.model_call_context(self.model.as_deref(), self.mode);
        let model = call_context.map_err(|failure| ToolError::failed("model_unknown", failure.message))?.model;
        let contents = request.messages.iter().map(|message| ModelMessage {
            role: match message.role {
                McpSamplingRole::User => MessageRole::User,
                McpSamplingRole::Assistant => MessageRole::Model,
            },
            parts: vec![MessagePart::text(message.text.clone())],
        });
        let (system, contents) = (request.system.clone(), contents.collect());
        let asked = ModelRequest { system, contents, ..ModelRequest::default() };
        let answer = match timeout(ANSWER_TIME, request_answer(model.as_ref(), &asked, out)).await {
            Ok(answer) => answer.map_err(|error| ToolError::failed(error.kind(), error.to_string()))?,
            Err(_) => return Err(ToolError::failed("model_timeout", "the model took too long")),
        };
        out.spend(model.info().id, answer.usage).await;
        let (text, cut) = cut_text(answer.text(), request.max_tokens);
        Ok(McpSamplingAnswer { model: model.info().id, text, cut })
    }
}

/// `text`, and whether it is longer than `max_tokens` and was cut there.
fn cut_text(mut text: String, max_tokens: u32) -> (String, bool) {
    let limit = usize::try_from(max_tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN_BYTES);
    let cut = text.len() > limit;
    text.truncate(text.floor_char_boundary(limit));
    (text, cut)
}

fn describe_request(request: &McpSamplingRequest) -> String {
    let McpSamplingRequest { server, system, messages, max_tokens, calls } = request;
    let mut text = format!(
        "The MCP server {server} wants an answer of your model, of at most {max_tokens} tokens. The model is told only \
         this, at your expense, and the server gets its answer."
    );
    if *calls > 1 {
        text.push_str(&format!(" It runs {calls} calls and does not say which of them asks."));
    }
    if !system.is_empty() {
        text.push_str(&format!("\n\nInstructions:\n{system}"));
    }
    for message in messages {
        let who = match message.role {
            McpSamplingRole::User => "User",
            McpSamplingRole::Assistant => "Model",
        };
        text.push_str(&format!("\n\n{who}:\n{}", message.text));
    }
    text
}

fn options() -> Vec<AskOption> {
    vec![
        AskOption { name: "Ask the model".into(), ..once_choice() },
        AskOption { name: "Decline".into(), ..cancel_choice() },
    ]
}

impl Tool for SampleModel {
    fn declaration(&self) -> ToolSpec {
        let description = "Asks the model what an MCP server wants it asked.".into();
        ToolSpec { name: NAME.into(), description, parameters: json!({"type": "object", "properties": {}}).into() }
    }

    fn offered_in(&self, _: ApprovalMode) -> bool {
        false
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let request = self.request(args)?;
            let summary = format!("The MCP server {} asks your model", request.server);
            let preview =
                CallPreview::new(NAME, ToolKind::Converse, summary, AskDetails::generic(describe_request(&request)));
            Ok(CallPreview { options: Some(options()), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let request = self.request(&call.args)?;
            if call.chosen.is_none() {
                return Err(ToolError::failed("not_asked", "nobody was asked, so the model is not"));
            }
            let answer = self.sample(&request, out).await?;
            let display = Some(ResultDisplay::Text { text: answer.text.clone() });
            let text = serde_json::to_string(&answer).unwrap_or_default();
            Ok(ToolRunOutcome::succeeded(CallResult { text, display, ..CallResult::default() }))
        })
    }
}
