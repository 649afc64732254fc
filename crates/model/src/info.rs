//! Description of an engine, for status lines, budgets and prompts.

use crate::catalogue::{CatalogueEntry, ModelAbility};
use crate::gemini;
use crate::prices::ModelPrices;
use crate::provider::{Provider, ProviderSite};
use serde::Deserialize;

/// Description of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name that finds it again (`gemini-3.8-flash`, `ollama:qwen3`).
    pub id: String,
    /// One line for a status line.
    pub label: String,
    pub nature: ModelNature,
    /// The most tokens of a prompt and its answer together, if that is known.
    pub context_window: Option<u64>,
    /// The prices of its tokens, if they are known.
    pub prices: Option<ModelPrices>,
    /// The style of instructions that it needs.
    pub profile: InstructionProfile,
    /// Beginnings of the media types that it takes besides text.
    pub media: &'static [&'static str],
    /// True if its provider can search the web and read pages for it.
    pub searches_web: bool,
}

/// Everything that can be shown to a model.
const ALL_MEDIA: &[&str] = &["image/", "application/pdf", "audio/", "video/"];
/// The media that models take that read pages and pictures.
const PAGES: &[&str] = &["image/", "application/pdf"];

/// The nature of an engine: a real model or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelNature {
    /// A language model.
    Real,
    /// The built-in rule engine: not an AI.
    Demo,
    /// Answers read from a file.
    Script,
}

/// The style of instructions that a model needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstructionProfile {
    /// With the whole system prompt and every tool.
    #[default]
    Full,
    /// With a short prompt and at most five tools: small models lose themselves in more.
    Short,
}

impl ModelInfo {
    /// An engine that costs nothing and has no limits of its own.
    pub fn unlimited(id: String, label: String, nature: ModelNature) -> ModelInfo {
        let profile = InstructionProfile::Full;
        ModelInfo {
            id,
            label,
            nature,
            context_window: None,
            prices: None,
            profile,
            media: ALL_MEDIA,
            searches_web: false,
        }
    }

    /// A model of the catalogue, reached at `host`.
    pub(crate) fn of(entry: &CatalogueEntry, host: &str) -> ModelInfo {
        let usual = entry.provider.usual_address();
        let is_usual = usual.split("://").nth(1).is_some_and(|rest| rest.split(['/', ':']).next() == Some(host));
        let label = match (entry.provider.site(), is_usual) {
            (ProviderSite::Cloud, true) => entry.name(),
            (ProviderSite::Cloud | ProviderSite::Local, _) => format!("{} at {host}", entry.name()),
        };
        ModelInfo {
            id: entry.name(),
            label,
            nature: ModelNature::Real,
            context_window: entry.context_window,
            prices: entry.prices,
            profile: entry.profile,
            media: media(entry),
            searches_web: is_gemini(entry),
        }
    }

    /// True if it takes something of `media_type`.
    pub fn takes(&self, media_type: &str) -> bool {
        self.media.iter().any(|beginning| media_type.starts_with(beginning))
    }
}

/// The media that a model of the catalogue takes besides text: its own word for images, its provider's for the rest.
fn media(entry: &CatalogueEntry) -> &'static [&'static str] {
    match entry.provider {
        Provider::Gemini | Provider::Vertex if is_gemini(entry) => ALL_MEDIA,
        Provider::Gemini | Provider::Vertex if entry.can(ModelAbility::Images) => &["image/"],
        Provider::Anthropic => PAGES,
        _ if entry.can(ModelAbility::Images) => PAGES,
        _ => &[],
    }
}

/// True if it is one of the Gemini family, served by Google.
fn is_gemini(entry: &CatalogueEntry) -> bool {
    matches!(entry.provider, Provider::Gemini | Provider::Vertex) && gemini::in_gemini_family(&entry.id).is_some()
}

/// The effort of a model before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingEffort {
    /// Not at all, where it can be told so.
    Off,
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// Moderately.
    Medium,
    /// Much.
    High,
}

impl ThinkingEffort {
    /// The nearest of the levels a model knows; the same when none are listed. Of two as near, the higher.
    pub(crate) fn among(self, known: &[ThinkingEffort]) -> ThinkingEffort {
        let distance = |level: &ThinkingEffort| (*level as i8 - self as i8).abs();
        known.iter().copied().rev().min_by_key(distance).unwrap_or(self)
    }
}

/// A model that a provider offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    pub provider: Provider,
    /// Its name there.
    pub model: String,
    /// The most tokens of a prompt, if the provider says so.
    pub context_window: Option<u64>,
}

impl OfferedModel {
    /// The name that chooses it.
    pub fn name(&self) -> String {
        full_name(self.provider, &self.model)
    }
}

/// The name that finds a model: as the provider calls it where that is clear, else behind the provider's word.
pub(crate) fn full_name(provider: Provider, model: &str) -> String {
    match Provider::from_model_name(model) {
        Some(named) if named == provider => model.to_owned(),
        _ => format!("{}:{model}", provider.word()),
    }
}
