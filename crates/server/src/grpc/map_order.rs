//! One order for the entries of maps. Protobuf leaves it open and the encoder rolls dice, so two clients that follow one
//! task would get the same event in different bytes.

use prost_reflect::{Kind, MessageDescriptor};
use std::ops::Range;

/// Entries of one map, which are written one after the other.
struct MapRun {
    field: u32,
    entries: Vec<Range<usize>>,
}

/// Put the entries of every map in `message` into one order. An entry keeps its length, so everything else stays where it
/// is. Bytes that are no such message are left as they are from the first place that does not fit.
pub(super) fn order_maps(message: &mut [u8], descriptor: &MessageDescriptor) {
    let mut run: Option<MapRun> = None;
    let mut at = 0;
    while let Some((field, whole, value)) = field_at(message, at) {
        at = whole.end;
        let known = descriptor.get_field(field);
        if let Some(Kind::Message(inner)) = known.as_ref().map(|known| known.kind()) {
            order_maps(&mut message[value], &inner);
        }
        let is_entry = known.is_some_and(|known| known.is_map());
        match &mut run {
            Some(going) if is_entry && going.field == field => going.entries.push(whole),
            _ => {
                sort_run(message, run.take());
                run = is_entry.then(|| MapRun { field, entries: vec![whole] });
            }
        }
    }
    sort_run(message, run);
}

fn sort_run(message: &mut [u8], run: Option<MapRun>) {
    let Some(MapRun { entries, .. }) = run.filter(|run| run.entries.len() > 1) else { return };
    let mut texts: Vec<Vec<u8>> = entries.iter().map(|entry| message[entry.clone()].to_vec()).collect();
    texts.sort_unstable();
    if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
        message[first.start..last.end].copy_from_slice(&texts.concat());
    }
}

/// The field at `at`: its number, where it stands, and where its value does.
fn field_at(message: &[u8], at: usize) -> Option<(u32, Range<usize>, Range<usize>)> {
    let (tag, start) = varint(message, at)?;
    let value = match tag & 7 {
        0 => start..varint(message, start)?.1,
        1 => start..start.checked_add(8)?,
        2 => {
            let (len, start) = varint(message, start)?;
            start..start.checked_add(usize::try_from(len).ok()?)?
        }
        5 => start..start.checked_add(4)?,
        _ => return None,
    };
    (value.end <= message.len()).then_some((u32::try_from(tag >> 3).ok()?, at..value.end, value))
}

/// A number, and where it ends.
fn varint(message: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for (index, byte) in message.get(at..)?.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((number, at + index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests;
