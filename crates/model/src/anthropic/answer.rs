//! One answer as its events come in: blocks that open, grow and close.

use super::fault::read_fault;
use super::proof;
use crate::answer_tally::{AnswerTally, ContinuationPoint};
use crate::arguments::read_arguments;
use crate::content::{MADE, MessagePart, MessageRole, ModelMessage, PartData};
use crate::error::{AnswerFlaw, ModelError};
use crate::model::ModelChunk;
use crate::provider::Provider;
use crate::transport::{self, ProviderErrorAnswer};
use pollux_session::ModelUsage;
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest arguments of a call, and the longest thought, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// The most blocks that may be open at once; in practice it is one.
const MOST_OPEN: usize = 128;

/// An answer that is being received.
pub(super) struct Answer {
    tally: AnswerTally,
    /// Model contents before this one, so that made ids are unique in the conversation.
    turn: usize,
    open: BTreeMap<u64, Block>,
    /// Thinking since the last call, for the next.
    proofs: Vec<Value>,
    usage: Option<TokenCounts>,
    citations: Vec<String>,
    finish: Option<String>,
}

/// A block that has not closed yet. Text is handed on at once and needs no memory.
enum Block {
    Thinking { text: String, signature: String },
    Call { id: String, name: String, arguments: String },
}

#[derive(Clone, Copy, Default)]
struct TokenCounts {
    fresh: u64,
    written: u64,
    read: u64,
    output: u64,
}

impl Answer {
    /// The answer to a conversation.
    pub(super) fn to(contents: &[ModelMessage]) -> Answer {
        Answer {
            tally: AnswerTally::new(ContinuationPoint::of(contents)),
            turn: contents.iter().filter(|content| content.role == MessageRole::Model).count(),
            open: BTreeMap::new(),
            proofs: Vec::new(),
            usage: None,
            citations: Vec::new(),
            finish: None,
        }
    }

    fn open(&mut self, index: u64, block: &Value) -> Result<Option<MessagePart>, ModelError> {
        let word = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let opened = match block["type"].as_str() {
            Some("text") => return Ok(said(&word("text"), MessagePart::text)),
            Some("redacted_thinking") => {
                self.proofs.push(block.clone());
                return Ok(None);
            }
            Some("thinking") => Block::Thinking { text: word("thinking"), signature: word("signature") },
            Some("tool_use") => {
                let whole = block["input"].as_object().filter(|fields| !fields.is_empty());
                let arguments = whole.map(|fields| Value::Object(fields.clone()).to_string()).unwrap_or_default();
                Block::Call { id: word("id"), name: word("name"), arguments }
            }
            // Blocks of tools that Anthropic runs itself: none are asked for.
            _ => return Ok(None),
        };
        self.open.insert(index, opened);
        if self.open.len() > MOST_OPEN {
            return Err(bad_frame(format!("more than {MOST_OPEN} blocks are open")));
        }
        Ok(None)
    }

    fn grow(&mut self, index: u64, delta: &Value) -> Result<Option<MessagePart>, ModelError> {
        let word = |key: &str| delta[key].as_str().unwrap_or_default();
        match (delta["type"].as_str(), self.open.get_mut(&index)) {
            (Some("text_delta"), _) => return Ok(said(word("text"), MessagePart::text)),
            (Some("thinking_delta"), Some(Block::Thinking { text, .. })) => {
                text.push_str(word("thinking"));
                bound(text.len())?;
                return Ok(said(word("thinking"), MessagePart::thought));
            }
            (Some("signature_delta"), Some(Block::Thinking { signature, .. })) => {
                signature.push_str(word("signature"));
                bound(signature.len())?;
            }
            (Some("input_json_delta"), Some(Block::Call { arguments, .. })) => {
                arguments.push_str(word("partial_json"));
                bound(arguments.len())?;
            }
            (Some("citations_delta"), _) => self.cite(&delta["citation"]),
            // Kinds of growth that are new, or belong to blocks that were passed over.
            _ => {}
        }
        Ok(None)
    }

