//! Changes of one file, as a unified diff.

use similar::{Algorithm, TextDiff};
use std::time::Duration;

/// After this long the diff gets coarser instead of better.
const PATIENCE: Duration = Duration::from_millis(500);

/// The change from `old` to `new` for display. Empty when nothing changes.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers).timeout(PATIENCE);
    config.diff_lines(old, new).unified_diff().context_radius(3).header(name, name).to_string()
}
