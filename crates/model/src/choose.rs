//! Which engine answers: what was asked for, else what is configured, else the offline demo.

use crate::demo::{self, Demo};
use crate::gemini::{Gemini, Settings, SettingsError};
use crate::model::Model;
use crate::script::{LoadError, Script};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// What [`choose`] picked.
pub struct Chosen {
    /// The engine.
    pub model: Arc<dyn Model>,
    /// One line for the person: how to get a real model, when the demo was picked for want of one.
    pub note: Option<String>,
}

/// Why no engine could be picked.
#[derive(Debug, Error)]
pub enum ChooseError {
    /// A model was asked for by name and there is no key for it.
    #[error("model {model} needs a key: set GEMINI_API_KEY (or GOOGLE_GEMINI_BASE_URL for a gateway), or use -m demo")]
    NoKey {
        /// The model asked for.
        model: String,
    },
    /// The environment does not make sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The script cannot be used.
    #[error("cannot use script {path}: {source}")]
    Script {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: LoadError,
    },
}

/// Pick an engine.
///
/// `spec` is what the person asked for: a model's name or alias, `demo`, or `script:FILE`. Without it `GEMINI_MODEL`
/// is read the same way. A real model needs a key or a base URL; asked for by `spec` without one it is an error,
/// otherwise the demo answers and [`Chosen::note`] says so.
pub fn choose(spec: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Result<Chosen, ChooseError> {
    let preferred = env("GEMINI_MODEL").filter(|name| !name.is_empty());
    let name = spec.or(preferred.as_deref()).unwrap_or("auto");
    if name == "demo" || name == demo::ID {
        return Ok(Chosen { model: Arc::new(Demo::new()), note: None });
    }
    if let Some(path) = name.strip_prefix("script:") {
        let script =
            Script::load(Path::new(path)).map_err(|source| ChooseError::Script { path: path.to_owned(), source })?;
        return Ok(Chosen { model: Arc::new(script), note: None });
    }
    match Settings::from_env(name, env)? {
        Some(settings) => Ok(Chosen { model: Arc::new(Gemini::new(&settings)?), note: None }),
        None if spec.is_some() => Err(ChooseError::NoKey { model: name.to_owned() }),
        None => Ok(Chosen { model: Arc::new(Demo::new()), note: Some(NOTE.to_owned()) }),
    }
}

const NOTE: &str = "no model is configured, so the offline demo answers, which is not an AI; \
                    set GEMINI_API_KEY to use Gemini";

#[cfg(test)]
mod tests;
