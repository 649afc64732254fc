//! The catalogue of models: limits, prices, abilities. Data, in `catalogue/models.toml`, which a person's own file
//! extends and corrects.

use crate::info::{InstructionProfile, ThinkingEffort, full_name};
use crate::prices::{LongPromptRates, ModelPrices, TokenRates};
use crate::provider::{Provider, ProviderSite};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The longest file of a person's own models.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const BUILT_IN: &str = include_str!("catalogue/models.toml");

/// Every model that is known by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelCatalogue {
    entries: Vec<CatalogueEntry>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its name at the provider's.
    pub id: String,
    pub provider: Provider,
    /// Short forms of its name.
    pub aliases: Vec<String>,
    /// The most tokens of a prompt and its answer together.
    pub context_window: Option<u64>,
    /// The most tokens of an answer.
    pub output_limit: Option<u64>,
    pub prices: Option<ModelPrices>,
    /// Abilities beside writing text.
    pub abilities: Vec<ModelAbility>,
    /// The way in which it is told how hard to think, if it thinks.
    pub thinking: Option<ThinkingControl>,
    /// The levels it knows, lowest first. Empty when that is not known.
    pub efforts: Vec<ThinkingEffort>,
    /// The style of instructions that it needs.
    pub profile: InstructionProfile,
    /// True if it stands for its provider when no model is named.
    pub is_default: bool,
    /// The model of the same provider that is asked when this one cannot answer for long.
    pub fallback: Option<String>,
    /// For how many minutes the provider is paid to keep instructions and tools, so that they cost less to send again.
    /// Without it nothing is kept.
    pub cache_minutes: Option<u32>,
}

/// An ability beside writing text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelAbility {
    /// Call tools.
    Tools,
    /// Look at images.
    Images,
}

/// The way in which a model is told how hard to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingControl {
    /// By a number of tokens.
    Budget,
    /// By a word.
    Level,
    /// It decides itself; a word nudges it.
    Adaptive,
}

/// Why a catalogue cannot be used.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// The file cannot be read.
    #[error("cannot read the model catalogue {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file does not say what it should.
    #[error("the model catalogue {name} is wrong: {why}")]
    Content {
        /// Which: a file, or the one built in.
        name: String,
        why: String,
    },
}

impl ModelCatalogue {
    /// The built-in catalogue and, if there is such a file, the additions in `own`. An entry for a model that is known
    /// changes only what it names.
    pub fn load(own: Option<&Path>) -> Result<ModelCatalogue, CatalogueError> {
        let mut catalogue = ModelCatalogue::default();
        catalogue.extend("built in", BUILT_IN)?;
        let Some(path) = own else { return Ok(catalogue) };
        match pollux_files::read_text(path, MAX_BYTES) {
            Ok(text) => catalogue.extend(&path.display().to_string(), &text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(CatalogueError::Read { path: path.to_owned(), source }),
        }
        Ok(catalogue)
    }

    /// Add what `text` says.
    pub fn extend(&mut self, name: &str, text: &str) -> Result<(), CatalogueError> {
        let wrong = |why: String| CatalogueError::Content { name: name.to_owned(), why };
        let file: File =
            toml_edit::de::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        for row in file.model {
            let at = self.entries.iter().position(|entry| entry.provider == row.provider && entry.id == row.id);
            let entry = match at {
                Some(at) => self.entries.remove(at),
                // On Vertex AI it is the same model as elsewhere.
                None if row.provider == Provider::Vertex => self.entry(row.provider, &row.id),
                None => CatalogueEntry::unknown(row.provider, &row.id),
            };
            let entry = row.amend(entry).map_err(wrong)?;
            if entry.is_default {
                let rivals = self.entries.iter_mut().filter(|rival| rival.provider == entry.provider);
                rivals.for_each(|rival| rival.is_default = false);
            }
            self.entries.insert(at.unwrap_or(self.entries.len()), entry);
        }
        Ok(())
    }

    /// All models, those of one provider together as they were listed.
    pub fn entries(&self) -> &[CatalogueEntry] {
        &self.entries
    }

    /// The model a person means by `name`, without a provider's word: its id or a short form.
    pub fn find(&self, name: &str) -> Option<&CatalogueEntry> {
        let by_id = self.entries.iter().find(|entry| entry.id == name);
        by_id.or_else(|| self.entries.iter().find(|entry| entry.aliases.iter().any(|alias| alias == name)))
    }

    /// The entry of a provider's model; the defaults for unknown models if there is none. A dated name stands for the
    /// model it is a date of.
    pub fn entry(&self, provider: Provider, id: &str) -> CatalogueEntry {
        let exact = |id: &str| self.entries.iter().find(|entry| entry.provider == provider && entry.id == id);
        match exact(id).or_else(|| exact(undated(id)?)) {
            Some(entry) => CatalogueEntry { id: id.to_owned(), ..entry.clone() },
            // Gemini's models are the same ones there; short names and defaults stay with the first of the two.
            None if provider == Provider::Vertex => {
                CatalogueEntry { provider, aliases: Vec::new(), is_default: false, ..self.entry(Provider::Gemini, id) }
            }
            None => CatalogueEntry::unknown(provider, id),
        }
    }

    /// The model that stands for a provider when none is named.
    pub fn default_of(&self, provider: Provider) -> Option<&CatalogueEntry> {
        self.entries.iter().find(|entry| entry.provider == provider && entry.is_default)
    }
}

impl CatalogueEntry {
    /// A model nobody has described.
    pub(crate) fn unknown(provider: Provider, id: &str) -> CatalogueEntry {
        let profile = match provider.site() {
            ProviderSite::Cloud => InstructionProfile::Full,
            ProviderSite::Local => InstructionProfile::Short,
        };
        CatalogueEntry {
            id: id.to_owned(),
            provider,
            aliases: Vec::new(),
            context_window: None,
            output_limit: None,
            prices: None,
            abilities: vec![ModelAbility::Tools],
            thinking: None,
            efforts: Vec::new(),
            profile,
            is_default: false,
            fallback: None,
            cache_minutes: None,
        }
    }

