//! One answer as its frames come in, and whether it can be used once it is complete.

use super::fault;
use super::history::MADE;
use crate::content::{Part, PartData};
use crate::error::{Flaw, ModelError};
use crate::model::Chunk;
use pollux_session::Usage;
use serde_json::Value;

/// An answer that is being received.
pub(super) struct Answer {
    occasion: Occasion,
    /// Model contents before this one, so that made ids are unique in the conversation.
    turn: usize,
    calls: usize,
    text: String,
    thought: bool,
    usage: Option<Usage>,
    citations: Vec<String>,
    finish: Option<String>,
}

/// What the model was asked to go on from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    Prompt,
    /// The results of its calls: it may have nothing to add.
    Results,
}

impl Answer {
    /// The answer to a request's body.
    pub(super) fn to(body: &Value) -> Answer {
        let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
        let last = contents.last().and_then(|content| content["parts"].as_array());
        let has_results = last.is_some_and(|parts| parts.iter().any(|part| part.get("functionResponse").is_some()));
        Answer {
            occasion: if has_results { Occasion::Results } else { Occasion::Prompt },
            turn: contents.iter().filter(|content| content["role"] == "model").count(),
            calls: 0,
            text: String::new(),
            thought: false,
            usage: None,
            citations: Vec::new(),
            finish: None,
        }
    }

    /// Take in one frame; the parts it brings.
    pub(super) fn take(&mut self, frame: &Value) -> Result<Vec<Part>, ModelError> {
        // A gateway that ignores `alt=sse` answers with an array of frames.
        if let Value::Array(frames) = frame {
            let mut parts = Vec::new();
            for frame in frames {
                parts.extend(self.take(frame)?);
            }
            return Ok(parts);
        }
        if frame.get("error").is_some() {
            return Err(fault::of_value(200, None, frame));
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

    fn read_part(&mut self, part: &Value) -> Result<Part, ModelError> {
        let Value::Object(fields) = part else {
            return Err(ModelError::Malformed { flaw: Flaw::BadFrame { why: "a part is not an object".to_owned() } });
        };
        let mut part = Part::from(fields.clone());
        self.thought |= part.thought;
        match &mut part.data {
            PartData::Text(text) if !part.thought => self.text.push_str(text),
            PartData::FunctionCall { id, .. } => {
                self.calls += 1;
                let (turn, call) = (self.turn, self.calls);
                id.get_or_insert_with(|| format!("{MADE}{turn}-{call}"));
            }
            PartData::Text(_) | PartData::FunctionResponse { .. } | PartData::Other(_) => {}
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

    /// The stream is over: the closing chunks, or why the answer cannot be used.
    pub(super) fn end(self) -> Result<Vec<Chunk>, ModelError> {
        if let Some(flaw) = self.flaw() {
            return Err(ModelError::Malformed { flaw });
        }
        let usage = self.usage.map(Chunk::Usage);
        let citations = (!self.citations.is_empty()).then_some(Chunk::Citations(self.citations));
        let reason = self.finish.unwrap_or_else(|| "FINISH_REASON_UNSPECIFIED".to_owned());
        Ok(usage.into_iter().chain(citations).chain([Chunk::Finish { reason }]).collect())
    }

    fn flaw(&self) -> Option<Flaw> {
        if self.calls > 0 {
            return None;
        }
        let finish = self.finish.clone().unwrap_or_else(|| "no finish reason".to_owned());
        let is_silent = !has_visible_text(&self.text);
        match (self.finish.as_deref(), self.occasion) {
            (Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL"), _) => Some(Flaw::BadCall { finish }),
            (Some("MAX_TOKENS" | "SAFETY" | "RECITATION" | "OTHER"), _) if is_silent && !self.thought => {
                Some(Flaw::Empty { finish })
            }
            (None, Occasion::Prompt) => Some(Flaw::NoFinish),
            _ if is_silent && self.thought => Some(Flaw::OnlyThoughts { finish }),
            (_, Occasion::Prompt) if is_silent => Some(Flaw::Empty { finish }),
            _ => None,
        }
    }
}

/// Whether any text came before a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Something,
    Nothing,
}

/// Whether `frames` are, together, a usable answer to a prompt.
pub(crate) fn judge<'a>(frames: impl Iterator<Item = &'a Value>) -> Result<(), (ModelError, Said)> {
    let mut answer = Answer::to(&Value::Null);
    for frame in frames {
        let said = if answer.text.is_empty() { Said::Nothing } else { Said::Something };
        answer.take(frame).map_err(|error| (error, said))?;
    }
    let said = if answer.text.is_empty() { Said::Nothing } else { Said::Something };
    answer.end().map(drop).map_err(|error| (error, said))
}

/// Whether anything is left to show without white space, zero-width characters and HTML comments.
fn has_visible_text(text: &str) -> bool {
    let mut rest = text;
    loop {
        let (before, after) = match rest.split_once("<!--") {
            Some((before, comment)) => (before, comment.split_once("-->").map_or("", |(_, after)| after)),
            None => (rest, ""),
        };
        let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}');
        if !before.chars().all(is_blank) {
            return true;
        }
        if after.is_empty() {
            return false;
        }
        rest = after;
    }
}

fn read_usage(usage: &Value) -> Usage {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        prompt: count("promptTokenCount") + count("toolUsePromptTokenCount"),
        cached: count("cachedContentTokenCount"),
        output: count("candidatesTokenCount"),
        thoughts: count("thoughtsTokenCount"),
    }
}

#[cfg(test)]
mod tests;
