//! A file that comes inside a message. A text is told to the agent under its name; anything else is refused in words,
//! never dropped.

use super::{media, not_taken};
use crate::errors::Fault;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// The longest text that is taken along with a message, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// What the agent is told of a part that holds a file: 0.3's `file`, or 1.0's `raw` or `url`.
pub(super) fn told(place: &str, part: &Map<String, Value>) -> Result<String, Fault> {
    let file = part.get("file").and_then(Value::as_object).unwrap_or(part);
    let field = |names: &[&str]| names.iter().find_map(|name| file.get(*name)?.as_str());
    let media = field(&["mimeType", "mime_type", "mediaType", "media_type"]);
    let bytes = field(&["bytes", "fileWithBytes", "file_with_bytes", "raw"]);
    let (Some(media), Some(bytes)) = (media, bytes) else { return Err(not_taken("file")) };
    if !media::is_read(media) {
        return Err(not_taken(media));
    }
    let wrong = |why: &str| Fault::params(format!("`{place}`: {why}"));
    let bytes = STANDARD.decode(bytes).map_err(|error| wrong(&format!("the file is not base64: {error}")))?;
    if bytes.len() > MAX_BYTES {
        let why = format!("the file has {} bytes and at most {MAX_BYTES} are taken along", bytes.len());
        return Err(wrong(&format!("{why}; put it into the workspace and name it")));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("the file is not UTF-8, which a text has to be"))?;
    if text.contains('\0') {
        return Err(wrong("the file holds a NUL character, which a text has none of"));
    }
    let name = field(&["name", "filename"]).unwrap_or("without a name");
    Ok(format!("[the file {name:?} came with this message]\n{text}"))
}
