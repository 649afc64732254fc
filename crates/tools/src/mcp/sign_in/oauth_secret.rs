//! Text that is sent and kept, and never shown.

/// A secret: without `Debug` and `Serialize`, so that nothing prints it by accident.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct OauthSecret(String);

impl OauthSecret {
    pub(super) fn new(text: impl Into<String>) -> OauthSecret {
        OauthSecret(text.into())
    }

    /// The text itself, for whoever has to send or keep it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}
