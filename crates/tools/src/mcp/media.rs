//! Pictures, sounds and documents that servers return: kept as blobs, so that a model can be shown them.

use crate::output::OutputStore;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pollux_session::MediaContent;
use std::io;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The most pieces of one answer.
const MAX_PIECES: usize = 8;
/// The most bytes of them together. Providers take about twenty million with a request.
const MAX_BYTES: usize = 10_000_000;

/// The parts of an answer that are not text.
#[derive(Default)]
pub(super) struct MediaCollector {
    /// Whom it is from, for people.
    source: String,
    pieces: Vec<MediaPiece>,
    bytes: usize,
    closed: bool,
}

struct MediaPiece {
    name: String,
    media: &'static str,
    bytes: Vec<u8>,
}

impl MediaCollector {
    /// For what `source` returns.
    pub(super) fn new(source: impl Into<String>) -> MediaCollector {
        MediaCollector { source: source.into(), ..MediaCollector::default() }
    }

    /// One that takes nothing, because nobody would keep it.
    pub(super) fn closed() -> MediaCollector {
        MediaCollector { closed: true, ..MediaCollector::default() }
    }

    /// Take in what `base64` holds. Returns its media type, or why it is left out. What a server says of it does not
    /// count: a model's provider refuses a whole conversation for one picture that is none.
    pub(super) fn take(&mut self, base64: &str) -> Result<&'static str, &'static str> {
        const NOT_HERE: &str = "which cannot be shown here";
        if self.closed {
            return Err(NOT_HERE);
        }
        if self.pieces.len() == MAX_PIECES || self.bytes + base64.len() / 4 * 3 > MAX_BYTES {
            return Err("which is too much to be shown");
        }
        let bytes = STANDARD.decode(base64).map_err(|_| "which is damaged")?;
        let media = kind_of(&bytes).ok_or(NOT_HERE)?;
        self.bytes += bytes.len();
        let name = format!("{} {}", self.source, self.pieces.len() + 1);
        self.pieces.push(MediaPiece { name, media, bytes });
        Ok(media)
    }

    /// Make everything durable.
    pub(super) async fn store(self, keeper: Option<&Arc<dyn OutputStore>>) -> io::Result<Vec<MediaContent>> {
        let (pieces, Some(keeper)) = (self.pieces, keeper.cloned()) else { return Ok(Vec::new()) };
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        let write = move || {
            let kept = pieces.into_iter().map(|MediaPiece { name, media, bytes }| {
                let mut spool = keeper.spool()?;
                spool.write(&bytes)?;
                Ok(MediaContent { name, blob: spool.finish(media)? })
            });
            kept.collect()
        };
        tokio::task::spawn_blocking(write).await?
    }
}

/// The media type of bytes, as far as models are shown such things.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, sign: &[u8]| bytes.get(offset..).is_some_and(|rest| rest.starts_with(sign));
    let riff = |kind: &[u8]| at(0, b"RIFF") && at(8, kind);
    let kinds = [
        (at(0, b"\x89PNG\r\n\x1a\n"), "image/png"),
        (at(0, b"\xff\xd8\xff"), "image/jpeg"),
        (at(0, b"GIF87a") || at(0, b"GIF89a"), "image/gif"),
        (riff(b"WEBP"), "image/webp"),
        (at(4, b"ftypheic") || at(4, b"ftypheix"), "image/heic"),
        (at(0, b"%PDF-"), "application/pdf"),
        (riff(b"WAVE"), "audio/wav"),
        (at(0, b"ID3") || at(0, b"\xff\xfb") || at(0, b"\xff\xf3"), "audio/mpeg"),
        (at(0, b"OggS"), "audio/ogg"),
        (at(0, b"fLaC"), "audio/flac"),
        (at(0, b"FORM") && at(8, b"AIFF"), "audio/aiff"),
    ];
    kinds.into_iter().find_map(|(fits, kind)| fits.then_some(kind))
}
