//! Pieces for the log: the first mebibyte in full, then a throttled tail that says how much it leaves out. At first they come
//! as often as a screen is drawn, later ever less often.

use super::LOGGED_HEAD;
use super::escape_sequences::{whole_from, whole_until};
use std::time::Duration;
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The shortest time between two pieces: with the millisecond that a timer may add, a frame of the screen that shows them.
const FRAME: Duration = Duration::from_millis(15);
/// The longest time between two pieces of the head: what still looks alive.
const HEAD_PACE: Duration = Duration::from_millis(100);
/// The longest time between two pieces of the tail. Slower, because a command may print for hours.
const TAIL_PACE: Duration = Duration::from_secs(1);
/// A piece waits for this part of the time that the command has printed already. One that has just begun is followed frame
/// by frame, and one that goes on for an hour does not fill the log.
const SHARE: u32 = 1000;
/// The most one piece of the tail holds: so much for each second since the one before.
const TAIL_PIECE: usize = 16 * 1024;
/// The most bytes that it may hold at any time: a page of the newest output. A program that prints more than that a
/// frame fills a blob far faster than the log.
const SHORT_PIECE: usize = 4 * 1024;

/// The place of a piece: the last one or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    Next,
    /// The command is over: as much of its end as there is room for.
    Last,
}

/// Text on its way to the log.
#[derive(Debug, Default)]
pub(crate) struct LiveOutputBuffer {
    /// Bytes that went to the head so far, sent or not.
    head_len: usize,
    head_full: bool,
    head: String,
    tail: String,
    /// Bytes between the last piece and `tail` that are in no piece.
    skipped: u64,
    /// True if anything was ever skipped.
    has_gaps: bool,
    pace: SendPace,
}

/// When pieces were sent.
#[derive(Clone, Copy, Debug, Default)]
enum SendPace {
    #[default]
    NothingSent,
    Sent {
        first: Instant,
        last: Instant,
        /// The time that the last one took until it was durable.
        took: Duration,
    },
}

impl LiveOutputBuffer {
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
        self.shorten_tail(TAIL_PIECE);
    }

    /// Leave out the beginning of the tail, so that at most so much of it is left.
    fn shorten_tail(&mut self, most: usize) {
        if self.tail.len() > most {
            let cut = whole_from(&self.tail, self.tail.len() - most);
            self.tail.drain(..cut);
            self.skipped += cut as u64;
            self.has_gaps = true;
        }
    }

    /// When the next piece may go; `None` while there is none. The first may go at once. A slow disk is asked less often.
    pub(crate) fn due(&self) -> Option<Instant> {
        if self.head.is_empty() && self.tail.is_empty() {
            return None;
        }
        let SendPace::Sent { first, last, took } = self.pace else { return Some(Instant::now()) };
        let longest = if self.head.is_empty() { TAIL_PACE } else { HEAD_PACE };
        let pace = ((last - first) / SHARE).clamp(FRAME, longest);
        Some(last + pace.max(2 * took))
    }

    /// The next piece and the bytes left out before it.
    pub(crate) fn next_piece(&mut self, piece: PieceKind) -> Option<(String, u64)> {
        if !self.head.is_empty() {
            return Some((std::mem::take(&mut self.head), 0));
        }
        if self.tail.is_empty() {
            return None;
        }
        if let (PieceKind::Next, SendPace::Sent { last, .. }) = (piece, self.pace) {
            let earned = TAIL_PIECE as f64 * last.elapsed().as_secs_f64();
            self.shorten_tail((earned as usize).max(SHORT_PIECE));
        }
        Some((std::mem::take(&mut self.tail), std::mem::take(&mut self.skipped)))
    }

    /// True if the pieces leave anything out.
    pub(crate) fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// A piece that was sent at `began` is durable now.
    pub(crate) fn sent(&mut self, began: Instant) {
        let first = match self.pace {
            SendPace::NothingSent => began,
            SendPace::Sent { first, .. } => first,
        };
        self.pace = SendPace::Sent { first, last: began, took: began.elapsed() };
    }
}
