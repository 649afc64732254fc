//! OpenAI's chat format, which most servers speak: `POST {base}/chat/completions`.

mod answer;
mod body;
mod calls;
pub(crate) mod fault;
mod settings;
mod spoken;

pub(crate) use settings::Settings;

use crate::catalogue::CatalogueEntry;
use crate::error::ModelError;
use crate::info::{ModelInfo, OfferedModel, ThinkingEffort};
use crate::model::{Model, ModelChunk, ModelRequest};
use crate::provider::Provider;
use crate::settings::SettingsError;
use crate::transport::{HttpTimeouts, HttpTransport, ProviderLink, ProviderRequest};
use crate::tuning::ModelTuning;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde_json::Value;
use std::sync::Arc;

/// A model behind OpenAI's chat format.
pub(crate) struct OpenAi {
    entry: CatalogueEntry,
    info: ModelInfo,
    effort: Option<ThinkingEffort>,
    link: ProviderLink,
}

impl OpenAi {
    /// The model `entry` describes, reached as `settings` say. Nothing is sent yet.
    pub(crate) fn new(
        settings: &Settings,
        entry: CatalogueEntry,
        tuning: &ModelTuning,
    ) -> Result<OpenAi, SettingsError> {
        let http = HttpTransport::new(entry.provider, &settings.url, settings.headers()?, HttpTimeouts::default())?;
        let info = ModelInfo::of(&entry, settings.url.host_str().unwrap_or_default());
        let link = ProviderLink {
            provider: entry.provider,
            transport: Arc::new(http),
            backoff: tuning.backoff(),
            read_fault: fault::read_fault,
        };
        Ok(OpenAi { entry, info, effort: tuning.effort, link })
    }
}

impl Model for OpenAi {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let answer = answer::Answer::to(self.entry.provider, &request.contents);
        let answer = spoken::listen(answer, self.entry.profile, &request);
        let body = body::body(&self.entry, self.effort, request);
        self.link.stream(ProviderRequest::post("/chat/completions", body), answer)
    }

    fn list_models(&self) -> BoxFuture<'static, Result<Vec<OfferedModel>, ModelError>> {
        let provider = self.entry.provider;
        let listed = self.link.clone().fetch(ProviderRequest::get("/models"));
        async move { Ok(read_models(provider, &listed.await?)) }.boxed()
    }
}

/// The models in an answer to `GET /models`.
pub(crate) fn read_models(provider: Provider, answer: &Value) -> Vec<OfferedModel> {
    let read = |model: &Value| {
        let sizes = ["context_length", "max_model_len", "max_context_length"];
        let context_window = sizes.iter().find_map(|key| model.get(key)?.as_u64());
        Some(OfferedModel { provider, model: model["id"].as_str()?.to_owned(), context_window })
    };
    answer["data"].as_array().into_iter().flatten().filter_map(read).collect()
}
