//! What a server answered, as text for a model.

use crate::excerpt::Excerpt;
use crate::mcp::plain::{plain, plain_line};
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents};

#[cfg(test)]
mod tests;

/// The most characters of a media type or an address.
const MAX_LABEL: usize = 512;

/// What came of a call, cut to what a model is given. Content that is not text is described.
pub(super) fn called(result: &CallToolResult) -> String {
    let mut parts: Vec<String> = result.content.iter().map(block).collect();
    if let (true, Some(structured)) = (parts.is_empty(), &result.structured_content) {
        parts.push(structured.to_string());
    }
    if parts.is_empty() {
        parts.push("(no content)".into());
    }
    joined(&parts)
}

/// What was read.
pub(super) fn read(result: &ReadResourceResult) -> String {
    let parts: Vec<String> = result.contents.iter().map(resource).collect();
    if parts.is_empty() { "(no content)".into() } else { joined(&parts) }
}

/// A prompt as one text.
pub(super) fn prompted(prompt: &GetPromptResult) -> String {
    joined(&prompt.messages.iter().map(|message| block(&message.content)).collect::<Vec<_>>())
}

/// One block in words.
fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => left_out("image", Some(&image.mime_type), &image.data),
        ContentBlock::Audio(audio) => left_out("sound", Some(&audio.mime_type), &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource),
        ContentBlock::ResourceLink(link) => {
            let (name, uri) = (plain_line(&link.name, MAX_LABEL), plain_line(&link.uri, MAX_LABEL));
            format!("[The resource {name}, to be read at {uri}.]")
        }
        _ => "[Content of a kind that is not known here.]".into(),
    }
}

fn resource(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            format!("[{}]\n{text}", plain_line(uri, MAX_LABEL))
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            format!("[{}]\n{}", plain_line(uri, MAX_LABEL), left_out("file", mime_type.as_deref(), blob))
        }
        _ => "[A resource of a kind that is not known here.]".into(),
    }
}

/// A sentence for what a model cannot be given.
fn left_out(what: &str, media: Option<&str>, base64: &str) -> String {
    let media = media.map(|media| format!(" ({})", plain_line(media, MAX_LABEL))).unwrap_or_default();
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
    format!("[One {what}{media} of {bytes} bytes, which cannot be shown here.]")
}

fn joined(parts: &[String]) -> String {
    let mut excerpt = Excerpt::default();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            excerpt.push("\n");
        }
        excerpt.push(part);
    }
    plain(&excerpt.finish(), usize::MAX)
}