    fn close(&mut self, index: u64) -> Result<Option<MessagePart>, ModelError> {
        match self.open.remove(&index) {
            None => Ok(None),
            Some(Block::Thinking { text, signature }) => {
                self.proofs.extend(proof::signed(&text, &signature));
                Ok(None)
            }
            Some(Block::Call { id, name, arguments }) => {
                let args = read_arguments(&name, &arguments)?;
                let (turn, number) = (self.turn, self.tally.calls() + 1);
                let id = if id.is_empty() { format!("{MADE}{turn}-{number}") } else { id };
                let mut part = PartData::FunctionCall { id: Some(id), name, args }.into();
                proof::attach(&mut part, std::mem::take(&mut self.proofs));
                Ok(Some(part))
            }
        }
    }

    fn cite(&mut self, citation: &Value) {
        let Some(url) = citation["url"].as_str() else { return };
        let line = match citation["title"].as_str() {
            Some(title) => format!("({title}) {url}"),
            None => url.to_owned(),
        };
        if !self.citations.contains(&line) {
            self.citations.push(line);
        }
    }

    /// TokenCounts come at the start and grow towards the end; what is not repeated still holds.
    fn count(&mut self, usage: &Value) {
        if !usage.is_object() {
            return;
        }
        let counts = self.usage.get_or_insert_default();
        let places = [
            ("input_tokens", &mut counts.fresh),
            ("cache_creation_input_tokens", &mut counts.written),
            ("cache_read_input_tokens", &mut counts.read),
            ("output_tokens", &mut counts.output),
        ];
        for (key, place) in places {
            if let Some(count) = usage[key].as_u64() {
                *place = count;
            }
        }
    }
}

impl transport::AnswerDecoder for Answer {
    fn response_id(frame: &Value) -> Option<&str> {
        frame.pointer("/message/id")?.as_str()
    }

    fn take(&mut self, frame: &Value) -> Result<Vec<MessagePart>, ModelError> {
        let index = frame["index"].as_u64().unwrap_or(0);
        let part = match frame["type"].as_str() {
            Some("error") => return Err(read_fault(Provider::Anthropic, &ProviderErrorAnswer::within(frame))),
            None if frame.get("error").is_some() => {
                return Err(read_fault(Provider::Anthropic, &ProviderErrorAnswer::within(frame)));
            }
            Some("message_start") => {
                self.count(&frame["message"]["usage"]);
                None
            }
            Some("content_block_start") => self.open(index, &frame["content_block"])?,
            Some("content_block_delta") => self.grow(index, &frame["delta"])?,
            Some("content_block_stop") => self.close(index)?,
            Some("message_delta") => {
                self.count(&frame["usage"]);
                if let Some(reason) = frame["delta"]["stop_reason"].as_str() {
                    self.finish = Some(finish_word(reason));
                }
                None
            }
            // `ping`, `message_stop`, and events that do not exist yet.
            _ => None,
        };
        if let Some(part) = &part {
            self.tally.add(part);
        }
        Ok(part.into_iter().collect())
    }

    fn end(self) -> Result<Vec<ModelChunk>, ModelError> {
        let Some(reason) = self.finish else { return Err(ModelError::Malformed { flaw: AnswerFlaw::NoFinish }) };
        if let Some(flaw) = self.tally.flaw(Some(&reason)) {
            return Err(ModelError::Malformed { flaw });
        }
        let usage = self.usage.map(|counts| {
            let prompt = counts.fresh + counts.written + counts.read;
            ModelChunk::Usage(ModelUsage { prompt, cached: counts.read, output: counts.output, thoughts: 0 })
        });
        let citations = (!self.citations.is_empty()).then_some(ModelChunk::Citations(self.citations));
        Ok(usage.into_iter().chain(citations).chain([ModelChunk::Finish { reason }]).collect())
    }
}

/// The word Gemini has for a reason to stop.
fn finish_word(reason: &str) -> String {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" => "STOP".to_owned(),
        "max_tokens" | "model_context_window_exceeded" => "MAX_TOKENS".to_owned(),
        "refusal" => "SAFETY".to_owned(),
        other => other.to_uppercase(),
    }
}

fn said(text: &str, part: fn(String) -> MessagePart) -> Option<MessagePart> {
    (!text.is_empty()).then(|| part(text.to_owned()))
}

fn bound(length: usize) -> Result<(), ModelError> {
    if length > LONGEST { Err(bad_frame(format!("a block is longer than {LONGEST} bytes"))) } else { Ok(()) }
}

fn bad_frame(why: String) -> ModelError {
    ModelError::Malformed { flaw: AnswerFlaw::BadFrame { why } }
}

#[cfg(test)]
mod tests;
