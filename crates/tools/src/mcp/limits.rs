//! Limits of a server.

use std::time::Duration;

/// Limits of a server, beyond which it is stopped or its call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpLimits {
    /// The time to get ready. Generous, because some programs are downloaded first, and nobody waits.
    pub start: Duration,
    /// The time of a call, unless the server's entry says otherwise.
    pub call: Duration,
    /// The time to answer a ping, once a call has taken too long.
    pub ping: Duration,
    /// The most bytes of one message.
    pub message: usize,
    /// The most messages in ten seconds.
    pub messages: u32,
    /// The number of times in a row that a server that died is started again.
    pub restarts: u32,
    /// The wait before the first of them; each one doubles it.
    pub backoff: Duration,
    /// After this long without trouble, earlier restarts no longer count.
    pub steady: Duration,
}

impl Default for McpLimits {
    fn default() -> McpLimits {
        McpLimits {
            start: Duration::from_secs(60),
            call: Duration::from_secs(600),
            ping: Duration::from_secs(10),
            message: 16 * 1024 * 1024,
            messages: 5_000,
            restarts: 5,
            backoff: Duration::from_secs(1),
            steady: Duration::from_secs(60),
        }
    }
}
