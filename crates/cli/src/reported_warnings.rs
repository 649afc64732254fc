//! Warnings about settings, each reported once in the life of the process: they are found anew whenever settings are read.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// The most warnings that are remembered. Settings of more workspaces than a person has are somebody's game.
const REMEMBERED: usize = 1024;

/// The warnings that were reported. Clones remember the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportedWarnings(Arc<Mutex<HashSet<String>>>);

impl ReportedWarnings {
    /// Report `warning`, unless it was reported before.
    pub(crate) fn warn_once(&self, warning: &str) {
        if self.is_new(warning) {
            tracing::warn!("{warning}");
        }
    }

    fn is_new(&self, warning: &str) -> bool {
        let mut reported = self.0.lock();
        reported.len() < REMEMBERED && reported.insert(warning.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::ReportedWarnings;

    #[test]
    fn a_warning_is_new_once() {
        let reported = ReportedWarnings::default();
        let (first, again, other) = (reported.is_new("a"), reported.clone().is_new("a"), reported.is_new("b"));
        assert_eq!((first, again, other), (true, false, true));
    }
}
