//! Text that is sent and kept, and never shown.

/// A secret: without `Debug` and `Serialize`, so that nothing prints it by accident.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text itself, for whoever has to send or keep it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}
