//! Text that is never shown.

/// A secret: it can be used and not printed, because it has neither `Debug` nor `Serialize`.
#[derive(Clone)]
pub(crate) struct ConfigSecret(String);

impl ConfigSecret {
    pub(crate) fn new(text: String) -> ConfigSecret {
        ConfigSecret(text)
    }

    /// The text itself, for whoever has to send it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}
