//! The one text of a card that a signature vouches for: RFC 8785 over the fields that the protocol's `.proto` would write.

use pollux_wire::v1::AgentCard;
use serde_json::{Map, Value};

/// The text by the letter of A2A 1.0 section 8.4.1: no signatures, and nothing that has its default value and is neither
/// required nor optional.
pub(super) fn specified_text(card: &AgentCard) -> Option<Value> {
    let mut card = serde_json::to_value(card).ok()?;
    card.as_object_mut()?.remove("signatures");
    if let Some(Value::Array(extensions)) = card.pointer_mut("/capabilities/extensions") {
        for extension in extensions.iter_mut().filter_map(Value::as_object_mut) {
            extension.retain(|_, value| *value != false && *value != "");
        }
    }
    if let Some(Value::Array(requirements)) = card.get_mut("securityRequirements") {
        for requirement in requirements.iter_mut().filter_map(Value::as_object_mut) {
            for scopes in requirement.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
                *scopes = without_empty(scopes.take()).unwrap_or_else(|| Value::Object(Map::new()));
            }
            requirement.retain(|_, schemes| schemes.as_object().is_some_and(|schemes| !schemes.is_empty()));
        }
    }
    Some(card)
}

/// The text as the public Python and JavaScript kits make it: they leave out everything that is empty, wherever it is.
pub(super) fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then_some(Value::String(text)),
        Value::Array(items) => {
            let kept: Vec<Value> = items.into_iter().filter_map(without_empty).collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Value::Object(members) => {
            let kept: Map<String, Value> =
                members.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Bool(_) | Value::Number(_) => Some(value),
    }
}

/// RFC 8785: members in the order of their names' UTF-16, no white space. A card has no numbers, and serde writes texts
/// as the RFC wants them.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            let members = members.into_iter().map(|(name, value)| format!("{}:{}", text(name), canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn text(name: &str) -> String {
    Value::from(name).to_string()
}

#[cfg(test)]
mod tests;
