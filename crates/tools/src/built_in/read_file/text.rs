//! The text of a file that a model is shown.

use crate::error::{FileOperation, ToolError};
use crate::text_encoding::{DecodedText, TextEncoding, decode};

#[cfg(test)]
mod tests;

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

/// The text of the file called `path`; an error if it is none.
pub(crate) fn decode_file<'a>(path: &str, bytes: &'a [u8]) -> Result<DecodedText<'a>, ToolError> {
    let decoded = decode(bytes);
    // Letters may begin a text as well: only what cannot be one is taken for something else.
    let is_doubtful = decoded
        .as_ref()
        .is_none_or(|decoded| matches!(decoded.encoding, TextEncoding::Windows1252 | TextEncoding::Utf8WithStrayBytes));
    let other = OTHERS.into_iter().find(|(beginning, _)| is_doubtful && bytes.starts_with(beginning));
    match (other, decoded) {
        (Some((_, what)), _) => Err(ToolError::Unshowable { path: path.to_owned(), what }),
        (None, None) => Err(ToolError::NotText { path: path.to_owned(), doing: FileOperation::Read }),
        (None, Some(decoded)) => Ok(decoded),
    }
}
