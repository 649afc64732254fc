//! From the name a person gives to the engine that answers.

mod near;

use crate::anthropic::{self, Anthropic};
use crate::catalogue::{CatalogueEntry, ModelCatalogue};
use crate::choose::{ChooseError, ChosenModel};
use crate::demo::{self, DemoModel};
use crate::gemini::{self, Gemini};
use crate::info::{ThinkingEffort, full_name};
use crate::llama;
use crate::local::{self, LocalServer};
use crate::model::Model;
use crate::openai::{self, OpenAi};
use crate::provider::{Provider, ProviderSite};
use crate::script::ScriptModel;
use crate::settings::{EnvLookup, SettingsError, given};
use crate::tuning::ModelTuning;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::{PriceLookup, SecretText};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The most engines that are kept. A session uses a handful.
const KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Reads an environment variable, from any thread.
type OwnEnv = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Every engine that can be had by name.
pub struct ModelRegistry {
    catalogue: ModelCatalogue,
    env: OwnEnv,
    tuning: ModelTuning,
    made: ModelCache,
}

/// The engines that were made, by name.
struct ModelCache(Mutex<LruCache<String, Arc<dyn Model>>>);

impl Default for ModelCache {
    fn default() -> ModelCache {
        ModelCache(Mutex::new(LruCache::sparse(KEPT)))
    }
}

impl ModelRegistry {
    /// Engines for the models of `catalogue` and any other that is named with its provider. `env` reads an environment
    /// variable: keys and addresses come from there.
    pub fn new(
        catalogue: ModelCatalogue,
        env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> ModelRegistry {
        ModelRegistry { catalogue, env: Box::new(env), tuning: ModelTuning::default(), made: ModelCache::default() }
    }

    /// The registry with a setting of how hard to think. Without it each model does as its provider recommends.
    #[must_use]
    pub fn with_effort(self, effort: ThinkingEffort) -> ModelRegistry {
        let tuning = ModelTuning { effort: Some(effort), ..self.tuning };
        ModelRegistry { tuning, made: ModelCache::default(), ..self }
    }

    /// The registry with so many attempts to start a call that fails for a while. Ten unless told; at least one.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> ModelRegistry {
        let tuning = ModelTuning { attempts: Some(attempts), ..self.tuning };
        ModelRegistry { tuning, made: ModelCache::default(), ..self }
    }

    /// The registry, with Google keeping instructions and tools for so long after they were sent. It bills the keeping,
    /// so nothing is kept unless this or the catalogue (`cache_minutes`) says so.
    #[must_use]
    pub fn with_caching(self, lasts: Duration) -> ModelRegistry {
        let tuning = ModelTuning { cache: Some(lasts), ..self.tuning };
        ModelRegistry { tuning, made: ModelCache::default(), ..self }
    }

    /// The engine a name means. Nothing is sent; the same name gives the same engine.
    ///
    /// A name is a model of the catalogue or a short form of one (`flash`), a name whose maker is plain (`gemini-…`,
    /// `claude-…`, `gpt-…`), a model behind its provider's word (`ollama:qwen3`), `auto`, `demo`,
    /// `gguf:FILE`, or `script:FILE`.
    pub fn resolve(&self, name: &str) -> Result<Arc<dyn Model>, ChooseError> {
        let kept = || self.made.0.lock();
        if let Some(model) = kept().get(name) {
            return Ok(model.clone());
        }
        let model = make(&self.catalogue, &*self.env, &self.tuning, name)?;
        // Two may have made it at once: the first one stays, since a script remembers what it has played.
        Ok(kept().get_or_insert(name.to_owned(), || model).clone())
    }

    /// The engine to begin with: what was asked for, else what `GEMINI_MODEL` names, else the first provider that is
    /// configured, else the offline demo.
    pub fn choose(&self, asked: Option<&str>) -> Result<ChosenModel, ChooseError> {
        crate::choose::pick(asked, &*self.env, |name| self.resolve(name))
    }

