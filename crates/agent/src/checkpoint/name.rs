//! The name of a checkpoint for people: the time, the file, the tool. The form is Gemini CLI's.

use jiff::Timestamp;
use pollux_session::{CallState, SavedCheckpoint};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;

/// The most characters of a file's name or a tool's.
const MAX_CHARS: usize = 64;

/// The name of a checkpoint made now for `call`. No other of `known` has it.
pub(super) fn checkpoint_name(call: &CallState, known: &VecDeque<SavedCheckpoint>) -> String {
    unique(&format_name(Timestamp::now(), call), known)
}

/// `2026-11-15T07-32-39_660Z-hello.txt-write_file`
fn format_name(at: Timestamp, call: &CallState) -> String {
    let path = call.args.get("file_path").and_then(Value::as_str).map(Path::new);
    let file = path.and_then(Path::file_name).map(|name| format!("{}-", plain(&name.to_string_lossy())));
    let at = at.strftime("%Y-%m-%dT%H-%M-%S_%3fZ");
    format!("{at}-{}{}", file.unwrap_or_default(), plain(&call.tool))
}

/// Without what a shell, a list or a file system would read as something else.
fn plain(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-');
    text.chars().take(MAX_CHARS).map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

fn unique(name: &str, known: &VecDeque<SavedCheckpoint>) -> String {
    let is_taken = |name: &str| known.iter().any(|kept| kept.checkpoint.name == name);
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests;
