//! A file that comes inside a message. A text is told to the agent under its name, a link as a link that nobody follows;
//! anything else is for the model to look at, or is refused in words. Nothing is dropped.

use super::{media, unsupported_part};
use crate::errors::RequestError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use pollux_session::MediaContent;
use pollux_wire::a2a::FileContent;
use pollux_wire::jsonrpc;
use serde_json::{Map, Value};

/// The longest text that is taken along with a message, in bytes.
const MAX_TEXT: usize = 256 * 1024;
/// The longest address that is taken along, in characters.
const MAX_LINK_CHARS: usize = 2048;
/// The name that the agent is told for a file without one.
pub(crate) const NAMELESS: &str = "without a name";
/// Where the files are that may be named: a model or a person can go there.
const SCHEMES: [&str; 3] = ["https://", "http://", "gs://"];

/// A file for the model to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InboundFile {
    /// Where it stands in the message.
    pub(crate) place: String,
    /// Its name, of a length that one can have.
    pub(crate) name: String,
    /// Its media type as the client has it.
    pub(crate) media: Option<String>,
    pub(crate) bytes: Bytes,
}

impl InboundFile {
    /// The media type that the client gives it.
    pub(crate) fn kind(&self) -> &str {
        self.media.as_deref().unwrap_or("file")
    }
}

/// The content of a part that holds a file.
pub(super) enum FilePartContent {
    /// Words for the agent.
    Text(String),
    /// Something to look at.
    File(InboundFile),
}

/// Read a part that holds a file: 0.3's `file`, or 1.0's `raw` or `url`. Beside what it amounts to, the file as it came,
/// without the bytes of one to look at, which are kept elsewhere.
pub(super) fn read(place: &str, part: &Map<String, Value>) -> Result<(FilePartContent, FileContent), RequestError> {
    let wrong = |why: &str| RequestError::invalid_params(format!("`{place}`: {why}"));
    let file = match part.get("file") {
        Some(Value::Object(file)) => file,
        None | Some(Value::Null) => part,
        Some(_) => return Err(wrong("`file` must be an object")),
    };
    let field = |names: &[&str]| names.iter().find_map(|name| file.get(*name)?.as_str());
    let media = field(&["mimeType", "mime_type", "mediaType", "media_type"]).filter(|media| !media.trim().is_empty());
    let given_name = field(&["name", "filename"]).filter(|name| !name.is_empty());
    let name = name_of(given_name.unwrap_or_default());
    let came = |bytes: Option<String>, uri: Option<&str>| FileContent {
        name: given_name.map(str::to_owned),
        mime_type: media.map(str::to_owned),
        bytes,
        uri: uri.map(str::to_owned),
    };
    let bytes = field(&["bytes", "fileWithBytes", "file_with_bytes", "raw"]);
    let uri = field(&["uri", "fileWithUri", "file_with_uri", "url"]);
    let bytes = match (bytes, uri) {
        (Some(bytes), None) => bytes,
        (None, Some(uri)) => {
            return Ok((FilePartContent::Text(link(place, &name, media, uri)?), came(None, Some(uri))));
        }
        (Some(_), Some(_)) => return Err(wrong("the file has bytes and an address: send one of them")),
        (None, None) => return Err(wrong("the file has neither bytes nor an address: send it in base64")),
    };
    if media.is_some_and(|media| !media::is_text_file(media) && !media::may_be_shown(media)) {
        return Err(unsupported_part(media.unwrap_or_default()));
    }
    let bytes = STANDARD.decode(bytes).map_err(|error| wrong(&format!("the file is not base64: {error}")))?;
    let is_text = match media {
        Some(media) if !media::is_generic(media) => media::is_text_file(media),
        // Whoever does not say what it is sends a text if it can be one.
        _ => !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok(),
    };
    let most = if is_text { MAX_TEXT as u64 } else { MediaContent::MOST_BYTES };
    if bytes.len() as u64 > most {
        let why = format!("the file has {} bytes and at most {most} are taken along", bytes.len());
        return Err(wrong(&format!("{why}; put it into the workspace and name it")));
    }
    if !is_text {
        let (place, media) = (place.to_owned(), media.map(str::to_owned));
        return Ok((FilePartContent::File(InboundFile { place, name, media, bytes: bytes.into() }), came(None, None)));
    }
    let written = STANDARD.encode(&bytes);
    let text = String::from_utf8(bytes).map_err(|_| wrong("the file is not UTF-8, which a text has to be"))?;
    if text.contains('\0') {
        return Err(wrong("the file holds a NUL character, which a text has none of"));
    }
    let told = format!("[the file {name:?} came with this message]\n{text}");
    Ok((FilePartContent::Text(told), came(Some(written), None)))
}

/// The sentence for the agent about a file that is elsewhere.
fn link(place: &str, name: &str, media: Option<&str>, uri: &str) -> Result<String, RequestError> {
    let wrong = |why: &str| RequestError::invalid_params(format!("`{place}`: {why}"));
    let scheme = SCHEMES
        .iter()
        .find(|scheme| uri.get(..scheme.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme)));
    if scheme.is_none_or(|scheme| uri.len() == scheme.len()) {
        let rule = "the file's address must begin with https://, http:// or gs://; or send its bytes";
        let message = format!("incompatible content type: `{place}`: {rule}");
        return Err(RequestError::new(jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, message));
    }
    if uri.chars().count() > MAX_LINK_CHARS || uri.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        let rule = format!("at most {MAX_LINK_CHARS} characters and neither blanks nor control characters");
        return Err(wrong(&format!("the file's address must have {rule}")));
    }
    let media = media.map(|media| format!(" ({})", media::essence(media))).unwrap_or_default();
    Ok(format!("[a link to the file {name:?}{media} came with this message; it was not fetched: {uri}]"))
}

/// A name on one line, of a length that one can have.
fn name_of(given: &str) -> String {
    let name: String =
        given.trim().chars().filter(|letter| !letter.is_control()).take(MediaContent::MOST_NAME_CHARS).collect();
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

#[cfg(test)]
mod tests;
