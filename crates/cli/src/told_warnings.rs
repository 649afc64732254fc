//! Warnings about settings, each told once in the life of the process: they are found anew whenever settings are read.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// How many are remembered. Settings of more workspaces than a person has are somebody's game.
const REMEMBERED: usize = 1024;

/// The warnings that were told. Clones remember the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToldWarnings(Arc<Mutex<HashSet<String>>>);

impl ToldWarnings {
    /// Tell `warning`, unless it was told before.
    pub(crate) fn warn_once(&self, warning: &str) {
        if self.is_new(warning) {
            tracing::warn!("{warning}");
        }
    }

    fn is_new(&self, warning: &str) -> bool {
        let mut told = self.0.lock();
        told.len() < REMEMBERED && told.insert(warning.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::ToldWarnings;

    #[test]
    fn a_warning_is_new_once() {
        let told = ToldWarnings::default();
        let (first, again, other) = (told.is_new("a"), told.clone().is_new("a"), told.is_new("b"));
        assert_eq!((first, again, other), (true, false, true));
    }
}
