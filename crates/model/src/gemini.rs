//! Gemini over HTTP: `POST {base}/v1beta/models/{model}:streamGenerateContent?alt=sse`.

mod answer;
mod body;
mod fault;
mod history;
mod names;
mod offers;
mod search;
mod settings;

pub(crate) use answer::{Answer, judge};
pub(crate) use body::body;
pub(crate) use fault::read_fault;
pub(crate) use names::is_name;
pub(crate) use settings::Settings;

use crate::catalogue::Entry;
use crate::error::ModelError;
use crate::info::{Effort, ModelInfo, Offered};
use crate::model::{Chunk, Grounded, Model, Request};
use crate::provider::Provider;
use crate::settings::SettingsError;
use crate::transport::{Ask, Backoff, Http, Limits, Link};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde_json::{Value, json};
use std::sync::Arc;

/// A Gemini model.
pub(crate) struct Gemini {
    info: ModelInfo,
    effort: Option<Effort>,
    settings: Settings,
    link: Link,
}

impl Gemini {
    /// The model `entry` describes, reached as `settings` say. Nothing is sent yet.
    pub(crate) fn new(settings: Settings, entry: &Entry, effort: Option<Effort>) -> Result<Gemini, SettingsError> {
        let http = Http::new(Provider::Gemini, &settings.url, settings.all_headers()?, Limits::default())?;
        let info = ModelInfo::of(entry, settings.url.host_str().unwrap_or_default());
        let link = Link {
            provider: Provider::Gemini,
            transport: Arc::new(http),
            backoff: Backoff::network(),
            read_fault: fault::read_fault,
        };
        let effort = effort.map(|effort| effort.among(&entry.efforts));
        Ok(Gemini { info, effort, settings, link })
    }
}

impl Model for Gemini {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate(&self, request: Request) -> BoxStream<'static, Result<Chunk, ModelError>> {
        let body = body(&self.settings.model, self.effort, request);
        let answer = Answer::to(&body);
        self.link.stream(Ask::post(self.settings.path("streamGenerateContent?alt=sse"), body), answer)
    }

    fn count_tokens(&self, request: Request) -> BoxFuture<'static, Result<Option<u64>, ModelError>> {
        // The instructions and the tools count too, and are accepted only inside a whole request.
        let mut whole = body(&self.settings.model, self.effort, request);
        whole["model"] = Value::from(format!("models/{}", self.settings.model));
        let ask = Ask::post(self.settings.path("countTokens"), json!({"generateContentRequest": whole}));
        let counted = self.link.clone().fetch(ask);
        async move { Ok(counted.await?.get("totalTokens").and_then(Value::as_u64)) }.boxed()
    }

    fn list_models(&self) -> BoxFuture<'static, Result<Vec<Offered>, ModelError>> {
        offers::list(self.link.clone(), format!("/{}/models", self.settings.version)).boxed()
    }

    fn search(&self, query: &str) -> BoxFuture<'static, Result<Grounded, ModelError>> {
        let ask = Ask::post(self.settings.path("generateContent"), search::body(query));
        let found = self.link.clone().fetch(ask);
        async move { search::read(&found.await?) }.boxed()
    }
}
