//! The wait before the next attempt.

use super::PushRetryPolicy;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The longest that a receiver may put us off.
const LONGEST_PUT_OFF: Duration = Duration::from_secs(60 * 60);

impl PushRetryPolicy {
    /// The wait after `failures` in a row, of which the last asked for a wait of its own. `luck` spreads receivers that
    /// failed together, so that they are not all tried again together.
    pub(super) fn wait(&self, failures: u32, asked: Option<Duration>, luck: u8) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let wait = self.first_wait.saturating_mul(doubled).min(self.longest_wait);
        let spread = wait / 2 + wait.mul_f64(f64::from(luck) / f64::from(u8::MAX) / 2.0);
        asked.map_or(spread, |asked| spread.max(asked.min(LONGEST_PUT_OFF)))
    }
}

/// A `Retry-After` header: seconds, or a date.
pub(super) fn read_retry_after(value: &str, now: jiff::Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}
