//! A line as the bytes a server sends.

use super::line::{ConnectionCut, ScriptLine};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// An answer, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPlayback {
    /// The HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: BTreeMap<String, String>,
    /// The bytes to send, each after a wait.
    pub pieces: Vec<(Duration, Bytes)>,
    /// The end, after a last wait.
    pub ending: (Duration, PlaybackEnding),
}

/// The end of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaybackEnding {
    /// As it should.
    Complete,
    /// The connection is reset.
    Reset,
}

impl ScriptLine {
    /// The line as bytes.
    pub fn playback(&self) -> ScriptPlayback {
        let mut headers = self.headers.clone();
        let error = self.error.as_ref().map(|error| json!({"error": error}));
        let wait = |at: usize| Duration::from_millis(self.delays_ms.get(at).copied().unwrap_or(0));
        let mut waits = (0..).map(wait);
        let mut pieces: Vec<(Duration, Bytes)> = Vec::new();
        let kind = if self.status < 300 {
            for frame in &self.response {
                pieces.push((waits.next().unwrap_or_default(), event(frame)));
            }
            if let Some(error) = &error {
                pieces.push((waits.next().unwrap_or_default(), event(error)));
            }
            "text/event-stream"
        } else {
            pieces.extend(error.map(|error| (waits.next().unwrap_or_default(), error.to_string().into())));
            "application/json"
        };
        headers.entry("content-type".to_owned()).or_insert_with(|| kind.to_owned());
        if self.cut == Some(ConnectionCut::Eof) {
            pieces.push((Duration::ZERO, Bytes::from_static(b"data: {\"candidates\": [")));
        }
        let pieces = match self.split_bytes {
            Some(size) => pieces.into_iter().flat_map(|piece| split(piece, size)).collect(),
            None => pieces,
        };
        let ending =
            if self.cut == Some(ConnectionCut::Reset) { PlaybackEnding::Reset } else { PlaybackEnding::Complete };
        ScriptPlayback { status: self.status, headers, pieces, ending: (waits.next().unwrap_or_default(), ending) }
    }
}

impl ScriptPlayback {
    /// The `Retry-After` header, in seconds.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let (_, value) = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))?;
        value.parse().ok().map(Duration::from_secs)
    }

    /// The body, in real time. A reset is an error.
    pub fn into_bytes(self) -> BoxStream<'static, Result<Bytes, String>> {
        let pieces = stream::iter(self.pieces).then(|(wait, bytes)| async move {
            pause(wait).await;
            Ok(bytes)
        });
        let (wait, ending) = self.ending;
        let end = stream::once(async move {
            pause(wait).await;
            match ending {
                PlaybackEnding::Complete => None,
                PlaybackEnding::Reset => {
                    // A server that has not paused since the last piece would drop it along with the connection.
                    tokio::task::yield_now().await;
                    Some(Err("connection reset, as the script says".to_owned()))
                }
            }
        });
        pieces.chain(end.filter_map(std::future::ready)).boxed()
    }
}

async fn pause(wait: Duration) {
    // Even a sleep of nothing takes a tick of the timer.
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
}

/// Frames are written as Google writes them.
fn event(frame: &Value) -> Bytes {
    format!("data: {frame}\r\n\r\n").into()
}

fn split((wait, bytes): (Duration, Bytes), size: usize) -> Vec<(Duration, Bytes)> {
    let starts = (0..bytes.len()).step_by(size);
    let pieces = starts.map(|start| bytes.slice(start..bytes.len().min(start + size)));
    pieces.enumerate().map(|(at, piece)| (if at == 0 { wait } else { Duration::ZERO }, piece)).collect()
}
