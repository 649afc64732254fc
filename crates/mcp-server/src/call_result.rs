//! The result of a call, as an MCP client reads it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pollux_session::{CallOutcome, CallResult, MediaContent, describe_call_error};
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
        CallOutcome::Declined
        | CallOutcome::Denied { .. }
        | CallOutcome::Cancelled
        | CallOutcome::Interrupted
        | CallOutcome::Superseded => {
            let unasked = unasked.filter(|_| *outcome == CallOutcome::Declined).map(str::to_owned);
            let why = unasked.or_else(|| describe_call_error(outcome).map(|error| error.message));
            let text = format!("{tool} was not done: {}", why.unwrap_or_default());
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
    }
}

/// The last line of live output that says something.
pub(super) fn last_line(output: &str) -> Option<String> {
    let text = pollux_session::plain(output);
    text.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
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
