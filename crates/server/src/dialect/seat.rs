//! The seat dialect: entries as they are in the log, for seats that fold them themselves. The frames are
//! [`SeatRequest`](pollux_session::SeatRequest) and [`SeatMessage`]; here is only how they are written.

use pollux_session::{Entry, SeatMessage, encode};
use std::sync::Arc;

/// The most bytes of entries in one page. One entry is never cut, however long it is.
const PAGE_BYTES: usize = 1024 * 1024;

/// A frame as text.
pub(crate) fn seat_frame(tell: &SeatMessage) -> String {
    // A frame has string keys only and no failing serializer, so there is no error to report.
    serde_json::to_string(tell).unwrap_or_default()
}

/// The page that answers `request`: as many of `entries` as fit.
pub(crate) fn seat_page(request: u64, entries: &[Arc<Entry>]) -> String {
    let mut frame = format!(r#"{{"type":"entries","request":{request},"entries":["#);
    for (index, entry) in entries.iter().enumerate() {
        let line = encode(entry);
        if index > 0 && frame.len() + line.len() > PAGE_BYTES {
            break;
        }
        if index > 0 {
            frame.push(',');
        }
        // What serde writes is UTF-8.
        frame.push_str(&String::from_utf8_lossy(&line));
    }
    frame.push_str("]}");
    frame
}

#[cfg(test)]
mod tests {
    use super::{PAGE_BYTES, seat_frame, seat_page};
    use pollux_session::{Entry, EntryAuthor, Event, ItemId, SeatMessage, Seq, UnixMillis};
    use pretty_assertions::assert_eq;
    use std::sync::Arc;

    fn piece(seq: u64, bytes: usize) -> Arc<Entry> {
        let event = Event::Piece { item: ItemId(Seq(1)), offset: 0, text: "x".repeat(bytes) };
        Arc::new(Entry { seq: Seq(seq), at: UnixMillis(1), by: EntryAuthor::Agent, task: None, event })
    }

    #[test]
    fn a_page_is_the_frame_it_stands_for() {
        let entries = vec![piece(1, 3), piece(2, 5)];
        let tell = SeatMessage::Entries { request: 4, entries: entries.clone() };
        assert_eq!(seat_page(4, &entries), seat_frame(&tell));
        assert_eq!(seat_page(4, &[]), r#"{"type":"entries","request":4,"entries":[]}"#);
    }

    #[test]
    fn a_page_is_bounded_and_never_empty_while_there_are_entries() {
        let entries = [piece(1, 2 * PAGE_BYTES), piece(2, 1)];
        let Ok(SeatMessage::Entries { entries: told, .. }) = SeatMessage::parse(&seat_page(1, &entries)) else {
            panic!()
        };
        assert_eq!(told, entries[..1]);
    }
}
