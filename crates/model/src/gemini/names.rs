//! Model names, their short forms, and how each family is told to think.

use serde_json::{Value, json};

/// What `auto` and no choice at all mean.
pub(super) const DEFAULT: &str = "gemini-3.8-flash";

/// The name to call a model by: short forms are spelt out, anything else is taken as it is.
pub(super) fn resolve(name: &str) -> &str {
    match name {
        "auto" | "flash" => DEFAULT,
        "pro" => "gemini-3.1-pro-preview",
        "flash-lite" => "gemini-3.5-flash-lite",
        other => other.strip_prefix("models/").unwrap_or(other),
    }
}

/// Whether this can be a model's name: it goes into a URL's path as it is.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.chars().all(fits)
}

/// Whether the model checks thought signatures: all but the second generation do.
pub(super) fn wants_signatures(model: &str) -> bool {
    model.starts_with("gemini-") && !model.starts_with("gemini-2")
}

/// `thinkingConfig` of a model: a level for the third generation, a budget for 2.5. Others take neither.
pub(super) fn thinking(model: &str) -> Option<Value> {
    if model.starts_with("gemini-2.5") {
        Some(json!({"includeThoughts": true, "thinkingBudget": 8192}))
    } else if model.starts_with("gemini-3") {
        Some(json!({"includeThoughts": true, "thinkingLevel": "HIGH"}))
    } else if model.starts_with("gemini-2") || !model.starts_with("gemini-") {
        None
    } else {
        Some(json!({"includeThoughts": true}))
    }
}
