//! The conversation as Gemini accepts it: roles alternate, thoughts stay here, calls carry signatures.

use crate::content::{ANTHROPIC, MADE, MessagePart, MessageRole, ModelMessage, PartData, SIGNATURE};
use crate::pairing::{PairingRules, pair};
use serde_json::Value;

/// The text that Gemini takes in place of a signature that is lost: from another model, an edit, a summary.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Google matches calls by any id it gave.
const RULES: PairingRules = PairingRules {
    // An empty text may be there only to hold a signature.
    keeps_empty: |part| !part.extra.is_empty(),
    takes_id: |_| true,
};

/// `contents` without what is never sent: thoughts, empty text, ids made here, what another provider attached;
/// neighbours of one role are one content, and every call has its result.
pub(super) fn tidy(mut contents: Vec<ModelMessage>) -> Vec<ModelMessage> {
    contents.iter_mut().flat_map(|content| &mut content.parts).for_each(forget_others);
    let mut paired = pair(contents, RULES);
    paired.iter_mut().flat_map(|content| &mut content.parts).for_each(forget_made_id);
    paired
}

/// Give the first call of every model content since the last prompt a signature, if it has none: Gemini 3 refuses the
/// request otherwise. Calls beside it need none.
pub(super) fn sign(contents: &mut [ModelMessage]) {
    let prompt = contents.iter().rposition(is_prompt).unwrap_or(0);
    for content in contents.iter_mut().skip(prompt).filter(|content| content.role == MessageRole::Model) {
        let first_call = content.parts.iter_mut().find(|part| matches!(part.data, PartData::FunctionCall { .. }));
        if let Some(call) = first_call {
            call.extra.entry(SIGNATURE).or_insert_with(|| Value::from(NO_SIGNATURE));
        }
    }
}

/// Google refuses fields it does not know.
fn forget_others(part: &mut MessagePart) {
    part.extra.shift_remove(ANTHROPIC);
}

fn forget_made_id(part: &mut MessagePart) {
    if let PartData::FunctionCall { id, .. } | PartData::FunctionResponse { id, .. } = &mut part.data {
        id.take_if(|id| id.starts_with(MADE));
    }
}

fn is_prompt(content: &ModelMessage) -> bool {
    let has = |wanted: fn(&PartData) -> bool| content.parts.iter().any(|part| wanted(&part.data));
    content.role == MessageRole::User
        && has(|data| matches!(data, PartData::Text(_)))
        && !has(|data| matches!(data, PartData::FunctionResponse { .. }))
}

#[cfg(test)]
mod tests;
