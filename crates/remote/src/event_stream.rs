//! A stream of JSON values, from server-sent events or from gRPC, bounded in bytes.

use crate::error::RemoteError;
use crate::stream_allowance::StreamAllowance;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt};
use serde_json::Value;

/// The events of one answer.
pub(crate) struct AgentEventStream {
    inner: BoxStream<'static, Result<StreamItem, RemoteError>>,
    /// The newest cursor, if the agent gives any.
    pub(crate) cursor: Option<String>,
}

/// One event.
struct StreamItem {
    value: Value,
    cursor: Option<String>,
}

impl AgentEventStream {
    /// Server-sent events, as far as `allowance` goes.
    pub(crate) fn from_sse<Bytes: AsRef<[u8]> + Send + 'static>(
        bytes: impl Stream<Item = Result<Bytes, String>> + Send + 'static,
        allowance: StreamAllowance,
    ) -> AgentEventStream {
        let mut lines = WholeLines::default();
        let bounded = bytes.filter_map(move |bytes| {
            let taken = bytes.map_err(|why| RemoteError::Broken { why }).and_then(|bytes| {
                allowance.take(bytes.as_ref().len())?;
                Ok(lines.take(bytes.as_ref()))
            });
            std::future::ready(taken.transpose())
        });
        let items = bounded.eventsource().filter_map(async |event| read_event(event).transpose());
        AgentEventStream { inner: items.boxed(), cursor: None }
    }

    /// Values that come without cursors.
    pub(crate) fn from_values(
        values: impl Stream<Item = Result<Value, RemoteError>> + Send + 'static,
    ) -> AgentEventStream {
        AgentEventStream { inner: values.map_ok(|value| StreamItem { value, cursor: None }).boxed(), cursor: None }
    }

    /// The next event's JSON; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Result<Value, RemoteError>> {
        let item = self.inner.next().await?;
        Some(item.map(|StreamItem { value, cursor }| {
            self.cursor = cursor.or(self.cursor.take());
            value
        }))
    }
}

/// A mark that a stream may begin with and nobody wants to read. The parser panics at it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Holds back the beginning of a line until its end has come, and leaves out a byte order mark. The parser looks at all of
/// an unfinished line each time more of it comes, so a long line in small pieces would take it for ever.
#[derive(Default)]
struct WholeLines {
    partial: Vec<u8>,
    /// True if lines were handed on already.
    begun: bool,
}

impl WholeLines {
    /// The lines that end in `bytes`, with what was held back of the first one.
    fn take(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut lines = self.take_lines(bytes)?;
        if !std::mem::replace(&mut self.begun, true) && lines.starts_with(BYTE_ORDER_MARK) {
            lines.drain(..BYTE_ORDER_MARK.len());
        }
        Some(lines)
    }

    fn take_lines(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        // A carriage return at the very end may be half of a line's end.
        let is_end = |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && at + 1 < bytes.len());
        let Some(end) = (0..bytes.len()).rev().find(|at| is_end(*at)) else {
            let ended = (self.partial.last() == Some(&b'\r')).then(|| std::mem::take(&mut self.partial));
            self.partial.extend_from_slice(bytes);
            return ended;
        };
        let mut lines = std::mem::take(&mut self.partial);
        lines.extend_from_slice(&bytes[..=end]);
        self.partial.extend_from_slice(&bytes[end + 1..]);
        Some(lines)
    }
}

/// The content of an event, if it has any.
fn read_event(
    event: Result<eventsource_stream::Event, EventStreamError<RemoteError>>,
) -> Result<Option<StreamItem>, RemoteError> {
    let garbled = |why: String| RemoteError::Garbled { why };
    let event = event.map_err(|error| match error {
        EventStreamError::Transport(error) => error,
        error => garbled(error.to_string()),
    })?;
    if event.data.trim().is_empty() {
        return Ok(None);
    }
    let value = serde_json::from_str(&event.data).map_err(|error| garbled(error.to_string()))?;
    Ok(Some(StreamItem { value, cursor: (!event.id.is_empty()).then_some(event.id) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream_allowance::STREAM_BYTES;
    use futures_util::stream;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    async fn read(pieces: Vec<Vec<u8>>) -> Vec<Value> {
        let pieces = stream::iter(pieces.into_iter().map(Ok::<_, String>));
        let mut events = AgentEventStream::from_sse(pieces, StreamAllowance::new(STREAM_BYTES));
        let mut values = Vec::new();
        while let Some(event) = events.next().await {
            values.push(event.unwrap());
        }
        values
    }

    #[tokio::test]
    async fn events_are_the_same_however_they_are_cut() {
        for ends in ["\n", "\r\n", "\r"] {
            let text = ["id: 1", "data: {\"a\":", "data: \"\u{e9}\"}", "", ": keep", "data: 2", "", ": end"].join(ends);
            let bytes = format!("{text}{ends}{ends}").into_bytes();
            for length in 1..=bytes.len() {
                let read = read(bytes.chunks(length).map(<[u8]>::to_vec).collect()).await;
                assert_eq!(read, [json!({"a": "\u{e9}"}), json!(2)], "{ends:?} cut every {length} bytes");
            }
        }
    }

    /// Other people's gateways send them, and the standard says to pass them over.
    #[tokio::test]
    async fn lines_that_mean_nothing_are_passed_over() {
        let text = "proxy: 7\nword\nretry: soon\nid: 1\nid: 2\nevent: x\nevent: y\ndata: 1\n\n";
        assert_eq!(read(vec![text.into()]).await, [json!(1)]);
    }

    #[tokio::test]
    async fn a_byte_order_mark_is_passed_over() {
        let bytes = "\u{feff}data: \"\u{feff}\"\n\n".as_bytes();
        for length in 1..=bytes.len() {
            let read = read(bytes.chunks(length).map(<[u8]>::to_vec).collect()).await;
            assert_eq!(read, [json!("\u{feff}")], "cut every {length} bytes");
        }
    }

    /// Each byte is looked at once, not once for each piece behind it.
    #[tokio::test]
    async fn a_long_line_in_small_pieces_is_read_in_time() {
        let text = format!("data: \"{}\"\n\n", "x".repeat(4 * 1024 * 1024));
        let began = std::time::Instant::now();
        let values = read(text.as_bytes().chunks(64).map(<[u8]>::to_vec).collect()).await;
        assert_eq!(values.len(), 1);
        // Otherwise it takes an hour.
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    }
}
