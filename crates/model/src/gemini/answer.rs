//! One answer as its frames come in, and whether it can be used once it is complete.

use super::fault::read_fault;
use crate::answer_tally::{AnswerTally, ContinuationPoint, PartialText};
use crate::content::{MADE, MessagePart, PartData};
use crate::error::{AnswerFlaw, ModelError};
use crate::model::ModelChunk;
use crate::provider::Provider;
use crate::transport::{self, ProviderErrorAnswer};
use pollux_session::ModelUsage;
use serde_json::Value;

/// An answer that is being received.
pub(crate) struct Answer {
    tally: AnswerTally,
    /// Model contents before this one, so that made ids are unique in the conversation.
    turn: usize,
    usage: Option<ModelUsage>,
    citations: Vec<String>,
    finish: Option<String>,
}

impl Answer {
    /// The answer to a request's body.
    pub(crate) fn to(body: &Value) -> Answer {
        let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
        let last = contents.last().and_then(|content| content["parts"].as_array());
        let has_results = last.is_some_and(|parts| parts.iter().any(|part| part.get("functionResponse").is_some()));
        Answer {
            tally: AnswerTally::new(if has_results { ContinuationPoint::Results } else { ContinuationPoint::Prompt }),
            turn: contents.iter().filter(|content| content["role"] == "model").count(),
            usage: None,
            citations: Vec::new(),
            finish: None,
        }
    }

    fn read_part(&mut self, part: &Value) -> Result<MessagePart, ModelError> {
        let Value::Object(fields) = part else {
            return Err(ModelError::Malformed {
                flaw: AnswerFlaw::BadFrame { why: "a part is not an object".to_owned() },
            });
        };
        let mut part = MessagePart::from(fields.clone());
        self.tally.add(&part);
        if let PartData::FunctionCall { id, .. } = &mut part.data {
            let (turn, call) = (self.turn, self.tally.calls());
            id.get_or_insert_with(|| format!("{MADE}{turn}-{call}"));
        }
        Ok(part)
    }

    /// `citationSources` is the Gemini API's name, `citations` Vertex's.
    fn read_citations(&mut self, candidate: &Value) {
        let Some(metadata) = candidate.get("citationMetadata") else { return };
        let sources = ["citationSources", "citations"].iter().filter_map(|key| metadata.get(key)?.as_array()).flatten();
        for source in sources {
            let Some(uri) = source.get("uri").and_then(Value::as_str) else { continue };
            let line = match source.get("title").and_then(Value::as_str) {
                Some(title) => format!("({title}) {uri}"),
                None => uri.to_owned(),
            };
            if !self.citations.contains(&line) {
                self.citations.push(line);
            }
        }
    }
}

impl transport::AnswerDecoder for Answer {
    fn response_id(frame: &Value) -> Option<&str> {
        // A gateway that ignores `alt=sse` answers with an array of frames.
        frame.get(0).unwrap_or(frame)["responseId"].as_str()
    }

    fn take(&mut self, frame: &Value) -> Result<Vec<MessagePart>, ModelError> {
        // A gateway that ignores `alt=sse` answers with an array of frames.
        if let Value::Array(frames) = frame {
            let mut parts = Vec::new();
            for frame in frames {
                parts.extend(self.take(frame)?);
            }
            return Ok(parts);
        }
        if frame.get("error").is_some() {
            return Err(read_fault(Provider::Gemini, &ProviderErrorAnswer::within(frame)));
        }
        if let Some(usage) = frame.get("usageMetadata") {
            self.usage = Some(read_usage(usage));
        }
        let Some(candidate) = frame.pointer("/candidates/0") else {
            return match frame.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
                Some(reason) => Err(ModelError::Blocked { reason: reason.to_owned() }),
                None => Ok(Vec::new()),
            };
        };
        self.read_citations(candidate);
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        let Some(parts) = candidate.pointer("/content/parts").and_then(Value::as_array) else { return Ok(Vec::new()) };
        parts.iter().map(|part| self.read_part(part)).collect()
    }

    fn end(self) -> Result<Vec<ModelChunk>, ModelError> {
        if let Some(flaw) = self.tally.flaw(self.finish.as_deref()) {
            return Err(ModelError::Malformed { flaw });
        }
        let usage = self.usage.map(ModelChunk::Usage);
        let citations = (!self.citations.is_empty()).then_some(ModelChunk::Citations(self.citations));
        let reason = self.finish.unwrap_or_else(|| "FINISH_REASON_UNSPECIFIED".to_owned());
        Ok(usage.into_iter().chain(citations).chain([ModelChunk::Finish { reason }]).collect())
    }
}

/// Check that `frames` are, together, a usable answer to a prompt.
pub(crate) fn judge<'a>(frames: impl Iterator<Item = &'a Value>) -> Result<(), (ModelError, PartialText)> {
    let mut answer = Answer::to(&Value::Null);
    for frame in frames {
        let said = answer.tally.said();
        transport::AnswerDecoder::take(&mut answer, frame).map_err(|error| (error, said))?;
    }
    let said = answer.tally.said();
    transport::AnswerDecoder::end(answer).map(drop).map_err(|error| (error, said))
}

/// The tokens of an answer.
pub(super) fn read_usage(usage: &Value) -> ModelUsage {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    ModelUsage {
        prompt: count("promptTokenCount") + count("toolUsePromptTokenCount"),
        cached: count("cachedContentTokenCount"),
        output: count("candidatesTokenCount"),
        thoughts: count("thoughtsTokenCount"),
    }
}

#[cfg(test)]
mod tests;
