//! From bytes, cut anywhere, to the JSON frames of the stream.

use crate::error::{AnswerFlaw, ModelError};
use bytes::Bytes;
use eventsource_stream::{Event, EventStream, EventStreamError};
use futures_util::stream::{self, Stream};
use futures_util::{StreamExt, TryStreamExt};
use serde_json::Value;

/// The longest frame that is read. Whole files travel in one frame, films do not.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// The end of a stream in OpenAI's format. Servers may keep the connection open behind it.
const DONE: &str = "[DONE]";

/// A mark that a stream may begin with and nobody wants to read. The parser panics at it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The frames in `bytes`. A JSON body that is not an event, as proxies and Google put errors into a stream, is a frame
/// too.
pub(super) fn frames(
    bytes: impl Stream<Item = Result<Bytes, String>> + Send + 'static,
) -> impl Stream<Item = Result<Value, ModelError>> {
    let mut lines = Lines::default();
    let events = bytes
        .map_err(|message| ModelError::Cut { message })
        .and_then(|chunk| std::future::ready(Ok(Piece::Bytes(chunk))))
        .chain(stream::once(std::future::ready(Ok(Piece::End))))
        .and_then(move |piece| std::future::ready(lines.take(piece)));
    let is_done = |event: &Result<Event, _>| matches!(event, Ok(event) if event.data == DONE);
    EventStream::new(events).take_while(move |event| std::future::ready(!is_done(event))).map(|event| match event {
        Ok(event) => serde_json::from_str(&event.data).map_err(bad_frame),
        Err(EventStreamError::Transport(error)) => Err(error),
        Err(EventStreamError::Utf8(error)) => Err(bad_frame(error)),
        Err(EventStreamError::Parser(error)) => Err(bad_frame(error)),
    })
}

fn bad_frame(error: impl std::fmt::Display) -> ModelError {
    ModelError::Malformed { flaw: AnswerFlaw::BadFrame { why: error.to_string() } }
}

enum Piece {
    Bytes(Bytes),
    End,
}

/// Hands on whole lines only, so that no line is scanned twice; bounds a frame's length; turns the lines of a bare
/// JSON body into event lines; and leaves out a byte order mark.
#[derive(Default)]
struct Lines {
    /// True if lines were handed on already.
    begun: bool,
    /// The line that has not ended yet.
    held: Vec<u8>,
    mid_line: bool,
    bare: bool,
    /// The last byte kept, to know the second half of CRLF.
    last: u8,
    /// Bytes since the last empty line.
    length: usize,
}

impl Lines {
    fn take(&mut self, piece: Piece) -> Result<Bytes, ModelError> {
        match piece {
            Piece::Bytes(bytes) => self.pass(&bytes),
            // What is unfinished at the end is looked at as well: it may be a bare body.
            Piece::End => {
                self.held.extend_from_slice(b"\n\n");
                Ok(self.hand_on(self.held.len()))
            }
        }
    }

    fn pass(&mut self, bytes: &[u8]) -> Result<Bytes, ModelError> {
        let mut whole = 0;
        for &byte in bytes {
            let ends_line = matches!(byte, b'\n' | b'\r');
            let is_crlf = byte == b'\n' && self.last == b'\r';
            if !self.mid_line && !is_crlf {
                self.bare |= matches!(byte, b'{' | b'[');
                match (self.bare, ends_line) {
                    (true, false) => self.held.extend_from_slice(b"data:"),
                    // Inside a bare body an empty line would end the event too early.
                    (true, true) => continue,
                    (false, true) => self.length = 0,
                    (false, false) => {}
                }
            }
            self.held.push(byte);
            self.last = byte;
            self.length += 1;
            self.mid_line = !ends_line;
            if ends_line {
                whole = self.held.len();
            }
        }
        if self.length > LONGEST {
            return Err(bad_frame(format_args!("it is longer than {LONGEST} bytes")));
        }
        Ok(self.hand_on(whole))
    }

    /// The first `length` bytes of what is held.
    fn hand_on(&mut self, length: usize) -> Bytes {
        let rest = self.held.split_off(length);
        let lines = Bytes::from(std::mem::replace(&mut self.held, rest));
        let is_first = !self.begun && !lines.is_empty();
        self.begun |= is_first;
        if is_first && lines.starts_with(BYTE_ORDER_MARK) { lines.slice(BYTE_ORDER_MARK.len()..) } else { lines }
    }
}

#[cfg(test)]
mod tests;
