//! What came of a call, as an MCP client reads it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pollux_session::{CallOutcome, CallResult, MediaContent};
use pollux_store::BlobStore;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// The result of a call of `tool`. `unasked` says why it was declined when no person has seen it. Blocks on the disk
/// where there is something to look at.
pub(super) fn render_outcome(
    tool: &str,
    outcome: &CallOutcome,
    unasked: Option<&str>,
    blobs: &BlobStore,
) -> CallToolResult {
    match outcome {
        CallOutcome::Succeeded { result } => CallToolResult::success(content(result, blobs)),
        CallOutcome::Failed { error, result } => {
            let mut blocks = vec![ContentBlock::text(error.message.clone())];
            blocks.extend(result.iter().flat_map(|result| content(result, blobs)));
            CallToolResult::error(blocks)
        }
        CallOutcome::Declined => match unasked {
            Some(why) => not_run(tool, why),
            None => not_run(tool, "the person at this client declined it"),
        },
        CallOutcome::Denied { why } => not_run(tool, why),
        CallOutcome::Cancelled => not_run(tool, "it was cancelled"),
        CallOutcome::Interrupted => not_run(tool, "it was interrupted; what it has done so far stands"),
        CallOutcome::Superseded => not_run(tool, "what it was about to change has changed meanwhile; call it again"),
    }
}

/// The last line of live output that says something.
pub(super) fn last_line(output: &str) -> Option<String> {
    let text = pollux_session::plain(output);
    text.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
}

fn not_run(tool: &str, why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("{tool} was not done: {why}"))])
}

fn content(result: &CallResult, blobs: &BlobStore) -> Vec<ContentBlock> {
    let text = (!result.text.is_empty()).then(|| ContentBlock::text(result.text.clone()));
    text.into_iter().chain(result.media.iter().map(|media| shown(media, blobs))).collect()
}

fn shown(media: &MediaContent, blobs: &BlobStore) -> ContentBlock {
    let bytes = match blobs.read(&media.blob) {
        Ok(bytes) => bytes,
        Err(error) => return ContentBlock::text(format!("{} cannot be shown: {error}", media.name)),
    };
    let (data, kind) = (STANDARD.encode(bytes), media.blob.media.as_str());
    match kind.split('/').next() {
        Some("image") => ContentBlock::image(data, kind),
        Some("audio") => ContentBlock::audio(data, kind),
        _ => {
            let uri = format!("pollux:///{}", media.blob.sha256);
            ContentBlock::resource(ResourceContents::blob(data, uri).with_mime_type(kind))
        }
    }
}

#[cfg(test)]
mod tests;
