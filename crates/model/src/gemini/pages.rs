//! Pages that Google reads for the model: an answer, what it rests on, and what could not be read.

use super::search;
use crate::error::ModelError;
use crate::model::{GroundedAnswer, WebSource};
use crate::provider::Provider;
use serde_json::{Value, json};

/// The end of the status of a page that was read.
const SUCCESS: &str = "_SUCCESS";

/// The body of a request to answer `prompt` from the pages it names.
pub(super) fn body(prompt: &str) -> Value {
    json!({
        "contents": [{"role": "user", "parts": [{"text": prompt}]}],
        "tools": [{"urlContext": {}}],
        "generationConfig": {"temperature": 0, "topP": 1},
    })
}

/// The answer. Where Google names no sources, they are the pages it read.
pub(super) fn read(provider: Provider, answer: &Value) -> Result<GroundedAnswer, ModelError> {
    let grounded = search::read(provider, answer)?;
    let metadata = &answer["candidates"][0]["urlContextMetadata"]["urlMetadata"];
    let mut pages = Vec::new();
    let mut unread = Vec::new();
    for page in metadata.as_array().into_iter().flatten() {
        let word = |key: &str| page[key].as_str().unwrap_or_default().to_owned();
        let (uri, status) = (word("retrievedUrl"), word("urlRetrievalStatus"));
        if status.ends_with(SUCCESS) {
            pages.push(WebSource { title: String::new(), uri });
        } else {
            unread.push((uri, status));
        }
    }
    let sources = if grounded.sources.is_empty() { pages } else { grounded.sources };
    Ok(GroundedAnswer { sources, unread, ..grounded })
}

#[cfg(test)]
mod tests;
