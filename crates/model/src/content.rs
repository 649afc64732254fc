//! The conversation in Gemini's shape, with every field that is not understood kept.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The parts that one side said in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// Which side.
    #[serde(default = "model_role")]
    pub role: MessageRole,
    #[serde(default)]
    pub parts: Vec<MessagePart>,
}

/// A side of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// The person, and the results of calls.
    User,
    Model,
}

/// A piece of content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct MessagePart {
    pub data: PartData,
    /// True for a thought: shown, never sent back.
    pub thought: bool,
    /// Everything else the provider attached (`thoughtSignature`): echoed on the same part, never read.
    pub extra: Map<String, Value>,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartData {
    /// Text.
    Text(String),
    /// The model wants a tool called.
    FunctionCall {
        /// Which call; answered by the response with the same id.
        id: Option<String>,
        /// The tool.
        name: String,
        /// Its arguments.
        args: Value,
    },
    /// The result of a call.
    FunctionResponse {
        /// Which call.
        id: Option<String>,
        /// The tool.
        name: String,
        /// `{"output": …}` or `{"error": …}`.
        response: Value,
    },
    /// Anything else (`inlineData`, `executableCode`), as it came.
    Other(Map<String, Value>),
}

/// The message of a caller after an answer that broke off, behind the text it has: engines that answer from the
/// conversation (script, demo) know by it that the last content of the model is unfinished.
pub const GO_ON: &str =
    "[Your answer was cut off after the text above. Go on exactly where it stopped; repeat nothing.]";

/// The beginning of a part that holds a file the prompt mentioned, not the person's words. The demo must not take it
/// for a wish.
pub const ATTACHED: &str = "[Attached to the prompt: ";

/// The key of the opaque proof of thinking that Gemini wants back on the part it came with.
pub(crate) const SIGNATURE: &str = "thoughtSignature";

/// The beginning of ids that were made here because the provider sent none.
pub(crate) const MADE: &str = "made-";

/// The key below which Anthropic's engine keeps what it wants back, so that others know to leave it out.
pub(crate) const ANTHROPIC: &str = "anthropic";

impl ModelMessage {
    /// A message of a person.
    pub fn user(text: impl Into<String>) -> ModelMessage {
        ModelMessage { role: MessageRole::User, parts: vec![MessagePart::text(text)] }
    }

    /// A message of the model.
    pub fn model(parts: Vec<MessagePart>) -> ModelMessage {
        ModelMessage { role: MessageRole::Model, parts }
    }
}

impl MessagePart {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> MessagePart {
        PartData::Text(text.into()).into()
    }

    /// A thought.
    pub fn thought(text: impl Into<String>) -> MessagePart {
        MessagePart { thought: true, ..MessagePart::text(text) }
    }

    /// A picture, a document or a sound the model is shown, in the request itself.
    pub fn media(media_type: &str, bytes: &[u8]) -> MessagePart {
        let data = json!({ "mimeType": media_type, "data": BASE64_STANDARD.encode(bytes) });
        PartData::Other(one("inlineData", data)).into()
    }

    /// The result of a call.
    pub fn response(id: impl Into<String>, name: impl Into<String>, response: Value) -> MessagePart {
        PartData::FunctionResponse { id: Some(id.into()), name: name.into(), response }.into()
    }
}

impl From<PartData> for MessagePart {
    fn from(data: PartData) -> MessagePart {
        MessagePart { data, thought: false, extra: Map::new() }
    }
}

impl From<Map<String, Value>> for MessagePart {
    fn from(mut fields: Map<String, Value>) -> MessagePart {
        let thought = fields.shift_remove("thought") == Some(Value::Bool(true));
        if let Some(Value::String(text)) = fields.get_mut("text") {
            let text = std::mem::take(text);
            fields.shift_remove("text");
            return MessagePart { data: PartData::Text(text), thought, extra: fields };
        }
        if let Some(data) = fields.get("functionCall").and_then(read_call) {
            fields.shift_remove("functionCall");
            return MessagePart { data, thought, extra: fields };
        }
        if let Some(data) = fields.get("functionResponse").and_then(read_response) {
            fields.shift_remove("functionResponse");
            return MessagePart { data, thought, extra: fields };
        }
        let extra = fields.shift_remove_entry(SIGNATURE).into_iter().collect();
        MessagePart { data: PartData::Other(fields), thought, extra }
    }
}

impl From<MessagePart> for Map<String, Value> {
    fn from(part: MessagePart) -> Map<String, Value> {
        let mut fields = match part.data {
            PartData::Text(text) => one("text", Value::String(text)),
            PartData::FunctionCall { id, name, args } => one("functionCall", named(id, name, "args", args)),
            PartData::FunctionResponse { id, name, response } => {
                one("functionResponse", named(id, name, "response", response))
            }
            PartData::Other(fields) => fields,
        };
        if part.thought {
            fields.insert("thought".into(), Value::Bool(true));
        }
        fields.extend(part.extra);
        fields
    }
}

fn read_call(value: &Value) -> Option<PartData> {
    let args = match value.get("args") {
        None | Some(Value::Null) => json!({}),
        Some(args) => args.clone(),
    };
    Some(PartData::FunctionCall { id: read_id(value), name: value.get("name")?.as_str()?.to_owned(), args })
}

fn read_response(value: &Value) -> Option<PartData> {
    let response = value.get("response").cloned().unwrap_or(Value::Null);
    Some(PartData::FunctionResponse { id: read_id(value), name: value.get("name")?.as_str()?.to_owned(), response })
}

fn read_id(value: &Value) -> Option<String> {
    value.get("id")?.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}

fn one(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}

fn named(id: Option<String>, name: String, key: &str, value: Value) -> Value {
    let id = id.map(|id| ("id".to_owned(), Value::String(id)));
    id.into_iter().chain([("name".to_owned(), Value::String(name)), (key.to_owned(), value)]).collect()
}

fn model_role() -> MessageRole {
    MessageRole::Model
}

#[cfg(test)]
mod tests;
