//! A secret that cannot be printed or stored by accident.

use crate::provider::Provider;
use crate::settings::SettingsError;
use reqwest::header::HeaderValue;

/// An API key. It has no `Debug`, no `Display` and no `Serialize`.
#[derive(Clone)]
pub(crate) struct ApiKey(String);

impl ApiKey {
    /// A key, if the text is not blank.
    pub(crate) fn new(text: &str) -> Option<ApiKey> {
        let text = text.trim();
        (!text.is_empty()).then(|| ApiKey(text.to_owned()))
    }

    /// The key itself, for a request's body. It goes nowhere else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The key behind `prefix`, as a header that is marked sensitive. `of` is named when it cannot be one.
    pub(crate) fn header(&self, prefix: &str, of: Provider) -> Result<HeaderValue, SettingsError> {
        let value = HeaderValue::try_from(format!("{prefix}{}", self.0));
        let mut value = value.map_err(|_| SettingsError::Key { variable: of.key_variable() })?;
        value.set_sensitive(true);
        Ok(value)
    }
}
