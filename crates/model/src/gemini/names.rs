//! Model names, and how each family is told to think.

use crate::info::ThinkingEffort;
use serde_json::{Value, json};

/// True if this can be a model's name: it goes into a URL's path as it is.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.chars().all(fits)
}

/// The rest of the name after `gemini-`, for a model of Google's Gemini family. `None` for others that Google serves
/// (Gemma).
pub(crate) fn in_gemini_family(model: &str) -> Option<&str> {
    model.strip_prefix("gemini-")
}

/// The generations of Gemini that are told how to think in different ways.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GeminiGeneration {
    /// Up to 2.0: does not think.
    BeforeThinking,
    /// 2.5: thinks within a budget of tokens.
    WithBudget,
    /// 3: thinks at a level.
    WithLevel,
    /// Named without a number (`gemini-flash-latest`), or newer than this list.
    Unknown,
}

impl GeminiGeneration {
    fn from_name(model: &str) -> Option<GeminiGeneration> {
        let version = in_gemini_family(model)?;
        Some(match version.as_bytes() {
            [b'2', b'.', b'5', ..] => GeminiGeneration::WithBudget,
            [b'2', ..] => GeminiGeneration::BeforeThinking,
            [b'3', ..] => GeminiGeneration::WithLevel,
            _ => GeminiGeneration::Unknown,
        })
    }
}

/// True if the model checks thought signatures: all but the second generation do.
pub(super) fn wants_signatures(model: &str) -> bool {
    use GeminiGeneration::{Unknown, WithLevel};
    matches!(GeminiGeneration::from_name(model), Some(WithLevel | Unknown))
}

/// `thinkingConfig` of a model: a level for the third generation, a budget for 2.5. Others take neither. Without an
/// `effort` it is what Google's own client asks for.
pub(super) fn thinking(model: &str, effort: Option<ThinkingEffort>) -> Option<Value> {
    match GeminiGeneration::from_name(model)? {
        GeminiGeneration::BeforeThinking => None,
        GeminiGeneration::WithBudget => Some(json!({"includeThoughts": true, "thinkingBudget": budget(model, effort)})),
        GeminiGeneration::WithLevel => Some(json!({"includeThoughts": true, "thinkingLevel": level(effort)})),
        GeminiGeneration::Unknown => Some(json!({"includeThoughts": true})),
    }
}

fn budget(model: &str, effort: Option<ThinkingEffort>) -> u32 {
    let is_big = in_gemini_family(model).is_some_and(|version| version.starts_with("2.5-pro"));
    match effort {
        // The big model cannot be told not to think: this is the least it takes.
        Some(ThinkingEffort::Off) if is_big => 128,
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
