//! Files a model can look at or listen to: told by how they begin, kept as blobs, shown beside the text.

use crate::error::{FileOperation, ToolError};
use crate::output::OutputStore;
use crate::workspace::WorkspacePath;
use pollux_session::MediaContent;

#[cfg(test)]
mod tests;

/// The kind of a file that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MediaKind {
    pub(crate) media_type: &'static str,
    /// For people: `an image`.
    pub(crate) what: &'static str,
}

const fn kind(media_type: &'static str, what: &'static str) -> MediaKind {
    MediaKind { media_type, what }
}

/// The beginnings of files: the bytes at the very beginning, the bytes behind the first eight (at byte 8, or at byte 4
/// for files of boxes), and the kind of the file.
const SIGNS: [(&[u8], &[u8], MediaKind); 13] = [
    (b"%PDF-", b"", kind("application/pdf", "a PDF document")),
    (b"\x89PNG", b"", kind("image/png", "an image")),
    (b"\xff\xd8\xff", b"", kind("image/jpeg", "an image")),
    (b"GIF8", b"", kind("image/gif", "an image")),
    (b"RIFF", b"WEBP", kind("image/webp", "an image")),
    (b"RIFF", b"WAVE", kind("audio/wav", "a sound")),
    (b"FORM", b"AIFF", kind("audio/aiff", "a sound")),
    (b"FORM", b"AIFC", kind("audio/aiff", "a sound")),
    (b"ID3", b"", kind("audio/mpeg", "a sound")),
    (b"OggS", b"", kind("audio/ogg", "a sound")),
    (b"fLaC", b"", kind("audio/flac", "a sound")),
    (b"ADIF", b"", kind("audio/aac", "a sound")),
    (b"\x1a\x45\xdf\xa3", b"", kind("video/webm", "a video")),
];

/// The kind of the file called `name`, if a model can be shown it.
pub(crate) fn media_kind(name: &str, bytes: &[u8]) -> Option<MediaKind> {
    // Letters may begin a text as well: only what cannot be one is taken for something else.
    let is_text = !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    if is_text && !bytes.starts_with(b"%PDF-") {
        return None;
    }
    let found = SIGNS.into_iter().find(|(beginning, form, _)| {
        bytes.starts_with(beginning) && bytes.get(8..).unwrap_or_default().starts_with(form)
    });
    match found.map(|(_, _, kind)| kind).or_else(|| kind_of_boxes(bytes)).or_else(|| kind_of_frames(name, bytes)) {
        // The same beginning, another form: Matroska says in its head which it is.
        Some(kind) if kind.media_type == "video/webm" => {
            let head = &bytes[..bytes.len().min(64)];
            head.windows(4).any(|word| word == b"webm").then_some(kind)
        }
        found => found,
    }
}

/// The media type of a file that a model can be shown, told by how it begins.
pub fn media_type(name: &str, bytes: &[u8]) -> Option<&'static str> {
    media_kind(name, bytes).map(|kind| kind.media_type)
}

/// Files that are made of boxes, the first of which names the brand.
fn kind_of_boxes(bytes: &[u8]) -> Option<MediaKind> {
    if bytes.get(4..8)? != b"ftyp" {
        return None;
    }
    Some(match bytes.get(8..12)? {
        b"heic" | b"heix" | b"hevc" | b"heim" | b"heis" => kind("image/heic", "an image"),
        b"mif1" | b"msf1" => kind("image/heif", "an image"),
        b"qt  " => kind("video/quicktime", "a video"),
        b"M4A " | b"M4B " => kind("audio/mp4", "a sound"),
        _ => kind("video/mp4", "a video"),
    })
}

/// Sounds that are nothing but frames: too little to tell them by, so the name has to agree.
fn kind_of_frames(name: &str, bytes: &[u8]) -> Option<MediaKind> {
    let [0xff, second, ..] = bytes else { return None };
    match (extension(name).as_str(), second & 0xf6) {
        ("aac", 0xf0) => Some(kind("audio/aac", "a sound")),
        ("mp3", _) if second & 0xe0 == 0xe0 => Some(kind("audio/mpeg", "a sound")),
        _ => None,
    }
}

/// The part of a name behind its last dot, in lower case.
pub(crate) fn extension(name: &str) -> String {
    name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

/// Keep the bytes of the file at `place` for the model to look at.
pub(crate) fn store_media(
    keeper: &dyn OutputStore,
    place: &WorkspacePath,
    kind: MediaKind,
    bytes: &[u8],
) -> Result<MediaContent, ToolError> {
    let name = place.name();
    let kept = keeper.spool().and_then(|mut spool| {
        spool.write(bytes)?;
        spool.finish(kind.media_type)
    });
    match kept {
        Ok(blob) => Ok(MediaContent { name, blob }),
        Err(source) => Err(ToolError::Io { path: name, doing: FileOperation::Read, source }),
    }
}
