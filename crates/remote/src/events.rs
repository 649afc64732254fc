//! A stream of JSON values, from server-sent events or from gRPC, bounded in bytes.

use crate::allowance::StreamAllowance;
use crate::error::RemoteError;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt};
use serde_json::Value;

/// The events of one answer.
pub(crate) struct Events {
    inner: BoxStream<'static, Result<StreamItem, RemoteError>>,
    /// The newest cursor, if the agent gives any.
    pub(crate) cursor: Option<String>,
}

/// One event.
struct StreamItem {
    value: Value,
    cursor: Option<String>,
}

impl Events {
    /// Server-sent events, as far as `allowance` goes.
    pub(crate) fn of<Bytes: AsRef<[u8]> + Send + 'static>(
        bytes: impl Stream<Item = Result<Bytes, String>> + Send + 'static,
        allowance: StreamAllowance,
    ) -> Events {
        let bounded = bytes.map(move |bytes| {
            let bytes = bytes.map_err(|why| RemoteError::Broken { why })?;
            allowance.take(bytes.as_ref().len()).map(|()| bytes)
        });
        let items = bounded.eventsource().filter_map(async |event| read_event(event).transpose());
        Events { inner: items.boxed(), cursor: None }
    }

    /// Values that come without cursors.
    pub(crate) fn of_values(values: impl Stream<Item = Result<Value, RemoteError>> + Send + 'static) -> Events {
        Events { inner: values.map_ok(|value| StreamItem { value, cursor: None }).boxed(), cursor: None }
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

/// What an event holds, if anything.
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