    /// The engine to ask when the one called `id` cannot answer for long: what the catalogue says, of the same
    /// provider.
    pub fn fallback(&self, id: &str) -> Option<Arc<dyn Model>> {
        let entry = find(&self.catalogue, &*self.env, id).ok()?;
        let name = full_name(entry.provider, entry.fallback.as_deref()?);
        self.resolve(&name).ok()
    }

    /// The name of a model that could be tried instead of those `tried`: the usual one of a provider that is
    /// configured.
    pub fn another(&self, tried: &[String]) -> Option<String> {
        let usual = Provider::ALL.into_iter().filter(|provider| is_configured(*provider, &*self.env));
        let mut names = usual.filter_map(|provider| Some(self.catalogue.default_of(provider)?.name()));
        names.find(|name| !tried.contains(name))
    }

    /// The prices of model calls by the model's name, where they are known.
    pub fn prices(self: &Arc<Self>) -> PriceLookup {
        let models = self.clone();
        PriceLookup::new(move |model, usage| {
            let prices = models.resolve(model).ok()?.info().prices?;
            #[expect(clippy::cast_precision_loss, reason = "a price is shown with six digits")]
            Some(prices.cost(usage).0 as f64 / 1_000_000.0)
        })
    }

    /// A sentence about a name that resolves although nobody has described such a model, so that it may be a slip. Servers that
    /// have whatever their owner put there (local ones, OpenRouter, an `OPENAI_BASE_URL`) are not judged.
    pub fn explain_unknown_name(&self, name: &str) -> Option<String> {
        let entry = find(&self.catalogue, &*self.env, name).ok()?;
        let is_described = entry.context_window.is_some() || entry.prices.is_some();
        let has_any_model = match entry.provider {
            Provider::Gemini | Provider::Vertex | Provider::Anthropic => false,
            Provider::OpenAi => given(&*self.env, "OPENAI_BASE_URL").is_some(),
            Provider::OpenRouter | Provider::Ollama | Provider::LmStudio | Provider::LlamaCpp | Provider::Vllm => true,
        };
        let sentence =
            || format!("{name} is not among the models that Pollux knows (/model lists them); it is tried as it is");
        (!is_described && !has_any_model).then(sentence)
    }

    /// Whose model a name means, where that can be told.
    pub fn provider_of(&self, name: &str) -> Option<Provider> {
        find(&self.catalogue, &*self.env, name).ok().map(|entry| entry.provider)
    }

    /// The registry with its engines made anew, where `key` opens `provider` in place of whatever key the environment
    /// has for it.
    #[must_use]
    pub fn with_key(self: &Arc<ModelRegistry>, provider: Provider, key: SecretText) -> ModelRegistry {
        let usual = self.clone();
        let env = move |name: &str| match name {
            name if name == provider.key_variable() => Some(key.reveal().to_owned()),
            // Google has two doors and a second key for the first: whoever brings a key comes in by theirs.
            "GOOGLE_API_KEY" | "GOOGLE_GENAI_USE_VERTEXAI" if provider == Provider::Gemini => None,
            name => (usual.env)(name),
        };
        let (catalogue, tuning) = (self.catalogue.clone(), self.tuning);
        ModelRegistry { catalogue, env: Box::new(env), tuning, made: ModelCache::default() }
    }

    /// The catalogue of models.
    pub fn catalogue(&self) -> &ModelCatalogue {
        &self.catalogue
    }

    /// True if a provider's models can be used: it has a key or an address, or needs neither.
    pub fn is_ready(&self, provider: Provider) -> bool {
        provider.site() == ProviderSite::Local || is_configured(provider, &*self.env)
    }

    /// The model servers that run on this machine, for a person to choose from. Only loopback is asked, and nothing
    /// found is used unless it is named.
    pub async fn detect_local(&self) -> Vec<LocalServer> {
        local::detect(&*self.env).await
    }
}

