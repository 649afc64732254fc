//! The network side: one reqwest client per model.

use super::exchange::{Reply, Transport};
use super::settings::{Settings, SettingsError};
use crate::error::ModelError;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use reqwest::{Client, redirect};
use serde_json::Value;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// How long to wait for what. There is no limit on a whole answer.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// For a connection.
    pub(super) connect: Duration,
    /// For the next byte. Thinking models may be quiet for minutes.
    pub(super) idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connect: Duration::from_secs(20), idle: Duration::from_secs(300) }
    }
}

/// Posts to one endpoint.
pub(super) struct Http {
    client: Client,
    endpoint: String,
    host: String,
}

impl Http {
    /// A client with every header set. The TLS provider is installed here, by the first one made.
    pub(super) fn new(settings: &Settings, limits: Limits) -> Result<Http, SettingsError> {
        // An error means that one is installed already, which is what is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let endpoint = settings.endpoint();
        let host = settings.url.host_str().unwrap_or_default().to_owned();
        let mut builder = Client::builder()
            .connect_timeout(limits.connect)
            .read_timeout(limits.idle)
            // A redirect would carry the key to wherever it points.
            .redirect(redirect::Policy::none());
        if settings.url.scheme() == "http" {
            // Only this machine is reached in plain text: the system's certificates are not needed for it, nor a proxy.
            builder = builder.tls_certs_only([]).no_proxy();
        }
        let client = builder.default_headers(headers(settings)?).build();
        let client = client.map_err(|error| SettingsError::Client(chain(&error)))?;
        Ok(Http { client, endpoint, host })
    }
}

impl Transport for Http {
    fn post(&self, body: Arc<Value>) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let request = self.client.post(&self.endpoint).json(&*body);
        let host = self.host.clone();
        async move {
            let response =
                request.send().await.map_err(|error| ModelError::Net { host, message: chain(&error.without_url()) })?;
            let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            Ok(Reply {
                status: response.status().as_u16(),
                retry_after: retry_after.map(Duration::from_secs),
                body: response.bytes_stream().map_err(|error| chain(&error.without_url())).boxed(),
            })
        }
        .boxed()
    }
}

fn headers(settings: &Settings) -> Result<HeaderMap, SettingsError> {
    let mut headers = HeaderMap::new();
    let agent = format!("pollux/{} ({}; {})", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    if let Ok(agent) = HeaderValue::try_from(agent) {
        headers.insert(USER_AGENT, agent);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = &settings.key {
        headers.insert("x-goog-api-key", key.header("").map_err(|_| SettingsError::Key)?);
        if settings.bearer {
            headers.insert(AUTHORIZATION, key.header("Bearer ").map_err(|_| SettingsError::Key)?);
        }
    }
    headers.extend(settings.headers.iter().cloned());
    Ok(headers)
}

/// An error with its causes: reqwest keeps what really happened in the last one.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests;
