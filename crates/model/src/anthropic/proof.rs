//! The proof of thinking that Anthropic wants back: whole thinking blocks, signed, in front of what they led to.
//!
//! They travel in the `extra` of the next call, because thoughts themselves are never sent back and calls always are.

use crate::content::{ANTHROPIC, MessagePart};
use serde_json::{Map, Value};

const KEY: &str = "thinking";

/// Attach `blocks` to a call.
pub(super) fn attach(part: &mut MessagePart, blocks: Vec<Value>) {
    if !blocks.is_empty() {
        part.extra
            .insert(ANTHROPIC.to_owned(), Value::Object(Map::from_iter([(KEY.to_owned(), Value::Array(blocks))])));
    }
}

/// The blocks attached to a part.
pub(super) fn attached(part: &MessagePart) -> Vec<Value> {
    let blocks = part.extra.get(ANTHROPIC).and_then(|kept| kept.get(KEY)).and_then(Value::as_array);
    blocks.cloned().unwrap_or_default()
}

/// True if a block of a message is such a proof.
pub(super) fn is_proof(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// A thinking block that is whole. Without a signature it proves nothing and would be refused.
pub(super) fn signed(thinking: &str, signature: &str) -> Option<Value> {
    (!signature.is_empty()).then(|| {
        let fields = [("type", "thinking"), ("thinking", thinking), ("signature", signature)];
        Value::Object(Map::from_iter(fields.map(|(key, value)| (key.to_owned(), Value::from(value)))))
    })
}
