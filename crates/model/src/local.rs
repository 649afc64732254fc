//! Model servers on this machine: looked for when asked, offered, never used silently.

use crate::info::OfferedModel;
use crate::openai::{Settings, fault, read_models};
use crate::provider::{Provider, ProviderSite};
use crate::settings::{EnvLookup, is_this_machine};
use crate::transport::{BackoffPolicy, HttpTimeouts, HttpTransport, ProviderLink, ProviderRequest};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;

/// The time that a server has to answer: a local one is there at once or not at all.
const PATIENCE: Duration = Duration::from_millis(300);

/// A server that runs on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// The kind of server, judged by where it was found.
    pub provider: Provider,
    /// Where it is.
    pub address: String,
    /// The models that it serves. [`OfferedModel::name`] is what chooses a model.
    pub models: Vec<OfferedModel>,
}

/// Ask every usual place on loopback at once. A server without models is not worth offering.
pub(crate) fn detect(env: EnvLookup<'_>) -> impl Future<Output = Vec<LocalServer>> + Send + use<> {
    let places = Provider::ALL.into_iter().filter(|provider| provider.site() == ProviderSite::Local);
    // A setting that makes no sense is told when the provider is chosen, not when one looks around.
    let settings = places.filter_map(|provider| Some((provider, Settings::from_env(provider, env).ok()??)));
    let local = settings.filter(|(_, settings)| settings.url.host_str().is_some_and(is_this_machine));
    let probes: Vec<_> = local.map(|(provider, settings)| probe(provider, settings)).collect();
    async move { join_all(probes).await.into_iter().flatten().collect() }
}

async fn probe(provider: Provider, settings: Settings) -> Option<LocalServer> {
    let limits = HttpTimeouts { connect: PATIENCE, idle: PATIENCE };
    let http = HttpTransport::new(provider, &settings.url, settings.headers().ok()?, limits).ok()?;
    let link = ProviderLink {
        provider,
        transport: Arc::new(http),
        backoff: BackoffPolicy { attempts: 1, ..BackoffPolicy::network() },
        read_fault: fault::read_fault,
    };
    let listed = tokio::time::timeout(PATIENCE * 2, link.fetch(ProviderRequest::get("/models"))).await.ok()?.ok()?;
    let models = read_models(provider, &listed);
    (!models.is_empty()).then(|| LocalServer { provider, address: settings.url.to_string(), models })
}
