//! The network side: one reqwest client per model.

use super::{Ask, Reply, Transport};
use crate::error::ModelError;
use crate::provider::Provider;
use crate::settings::SettingsError;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use reqwest::{Client, Url, redirect};
use std::error::Error;
use std::time::Duration;

/// How long to wait for what. There is no limit on a whole answer.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// For a connection.
    pub(crate) connect: Duration,
    /// For the next byte. Thinking models may be quiet for minutes.
    pub(crate) idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connect: Duration::from_secs(20), idle: Duration::from_secs(300) }
    }
}

/// Sends to one provider.
pub(crate) struct Http {
    provider: Provider,
    client: Client,
    root: String,
    host: String,
}

impl Http {
    /// A client for `root` that sends `headers` with every request. The TLS provider is installed here, by the first
    /// one made.
    pub(crate) fn new(
        provider: Provider,
        root: &Url,
        mut headers: HeaderMap,
        limits: Limits,
    ) -> Result<Http, SettingsError> {
        // An error means that one is installed already, which is what is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let os = (std::env::consts::OS, std::env::consts::ARCH);
        if let Ok(agent) = HeaderValue::try_from(format!("pollux/{} ({}; {})", env!("CARGO_PKG_VERSION"), os.0, os.1)) {
            headers.entry(USER_AGENT).or_insert(agent);
        }
        let mut builder = Client::builder()
            .connect_timeout(limits.connect)
            .read_timeout(limits.idle)
            // A redirect would carry the key to wherever it points.
            .redirect(redirect::Policy::none());
        if root.scheme() == "http" {
            // In plain text only one's own servers are reached: neither the system's certificates nor a proxy are
            // needed for them.
            builder = builder.tls_certs_only([]).no_proxy();
        }
        let client = builder.default_headers(headers).build();
        let client = client.map_err(|error| SettingsError::Client(chain(&error)))?;
        let host = root.host_str().unwrap_or_default().to_owned();
        Ok(Http { provider, client, root: root.as_str().trim_end_matches('/').to_owned(), host })
    }
}

impl Transport for Http {
    fn send(&self, ask: &Ask) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let url = format!("{}{}", self.root, ask.path);
        let request = match &ask.body {
            Some(body) => self.client.post(url).json(&**body),
            None => self.client.get(url),
        };
        let (provider, host) = (self.provider, self.host.clone());
        async move {
            let unreachable =
                |error: reqwest::Error| ModelError::Net { provider, host, message: chain(&error.without_url()) };
            let response = request.send().await.map_err(unreachable)?;
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