/// Make the engine that `name` means.
pub(crate) fn make(
    catalogue: &ModelCatalogue,
    env: EnvLookup<'_>,
    tuning: &ModelTuning,
    name: &str,
) -> Result<Arc<dyn Model>, ChooseError> {
    if name == "demo" || name == demo::ID {
        return Ok(Arc::new(DemoModel::new()));
    }
    if let Some(path) = name.strip_prefix(llama::WORD) {
        return llama::open(path, env).map_err(|why| ChooseError::Gguf { path: path.to_owned(), why });
    }
    if let Some(path) = name.strip_prefix("script:") {
        let script = ScriptModel::load(Path::new(path));
        return Ok(Arc::new(script.map_err(|source| ChooseError::Script { path: path.to_owned(), source })?));
    }
    let entry = find(catalogue, env, name)?;
    let no_key = || ChooseError::NoKey { model: name.to_owned(), provider: entry.provider };
    Ok(match entry.provider {
        Provider::Gemini | Provider::Vertex => {
            let settings = gemini::Settings::find(&entry, env)?.ok_or_else(no_key)?;
            Arc::new(Gemini::new(settings, &entry, tuning)?)
        }
        Provider::Anthropic => {
            let settings = anthropic::Settings::from_env(env)?.ok_or_else(no_key)?;
            Arc::new(Anthropic::new(&settings, entry, tuning)?)
        }
        Provider::OpenAi
        | Provider::OpenRouter
        | Provider::Ollama
        | Provider::LmStudio
        | Provider::LlamaCpp
        | Provider::Vllm => {
            let settings = openai::Settings::from_env(entry.provider, env)?.ok_or_else(no_key)?;
            Arc::new(OpenAi::new(&settings, entry, tuning)?)
        }
    })
}

/// The model that `name` stands for, as far as the catalogue knows it.
fn find(catalogue: &ModelCatalogue, env: EnvLookup<'_>, name: &str) -> Result<CatalogueEntry, ChooseError> {
    let unusable = || ChooseError::Settings(SettingsError::Model(name.to_owned()));
    if name == "auto" {
        let configured = Provider::ALL.into_iter().filter(|provider| is_configured(*provider, env));
        let first = configured.filter_map(|provider| catalogue.default_of(provider)).next();
        let default = first.or_else(|| catalogue.default_of(Provider::Gemini));
        return default.cloned().ok_or_else(unusable);
    }
    if let Some((word, model)) = name.split_once(':')
        && let Some(provider) = Provider::named(word)
    {
        return if is_id(provider, model) { Ok(catalogue.entry(provider, model)) } else { Err(unusable()) };
    }
    let bare = name.strip_prefix("models/").unwrap_or(name);
    if !gemini::is_name(bare) {
        return Err(unusable());
    }
    if let Some(entry) = catalogue.find(bare) {
        return Ok(entry.clone());
    }
    match Provider::from_model_name(bare) {
        Some(provider) => Ok(catalogue.entry(provider, bare)),
        None => Err(ChooseError::Unknown { name: name.to_owned(), near: near::near(catalogue, name) }),
    }
}

/// True if a provider can have a model with this name. Gemini's goes into a URL, the others' only into JSON.
fn is_id(provider: Provider, model: &str) -> bool {
    match provider {
        Provider::Gemini | Provider::Vertex => gemini::is_name(model),
        _ => !model.is_empty() && model.len() <= 200 && model.chars().all(|c| c.is_ascii_graphic() && c != '"'),
    }
}

fn is_configured(provider: Provider, env: EnvLookup<'_>) -> bool {
    match provider {
        Provider::Gemini => gemini::Settings::are_there(env),
        Provider::Vertex => gemini::Settings::are_there_on_vertex(env),
        other => [other.key_variable(), other.address_variable()].iter().any(|name| given(env, name).is_some()),
    }
}

#[cfg(test)]
mod tests;
