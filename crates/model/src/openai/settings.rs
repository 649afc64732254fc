//! The address and the credentials of a server that speaks OpenAI's format.

use crate::provider::{Provider, ProviderSite};
use crate::settings::{EnvLookup, PlainHttp, SettingsError, given, read_url};
use crate::transport::ApiKey;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};

/// Where the server is, and the key it wants.
pub(crate) struct Settings {
    provider: Provider,
    /// Where `/chat/completions` is.
    pub(crate) url: Url,
    key: Option<ApiKey>,
}

impl Settings {
    /// The settings for `provider`, or nothing when it needs a key or an address and has neither.
    pub(crate) fn from_env(provider: Provider, env: EnvLookup<'_>) -> Result<Option<Settings>, SettingsError> {
        let key = given(env, provider.key_variable()).and_then(|text| ApiKey::new(&text));
        let variable = provider.address_variable();
        let address = given(env, variable);
        if provider.site() == ProviderSite::Cloud && key.is_none() && address.is_none() {
            return Ok(None);
        }
        let address = match address {
            Some(host) if provider == Provider::Ollama => ollama(&host),
            Some(address) => address,
            None => provider.usual_address().to_owned(),
        };
        let plain = if key.is_none() { PlainHttp::Anywhere } else { PlainHttp::Loopback };
        Ok(Some(Settings { provider, url: read_url(variable, &address, plain)?, key }))
    }

    /// Headers of every request.
    pub(crate) fn headers(&self) -> Result<HeaderMap, SettingsError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.header("Bearer ", self.provider)?);
        }
        Ok(headers)
    }
}

/// `OLLAMA_HOST` is also what the server binds to: scheme and port may be missing, and it may mean every interface.
fn ollama(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    let has_port = place.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let (name, port) = match place.rsplit_once(':') {
        Some((name, port)) if has_port && !name.ends_with(':') => (name, format!(":{port}")),
        _ if scheme == "https" => (place, String::new()),
        _ => (place, ":11434".to_owned()),
    };
    let name = if matches!(name, "" | "0.0.0.0" | "[::]") { "127.0.0.1" } else { name };
    let path = path.trim_end_matches('/');
    let path = if path.is_empty() { "v1" } else { path };
    format!("{scheme}://{name}{port}/{path}")
}

#[cfg(test)]
mod tests;
