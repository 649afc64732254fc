//! The text that a file's bytes stand for, if they do.

use crate::error::{FileOperation, ToolError};
use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// The text of a file, without a byte order mark.
pub(super) struct DecodedText<'a> {
    pub(super) text: Cow<'a, str>,
    /// True if something in it was no text.
    pub(super) lossy: bool,
}

/// The beginnings of files of known formats that are neither text nor anything a model can be shown.
const OTHERS: [(&[u8], &str); 9] = [
    (b"BM", "a bitmap"),
    (b"RIFF", "a video"),
    (b"\x1a\x45\xdf\xa3", "a video"),
    (b"\x1f\x8b", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"PK\x03\x04", "an archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a database"),
];

/// The text of the file called `path`: UTF-8, or UTF-16 or UTF-32 if a byte order mark says so.
pub(super) fn decode<'a>(path: &str, bytes: &'a [u8]) -> Result<DecodedText<'a>, ToolError> {
    // The longer marks first: one of UTF-16 begins one of UTF-32.
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe\0\0") {
        return Ok(utf32(rest, u32::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\0\0\xfe\xff") {
        return Ok(utf32(rest, u32::from_be_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Ok(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Ok(utf16(rest, u16::from_be_bytes));
    }
    let text = String::from_utf8_lossy(bytes);
    let lossy = matches!(text, Cow::Owned(_));
    let other = OTHERS.into_iter().find(|(beginning, _)| bytes.starts_with(beginning));
    match other {
        // Letters may begin a text as well: only what cannot be one is taken for something else.
        Some((_, what)) if lossy || bytes.contains(&0) => {
            return Err(ToolError::Unshowable { path: path.to_owned(), what });
        }
        _ if bytes.contains(&0) => {
            return Err(ToolError::NotText { path: path.to_owned(), doing: FileOperation::Read });
        }
        _ => {}
    }
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned)),
    };
    Ok(DecodedText { text, lossy })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> DecodedText<'static> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    collect(char::decode_utf16(units).map(Result::ok), !odd.is_empty())
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> DecodedText<'static> {
    let (quads, odd) = bytes.as_chunks::<4>();
    collect(quads.iter().map(|quad| char::from_u32(unit(*quad))), !odd.is_empty())
}

/// Characters, some of which could not be read.
fn collect(chars: impl Iterator<Item = Option<char>>, odd: bool) -> DecodedText<'static> {
    let mut lossy = odd;
    let chars = chars.map(|decoded| {
        lossy |= decoded.is_none();
        decoded.unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    let text = chars.collect();
    DecodedText { text: Cow::Owned(text), lossy }
}
