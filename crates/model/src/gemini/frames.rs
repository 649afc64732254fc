//! From bytes, cut anywhere, to the JSON frames of the stream.

use crate::error::{Flaw, ModelError};
use bytes::Bytes;
use eventsource_stream::{EventStream, EventStreamError};
use futures_util::stream::{self, Stream};
use futures_util::{StreamExt, TryStreamExt};
use serde_json::Value;

/// The longest frame that is read. Whole files travel in one frame, films do not.
const LONGEST: usize = 16 * 1024 * 1024;

/// The frames in `bytes`. A JSON body that is not an event, as proxies and Google put errors into a stream, is a frame
/// too.
pub(super) fn frames(
    bytes: impl Stream<Item = Result<Bytes, String>> + Send + 'static,
) -> impl Stream<Item = Result<Value, ModelError>> {
    let mut lines = Lines::default();
    let events = bytes
        .map_err(|message| ModelError::Cut { message })
        .and_then(move |chunk| std::future::ready(lines.pass(&chunk)))
        // What is unfinished at the end is looked at as well: it may be a bare body.
        .chain(stream::once(std::future::ready(Ok(Bytes::from_static(b"\n\n")))));
    EventStream::new(events).map(|event| match event {
        Ok(event) => serde_json::from_str(&event.data).map_err(bad_frame),
        Err(EventStreamError::Transport(error)) => Err(error),
        Err(EventStreamError::Utf8(error)) => Err(bad_frame(error)),
        Err(EventStreamError::Parser(error)) => Err(bad_frame(error)),
    })
}

fn bad_frame(error: impl std::fmt::Display) -> ModelError {
    ModelError::Malformed { flaw: Flaw::BadFrame { why: error.to_string() } }
}

/// Watches line starts: bounds a frame's length and turns the lines of a bare JSON body into event lines.
#[derive(Default)]
struct Lines {
    mid_line: bool,
    bare: bool,
    /// The last byte handed on, to know the second half of CRLF.
    last: u8,
    /// Bytes since the last empty line.
    length: usize,
}

impl Lines {
    fn pass(&mut self, chunk: &Bytes) -> Result<Bytes, ModelError> {
        let mut out = Vec::with_capacity(chunk.len() + 16);
        for &byte in chunk {
            let ends_line = matches!(byte, b'\n' | b'\r');
            let is_crlf = byte == b'\n' && self.last == b'\r';
            if !self.mid_line && !is_crlf {
                self.bare |= matches!(byte, b'{' | b'[');
                match (self.bare, ends_line) {
                    (true, false) => out.extend_from_slice(b"data:"),
                    // Inside a bare body an empty line would end the event too early.
                    (true, true) => continue,
                    (false, true) => self.length = 0,
                    (false, false) => {}
                }
            }
            out.push(byte);
            self.last = byte;
            self.length += 1;
            self.mid_line = !ends_line;
        }
        if self.length > LONGEST {
            return Err(bad_frame(format_args!("it is longer than {LONGEST} bytes")));
        }
        Ok(out.into())
    }
}

#[cfg(test)]
mod tests;
