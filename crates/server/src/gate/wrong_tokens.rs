//! Wrong tokens, counted per peer: after some of them each further one is answered with 429. A right token always passes, so
//! nobody is kept out by what others at the same address try.

use super::peer::PeerIdentity;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The most wrong tokens that a peer may send at once.
const BURST: u32 = 20;
/// The wait until it may send one more.
const PAUSE: Duration = Duration::from_secs(3);
/// The most peers that are remembered. The one whose last attempt is oldest is forgotten first.
const PEERS: usize = 1024;

/// The wrong tokens of one listener.
#[derive(Default)]
pub(super) struct WrongTokens(Mutex<HashMap<PeerIdentity, Attempts>>);

struct Attempts {
    /// The number of attempts that count against the peer, as of `last`.
    count: u32,
    last: Instant,
}

impl WrongTokens {
    /// Counts a wrong token; an error says in how many seconds the peer may try again.
    pub(super) fn count(&self, peer: PeerIdentity, now: Instant) -> Result<(), u32> {
        let mut peers = self.0.lock();
        if peers.len() >= PEERS
            && !peers.contains_key(&peer)
            && let Some(oldest) = peers.iter().min_by_key(|(_, attempts)| attempts.last).map(|(peer, _)| *peer)
        {
            peers.remove(&oldest);
        }
        let attempts = peers.entry(peer).or_insert(Attempts { count: 0, last: now });
        let pauses = now.saturating_duration_since(attempts.last).as_millis() / PAUSE.as_millis();
        let forgiven = u32::try_from(pauses).unwrap_or(u32::MAX);
        attempts.count = attempts.count.saturating_sub(forgiven);
        // Time that has not earned a whole attempt yet still counts.
        attempts.last += PAUSE.saturating_mul(forgiven.min(u32::from(u16::MAX)));
        if attempts.count == 0 {
            attempts.last = now;
        }
        if attempts.count >= BURST {
            let wait = PAUSE.saturating_sub(now.saturating_duration_since(attempts.last));
            return Err(u32::try_from(wait.as_secs() + 1).unwrap_or(u32::MAX));
        }
        attempts.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
