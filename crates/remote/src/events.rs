//! A stream of server-sent events, each a JSON value, bounded in bytes.

use crate::error::RemoteError;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use serde_json::Value;

/// The most bytes one stream may bring.
const STREAM_BYTES: usize = 64 * 1024 * 1024;

/// The events of one answer.
pub(crate) struct Events {
    inner: BoxStream<'static, Result<eventsource_stream::Event, EventStreamError<RemoteError>>>,
    /// The newest cursor, if the agent gives any.
    pub(crate) cursor: Option<String>,
}

impl Events {
    pub(crate) fn of<Bytes: AsRef<[u8]> + Send + 'static>(
        bytes: impl Stream<Item = Result<Bytes, String>> + Send + 'static,
    ) -> Events {
        let mut taken = 0;
        let bounded = bytes.map(move |bytes| {
            let bytes = bytes.map_err(|why| RemoteError::Broken { why })?;
            taken += bytes.as_ref().len();
            if taken > STREAM_BYTES { Err(RemoteError::TooMuch { limit: STREAM_BYTES }) } else { Ok(bytes) }
        });
        Events { inner: bounded.eventsource().boxed(), cursor: None }
    }

    /// The next event's JSON; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Result<Value, RemoteError>> {
        loop {
            let event = match self.inner.next().await? {
                Ok(event) => event,
                Err(EventStreamError::Transport(error)) => return Some(Err(error)),
                Err(error) => return Some(Err(RemoteError::Garbled { why: error.to_string() })),
            };
            if !event.id.is_empty() {
                self.cursor = Some(event.id);
            }
            if event.data.trim().is_empty() {
                continue;
            }
            let json = serde_json::from_str(&event.data);
            return Some(json.map_err(|error| RemoteError::Garbled { why: error.to_string() }));
        }
    }
}
