//! A GGUF file on this machine answers: `gguf:PATH`, by llama.cpp inside this process, without network or key.
//!
//! The engine is there only with the feature `local-llm`. With tools offered, what the model writes is held to a
//! grammar: small models cannot be trusted to spell a call. What needs no engine is always tested.

#[cfg(any(test, feature = "local-llm"))]
mod answer;
#[cfg(feature = "local-llm")]
mod engine;
mod fault;
#[cfg(any(test, feature = "local-llm"))]
mod file;
#[cfg(any(test, feature = "local-llm"))]
mod form;
#[cfg(any(test, feature = "local-llm"))]
mod grammar;
#[cfg(feature = "local-llm")]
mod pick;
#[cfg(any(test, feature = "local-llm"))]
mod prompt;
#[cfg(feature = "local-llm")]
mod worker;

pub use fault::GgufError;

use crate::model::Model;
use crate::settings::EnvLookup;
use std::sync::Arc;

/// The beginning of a model's name when a file answers.
pub(crate) const WORD: &str = "gguf:";

/// The engine for the file at `path`. Its head is read; the weights are loaded by the first answer.
#[cfg(feature = "local-llm")]
pub(crate) fn open(path: &str, env: EnvLookup<'_>) -> Result<Arc<dyn Model>, GgufError> {
    Ok(Arc::new(engine::Llama::open(path, env)?))
}

/// No engine was built in, whatever is at `path`.
#[cfg(not(feature = "local-llm"))]
pub(crate) fn open(_path: &str, _env: EnvLookup<'_>) -> Result<Arc<dyn Model>, GgufError> {
    Err(GgufError::NotBuilt)
}

#[cfg(test)]
mod tests;
