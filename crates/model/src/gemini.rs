//! Gemini over HTTP: `POST {base}/v1beta/models/{model}:streamGenerateContent?alt=sse`, and the same on Vertex AI.

mod adc;
mod address;
mod answer;
mod body;
mod cache;
mod fault;
mod history;
mod names;
mod offers;
mod pages;
mod search;
mod settings;

pub(crate) use answer::{Answer, judge};
pub(crate) use body::body;
pub(crate) use fault::read_fault;
pub(crate) use names::{in_gemini_family, is_name};
pub(crate) use settings::Settings;

use crate::catalogue::CatalogueEntry;
use crate::error::ModelError;
use crate::info::{ModelInfo, OfferedModel, ThinkingEffort};
use crate::model::{GroundedAnswer, Model, ModelChunk, ModelRequest};
use crate::settings::SettingsError;
use crate::transport::{HttpTimeouts, HttpTransport, ModelTransport, ProviderLink, ProviderRequest};
use crate::tuning::ModelTuning;
use adc::{Signed, Tokens};
use cache::Cache;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde_json::{Value, json};
use std::sync::Arc;

/// A Gemini model.
pub(crate) struct Gemini {
    info: ModelInfo,
    effort: Option<ThinkingEffort>,
    settings: Settings,
    link: ProviderLink,
    cache: Option<Arc<Cache>>,
}

impl Gemini {
    /// The model `entry` describes, reached as `settings` say. Nothing is sent yet.
    pub(crate) fn new(
        settings: Settings,
        entry: &CatalogueEntry,
        tuning: &ModelTuning,
    ) -> Result<Gemini, SettingsError> {
        let provider = settings.provider();
        let http =
            Arc::new(HttpTransport::new(provider, &settings.url, settings.all_headers()?, HttpTimeouts::default())?);
        let transport: Arc<dyn ModelTransport> = match settings.adc.clone() {
            Some(adc) => Arc::new(Signed { http, tokens: Arc::new(Tokens::new(adc)) }),
            None => http,
        };
        let info = ModelInfo::of(entry, settings.url.host_str().unwrap_or_default());
        let link = ProviderLink { provider, transport, backoff: tuning.backoff(), read_fault: fault::read_fault };
        let cache = tuning.cache_for(entry).map(|lasts| {
            Arc::new(Cache::new(&link, settings.cache_path(), settings.place.model(&settings.model), lasts))
        });
        let effort = tuning.effort.map(|effort| effort.among(&entry.efforts));
        Ok(Gemini { info, effort, settings, link, cache })
    }
}

impl Model for Gemini {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let body = body(&self.settings.model, self.effort, request);
        let path = self.settings.path("streamGenerateContent?alt=sse");
        match &self.cache {
            Some(cache) => cache.clone().stream(self.link.clone(), path, body),
            None => {
                let answer = Answer::to(&body);
                self.link.stream(ProviderRequest::post(path, body), answer)
            }
        }
    }

    fn count_tokens(&self, request: ModelRequest) -> BoxFuture<'static, Result<Option<u64>, ModelError>> {
        // The instructions and the tools count too. The Gemini API accepts them only inside a whole request.
        let mut whole = body(&self.settings.model, self.effort, request);
        if !self.settings.place.is_vertex() {
            whole["model"] = Value::from(self.settings.place.model(&self.settings.model));
            whole = json!({"generateContentRequest": whole});
        }
        let ask = ProviderRequest::post(self.settings.path("countTokens"), whole);
        let counted = self.link.clone().fetch(ask);
        async move { Ok(counted.await?.get("totalTokens").and_then(Value::as_u64)) }.boxed()
    }

    fn list_models(&self) -> BoxFuture<'static, Result<Vec<OfferedModel>, ModelError>> {
        offers::list(self.link.clone(), self.settings.list_path()).boxed()
    }

    fn search(&self, query: &str) -> BoxFuture<'static, Result<GroundedAnswer, ModelError>> {
        let ask = ProviderRequest::post(self.settings.path("generateContent"), search::body(query));
        let (provider, found) = (self.link.provider, self.link.clone().fetch(ask));
        async move { search::read(provider, &found.await?) }.boxed()
    }

    fn read_urls(&self, prompt: &str) -> BoxFuture<'static, Result<GroundedAnswer, ModelError>> {
        let ask = ProviderRequest::post(self.settings.path("generateContent"), pages::body(prompt));
        let (provider, found) = (self.link.provider, self.link.clone().fetch(ask));
        async move { pages::read(provider, &found.await?) }.boxed()
    }
}
