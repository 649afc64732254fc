//! The request's body: messages, tools, and the wish for a stream that tells what it cost.

use crate::catalogue::{CatalogueEntry, ModelAbility, ThinkingControl};
use crate::content::{MessagePart, MessageRole, ModelMessage, PartData};
use crate::info::ThinkingEffort;
use crate::model::{ModelRequest, ToolChoice};
use crate::pairing::{InlineMedia, PairingRules, ToolResultStatus, pair, told};
use serde_json::{Map, Value, json};

/// The body of a request to the model of `entry`.
pub(super) fn body(entry: &CatalogueEntry, effort: Option<ThinkingEffort>, request: ModelRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for content in pair(request.contents, PairingRules::strict()) {
        match content.role {
            MessageRole::User => user_messages(&content, entry, &mut messages),
            MessageRole::Model => messages.push(assistant_message(&content)),
        }
    }
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(entry.id)),
        ("messages".to_owned(), Value::Array(messages)),
        ("stream".to_owned(), json!(true)),
        ("stream_options".to_owned(), json!({"include_usage": true})),
    ]);
    if !request.tools.is_empty() {
        let tools = request.tools.into_iter().map(|tool| {
            let function = json!({"name": tool.name, "description": tool.description, "parameters": *tool.parameters});
            json!({"type": "function", "function": function})
        });
        body.insert("tools".into(), tools.collect());
        if request.tool_choice == ToolChoice::None {
            body.insert("tool_choice".into(), json!("none"));
        }
    }
    if let (Some(ThinkingControl::Level), Some(effort)) = (entry.thinking, effort) {
        body.insert("reasoning_effort".into(), json!(effort_word(effort.among(&entry.efforts))));
    }
    Value::Object(body)
}

/// Results are messages of their own, before what the person says.
fn user_messages(content: &ModelMessage, entry: &CatalogueEntry, messages: &mut Vec<Value>) {
    let mut pieces = Vec::new();
    for part in &content.parts {
        match &part.data {
            PartData::FunctionResponse { id, response, .. } => {
                let (text, went) = told(response);
                let text = if went == ToolResultStatus::Wrong { format!("error: {text}") } else { text };
                messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
            }
            PartData::Text(text) => pieces.push(json!({"type": "text", "text": text})),
            PartData::Other(_) => pieces.extend(medium(part, entry)),
            PartData::FunctionCall { .. } => {}
        }
    }
    // Plain text is a string: small servers know nothing else.
    let texts: Option<Vec<&str>> = pieces.iter().map(|piece| piece["text"].as_str()).collect();
    match texts {
        Some(texts) if texts.is_empty() => {}
        Some(texts) => messages.push(json!({"role": "user", "content": texts.join("\n\n")})),
        None => messages.push(json!({"role": "user", "content": pieces})),
    }
}

fn medium(part: &MessagePart, entry: &CatalogueEntry) -> Option<Value> {
    let media = InlineMedia::of(part)?;
    let url = format!("data:{};base64,{}", media.kind, media.data);
    Some(match media.kind {
        kind if kind.starts_with("image/") && entry.can(ModelAbility::Images) => {
            json!({"type": "image_url", "image_url": {"url": url}})
        }
        "application/pdf" if entry.can(ModelAbility::Images) => {
            json!({"type": "file", "file": {"filename": "document.pdf", "file_data": url}})
        }
        _ => json!({"type": "text", "text": media.placeholder()}),
    })
}

fn assistant_message(content: &ModelMessage) -> Value {
    let mut said = String::new();
    let mut calls = Vec::new();
    for part in &content.parts {
        match &part.data {
            PartData::Text(text) => said.push_str(text),
            PartData::FunctionCall { id, name, args } => {
                let function = json!({"name": name, "arguments": args.to_string()});
                calls.push(json!({"id": id, "type": "function", "function": function}));
            }
            PartData::FunctionResponse { .. } | PartData::Other(_) => {}
        }
    }
    let said = if said.is_empty() && !calls.is_empty() { Value::Null } else { Value::from(said) };
    if calls.is_empty() {
        return json!({"role": "assistant", "content": said});
    }
    json!({"role": "assistant", "content": said, "tool_calls": calls})
}

fn effort_word(effort: ThinkingEffort) -> &'static str {
    match effort {
        ThinkingEffort::Off => "none",
        ThinkingEffort::Minimal => "minimal",
        ThinkingEffort::Low => "low",
        ThinkingEffort::Medium => "medium",
        ThinkingEffort::High => "high",
    }
}

#[cfg(test)]
mod tests;
