//! Gemini over HTTP: `POST {base}/v1beta/models/{model}:streamGenerateContent?alt=sse`.

mod answer;
mod backoff;
mod body;
mod exchange;
mod fault;
mod frames;
mod history;
mod http;
mod key;
mod names;
mod settings;

pub(crate) use answer::{Said, judge};
pub(crate) use backoff::Backoff;
pub(crate) use body::body;
pub(crate) use exchange::{Reply, Transport, exchange};
pub(crate) use settings::Settings;
pub use settings::SettingsError;

use crate::error::ModelError;
use crate::model::{Chunk, Model, ModelInfo, Nature, Request};
use futures_util::stream::BoxStream;
use http::{Http, Limits};
use std::sync::Arc;

/// A Gemini model.
pub(crate) struct Gemini {
    model: String,
    label: String,
    http: Arc<Http>,
    backoff: Backoff,
}

impl Gemini {
    /// A model as `settings` describe it. Nothing is sent yet.
    pub(crate) fn new(settings: &Settings) -> Result<Gemini, SettingsError> {
        let model = settings.model.clone();
        let label = settings.label();
        let http = Arc::new(Http::new(settings, Limits::default())?);
        Ok(Gemini { model, label, http, backoff: Backoff::gemini() })
    }
}

impl Model for Gemini {
    fn info(&self) -> ModelInfo {
        ModelInfo { id: self.model.clone(), label: self.label.clone(), nature: Nature::Real }
    }

    fn generate(&self, request: Request) -> BoxStream<'static, Result<Chunk, ModelError>> {
        exchange(self.http.clone(), self.backoff, body(&self.model, request))
    }
}
