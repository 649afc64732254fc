//! The request's body.

use super::history::{sign, tidy};
use super::names;
use crate::info::ThinkingEffort;
use crate::model::{ModelRequest, ToolChoice};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The body of a request to `model`.
pub(crate) fn body(model: &str, effort: Option<ThinkingEffort>, request: ModelRequest) -> Value {
    let mut contents = tidy(request.contents);
    if names::wants_signatures(model) {
        sign(&mut contents);
    }
    let mut body = Map::new();
    body.insert("contents".into(), json!(contents));
    if !request.system.is_empty() {
        body.insert("systemInstruction".into(), json!({"role": "user", "parts": [{"text": request.system}]}));
    }
    if !request.tools.is_empty() {
        // Moved and not interpolated: that would copy all of it, twice.
        let declarations = request.tools.into_iter().map(|tool| {
            Value::Object(Map::from_iter([
                ("name".to_owned(), Value::String(tool.name)),
                ("description".to_owned(), Value::String(tool.description)),
                ("parametersJsonSchema".to_owned(), Arc::unwrap_or_clone(tool.parameters)),
            ]))
        });
        let functions = Map::from_iter([("functionDeclarations".to_owned(), Value::Array(declarations.collect()))]);
        body.insert("tools".into(), Value::Array(vec![Value::Object(functions)]));
        if request.tool_choice == ToolChoice::None {
            body.insert("toolConfig".into(), json!({"functionCallingConfig": {"mode": "NONE"}}));
        }
    }
    let mut config = Map::from_iter([
        ("temperature".to_owned(), json!(1)),
        ("topP".to_owned(), json!(0.95)),
        ("topK".to_owned(), json!(64)),
    ]);
    if let Some(thinking) = names::thinking(model, effort) {
        config.insert("thinkingConfig".into(), thinking);
    }
    body.insert("generationConfig".into(), Value::Object(config));
    Value::Object(body)
}

#[cfg(test)]
mod tests;
