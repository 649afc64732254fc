//! Which engine answers: what was asked for, else what is configured, else the offline demo.

use crate::catalogue::{CatalogueError, ModelCatalogue};
use crate::demo::DemoModel;
use crate::llama::GgufError;
use crate::model::Model;
use crate::models;
use crate::provider::Provider;
use crate::script::LoadError;
use crate::settings::{EnvLookup, SettingsError, given};
use crate::tuning::ModelTuning;
use std::sync::Arc;
use thiserror::Error;

/// The result of [`choose()`].
pub struct ChosenModel {
    /// The engine.
    pub model: Arc<dyn Model>,
    /// One line for the person: how to get a real model, when the demo was picked for want of one.
    pub note: Option<String>,
}

/// Why no engine could be picked.
#[derive(Debug, Error)]
pub enum ChooseError {
    /// A model was asked for by name and there is no key for it.
    #[error("{}", no_key_sentence(model, *provider))]
    NoKey {
        /// The model asked for.
        model: String,
        /// Whose it is.
        provider: Provider,
    },
    /// No model has this name.
    #[error("{}", unknown_sentence(name, near))]
    Unknown {
        name: String,
        /// Names that are like it, best first.
        near: Vec<String>,
    },
    /// The environment does not make sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The catalogue cannot be used.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The GGUF file cannot be used.
    #[error("cannot use the model file {path}: {why}")]
    Gguf {
        /// The file.
        path: String,
        /// Why not.
        why: GgufError,
    },
    /// The script cannot be used.
    #[error("cannot use script {path}: {source}")]
    Script {
        /// The file.
        path: String,
        source: LoadError,
    },
}

/// Pick an engine with the built-in catalogue: [`ModelRegistry::choose`](crate::ModelRegistry::choose) for a program that needs only
/// one.
pub fn choose(spec: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Result<ChosenModel, ChooseError> {
    let catalogue = ModelCatalogue::load(None)?;
    pick(spec, env, |name| models::make(&catalogue, env, &ModelTuning::default(), name))
}

/// A real model needs a key or an address; asked for without one it is an error, otherwise the demo answers and
/// [`ChosenModel::note`] says so.
pub(crate) fn pick(
    asked: Option<&str>,
    env: EnvLookup<'_>,
    resolve: impl Fn(&str) -> Result<Arc<dyn Model>, ChooseError>,
) -> Result<ChosenModel, ChooseError> {
    if let Some(name) = asked {
        return Ok(ChosenModel { model: resolve(name)?, note: None });
    }
    let preferred = given(env, "GEMINI_MODEL");
    match resolve(preferred.as_deref().unwrap_or("auto")) {
        Ok(model) => Ok(ChosenModel { model, note: None }),
        Err(ChooseError::NoKey { .. }) => {
            Ok(ChosenModel { model: Arc::new(DemoModel::new()), note: Some(NOTE.to_owned()) })
        }
        Err(other) => Err(other),
    }
}

const NOTE: &str = "No API key found: using the offline demo (not an AI). Set GEMINI_API_KEY, ANTHROPIC_API_KEY or \
                    OPENAI_API_KEY to use a real model.";

fn no_key_sentence(model: &str, provider: Provider) -> String {
    let key = provider.key_variable();
    match provider {
        Provider::Vertex => format!(
            "model {model} needs a key or a project: set {key}, or GOOGLE_CLOUD_PROJECT (with GOOGLE_CLOUD_LOCATION and \
             Google credentials), or use -m demo"
        ),
        other => {
            let address = other.address_variable();
            format!("model {model} needs a key: set {key} (or {address} for a gateway), or use -m demo")
        }
    }
}

fn unknown_sentence(name: &str, near: &[String]) -> String {
    let meant = match near {
        [] => ";".to_owned(),
        near => format!("; did you mean {}?", near.join(", ")),
    };
    let words: Vec<String> = Provider::ALL.iter().map(|provider| format!("{}:", provider.word())).collect();
    format!(
        "no model is called {name:?}{meant} put a provider in front if it is new ({}), with its key in the \
         environment (GEMINI_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY), or use -m demo",
        words.join(" ")
    )
}

#[cfg(test)]
mod tests;
