//! The address and the credentials of Anthropic.

use crate::provider::Provider;
use crate::settings::{EnvLookup, PlainHttp, SettingsError, given, read_url};
use crate::transport::ApiKey;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};

/// The version of the API that is spoken.
const VERSION: &str = "2023-06-01";

/// Where the API is, and the key.
pub(crate) struct Settings {
    /// Where `/v1/messages` is.
    pub(crate) url: Url,
    key: Option<ApiKey>,
}

impl Settings {
    /// The settings from the environment; nothing when neither a key nor an address is configured.
    pub(crate) fn from_env(env: EnvLookup<'_>) -> Result<Option<Settings>, SettingsError> {
        let key = given(env, Provider::Anthropic.key_variable()).and_then(|text| ApiKey::new(&text));
        let variable = Provider::Anthropic.address_variable();
        let address = given(env, variable);
        if key.is_none() && address.is_none() {
            return Ok(None);
        }
        let address = address.as_deref().unwrap_or(Provider::Anthropic.usual_address());
        Ok(Some(Settings { url: read_url(variable, address, PlainHttp::Loopback)?, key }))
    }

    /// Headers of every request.
    pub(super) fn headers(&self) -> Result<HeaderMap, SettingsError> {
        let mut headers = HeaderMap::from_iter([(
            reqwest::header::HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static(VERSION),
        )]);
        if let Some(key) = &self.key {
            headers.insert("x-api-key", key.header("", Provider::Anthropic)?);
        }
        Ok(headers)
    }
}
