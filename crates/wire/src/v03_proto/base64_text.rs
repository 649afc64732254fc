//! Files whose bytes are encoded twice. Where the `.proto` of 0.3 has bytes, the Python SDK writes the base64 text of the
//! file and reads it as such; the JavaScript SDK writes and reads the bytes. So a file that came as text is told apart
//! here, and goes back as text to whoever reads it by the `.proto`.

use crate::a2a::Metadata;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The member of a part's metadata that remembers it.
const MARK: &str = "pollux/base64Text";

/// The bytes of a file as base64, whichever way they came.
pub(super) fn read_bytes(bytes: String, mime_type: &str, metadata: &mut Metadata) -> String {
    match base64_text_in(&bytes, mime_type) {
        Some(text) => {
            metadata.insert(MARK.to_owned(), Value::Bool(true));
            text
        }
        None => bytes,
    }
}

/// The bytes of a file as its sender wrote them.
pub(super) fn write_bytes(bytes: String, metadata: &mut Metadata) -> String {
    if metadata.remove(MARK).is_some() { STANDARD.encode(bytes) } else { bytes }
}

/// The base64 text that `bytes` are, if that is what they are. A picture never is; a text may be by chance, so what it
/// stands for has to be a text as well.
fn base64_text_in(bytes: &str, mime_type: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(bytes).ok()?).ok()?;
    let inner = STANDARD.decode(&text).ok().filter(|inner| !inner.is_empty())?;
    let is_for_the_eye_or_ear =
        ["image/", "audio/", "video/", "application/pdf"].iter().any(|kind| mime_type.starts_with(kind));
    let is_blank = |letter: char| matches!(letter, '\t' | '\n' | '\r');
    let is_text = || {
        std::str::from_utf8(&inner)
            .is_ok_and(|text| text.chars().all(|letter| is_blank(letter) || !letter.is_control()))
    };
    (is_for_the_eye_or_ear || is_text()).then_some(text)
}
