//! A part of a session's log as an object: one entry a line, as the log keeps it.

use crate::error::BucketError;
use pollux_session::{Entry, MediaContent, Seq, decode, encode};
use std::sync::Arc;

/// Entries as an object.
pub(crate) fn write(entries: &[Arc<Entry>]) -> Vec<u8> {
    let mut lines = Vec::new();
    for entry in entries {
        lines.extend(encode(entry));
        lines.push(b'\n');
    }
    lines
}

/// The entries of the object `key`, which begins with `first`.
pub(crate) fn read(key: &str, first: Seq, bytes: &[u8]) -> Result<Vec<Entry>, BucketError> {
    let damaged = |what: String| BucketError::Damaged { key: key.to_owned(), what };
    let mut entries = Vec::new();
    let mut expected = first;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let entry = decode(line).map_err(|error| damaged(error.to_string()))?;
        if entry.seq != expected {
            return Err(damaged(format!("entry {expected} is expected and {} comes", entry.seq)));
        }
        expected = expected.next();
        entries.push(entry);
    }
    if entries.is_empty() {
        return Err(damaged("it holds no entry".into()));
    }
    Ok(entries)
}

/// The digests of the blobs that an entry names, with their lengths.
pub(crate) fn blobs(entry: &Entry) -> Vec<pollux_session::BlobRef> {
    use pollux_session::Event;
    let from_media = |media: &[MediaContent]| media.iter().map(|media| media.blob.clone()).collect::<Vec<_>>();
    match &entry.event {
        Event::Prompted { media, .. } | Event::Attached { media, .. } => from_media(media),
        Event::CallEnded { outcome, .. } => outcome.result().map_or_else(Vec::new, |result| {
            let mut named = from_media(&result.media);
            named.extend(result.whole.clone());
            named
        }),
        Event::Opened(_)
        | Event::Equipped(_)
        | Event::Set { .. }
        | Event::TaskOpened { .. }
        | Event::Unqueued { .. }
        | Event::Requeued { .. }
        | Event::Released
        | Event::TurnStarted { .. }
        | Event::Commanded { .. }
        | Event::Rewound { .. }
        | Event::Checkpointed(_)
        | Event::Said { .. }
        | Event::Piece { .. }
        | Event::ItemEnded { .. }
        | Event::Retrying { .. }
        | Event::FellBack { .. }
        | Event::Noted { .. }
        | Event::StepEnded { .. }
        | Event::Called { .. }
        | Event::Allowed { .. }
        | Event::Asked { .. }
        | Event::AskKept { .. }
        | Event::Answered { .. }
        | Event::Kept { .. }
        | Event::CompactWanted
        | Event::Compacted { .. }
        | Event::NotCompacted { .. }
        | Event::Uncompacted
        | Event::CallStarted { .. }
        | Event::Output { .. }
        | Event::Spent { .. }
        | Event::TurnEnded { .. }
        | Event::TaskClosed { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
