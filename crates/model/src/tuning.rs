//! Settings that hold for every engine, whichever model it is.

use crate::catalogue::CatalogueEntry;
use crate::info::ThinkingEffort;
use crate::transport::BackoffPolicy;
use std::time::Duration;

/// Settings that hold for every engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModelTuning {
    /// The thinking effort; as each provider recommends if not given.
    pub(crate) effort: Option<ThinkingEffort>,
    /// The number of attempts to start a call.
    pub(crate) attempts: Option<u32>,
    /// For how long instructions and tools are kept with providers that are paid for it. Not at all if not given.
    pub(crate) cache: Option<Duration>,
}

impl ModelTuning {
    /// The policy by which calls over the network are tried again.
    pub(crate) fn backoff(&self) -> BackoffPolicy {
        let usual = BackoffPolicy::network();
        BackoffPolicy { attempts: self.attempts.unwrap_or(usual.attempts).max(1), ..usual }
    }

    /// For how long the beginning of requests to this model is kept.
    pub(crate) fn cache_for(&self, entry: &CatalogueEntry) -> Option<Duration> {
        let own = entry.cache_minutes.map(|minutes| Duration::from_secs(u64::from(minutes) * 60));
        own.or(self.cache)
    }
}
