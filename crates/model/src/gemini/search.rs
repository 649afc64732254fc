//! Google Search through the model: an answer with its sources.

use super::answer::read_usage;
use super::fault::read_fault;
use crate::error::{AnswerFlaw, ModelError};
use crate::model::{GroundedAnswer, WebSource};
use crate::provider::Provider;
use crate::transport::ProviderErrorAnswer;
use serde_json::{Value, json};

/// The body of a request to answer `query` from the web.
pub(super) fn body(query: &str) -> Value {
    json!({
        "contents": [{"role": "user", "parts": [{"text": query}]}],
        "tools": [{"googleSearch": {}}],
        "generationConfig": {"temperature": 0, "topP": 1},
    })
}

/// The answer, with a mark behind every passage that rests on a source.
pub(super) fn read(provider: Provider, answer: &Value) -> Result<GroundedAnswer, ModelError> {
    if answer.get("error").is_some() {
        return Err(read_fault(provider, &ProviderErrorAnswer::within(answer)));
    }
    if let Some(reason) = answer.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return Err(ModelError::Blocked { reason: reason.to_owned() });
    }
    let candidate = &answer["candidates"][0];
    let parts = candidate["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let said = parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
    let text: String = said.collect();
    if text.trim().is_empty() {
        let finish = candidate["finishReason"].as_str().unwrap_or("no finish reason").to_owned();
        return Err(ModelError::Malformed { flaw: AnswerFlaw::Empty { finish } });
    }
    let grounding = &candidate["groundingMetadata"];
    let chunks = grounding["groundingChunks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sources: Vec<WebSource> = chunks.iter().map(source).collect();
    let supports = grounding["groundingSupports"].as_array().map(Vec::as_slice).unwrap_or_default();
    let usage = answer.get("usageMetadata").map(read_usage).unwrap_or_default();
    Ok(GroundedAnswer { text: mark(text, supports, sources.len()), sources, unread: Vec::new(), usage })
}

/// Every chunk is a source, even one without a page: the marks count them.
fn source(chunk: &Value) -> WebSource {
    let word = |key: &str| chunk["web"][key].as_str().unwrap_or_default().to_owned();
    WebSource { title: word("title"), uri: word("uri") }
}

/// Put `[1][3]` behind each passage. Positions count bytes of UTF-8, so marks go in from the end.
fn mark(mut text: String, supports: &[Value], sources: usize) -> String {
    let mut marks: Vec<(usize, String)> = supports.iter().filter_map(|support| mark_of(support, sources)).collect();
    marks.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    marks.dedup();
    for (end, mark) in marks {
        if let Some(at) = (end..=text.len()).find(|at| text.is_char_boundary(*at)) {
            text.insert_str(at, &mark);
        }
    }
    text
}

fn mark_of(support: &Value, sources: usize) -> Option<(usize, String)> {
    let end = usize::try_from(support["segment"]["endIndex"].as_u64()?).ok()?;
    let numbers = support["groundingChunkIndices"].as_array()?.iter().filter_map(Value::as_u64);
    let known = numbers.filter(|number| usize::try_from(*number).is_ok_and(|number| number < sources));
    let mark: String = known.map(|number| format!("[{}]", number + 1)).collect();
    (!mark.is_empty()).then_some((end, mark))
}

#[cfg(test)]
mod tests;
