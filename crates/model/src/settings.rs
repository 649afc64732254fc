//! Settings of providers from the environment, and the errors in them.

use reqwest::Url;
use std::net::IpAddr;
use thiserror::Error;

/// Reads an environment variable.
pub(crate) type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A variable of the environment that makes no sense. No message repeats a value that may be secret.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// The name cannot be a model's.
    #[error("{0:?} cannot be a model's name: letters, digits and - _ . : @ only, and / behind a provider's word")]
    Model(String),
    /// An address is not usable.
    #[error("{variable} is not usable: {why}; write it like https://gateway.example/path")]
    Url {
        /// Where it was read.
        variable: &'static str,
        why: String,
    },
    /// A key would travel unprotected.
    #[error("{variable} is plain http to another machine; use https, or an address on this machine")]
    PlainHttp {
        /// Where it was read.
        variable: &'static str,
    },
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
    #[error("the API key has characters that no key has; check {variable}")]
    Key {
        /// Where it was read.
        variable: &'static str,
    },
    /// Vertex AI is wanted and there is no way to it.
    #[error(
        "GOOGLE_GENAI_USE_VERTEXAI is set, but neither GOOGLE_API_KEY nor GOOGLE_CLOUD_PROJECT is; set one of them \
         (and GOOGLE_CLOUD_LOCATION), or unset it"
    )]
    Vertex,
    /// A project or a region is none.
    #[error("{variable} {value:?} cannot be part of an address; letters, digits and - only")]
    Place {
        /// Where it was read.
        variable: &'static str,
        value: String,
    },
    /// The HTTP client does not start.
    #[error("cannot start the HTTP client: {0}")]
    Client(String),
}

/// The permission for plain http to leave this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainHttp {
    /// Only on this machine: a key may travel.
    Loopback,
    /// To a person's own server, without a key.
    Anywhere,
}

/// The value of a variable, if it is not blank.
pub(crate) fn given(env: EnvLookup<'_>, name: &str) -> Option<String> {
    env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The address in `variable`.
pub(crate) fn read_url(variable: &'static str, text: &str, plain: PlainHttp) -> Result<Url, SettingsError> {
    let unusable = |why: String| SettingsError::Url { variable, why };
    let url = Url::parse(text).map_err(|error| unusable(error.to_string()))?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err(unusable("it has a query, a fragment or a user name".to_owned()));
    }
    match (url.scheme(), url.host_str()) {
        ("https", Some(_)) => Ok(url),
        ("http", Some(host)) if plain == PlainHttp::Anywhere || is_this_machine(host) => Ok(url),
        ("http", Some(_)) => Err(SettingsError::PlainHttp { variable }),
        (scheme, _) => Err(unusable(format!("{scheme} is neither http nor https"))),
    }
}

/// True if a host is this machine and nothing else.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
