//! The request's body: blocks, tools, thinking, and marks that say what to keep in the cache.

use super::proof::{attached, is_proof};
use crate::catalogue::{CatalogueEntry, ThinkingControl};
use crate::content::{MessagePart, MessageRole, ModelMessage, PartData};
use crate::info::ThinkingEffort;
use crate::model::{ModelRequest, ToolChoice};
use crate::pairing::{InlineMedia, PairingRules, ToolResultStatus, pair, told};
use serde_json::{Map, Value, json};

/// The longest answer where the catalogue does not say: every model takes this much.
const USUAL_OUTPUT: u64 = 8192;
/// The least an answer is left beside its thoughts.
const ROOM: u64 = 4096;
/// The smallest budget that is accepted.
const LEAST_BUDGET: u64 = 1024;

/// The body of a request to the model of `entry`.
pub(super) fn body(entry: &CatalogueEntry, effort: Option<ThinkingEffort>, request: ModelRequest) -> Value {
    let mut messages: Vec<Value> = pair(request.contents, PairingRules::strict()).iter().filter_map(message).collect();
    let most = entry.output_limit.unwrap_or(USUAL_OUTPUT);
    let thinking = thinking(entry, effort, most).filter(|_| may_think(entry, &messages));
    if thinking.is_none() {
        forget_proofs(&mut messages);
    }
    if let Some(block) = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut()) {
        keep(block);
    }
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(entry.id)),
        ("max_tokens".to_owned(), json!(most)),
        ("stream".to_owned(), json!(true)),
    ]);
    if !request.system.is_empty() {
        let mut block = json!({"type": "text", "text": request.system});
        keep(&mut block);
        body.insert("system".into(), json!([block]));
    }
    let tools = request
        .tools
        .into_iter()
        .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": *tool.parameters}));
    let mut tools: Vec<Value> = tools.collect();
    if let Some(last) = tools.last_mut() {
        // A mark on the last one covers all.
        keep(last);
        body.insert("tools".into(), Value::Array(tools));
        if request.tool_choice == ToolChoice::None {
            body.insert("tool_choice".into(), json!({"type": "none"}));
        }
    }
    body.extend(thinking.into_iter().flatten());
    body.insert("messages".into(), Value::Array(messages));
    Value::Object(body)
}

fn keep(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

/// Blank text is refused, and so is a message without blocks; neighbours of one role are not.
fn message(content: &ModelMessage) -> Option<Value> {
    let (role, blocks) = match content.role {
        MessageRole::User => ("user", content.parts.iter().filter_map(user_block).collect()),
        MessageRole::Model => ("assistant", assistant_blocks(&content.parts)),
    };
    (!blocks.is_empty()).then(|| json!({"role": role, "content": blocks}))
}

fn user_block(part: &MessagePart) -> Option<Value> {
    match &part.data {
        PartData::Text(text) => (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text})),
        PartData::FunctionResponse { id, response, .. } => {
            let (text, went) = told(response);
            let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": text});
            if went == ToolResultStatus::Wrong {
                block["is_error"] = json!(true);
            }
            Some(block)
        }
        PartData::Other(_) => InlineMedia::of(part).map(|media| medium(&media)),
        PartData::FunctionCall { .. } => None,
    }
}

fn medium(media: &InlineMedia<'_>) -> Value {
    let source = json!({"type": "base64", "media_type": media.kind, "data": media.data});
    match media.kind {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => json!({"type": "image", "source": source}),
        "application/pdf" => json!({"type": "document", "source": source}),
        _ => json!({"type": "text", "text": media.placeholder()}),
    }
}

/// Thinking stood before the text that followed it, so it goes where the run of blocks that its call ends begins.
fn assistant_blocks(parts: &[MessagePart]) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut run = 0;
    for part in parts {
        match &part.data {
            PartData::Text(text) if text.trim().is_empty() => {}
            PartData::Text(text) => blocks.push(json!({"type": "text", "text": text})),
            PartData::FunctionCall { id, name, args } => {
                blocks.splice(run..run, attached(part));
                blocks.push(json!({"type": "tool_use", "id": id, "name": name, "input": args}));
                run = blocks.len();
            }
            PartData::FunctionResponse { .. } | PartData::Other(_) => {}
        }
    }
    blocks
}

/// The setting that says how to think, if the model thinks and is not told to leave it.
fn thinking(entry: &CatalogueEntry, effort: Option<ThinkingEffort>, most: u64) -> Option<Map<String, Value>> {
    let fields = match (entry.thinking?, effort) {
        (_, Some(ThinkingEffort::Off)) => return None,
        (ThinkingControl::Budget, effort) => {
            let wanted = match effort {
                Some(ThinkingEffort::Minimal) => LEAST_BUDGET,
                Some(ThinkingEffort::Low) => 4096,
                Some(ThinkingEffort::High) => 31_999,
                Some(ThinkingEffort::Medium | ThinkingEffort::Off) | None => 10_000,
            };
            let budget = wanted.min(most.saturating_sub(ROOM)).max(LEAST_BUDGET);
            json!({"thinking": {"type": "enabled", "budget_tokens": budget}})
        }
        (ThinkingControl::Adaptive | ThinkingControl::Level, effort) => {
            // New models keep their thoughts to themselves unless asked for a summary.
            let mut fields = json!({"thinking": {"type": "adaptive", "display": "summarized"}});
            if let Some(effort) = effort {
                let word = match effort.among(&entry.efforts) {
                    ThinkingEffort::Off | ThinkingEffort::Minimal | ThinkingEffort::Low => "low",
                    ThinkingEffort::Medium => "medium",
                    ThinkingEffort::High => "high",
                };
                fields["output_config"] = json!({"effort": word});
            }
            fields
        }
    };
    fields.as_object().cloned()
}

/// With a budget, every step since the prompt must begin with its proof. Calls that come from another model, or whose
/// proof is lost, have none: then the model goes on without thinking rather than not at all.
fn may_think(entry: &CatalogueEntry, messages: &[Value]) -> bool {
    if entry.thinking != Some(ThinkingControl::Budget) {
        return true;
    }
    let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
    let is_prompt = |message: &Value| {
        message["role"] == "user" && !blocks(message).iter().any(|block| block["type"] == "tool_result")
    };
    let prompt = messages.iter().rposition(is_prompt).unwrap_or(0);
    let steps = messages.iter().skip(prompt).filter(|message| message["role"] == "assistant").map(blocks);
    steps
        .filter(|blocks| blocks.iter().any(|block| block["type"] == "tool_use"))
        .all(|blocks| blocks.first().is_some_and(is_proof))
}

fn forget_proofs(messages: &mut [Value]) {
    for message in messages {
        if let Some(blocks) = message["content"].as_array_mut() {
            blocks.retain(|block| !is_proof(block));
        }
    }
}

#[cfg(test)]
mod tests;
