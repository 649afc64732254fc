//! The length of tests that hunt for rare failures, and the source of their random numbers.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of rounds: `usual` ones, ten times as many when `POLLUX_SLOW` is set.
pub fn rounds(usual: usize) -> usize {
    if std::env::var_os("POLLUX_SLOW").is_some_and(|value| value != "0") { usual * 10 } else { usual }
}

/// The seed of this run, from `POLLUX_SEED` if that is set. It is printed, so that a failure can be played again.
pub fn seed() -> u64 {
    let given = std::env::var("POLLUX_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seed = given.unwrap_or_else(now);
    // A test's standard error is shown when it fails; if it is closed nobody would have read it.
    let _ = writeln!(std::io::stderr(), "POLLUX_SEED={seed}");
    seed
}