    /// The name that chooses it.
    pub fn name(&self) -> String {
        full_name(self.provider, &self.id)
    }

    /// True if it has an ability.
    pub fn can(&self, ability: ModelAbility) -> bool {
        self.abilities.contains(&ability)
    }
}

/// `gpt-5-2025-08-07` and `claude-opus-4-5-20251101` without their dates.
fn undated(id: &str) -> Option<&str> {
    let is_date = |text: &str| text.starts_with("20") && text.chars().all(|c| c.is_ascii_digit() || c == '-');
    let dated = |length: usize| {
        let (name, date) = id.split_at_checked(id.len().checked_sub(length)?)?;
        name.strip_suffix('-').filter(|_| is_date(date))
    };
    dated(8).or_else(|| dated(10))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    model: Vec<Row>,
}

/// An entry as it is written. Only the first two fields must be there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    provider: Provider,
    aliases: Option<Vec<String>>,
    context_window: Option<u64>,
    output_limit: Option<u64>,
    prices: Option<TokenRates>,
    long_prices: Option<TokenRates>,
    long_over: Option<u64>,
    abilities: Option<Vec<ModelAbility>>,
    thinking: Option<ThinkingControl>,
    efforts: Option<Vec<ThinkingEffort>>,
    profile: Option<InstructionProfile>,
    default: Option<bool>,
    fallback: Option<String>,
    cache_minutes: Option<u32>,
}

impl Row {
    fn amend(self, entry: CatalogueEntry) -> Result<CatalogueEntry, String> {
        let long = match (self.long_prices, self.long_over) {
            (Some(rates), Some(over)) => Some(LongPromptRates { over, rates }),
            (None, None) => None,
            _ => return Err(format!("{}: long_prices and long_over belong together", self.id)),
        };
        let prices = match (self.prices, long, entry.prices) {
            (Some(usual), long, _) => Some(ModelPrices { usual, long }),
            (None, Some(_), None) => return Err(format!("{}: long_prices need prices", self.id)),
            (None, Some(long), Some(known)) => Some(ModelPrices { long: Some(long), ..known }),
            (None, None, known) => known,
        };
        let mut efforts = self.efforts.unwrap_or(entry.efforts);
        efforts.sort_unstable();
        Ok(CatalogueEntry {
            id: entry.id,
            provider: entry.provider,
            aliases: self.aliases.unwrap_or(entry.aliases),
            context_window: self.context_window.or(entry.context_window),
            output_limit: self.output_limit.or(entry.output_limit),
            prices,
            abilities: self.abilities.unwrap_or(entry.abilities),
            thinking: self.thinking.or(entry.thinking),
            efforts,
            profile: self.profile.unwrap_or(entry.profile),
            is_default: self.default.unwrap_or(entry.is_default),
            // An empty word takes a fallback away.
            fallback: self.fallback.or(entry.fallback).filter(|model| !model.is_empty()),
            cache_minutes: self.cache_minutes.or(entry.cache_minutes).filter(|minutes| *minutes > 0),
        })
    }
}

#[cfg(test)]
mod tests;
