//! Prices of tokens, as the process that starts the seat knows them.

use crate::event::ModelUsage;
use std::fmt;
use std::sync::Arc;

type PriceFunction = dyn Fn(&str, &ModelUsage) -> Option<f64> + Send + Sync;

/// The price of one model call in US dollars, by the model's name and its tokens; `None` when it is not known.
#[derive(Clone)]
pub struct PriceLookup(Arc<PriceFunction>);

impl PriceLookup {
    /// Prices by this function.
    pub fn new(price: impl Fn(&str, &ModelUsage) -> Option<f64> + Send + Sync + 'static) -> PriceLookup {
        PriceLookup(Arc::new(price))
    }

    /// The price of one call.
    pub fn call_price(&self, model: &str, usage: &ModelUsage) -> Option<f64> {
        (self.0)(model, usage)
    }
}

impl fmt::Debug for PriceLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PriceLookup")
    }
}
