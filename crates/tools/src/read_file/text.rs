//! The text that a file's bytes stand for, if they do.

use crate::error::{Doing, ToolError};
use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// The text of a file, without a byte order mark.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether something in it was no text.
    pub(super) lossy: bool,
}

/// How files begin that are known and no text.
const MEDIA: [(&[u8], &str); 12] = [
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"BM", "an image"),
    (b"RIFF", "an image or a sound"),
    (b"ID3", "a sound"),
    (b"OggS", "a sound"),
    (b"fLaC", "a sound"),
    (b"FORM", "a sound"),
    (b"\x1f\x8b", "a compressed file"),
    (b"PK\x03\x04", "an archive"),
];

/// The text of the file called `path`: UTF-8, or UTF-16 if a byte order mark says so.
pub(super) fn decode<'a>(path: &str, bytes: &'a [u8]) -> Result<Decoded<'a>, ToolError> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Ok(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Ok(utf16(rest, u16::from_be_bytes));
    }
    let text = String::from_utf8_lossy(bytes);
    let lossy = matches!(text, Cow::Owned(_));
    let media = MEDIA.into_iter().find(|(beginning, _)| bytes.starts_with(beginning));
    match media {
        // Letters may begin a text as well: only what cannot be one is taken for something else.
        Some((beginning, what)) if lossy || bytes.contains(&0) || beginning.starts_with(b"%PDF") => {
            return Err(ToolError::Media { path: path.to_owned(), what });
        }
        _ if bytes.contains(&0) => return Err(ToolError::NotText { path: path.to_owned(), doing: Doing::Read }),
        _ => {}
    }
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned)),
    };
    Ok(Decoded { text, lossy })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded<'static> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut lossy = !odd.is_empty();
    let units = pairs.iter().map(|pair| unit(*pair));
    let chars = char::decode_utf16(units).map(|decoded| {
        decoded.unwrap_or_else(|_| {
            lossy = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    let text = chars.collect();
    Decoded { text: Cow::Owned(text), lossy }
}
