//! Pieces for the log: the first mebibyte in full, then a throttled tail that says how much it leaves out.

use super::LOGGED_HEAD;
use super::sequences::{whole_from, whole_until};
use std::time::Duration;
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The time between two pieces of the head.
const HEAD_PACE: Duration = Duration::from_millis(100);
/// The time between two pieces of the tail. Slower, because a command may print for hours.
const TAIL_PACE: Duration = Duration::from_secs(1);
/// The most one piece of the tail holds.
const TAIL_PIECE: usize = 16 * 1024;

/// Text on its way to the log.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Bytes that went to the head so far, sent or not.
    head_len: usize,
    head_full: bool,
    head: String,
    tail: String,
    /// Bytes between the last piece and `tail` that are in no piece.
    skipped: u64,
    /// Whether anything was ever skipped.
    has_gaps: bool,
    last_sent: Option<Instant>,
}

impl Live {
    /// Add what comes next.
    pub(crate) fn push(&mut self, text: &str) {
        let mut rest = text;
        if !self.head_full {
            let fits = whole_until(text, LOGGED_HEAD - self.head_len);
            self.head.push_str(&text[..fits]);
            self.head_len += fits;
            self.head_full = fits < text.len();
            rest = &text[fits..];
        }
        self.tail.push_str(rest);
        if self.tail.len() > TAIL_PIECE {
            let cut = whole_from(&self.tail, self.tail.len() - TAIL_PIECE);
            self.tail.drain(..cut);
            self.skipped += cut as u64;
            self.has_gaps = true;
        }
    }

    /// When the next piece may go; `None` while there is none. The first may go at once.
    pub(crate) fn due(&self) -> Option<Instant> {
        let pace = match (self.head.is_empty(), self.tail.is_empty()) {
            (false, _) => HEAD_PACE,
            (true, false) => TAIL_PACE,
            (true, true) => return None,
        };
        Some(self.last_sent.map_or_else(Instant::now, |last| last + pace))
    }

    /// The next piece and the bytes left out before it.
    pub(crate) fn next_piece(&mut self) -> Option<(String, u64)> {
        if !self.head.is_empty() {
            return Some((std::mem::take(&mut self.head), 0));
        }
        if self.tail.is_empty() {
            return None;
        }
        Some((std::mem::take(&mut self.tail), std::mem::take(&mut self.skipped)))
    }

    /// Whether the pieces leave anything out.
    pub(crate) fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// A piece was sent.
    pub(crate) fn sent(&mut self, at: Instant) {
        self.last_sent = Some(at);
    }
}
