//! Entries as stored. An older log always loads: what an old release wrote is brought to today's shape here, and
//! nowhere else.

use crate::event::Entry;
use thiserror::Error;

/// An entry that this release cannot read.
#[derive(Debug, Error)]
#[error("entry {excerpt:?} cannot be read by this release: {source}")]
pub struct DecodeError {
    excerpt: String,
    source: serde_json::Error,
}

/// An entry as it is stored: one line of JSON.
pub fn encode(entry: &Entry) -> Vec<u8> {
    // An Entry has string keys only and no failing serializer, so there is no error to report.
    serde_json::to_vec(entry).unwrap_or_default()
}

/// An entry from any release up to this one.
pub fn decode(line: &[u8]) -> Result<Entry, DecodeError> {
    serde_json::from_slice(line).map_err(|source| {
        let excerpt = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
        DecodeError { excerpt, source }
    })
}
