//! `sampling`: a server wants a text of the person's model, as a call of its own that asks.
//!
//! The tool itself is the agent's, which has the model. What it may show and send is bounded here: a request that is too
//! long is refused whole, because what a person is shown is what the model is sent.
#![expect(deprecated, reason = "a later protocol drops sampling; the servers of today use it")]

use super::plain_text::to_plain;
use super::questions::{QuestionOutcome, is_one, one};
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData, Role, SamplingMessage,
    SamplingMessageContentBlock,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// The tool's name.
pub(super) const NAME: &str = "sampling";
/// The most bytes of everything that a server wants the model told.
const REQUEST_BYTES: usize = 32 * 1024;
/// The most tokens that a server may ask for; one that wants more gets this many.
const MAX_TOKENS: u32 = 4096;
/// The code of the protocol's own example for a person who says no.
const REJECTED: ErrorCode = ErrorCode(-1);

/// A request of a server to a model. The words are the server's: data, shown as such.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpSamplingRequest {
    pub server: String,
    /// The instructions of the model. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
    /// The conversation, oldest first; never empty.
    pub messages: Vec<McpSamplingMessage>,
    pub max_tokens: u32,
    /// The number of running calls of the server that may be the one that asks.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub calls: usize,
}

/// One message of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpSamplingMessage {
    pub role: McpSamplingRole,
    pub text: String,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum McpSamplingRole {
    /// The server, or whoever it speaks for.
    User,
    /// A model.
    Assistant,
}

/// The model's answer, as the call that asked returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpSamplingAnswer {
    pub model: String,
    /// Its words.
    pub text: String,
    /// True if it was cut at the limit.
    pub cut: bool,
}

/// Read what a server wants, or why it cannot be had.
pub(super) fn read_request(server: &str, params: CreateMessageRequestParams) -> Result<McpSamplingRequest, ErrorData> {
    let refuse = |why: String| Err(ErrorData::invalid_params(why, None));
    if params.tools.is_some_and(|tools| !tools.is_empty()) {
        return refuse("tools are not offered in sampling here".into());
    }
    let mut messages = Vec::new();
    for message in params.messages {
        let role = if message.role == Role::Assistant { McpSamplingRole::Assistant } else { McpSamplingRole::User };
        for block in message.content.into_vec() {
            let SamplingMessageContentBlock::Text(text) = block else {
                return refuse("only text can be sampled here".into());
            };
            messages.push(McpSamplingMessage { role, text: to_plain(&text.text, REQUEST_BYTES) });
        }
    }
    let system = to_plain(&params.system_prompt.unwrap_or_default(), REQUEST_BYTES);
    let bytes = system.len() + messages.iter().map(|message| message.text.len()).sum::<usize>();
    if bytes > REQUEST_BYTES {
        return refuse(format!("the messages have {bytes} bytes, and a person is shown at most {REQUEST_BYTES}"));
    }
    if messages.iter().all(|message| message.text.trim().is_empty()) {
        return refuse("there is no message to answer".into());
    }
    let max_tokens = params.max_tokens.clamp(1, MAX_TOKENS);
    Ok(McpSamplingRequest { server: server.to_owned(), system, messages, max_tokens, calls: one() })
}

/// The answer for the server.
pub(super) fn to_sampling_result(outcome: QuestionOutcome) -> Result<CreateMessageResult, ErrorData> {
    let rejected = |why: &str| Err(ErrorData::new(REJECTED, why.to_owned(), None));
    match outcome {
        QuestionOutcome::Accepted(told) => parse_answer(told),
        QuestionOutcome::Declined(Some(why)) => rejected(&why),
        QuestionOutcome::Declined(None) => rejected("the person declined the sampling request"),
        QuestionOutcome::Cancelled => rejected("the person did not answer the sampling request"),
    }
}

fn parse_answer(told: Value) -> Result<CreateMessageResult, ErrorData> {
    let Ok(McpSamplingAnswer { model, text, cut }) = serde_json::from_value(told) else {
        return Err(ErrorData::internal_error("the model gave no answer", None));
    };
    let reason =
        if cut { CreateMessageResult::STOP_REASON_END_MAX_TOKEN } else { CreateMessageResult::STOP_REASON_END_TURN };
    Ok(CreateMessageResult::new(SamplingMessage::assistant_text(text), model).with_stop_reason(reason))
}
