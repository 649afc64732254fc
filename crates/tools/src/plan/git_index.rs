//! The names that a git index lists: what a command that prints tracked files may print.

use super::Objection;
use pollux_files::read_whole;
use std::io;
use std::path::Path;

/// The largest index that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Times, numbers and the SHA-1 of an entry, before its flags.
const FIXED_BYTES: usize = 60;
/// The flag that says that two more bytes of flags follow.
const EXTENDED: u16 = 0x4000;
/// The extension that says that most entries are in another file.
const SPLIT: &[u8] = b"link";

/// The names of tracked files; none where there is no index yet.
pub(super) fn tracked_names(index: &Path) -> Result<Vec<String>, Objection> {
    let bytes = match read_whole(index, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Objection::new(format!("{}: {error}", index.display()))),
    };
    names_of(&bytes).ok_or_else(|| Objection::new(format!("{} is not understood", index.display())))
}

/// The names in an index of version 2, 3 or 4 with SHA-1 names.
pub(super) fn names_of(bytes: &[u8]) -> Option<Vec<String>> {
    let header = bytes.get(..12)?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let (version, count) = (number(4)?, number(8)?);
    if !header.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut names = Vec::new();
    let mut at = 12;
    let mut previous: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        let flags = u16::from_be_bytes(bytes.get(at + FIXED_BYTES..at + FIXED_BYTES + 2)?.try_into().ok()?);
        at += FIXED_BYTES + if flags & EXTENDED != 0 { 4 } else { 2 };
        let mut name = Vec::new();
        if version == 4 {
            let (dropped, len) = prefix_len(bytes.get(at..)?)?;
            at += len;
            name.extend_from_slice(previous.get(..previous.len().checked_sub(dropped)?)?);
        }
        let rest = bytes.get(at..)?;
        let len = rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&rest[..len]);
        at += len + 1;
        if version < 4 {
            // An entry is filled up with zeros to a multiple of eight.
            at = start + (at - start).next_multiple_of(8);
        }
        names.push(String::from_utf8_lossy(&name).into_owned());
        previous = name;
    }
    // Extensions follow, each with a name and a length, and a checksum of twenty bytes ends it all.
    while at + 8 + 20 <= bytes.len() {
        if bytes.get(at..at + 4)? == SPLIT {
            return None;
        }
        let len = u32::from_be_bytes(bytes.get(at + 4..at + 8)?.try_into().ok()?);
        at = at.checked_add(8)?.checked_add(usize::try_from(len).ok()?)?;
    }
    Some(names)
}

/// A number of the variable-length form that git uses for offsets, and how many bytes it takes.
fn prefix_len(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().take(9).enumerate() {
        let low = usize::from(byte & 0x7f);
        value = if index == 0 { low } else { value.checked_add(1)?.checked_mul(128)?.checked_add(low)? };
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}
