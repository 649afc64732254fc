//! The products of a call, as A2A's artifacts: the file it changed, and the files it leaves for others.

use super::call::file_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_session::{CallArtifact, CallId, CallResult, FileDiff, PatchedFile, ResultDisplay};
use pollux_wire::a2a::{Artifact, FileContent, Part};
use serde_json::json;

/// The most bytes of a file, or of its diff, that an artifact repeats.
const MAX_CONTENT: usize = 256 * 1024;

/// The artifact of a call: the file it changed, and the files it leaves for others; `None` when there is nothing.
pub(crate) fn artifact_of_call(call: CallId, result: &CallResult) -> Option<Artifact> {
    let file = match &result.display {
        Some(ResultDisplay::Diff(change)) => Some(changed_file(call, change)),
        Some(ResultDisplay::Patch { files }) => Some(changed_files(call, files)),
        Some(ResultDisplay::Text { .. }) | None => None,
    };
    if result.leaves.is_empty() {
        return file;
    }
    let mut made = file.unwrap_or_else(|| Artifact { artifact_id: format!("made-{call}"), ..Artifact::default() });
    made.parts.extend(result.leaves.iter().map(part_of_artifact));
    Some(made)
}

fn part_of_artifact(leaving: &CallArtifact) -> Part {
    match leaving {
        CallArtifact::Data { data } => Part::data(data.clone()),
        CallArtifact::Link { url, name, media } => Part::file(FileContent {
            name: Some(name.clone()),
            mime_type: media.clone(),
            bytes: None,
            uri: Some(url.clone()),
        }),
    }
}

/// A file that a call changed: its new content, and the diff.
fn changed_file(call: CallId, change: &FileDiff) -> Artifact {
    let content = if change.new.len() <= MAX_CONTENT { file_part(change) } else { unrepeated_part(change) };
    let mut diff = json!({ "file_name": file_name(change), "file_path": change.path });
    if change.patch.len() <= MAX_CONTENT {
        diff["formatted_diff"] = json!(change.patch);
    }
    Artifact {
        artifact_id: format!("file-{call}"),
        name: Some(change.path.clone()),
        parts: vec![content, Part::data(diff)],
        ..Artifact::default()
    }
}

/// The files that a patch changed: the parts of each, one after the other, as long as there is room.
fn changed_files(call: CallId, files: &[PatchedFile]) -> Artifact {
    let mut parts = Vec::new();
    let mut left = MAX_CONTENT;
    for file in files {
        let change = &file.diff;
        let mut diff = json!({ "file_name": file_name(change), "file_path": change.path });
        let is_shown = change.new.len() + change.patch.len() <= left;
        if is_shown {
            left -= change.new.len() + change.patch.len();
            diff["formatted_diff"] = json!(change.patch);
        }
        if file.is_editable() {
            parts.push(if is_shown { file_part(change) } else { unrepeated_part(change) });
        }
        parts.push(Part::data(diff));
    }
    Artifact { artifact_id: format!("file-{call}"), name: Some("patch".into()), parts, ..Artifact::default() }
}

fn file_part(change: &FileDiff) -> Part {
    Part::file(FileContent {
        name: Some(change.name.clone()),
        mime_type: Some(media_type(&change.name).into()),
        bytes: Some(STANDARD.encode(&change.new)),
        uri: None,
    })
}

fn unrepeated_part(change: &FileDiff) -> Part {
    Part::text(format!("the file has {} bytes and is not repeated here; read it in the workspace", change.new.len()))
}

/// The media type of a text file, by its name.
fn media_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "css" => "text/css",
        "csv" => "text/csv",
        "htm" | "html" => "text/html",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "md" => "text/markdown",
        "svg" => "image/svg+xml",
        "toml" => "application/toml",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests;
