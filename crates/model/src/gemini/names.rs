//! Model names, and how each family is told to think.

use crate::info::ThinkingEffort;
use serde_json::{Value, json};

/// Whether this can be a model's name: it goes into a URL's path as it is.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.chars().all(fits)
}

/// Whether the model checks thought signatures: all but the second generation do.
pub(super) fn wants_signatures(model: &str) -> bool {
    model.starts_with("gemini-") && !model.starts_with("gemini-2")
}

/// `thinkingConfig` of a model: a level for the third generation, a budget for 2.5. Others take neither. Without an
/// `effort` it is what Google's own client asks for.
pub(super) fn thinking(model: &str, effort: Option<ThinkingEffort>) -> Option<Value> {
    if model.starts_with("gemini-2.5") {
        Some(json!({"includeThoughts": true, "thinkingBudget": budget(model, effort)}))
    } else if model.starts_with("gemini-3") {
        Some(json!({"includeThoughts": true, "thinkingLevel": level(effort)}))
    } else if model.starts_with("gemini-2") || !model.starts_with("gemini-") {
        None
    } else {
        Some(json!({"includeThoughts": true}))
    }
}

fn budget(model: &str, effort: Option<ThinkingEffort>) -> u32 {
    match effort {
        // The big model cannot be told not to think: this is the least it takes.
        Some(ThinkingEffort::Off) if model.starts_with("gemini-2.5-pro") => 128,
        Some(ThinkingEffort::Off) => 0,
        Some(ThinkingEffort::Minimal) => 512,
        Some(ThinkingEffort::Low) => 2048,
        Some(ThinkingEffort::Medium) | None => 8192,
        Some(ThinkingEffort::High) => 24_576,
    }
}

fn level(effort: Option<ThinkingEffort>) -> &'static str {
    match effort {
        Some(ThinkingEffort::Off | ThinkingEffort::Minimal) => "MINIMAL",
        Some(ThinkingEffort::Low) => "LOW",
        Some(ThinkingEffort::Medium) => "MEDIUM",
        Some(ThinkingEffort::High) | None => "HIGH",
    }
}
