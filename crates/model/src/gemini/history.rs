//! The conversation as Gemini accepts it: roles alternate, thoughts stay here, calls carry signatures.

use crate::content::{ANTHROPIC, Content, MADE, Part, PartData, Role, SIGNATURE};
use serde_json::Value;

/// What Gemini takes in place of a signature that is lost: from another model, an edit, a summary.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// `contents` without what is never sent: thoughts, empty text, ids made here, what another provider attached;
/// neighbours of one role are one content.
pub(super) fn tidy(contents: Vec<Content>) -> Vec<Content> {
    let mut tidied: Vec<Content> = Vec::with_capacity(contents.len());
    for content in contents {
        let parts = content.parts.into_iter().map(forget_others).filter(is_sent).map(forget_made_id);
        match tidied.last_mut() {
            Some(last) if last.role == content.role => last.parts.extend(parts),
            _ => {
                let parts: Vec<Part> = parts.collect();
                if !parts.is_empty() {
                    tidied.push(Content { role: content.role, parts });
                }
            }
        }
    }
    tidied
}

/// Give the first call of every model content since the last prompt a signature, if it has none: Gemini 3 refuses the
/// request otherwise. Calls beside it need none.
pub(super) fn sign(contents: &mut [Content]) {
    let prompt = contents.iter().rposition(is_prompt).unwrap_or(0);
    for content in contents.iter_mut().skip(prompt).filter(|content| content.role == Role::Model) {
        let first_call = content.parts.iter_mut().find(|part| matches!(part.data, PartData::FunctionCall { .. }));
        if let Some(call) = first_call {
            call.extra.entry(SIGNATURE).or_insert_with(|| Value::from(NO_SIGNATURE));
        }
    }
}

fn is_sent(part: &Part) -> bool {
    // An empty text may be there only to hold a signature.
    let is_empty = matches!(&part.data, PartData::Text(text) if text.is_empty()) && part.extra.is_empty();
    !part.thought && !is_empty
}

/// Google refuses fields it does not know.
fn forget_others(mut part: Part) -> Part {
    part.extra.shift_remove(ANTHROPIC);
    part
}

fn forget_made_id(mut part: Part) -> Part {
    if let PartData::FunctionCall { id, .. } | PartData::FunctionResponse { id, .. } = &mut part.data {
        id.take_if(|id| id.starts_with(MADE));
    }
    part
}

fn is_prompt(content: &Content) -> bool {
    let has = |wanted: fn(&PartData) -> bool| content.parts.iter().any(|part| wanted(&part.data));
    content.role == Role::User
        && has(|data| matches!(data, PartData::Text(_)))
        && !has(|data| matches!(data, PartData::FunctionResponse { .. }))
}

#[cfg(test)]
mod tests;
