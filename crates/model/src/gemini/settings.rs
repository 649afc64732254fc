//! The address and the credentials of Gemini, from the environment.

use super::adc::Adc;
use super::address::GoogleService;
use super::names;
use crate::catalogue::CatalogueEntry;
use crate::provider::Provider;
use crate::settings::{EnvLookup, PlainHttp, SettingsError, given, read_url};
use crate::transport::ApiKey;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

const DEFAULT_VERSION: &str = "v1beta";
const VERTEX_VERSION: &str = "v1beta1";
/// Where Vertex AI is asked when a project names no region.
const USUAL_LOCATION: &str = "global";

/// The address and the credentials of a Gemini model.
pub(crate) struct Settings {
    /// The model's name.
    pub(super) model: String,
    /// Where it is.
    pub(super) place: GoogleService,
    /// Where credentials are looked for, when there is no key.
    pub(super) adc: Option<Adc>,
    /// The key. A gateway may need none.
    pub(super) key: Option<ApiKey>,
    /// Where the API is.
    pub(super) url: Url,
    /// The API's version, a path segment.
    pub(super) version: String,
    /// True if the key also travels as `Authorization: Bearer`.
    pub(super) bearer: bool,
    /// Headers added to every request.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Settings {
    /// The settings for the model of `entry`, or nothing when it cannot be reached. A Gemini model is asked on Vertex
    /// AI when its name or `GOOGLE_GENAI_USE_VERTEXAI` says so.
    pub(crate) fn find(entry: &CatalogueEntry, env: EnvLookup<'_>) -> Result<Option<Settings>, SettingsError> {
        match entry.provider {
            Provider::Vertex => Settings::on_vertex(&entry.id, env),
            _ if wants_vertex(env) => Settings::on_vertex(&entry.id, env)?.map(Some).ok_or(SettingsError::Vertex),
            _ => Settings::from_env(&entry.id, env),
        }
    }

    /// The settings for `model` on Vertex AI, or nothing when there is neither a key nor a project. A key comes first,
    /// as with Google's own client.
    pub(super) fn on_vertex(model: &str, env: EnvLookup<'_>) -> Result<Option<Settings>, SettingsError> {
        let given = |name: &str| given(env, name);
        let key = given(Provider::Vertex.key_variable()).and_then(|text| ApiKey::new(&text));
        let project = given("GOOGLE_CLOUD_PROJECT").or_else(|| given("GOOGLE_CLOUD_PROJECT_ID"));
        let (place, adc) = match (&key, project) {
            (Some(_), _) => (GoogleService::Express, None),
            (None, Some(project)) => {
                let location = given("GOOGLE_CLOUD_LOCATION").unwrap_or_else(|| USUAL_LOCATION.to_owned());
                (GoogleService::project(project, location)?, Some(Adc::from_env(env)))
            }
            (None, None) => return Ok(None),
        };
        let variable = Provider::Vertex.address_variable();
        let address = given(variable).unwrap_or_else(|| place.vertex_address());
        let url = read_url(variable, &address, PlainHttp::Loopback)?;
        let version = read_version(env, VERTEX_VERSION)?;
        let headers = read_headers(&given("GEMINI_CLI_CUSTOM_HEADERS").unwrap_or_default())?;
        if !names::is_name(model) {
            return Err(SettingsError::Model(model.to_owned()));
        }
        Ok(Some(Settings { model: model.to_owned(), place, adc, key, url, version, bearer: false, headers }))
    }

    /// The settings for `model` at the Gemini API, or nothing when neither a key nor an address is configured.
    pub(super) fn from_env(model: &str, env: EnvLookup<'_>) -> Result<Option<Settings>, SettingsError> {
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
        let version = read_version(env, DEFAULT_VERSION)?;
        let bearer = match given("GEMINI_API_KEY_AUTH_MECHANISM").as_deref() {
            None | Some("x-goog-api-key") => false,
            Some("bearer") => true,
            Some(other) => return Err(SettingsError::Mechanism(other.to_owned())),
        };
        let address = address.as_deref().unwrap_or(Provider::Gemini.usual_address());
        let url = read_url(variable, address, PlainHttp::Loopback)?;
        let headers = read_headers(&given("GEMINI_CLI_CUSTOM_HEADERS").unwrap_or_default())?;
        let (model, place, adc) = (model.to_owned(), GoogleService::Gemini, None);
        Ok(Some(Settings { model, place, adc, key, url, version, bearer, headers }))
    }

    /// True if Google can be reached: there is a key or an address, or Vertex AI is wanted.
    pub(crate) fn are_there(env: EnvLookup<'_>) -> bool {
        let names = ["GEMINI_API_KEY", "GOOGLE_API_KEY", Provider::Gemini.address_variable()];
        wants_vertex(env) || names.iter().any(|name| given(env, name).is_some())
    }

    /// True if Vertex AI can be reached: there is a key or a project.
    pub(crate) fn are_there_on_vertex(env: EnvLookup<'_>) -> bool {
        let names = [Provider::Vertex.key_variable(), "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"];
        names.iter().any(|name| given(env, name).is_some())
    }

    /// The provider that answers.
    pub(super) fn provider(&self) -> Provider {
        if self.place.is_vertex() { Provider::Vertex } else { Provider::Gemini }
    }

    /// Where a method of the model is, below the address.
    pub(super) fn path(&self, method: &str) -> String {
        format!("/{}/{}:{method}", self.version, self.place.model(&self.model))
    }

    /// Where models are listed.
    pub(super) fn list_path(&self) -> String {
        format!("/{}/{}", self.version, self.place.models())
    }

    /// Where cached contents are made.
    pub(super) fn cache_path(&self) -> String {
        format!("/{}/{}", self.version, self.place.caches())
    }

    /// Headers of every request.
    pub(super) fn all_headers(&self) -> Result<HeaderMap, SettingsError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            headers.insert("x-goog-api-key", key.header("", self.provider())?);
            if self.bearer {
                headers.insert(AUTHORIZATION, key.header("Bearer ", self.provider())?);
            }
        }
        headers.extend(self.headers.iter().cloned());
        Ok(headers)
    }
}

/// True if Gemini's models are to be asked on Vertex AI.
fn wants_vertex(env: EnvLookup<'_>) -> bool {
    given(env, "GOOGLE_GENAI_USE_VERTEXAI").is_some_and(|word| word == "1" || word.eq_ignore_ascii_case("true"))
}

fn read_version(env: EnvLookup<'_>, usual: &str) -> Result<String, SettingsError> {
    let version = given(env, "GOOGLE_GENAI_API_VERSION").unwrap_or_else(|| usual.to_owned());
    if version.chars().all(|c| c.is_ascii_alphanumeric()) { Ok(version) } else { Err(SettingsError::Version(version)) }
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
