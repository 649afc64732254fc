//! Anthropic's messages: `POST {base}/v1/messages`.

mod answer;
mod body;
mod fault;
mod proof;
mod settings;

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

/// A Claude model.
pub(crate) struct Anthropic {
    entry: CatalogueEntry,
    info: ModelInfo,
    effort: Option<ThinkingEffort>,
    link: ProviderLink,
}

impl Anthropic {
    /// The model `entry` describes, reached as `settings` say. Nothing is sent yet.
    pub(crate) fn new(
        settings: &Settings,
        entry: CatalogueEntry,
        tuning: &ModelTuning,
    ) -> Result<Anthropic, SettingsError> {
        let http =
            HttpTransport::new(Provider::Anthropic, &settings.url, settings.headers()?, HttpTimeouts::default())?;
        let info = ModelInfo::of(&entry, settings.url.host_str().unwrap_or_default());
        let link = ProviderLink {
            provider: Provider::Anthropic,
            transport: Arc::new(http),
            backoff: tuning.backoff(),
            read_fault: fault::read_fault,
        };
        Ok(Anthropic { entry, info, effort: tuning.effort, link })
    }
}

impl Model for Anthropic {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let answer = answer::Answer::to(&request.contents);
        let body = body::body(&self.entry, self.effort, request);
        self.link.stream(ProviderRequest::post("/v1/messages", body), answer)
    }

    fn count_tokens(&self, request: ModelRequest) -> BoxFuture<'static, Result<Option<u64>, ModelError>> {
        let mut body = body::body(&self.entry, self.effort, request);
        if let Value::Object(fields) = &mut body {
            // What says how to answer is refused where nothing is answered.
            fields.retain(|key, _| matches!(key.as_str(), "model" | "system" | "messages" | "tools" | "thinking"));
        }
        let counted = self.link.clone().fetch(ProviderRequest::post("/v1/messages/count_tokens", body));
        async move { Ok(counted.await?.get("input_tokens").and_then(Value::as_u64)) }.boxed()
    }

    fn list_models(&self) -> BoxFuture<'static, Result<Vec<OfferedModel>, ModelError>> {
        let listed = self.link.clone().fetch(ProviderRequest::get("/v1/models?limit=1000"));
        let read = |model: &Value| {
            let context_window = model["max_input_tokens"].as_u64();
            Some(OfferedModel {
                provider: Provider::Anthropic,
                model: model["id"].as_str()?.to_owned(),
                context_window,
            })
        };
        async move { Ok(listed.await?["data"].as_array().into_iter().flatten().filter_map(read).collect()) }.boxed()
    }
}
