//! The models a person may choose, as whoever starts the seat knows them.

use pollux_session::Pending;
use std::fmt;
use std::sync::Arc;

type Look = dyn Fn() -> Pending<'static, Vec<String>> + Send + Sync;

/// What `/model` offers: a line for each model, with the name that chooses it first. Looked up when somebody asks.
#[derive(Clone)]
pub struct Offers(Arc<Look>);

impl Offers {
    /// Offers by this function.
    pub fn new(look: impl Fn() -> Pending<'static, Vec<String>> + Send + Sync + 'static) -> Offers {
        Offers(Arc::new(look))
    }

    pub(crate) async fn lines(&self) -> Vec<String> {
        (self.0)().await
    }
}

impl fmt::Debug for Offers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Offers")
    }
}
