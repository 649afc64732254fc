//! A secret that cannot be printed or stored by accident.

use reqwest::header::{HeaderValue, InvalidHeaderValue};

/// An API key. It has no `Debug`, no `Display` and no `Serialize`.
#[derive(Clone)]
pub(super) struct ApiKey(String);

impl ApiKey {
    /// A key, if the text is not blank.
    pub(super) fn new(text: &str) -> Option<ApiKey> {
        let text = text.trim();
        (!text.is_empty()).then(|| ApiKey(text.to_owned()))
    }

    /// The key behind `prefix`, as a header that is marked sensitive.
    pub(super) fn header(&self, prefix: &str) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = HeaderValue::try_from(format!("{prefix}{}", self.0))?;
        value.set_sensitive(true);
        Ok(value)
    }
}
