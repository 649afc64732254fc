//! The request's body.

use super::history::{sign, tidy};
use super::names;
use crate::info::Effort;
use crate::model::Request;
use serde_json::{Map, Value, json};

/// What is posted to ask `model` for an answer to `request`.
pub(crate) fn body(model: &str, effort: Option<Effort>, request: Request) -> Value {
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
        let declarations = request.tools.into_iter().map(
            |tool| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}),
        );
        body.insert("tools".into(), json!([{"functionDeclarations": declarations.collect::<Vec<_>>()}]));
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
