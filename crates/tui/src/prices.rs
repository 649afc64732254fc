//! What tokens cost, as whoever starts the seat knows it.

use pollux_session::Usage;
use std::fmt;
use std::sync::Arc;

type Price = dyn Fn(&str, &Usage) -> Option<f64> + Send + Sync;

/// The price of one model call in US dollars, by the model's name and its tokens; `None` when it is not known.
#[derive(Clone)]
pub struct Prices(Arc<Price>);

impl Prices {
    /// Prices by this function.
    pub fn new(price: impl Fn(&str, &Usage) -> Option<f64> + Send + Sync + 'static) -> Prices {
        Prices(Arc::new(price))
    }

    pub(crate) fn of(&self, model: &str, usage: &Usage) -> Option<f64> {
        (self.0)(model, usage)
    }
}

impl fmt::Debug for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prices")
    }
}
