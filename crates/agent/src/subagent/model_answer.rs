//! One answer of an agent's model: gathered whole, asked for again when it breaks off.

use futures_util::StreamExt;
use pollux_model::{MessagePart, Model, ModelChunk, ModelError, ModelRequest, PartData, RetryClass};
use pollux_session::{ModelUsage, NewCall};
use pollux_tools::ToolCallContext;
use serde_json::Value;
use std::time::Duration;

/// The number of times that an answer that breaks off is asked for, the first time included.
const ATTEMPTS: u32 = 4;

/// An answer of the model.
#[derive(Debug, Default)]
pub(crate) struct ModelAnswer {
    pub(crate) parts: Vec<MessagePart>,
    pub(crate) usage: ModelUsage,
}

/// A call the model wants, and its id for the provider.
#[derive(Debug, PartialEq)]
pub(crate) struct WantedCall {
    pub(crate) id: Option<String>,
    pub(crate) call: NewCall,
}

/// Ask `model`. What goes wrong on the way is told to `out`.
pub(crate) async fn request_answer(
    model: &dyn Model,
    request: &ModelRequest,
    out: &mut dyn ToolCallContext,
) -> Result<ModelAnswer, ModelError> {
    let mut attempt = 1;
    loop {
        let error = match collect_answer(model, request.clone(), out).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let wait = match error.class() {
            RetryClass::Retryable { after } if attempt < ATTEMPTS => {
                after.unwrap_or(Duration::from_secs(1 << (attempt - 1)))
            }
            RetryClass::Retryable { .. } | RetryClass::Terminal => return Err(error),
        };
        attempt += 1;
        report_wait(&error.to_string(), wait, out).await;
        tokio::time::sleep(wait).await;
    }
}

async fn collect_answer(
    model: &dyn Model,
    request: ModelRequest,
    out: &mut dyn ToolCallContext,
) -> Result<ModelAnswer, ModelError> {
    let mut answer = ModelAnswer::default();
    let mut chunks = model.generate(request);
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            ModelChunk::Parts(parts) => answer.parts.extend(parts),
            ModelChunk::Usage(usage) => answer.usage = usage,
            ModelChunk::Retrying { reason, wait, .. } => report_wait(&reason, wait, out).await,
            _ => {}
        }
    }
    Ok(answer)
}

async fn report_wait(reason: &str, wait: Duration, out: &mut dyn ToolCallContext) {
    out.send(format!("• trying again in {} s: {reason}\n", wait.as_secs()), 0).await;
}

impl ModelAnswer {
    /// The text, without thoughts.
    pub(crate) fn text(&self) -> String {
        let texts = self.parts.iter().filter(|part| !part.thought).filter_map(|part| match &part.data {
            PartData::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<String>().trim().to_owned()
    }

    /// The titles of its thoughts.
    pub(crate) fn thoughts(&self) -> Vec<String> {
        let thoughts = self.parts.iter().filter(|part| part.thought).filter_map(|part| match &part.data {
            PartData::Text(text) => text.trim().strip_prefix("**")?.split_once("**").map(|(title, _)| title.to_owned()),
            _ => None,
        });
        thoughts.collect()
    }

    /// The calls it wants.
    pub(crate) fn calls(&self) -> Vec<WantedCall> {
        let calls = self.parts.iter().filter_map(|part| match &part.data {
            PartData::FunctionCall { id, name, args } => {
                let call = NewCall { tool: name.clone(), args: args.clone(), meta: Value::Null };
                Some(WantedCall { id: id.clone(), call })
            }
            _ => None,
        });
        calls.collect()
    }

    /// The parts that are sent back with the next request: thoughts are not, what the provider attached to other parts
    /// is.
    pub(crate) fn into_parts(self) -> Vec<MessagePart> {
        // Pieces of one text are put together: providers want them as they were before streaming.
        let mut parts: Vec<MessagePart> = Vec::new();
        for part in self.parts.into_iter().filter(|part| !part.thought) {
            if let (PartData::Text(more), true) = (&part.data, part.extra.is_empty())
                && let Some(last) = parts.last_mut().filter(|last| last.extra.is_empty())
                && let PartData::Text(text) = &mut last.data
            {
                text.push_str(more);
                continue;
            }
            parts.push(part);
        }
        parts
    }
}
