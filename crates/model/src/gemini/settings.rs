//! What the environment says about reaching Gemini.

use super::key::ApiKey;
use super::names;
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use std::net::IpAddr;
use thiserror::Error;

const DEFAULT_URL: &str = "https://generativelanguage.googleapis.com";
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

/// What in the environment does not make sense. No message repeats a value that may be secret.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// The name cannot be a model's.
    #[error("{0:?} cannot be a model's name: letters, digits and - _ . : @ only")]
    Model(String),
    /// The address is not usable.
    #[error("GOOGLE_GEMINI_BASE_URL is not usable: {0}; write it like https://gateway.example/path")]
    Url(String),
    /// A key would travel unprotected.
    #[error("GOOGLE_GEMINI_BASE_URL is plain http to another machine; use https, or an address on this machine")]
    PlainHttp,
    /// The version is not a path segment.
    #[error("GOOGLE_GENAI_API_VERSION {0:?} is not a version; write it like v1beta")]
    Version(String),
    /// The mechanism is unknown.
    #[error("GEMINI_API_KEY_AUTH_MECHANISM {0:?} is unknown; use x-goog-api-key or bearer")]
    Mechanism(String),
    /// A header does not parse.
    #[error("GEMINI_CLI_CUSTOM_HEADERS: entry {0} is not a header; write it like Name: value, Other: value")]
    Header(usize),
    /// The key cannot be a header.
    #[error("the API key has characters that no key has; check GEMINI_API_KEY")]
    Key,
    /// The HTTP client does not start.
    #[error("cannot start the HTTP client: {0}")]
    Client(String),
}

impl Settings {
    /// How to reach `model` (a name or a short form), or nothing when neither a key nor an address is configured.
    pub(crate) fn from_env(
        model: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Settings>, SettingsError> {
        let given = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let key = ["GEMINI_API_KEY", "GOOGLE_API_KEY"].iter().find_map(|name| ApiKey::new(&given(name)?));
        let address = given("GOOGLE_GEMINI_BASE_URL");
        if key.is_none() && address.is_none() {
            return Ok(None);
        }
        let model = names::resolve(model).to_owned();
        if !names::is_name(&model) {
            return Err(SettingsError::Model(model));
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
        let url = read_url(address.as_deref().unwrap_or(DEFAULT_URL))?;
        let headers = read_headers(&given("GEMINI_CLI_CUSTOM_HEADERS").unwrap_or_default())?;
        Ok(Some(Settings { model, key, url, version, bearer, headers }))
    }

    /// One line for a status line: the model, and the host when it is not Google's.
    pub(super) fn label(&self) -> String {
        match self.url.host_str() {
            Some(host) if !DEFAULT_URL.ends_with(host) => format!("{} at {host}", self.model),
            _ => self.model.clone(),
        }
    }

    /// Where answers are streamed from.
    pub(super) fn endpoint(&self) -> String {
        let root = self.url.as_str().trim_end_matches('/');
        format!("{root}/{}/models/{}:streamGenerateContent?alt=sse", self.version, self.model)
    }
}

fn read_url(text: &str) -> Result<Url, SettingsError> {
    let url = Url::parse(text).map_err(|error| SettingsError::Url(error.to_string()))?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err(SettingsError::Url("it has a query, a fragment or a user name".to_owned()));
    }
    match (url.scheme(), url.host_str()) {
        ("https", Some(_)) => Ok(url),
        ("http", Some(host)) if is_this_machine(host) => Ok(url),
        ("http", Some(_)) => Err(SettingsError::PlainHttp),
        (scheme, _) => Err(SettingsError::Url(format!("{scheme} is neither http nor https"))),
    }
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
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
