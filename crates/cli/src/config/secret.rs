//! Text that is never shown.

/// A secret: it can be used and not printed, because it has neither `Debug` nor `Serialize`.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: String) -> Secret {
        Secret(text)
    }

    /// The text itself, for whoever has to send it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}
