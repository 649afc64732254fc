//! The time of day, for ages of entries and for the frame that is drawn.

use pollux_session::UnixMillis;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time now. A clock before 1970 counts as 1970.
pub(crate) fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
