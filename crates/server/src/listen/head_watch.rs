//! Watches the raw bytes of a connection for what the HTTP parser forgives silently: a head with both
//! `Content-Length` and `Transfer-Encoding`, and lines that end without a carriage return.

use crate::gate::{GateDenial, MalformedHead};

/// The fault of a head on this connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadFault {
    /// `Content-Length` and `Transfer-Encoding` together.
    TwoLengths,
    BareLineFeed,
}

impl HeadFault {
    pub(super) fn denied(self) -> GateDenial {
        GateDenial::Malformed(match self {
            HeadFault::TwoLengths => MalformedHead::Length,
            HeadFault::BareLineFeed => MalformedHead::LineEnd,
        })
    }
}

/// Follows a connection from head to head by `Content-Length`. It stops for good where it cannot follow: at a chunked
/// body, after which the listener closes, and at anything the HTTP parser will refuse by itself.
pub(super) struct HeadWatch {
    phase: Phase,
    line: Vec<u8>,
    head_bytes: usize,
    limit: usize,
}

enum Phase {
    /// In a head.
    Head { lines: usize, length: Option<u64>, is_encoded: bool },
    /// In a body with this many bytes to come.
    Body(u64),
    /// No longer watching.
    Done,
}

const NEW_HEAD: Phase = Phase::Head { lines: 0, length: None, is_encoded: false };

impl HeadWatch {
    /// A watch at the start of a connection whose heads are at most `limit` bytes.
    pub(super) fn new(limit: usize) -> HeadWatch {
        HeadWatch { phase: NEW_HEAD, line: Vec::new(), head_bytes: 0, limit }
    }

    /// Takes the next bytes that were read; the first fault ends the watch.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Option<HeadFault> {
        while !bytes.is_empty() {
            match &mut self.phase {
                Phase::Done => return None,
                Phase::Body(left) => {
                    let skipped = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= skipped as u64;
                    bytes = &bytes[skipped..];
                    if *left == 0 {
                        self.phase = NEW_HEAD;
                    }
                }
                Phase::Head { .. } => {
                    let line_end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
                    let (taken, rest) = bytes.split_at(line_end.unwrap_or(bytes.len()));
                    bytes = rest;
                    self.head_bytes += taken.len();
                    if self.head_bytes > self.limit {
                        self.stop();
                        return None;
                    }
                    self.line.extend_from_slice(taken);
                    if line_end.is_some()
                        && let Some(fault) = self.end_line()
                    {
                        self.stop();
                        return Some(fault);
                    }
                }
            }
        }
        None
    }

    fn end_line(&mut self) -> Option<HeadFault> {
        let line = std::mem::take(&mut self.line);
        let Some(line) = line.strip_suffix(b"\r\n") else {
            return Some(HeadFault::BareLineFeed);
        };
        let Phase::Head { lines, length, is_encoded } = &mut self.phase else {
            return None;
        };
        if !line.is_empty() {
            *lines += 1;
            match (*lines > 1).then(|| split_header(line)).flatten() {
                Some((name, value)) if name.eq_ignore_ascii_case(b"content-length") => {
                    // One that cannot be read is refused by the parser.
                    *length =
                        Some(std::str::from_utf8(value).ok().and_then(|n| n.trim().parse().ok()).unwrap_or(u64::MAX));
                }
                Some((name, _)) if name.eq_ignore_ascii_case(b"transfer-encoding") => *is_encoded = true,
                Some(_) | None => {}
            }
            return None;
        }
        // Empty lines before the request line are allowed and belong to no head.
        if *lines == 0 {
            return None;
        }
        match (*length, *is_encoded) {
            (Some(_), true) => return Some(HeadFault::TwoLengths),
            (None, true) => self.stop(),
            (Some(length), false) if length > 0 => self.phase = Phase::Body(length),
            (Some(_) | None, false) => self.phase = NEW_HEAD,
        }
        self.head_bytes = 0;
        None
    }

    fn stop(&mut self) {
        self.phase = Phase::Done;
        self.line = Vec::new();
    }
}

fn split_header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    Some((&line[..colon], &line[colon + 1..]))
}

#[cfg(test)]
mod tests;
