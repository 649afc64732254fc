//! Calls that a small model writes into its text: in a fence, bare, or between tags, where its server knows no better.
//!
//! Only models with the short profile are listened to like this, only while tools are offered, and only what names one
//! of them is taken for a call. Everything else is text, and is shown as it comes.

mod block;
mod read;

use crate::content::{MADE, MessagePart, MessageRole, PartData};
use crate::error::ModelError;
use crate::info::InstructionProfile;
use crate::model::{ModelChunk, ModelRequest, ToolChoice};
use crate::transport::AnswerDecoder;
use block::Blocks;
use read::WrittenCall;
use serde_json::Value;

/// Listen to the answer to `request` for calls in its text, if the model is one that needs it.
pub(super) fn listen<A: AnswerDecoder>(
    answer: A,
    profile: InstructionProfile,
    request: &ModelRequest,
) -> SpokenCallDecoder<A> {
    let tools = match profile {
        InstructionProfile::Short if request.tool_choice == ToolChoice::None => Vec::new(),
        InstructionProfile::Full => Vec::new(),
        InstructionProfile::Short => request.tools.iter().map(|tool| tool.name.clone()).collect(),
    };
    let turn = request.contents.iter().filter(|content| content.role == MessageRole::Model).count();
    SpokenCallDecoder { answer, turn, tools, blocks: Blocks::default(), calls: Vec::new() }
}

/// An answer whose text may hold calls.
pub(super) struct SpokenCallDecoder<A> {
    answer: A,
    /// Model contents before this one, so that made ids are unique in the conversation.
    turn: usize,
    /// The tools that were offered; nothing is looked for without any.
    tools: Vec<String>,
    blocks: Blocks,
    calls: Vec<WrittenCall>,
}

impl<A: AnswerDecoder> SpokenCallDecoder<A> {
    /// The text without the calls in it.
    fn listen(&mut self, part: MessagePart) -> Option<MessagePart> {
        let PartData::Text(text) = &part.data else { return Some(part) };
        if part.thought || self.tools.is_empty() {
            return Some(part);
        }
        let shown = self.blocks.take(text, &self.tools, &mut self.calls);
        (!shown.is_empty()).then(|| MessagePart { data: PartData::Text(shown), ..part })
    }
}

impl<A: AnswerDecoder> AnswerDecoder for SpokenCallDecoder<A> {
    fn response_id(frame: &Value) -> Option<&str> {
        A::response_id(frame)
    }

    fn take(&mut self, frame: &Value) -> Result<Vec<MessagePart>, ModelError> {
        let parts = self.answer.take(frame)?;
        Ok(parts.into_iter().filter_map(|part| self.listen(part)).collect())
    }

    fn end(mut self) -> Result<Vec<ModelChunk>, ModelError> {
        let chunks = self.answer.end()?;
        let rest = self.blocks.end(&self.tools, &mut self.calls);
        let rest = (!rest.is_empty()).then(|| MessagePart::text(rest));
        let calls = self.calls.into_iter().enumerate().map(|(at, WrittenCall { name, args })| {
            let id = Some(format!("{MADE}{}-t{}", self.turn, at + 1));
            MessagePart::from(PartData::FunctionCall { id, name, args })
        });
        let parts: Vec<MessagePart> = rest.into_iter().chain(calls).collect();
        let parts = (!parts.is_empty()).then_some(ModelChunk::Parts(parts));
        Ok(parts.into_iter().chain(chunks).collect())
    }
}

#[cfg(test)]
mod tests;
