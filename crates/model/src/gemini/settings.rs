//! What the environment says about reaching Gemini.

use super::names;
use crate::provider::Provider;
use crate::settings::{Env, Plain, SettingsError, given, read_url};
use crate::transport::ApiKey;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

const DEFAULT_VERSION: &str = "v1beta";

/// How to reach a Gemini model.
pub(crate) struct Settings {
    /// The model's full name.
    pub(super) model: String,
    /// The key. A gateway may need none.
    pub(super) key: Option<ApiKey>,
    /// Where the API is.
    pub(super) url: Url,
    /// The API's version, a path segment.
    pub(super) version: String,
    /// Whether the key also travels as `Authorization: Bearer`.
    pub(super) bearer: bool,
    /// Headers added to every request.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Settings {
    /// How to reach `model`, or nothing when neither a key nor an address is configured.
    pub(crate) fn from_env(model: &str, env: Env<'_>) -> Result<Option<Settings>, SettingsError> {
        let given = |name: &str| given(env, name);
        let key = ["GEMINI_API_KEY", "GOOGLE_API_KEY"].iter().find_map(|name| ApiKey::new(&given(name)?));
        let variable = Provider::Gemini.address_variable();
        let address = given(variable);
        if key.is_none() && address.is_none() {
            return Ok(None);
        }
        if !names::is_name(model) {
            return Err(SettingsError::Model(model.to_owned()));
        }
        let version = given("GOOGLE_GENAI_API_VERSION").unwrap_or_else(|| DEFAULT_VERSION.to_owned());
        if !version.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(SettingsError::Version(version));
        }
        let bearer = match given("GEMINI_API_KEY_AUTH_MECHANISM").as_deref() {
            None | Some("x-goog-api-key") => false,
            Some("bearer") => true,
            Some(other) => return Err(SettingsError::Mechanism(other.to_owned())),
        };
        let address = address.as_deref().unwrap_or(Provider::Gemini.usual_address());
        let url = read_url(variable, address, Plain::Loopback)?;
        let headers = read_headers(&given("GEMINI_CLI_CUSTOM_HEADERS").unwrap_or_default())?;
        Ok(Some(Settings { model: model.to_owned(), key, url, version, bearer, headers }))
    }

    /// Whether there is a key or an address.
    pub(crate) fn are_there(env: Env<'_>) -> bool {
        let names = ["GEMINI_API_KEY", "GOOGLE_API_KEY", Provider::Gemini.address_variable()];
        names.iter().any(|name| given(env, name).is_some())
    }

    /// Where a method of the model is, below the address.
    pub(super) fn path(&self, method: &str) -> String {
        format!("/{}/models/{}:{method}", self.version, self.model)
    }

    /// What is sent along with every request.
    pub(super) fn all_headers(&self) -> Result<HeaderMap, SettingsError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            headers.insert("x-goog-api-key", key.header("", Provider::Gemini)?);
            if self.bearer {
                headers.insert(AUTHORIZATION, key.header("Bearer ", Provider::Gemini)?);
            }
        }
        headers.extend(self.headers.iter().cloned());
        Ok(headers)
    }
}

/// `Name: value, Other: value`. A comma starts a new header only where a name and a colon follow, so values may hold
/// commas.
fn read_headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, SettingsError> {
    let mut entries: Vec<String> = Vec::new();
    for piece in text.split(',') {
        let name = piece.split_once(':').map(|(name, _)| name.trim());
        let starts_header = name.is_some_and(|name| HeaderName::try_from(name).is_ok());
        match entries.last_mut() {
            Some(last) if !starts_header => {
                last.push(',');
                last.push_str(piece);
            }
            _ if piece.trim().is_empty() => {}
            _ => entries.push(piece.to_owned()),
        }
    }
    entries.iter().enumerate().map(|(at, entry)| read_header(entry).ok_or(SettingsError::Header(at + 1))).collect()
}

fn read_header(entry: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = entry.split_once(':')?;
    let mut value = HeaderValue::try_from(value.trim()).ok()?;
    value.set_sensitive(true);
    Some((HeaderName::try_from(name.trim()).ok()?, value))
}

#[cfg(test)]
mod tests;
