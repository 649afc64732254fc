//! The cursor of an event. gRPC has nothing beside a message to carry it, so it is in the event's metadata.
//!
//! The frames of a stream are encoded once and shared by all who watch; where a frame's cursor stands is known only to
//! the stream. So it is put in here, by lengths, without decoding the event.

use crate::version::A2aVersion;
use bytes::{BufMut, Bytes, BytesMut};

/// The key under which an event's metadata has its cursor.
pub(super) const CURSOR: &str = "pollux/cursor";

/// Lengths before their bytes: the one wire type of messages and texts.
const LENGTH_DELIMITED: u64 = 2;

/// A `StreamResponse` whose event has `cursor` in its metadata; the same bytes if it is none.
pub(super) fn with_cursor(event: &Bytes, version: A2aVersion, cursor: &str) -> Bytes {
    splice(event, version, cursor).unwrap_or_else(|| event.clone())
}

fn splice(event: &[u8], version: A2aVersion, cursor: &str) -> Option<Bytes> {
    let mut rest = event;
    let (kind, inner) = read_field(&mut rest)?;
    let number = metadata_of(kind, version)?;
    let mut kept = BytesMut::with_capacity(event.len() + cursor.len() + 64);
    let mut metadata = BytesMut::new();
    let mut fields = inner;
    while !fields.is_empty() {
        let before = fields;
        let (field, value) = read_field(&mut fields)?;
        if field == number {
            metadata.put_slice(value);
        } else {
            kept.put_slice(&before[..before.len() - fields.len()]);
        }
    }
    // A struct is a map: one more entry is more bytes.
    put_field(&mut metadata, 1, &entry(cursor));
    put_field(&mut kept, number, &metadata);
    let mut whole = BytesMut::with_capacity(kept.len() + 8);
    put_field(&mut whole, kind, &kept);
    Some(whole.freeze())
}

/// Where the event of this kind has its metadata.
fn metadata_of(kind: u64, version: A2aVersion) -> Option<u64> {
    match (kind, version) {
        (3, A2aVersion::V03) => Some(5),
        (3, A2aVersion::V10) => Some(4),
        (1 | 2 | 4, _) => Some(6),
        _ => None,
    }
}

/// The entry of a `google.protobuf.Struct` that holds the cursor.
fn entry(cursor: &str) -> BytesMut {
    let mut value = BytesMut::new();
    put_field(&mut value, 3, cursor.as_bytes());
    let mut entry = BytesMut::new();
    put_field(&mut entry, 1, CURSOR.as_bytes());
    put_field(&mut entry, 2, &value);
    entry
}

/// The next field: its number, and its bytes when it has a length. Others of our events are whole numbers.
fn read_field<'a>(from: &mut &'a [u8]) -> Option<(u64, &'a [u8])> {
    let key = read_varint(from)?;
    match key & 7 {
        0 => read_varint(from).map(|_| (key >> 3, &[][..])),
        LENGTH_DELIMITED => {
            let length = usize::try_from(read_varint(from)?).ok()?;
            let (value, rest) = from.split_at_checked(length)?;
            *from = rest;
            Some((key >> 3, value))
        }
        _ => None,
    }
}

fn read_varint(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn put_field(into: &mut BytesMut, number: u64, value: &[u8]) {
    put_varint(into, (number << 3) | LENGTH_DELIMITED);
    put_varint(into, value.len() as u64);
    into.put_slice(value);
}

fn put_varint(into: &mut BytesMut, mut number: u64) {
    while number >= 0x80 {
        into.put_u8((number as u8) | 0x80);
        number >>= 7;
    }
    into.put_u8(number as u8);
}
