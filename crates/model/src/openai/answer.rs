//! One answer as its chunks come in.

use super::calls::Calls;
use super::fault::read_fault;
use crate::answer_tally::{AnswerTally, ContinuationPoint};
use crate::content::{MessagePart, MessageRole, ModelMessage};
use crate::error::{AnswerFlaw, ModelError};
use crate::model::ModelChunk;
use crate::provider::Provider;
use crate::transport::{self, ProviderErrorAnswer};
use pollux_session::ModelUsage;
use serde_json::Value;

/// An answer that is being received.
pub(super) struct Answer {
    provider: Provider,
    tally: AnswerTally,
    /// Model contents before this one, so that made ids are unique in the conversation.
    turn: usize,
    calls: Calls,
    usage: Option<ModelUsage>,
    citations: Vec<String>,
    finish: Option<String>,
}

impl Answer {
    /// The answer to a conversation.
    pub(super) fn to(provider: Provider, contents: &[ModelMessage]) -> Answer {
        Answer {
            provider,
            tally: AnswerTally::new(ContinuationPoint::of(contents)),
            turn: contents.iter().filter(|content| content.role == MessageRole::Model).count(),
            calls: Calls::default(),
            usage: None,
            citations: Vec::new(),
            finish: None,
        }
    }

    fn read_delta(&mut self, delta: &Value) -> Result<Vec<MessagePart>, ModelError> {
        let word = |key: &str| delta[key].as_str().filter(|text| !text.is_empty());
        // Servers that send both send the same text twice.
        let thought = word("reasoning_content").or_else(|| word("reasoning")).map(MessagePart::thought);
        let text = word("content").or_else(|| word("refusal")).map(MessagePart::text);
        for fragment in delta["tool_calls"].as_array().into_iter().flatten() {
            self.calls.take(fragment)?;
        }
        for annotation in delta["annotations"].as_array().into_iter().flatten() {
            self.cite(&annotation["url_citation"]);
        }
        let parts: Vec<MessagePart> = thought.into_iter().chain(text).collect();
        parts.iter().for_each(|part| self.tally.add(part));
        Ok(parts)
    }

    fn cite(&mut self, source: &Value) {
        let Some(url) = source["url"].as_str() else { return };
        let line = match source["title"].as_str() {
            Some(title) => format!("({title}) {url}"),
            None => url.to_owned(),
        };
        if !self.citations.contains(&line) {
            self.citations.push(line);
        }
    }
}

impl transport::AnswerDecoder for Answer {
    fn response_id(frame: &Value) -> Option<&str> {
        frame["id"].as_str()
    }

    fn take(&mut self, frame: &Value) -> Result<Vec<MessagePart>, ModelError> {
        let has_error = |value: &Value| value.get("error").is_some_and(|error| !error.is_null());
        let choice = &frame["choices"][0];
        if has_error(frame) || frame["object"] == "error" {
            return Err(read_fault(self.provider, &ProviderErrorAnswer::within(frame)));
        }
        if has_error(choice) {
            return Err(read_fault(self.provider, &ProviderErrorAnswer::within(choice)));
        }
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(read_usage(usage));
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(finish_word(reason));
        }
        // A server that ignores the wish for a stream sends the whole message at once.
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        delta.map_or(Ok(Vec::new()), |delta| self.read_delta(delta))
    }

    fn end(mut self) -> Result<Vec<ModelChunk>, ModelError> {
        // Only a finish says that the fragments of a call are all there.
        let Some(reason) = self.finish else { return Err(ModelError::Malformed { flaw: AnswerFlaw::NoFinish }) };
        let calls = self.calls.finish(self.turn)?;
        calls.iter().for_each(|call| self.tally.add(call));
        if let Some(flaw) = self.tally.flaw(Some(&reason)) {
            return Err(ModelError::Malformed { flaw });
        }
        let calls = (!calls.is_empty()).then_some(ModelChunk::Parts(calls));
        let usage = self.usage.map(ModelChunk::Usage);
        let citations = (!self.citations.is_empty()).then_some(ModelChunk::Citations(self.citations));
        Ok(calls.into_iter().chain(usage).chain(citations).chain([ModelChunk::Finish { reason }]).collect())
    }
}

/// The word Gemini has for a reason to stop.
fn finish_word(reason: &str) -> String {
    match reason {
        "stop" | "tool_calls" | "function_call" | "eos" => "STOP".to_owned(),
        "length" => "MAX_TOKENS".to_owned(),
        "content_filter" => "SAFETY".to_owned(),
        other => other.to_uppercase(),
    }
}

fn read_usage(usage: &Value) -> ModelUsage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let thoughts = count("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let cached = count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens"));
    ModelUsage {
        prompt: count("/prompt_tokens").unwrap_or(0),
        cached: cached.unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0).saturating_sub(thoughts),
        thoughts,
    }
}

#[cfg(test)]
mod tests;
