//! Media types: what is read, and what is said.

/// True if a text or data part of this media type is read.
pub(super) fn is_read(media: &str) -> bool {
    let media = essence(media);
    let structured = ["json", "xml", "yaml", "toml", "javascript"];
    match media.split_once('/') {
        None => media.is_empty() || media == "text",
        Some(("text", _)) => true,
        Some(("application", kind)) => {
            structured.contains(&kind) || kind.rsplit_once('+').is_some_and(|(_, suffix)| structured.contains(&suffix))
        }
        Some(_) => false,
    }
}

/// True if a file of this media type is a text.
pub(super) fn is_text_file(media: &str) -> bool {
    is_read(media) || essence(media) == "image/svg+xml"
}

/// True if a file of this media type may be one that a model can be shown; its bytes decide.
pub(super) fn may_be_shown(media: &str) -> bool {
    let media = essence(media);
    let looked_at =
        ["image/", "audio/", "video/"].iter().any(|kind| media.len() > kind.len() && media.starts_with(kind));
    looked_at || media == "application/pdf" || is_generic(&media)
}

/// True if this media type says only that there are bytes.
pub(super) fn is_generic(media: &str) -> bool {
    essence(media) == "application/octet-stream"
}

/// True if what the agent says is of this media type.
pub(super) fn is_output(media: &str) -> bool {
    matches!(
        essence(media).as_str(),
        "*" | "*/*" | "text" | "text/*" | "text/plain" | "text/markdown" | "application/*" | "application/json"
    )
}

/// A media type without its parameters.
pub(super) fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
