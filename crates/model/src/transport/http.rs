//! The network side: one reqwest client per model.

use super::{ModelTransport, ProviderRequest, ProviderResponse};
use crate::error::ModelError;
use crate::provider::Provider;
use crate::settings::{SettingsError, is_this_machine};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use pollux_session::describe_error_chain;
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use reqwest::{Client, Url, redirect};
use std::error::Error;
use std::io;
use std::time::Duration;

/// The time limits of a request. There is no limit on a whole answer.
#[derive(Clone, Copy)]
pub(crate) struct HttpTimeouts {
    /// For a connection.
    pub(crate) connect: Duration,
    /// For the next byte. Thinking models may be quiet for minutes.
    pub(crate) idle: Duration,
}

impl Default for HttpTimeouts {
    fn default() -> HttpTimeouts {
        HttpTimeouts { connect: Duration::from_secs(20), idle: Duration::from_secs(300) }
    }
}

/// Sends to one provider.
pub(crate) struct HttpTransport {
    provider: Provider,
    client: Client,
    root: String,
    host: String,
    /// Host and port, when they are on this machine.
    own: Option<String>,
}

impl HttpTransport {
    /// A sender to `root` that adds `headers` to every request.
    pub(crate) fn new(
        provider: Provider,
        root: &Url,
        mut headers: HeaderMap,
        limits: HttpTimeouts,
    ) -> Result<HttpTransport, SettingsError> {
        let os = (std::env::consts::OS, std::env::consts::ARCH);
        if let Ok(agent) = HeaderValue::try_from(format!("pollux/{} ({}; {})", env!("CARGO_PKG_VERSION"), os.0, os.1)) {
            headers.entry(USER_AGENT).or_insert(agent);
        }
        let client = client(root, headers, limits)?;
        let host = root.host_str().unwrap_or_default().to_owned();
        let port = root.port_or_known_default().unwrap_or_default();
        let own = is_this_machine(&host).then(|| format!("{host}:{port}"));
        Ok(HttpTransport { provider, client, root: root.as_str().trim_end_matches('/').to_owned(), host, own })
    }

    /// Send `ask` with headers of its own.
    pub(crate) fn send_with(
        &self,
        ask: &ProviderRequest,
        own: HeaderMap,
    ) -> BoxFuture<'static, Result<ProviderResponse, ModelError>> {
        let url = format!("{}{}", self.root, ask.path);
        let request = match &ask.body {
            Some(body) => self.client.post(url).json(&**body),
            None => self.client.get(url),
        };
        let request = request.headers(own);
        let (provider, host, nearby) = (self.provider, self.host.clone(), self.own.clone());
        async move {
            let unreachable = |error: reqwest::Error| match nearby {
                Some(address) if is_refused(&error) => ModelError::NoServer { provider, address },
                _ => ModelError::Net { provider, host, message: describe_error_chain(&error.without_url()) },
            };
            let response = request.send().await.map_err(unreachable)?;
            let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            Ok(ProviderResponse {
                status: response.status().as_u16(),
                retry_after: retry_after.map(Duration::from_secs),
                body: response.bytes_stream().map_err(|error| describe_error_chain(&error.without_url())).boxed(),
            })
        }
        .boxed()
    }
}

impl ModelTransport for HttpTransport {
    fn send(&self, ask: &ProviderRequest) -> BoxFuture<'static, Result<ProviderResponse, ModelError>> {
        self.send_with(ask, HeaderMap::new())
    }
}

/// A client for `root` that sends `headers` with every request. The TLS provider is installed here, by the first one
/// made.
pub(crate) fn client(root: &Url, headers: HeaderMap, limits: HttpTimeouts) -> Result<Client, SettingsError> {
    // An error means that one is installed already, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .connect_timeout(limits.connect)
        .read_timeout(limits.idle)
        // A redirect would carry the key to wherever it points.
        .redirect(redirect::Policy::none());
    if root.scheme() == "http" {
        // In plain text only one's own servers are reached: neither the system's certificates nor a proxy are needed
        // for them.
        builder = builder.tls_certs_only([]).no_proxy();
    }
    builder.default_headers(headers).build().map_err(|error| SettingsError::Client(describe_error_chain(&error)))
}

/// True if nothing listens on the machine that was called.
fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        let refused = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        if inner.downcast_ref::<io::Error>().is_some_and(refused) {
            return true;
        }
        cause = inner.source();
    }
    false
}

#[cfg(test)]
mod tests;
