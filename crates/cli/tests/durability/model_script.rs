//! The model's answers in every conversation, slow enough to be cut off anywhere.

use pollux_testkit::script;
use serde_json::{Value, json};
use std::path::Path;

/// The commands of a conversation, in the order they are called. Each says that it ran before anything can stop it.
pub(crate) const COMMANDS: [&str; 3] = [
    "echo first >>ran; echo working; sleep 0.04; echo worked",
    "echo second >>ran; sleep 0.02",
    "echo third >>ran; echo here",
];
/// The line that each command writes into the file `ran`.
pub(crate) const LINES: [&str; 3] = ["first", "second", "third"];

/// Write the script; returns the value of `--model`.
pub(crate) fn write(path: &Path) -> std::io::Result<String> {
    let thought = json!([{"text": "**Plan** one thing, then two at once", "thought": true}]);
    let first = texts("I will begin with the first thing, which is always the hardest one.", 12);
    let second = texts("That went as it went. Now for the other two, side by side.", 9);
    let third = texts("All of it is done, as far as I can tell: the first, the second and the third.", 7);
    let lines = [
        slow([vec![thought], first, vec![calls(&COMMANDS[..1])]].concat()),
        slow([second, vec![calls(&COMMANDS[1..])]].concat()),
        slow(third),
    ];
    script::write(path, &lines)
}

/// `text` in pieces.
fn texts(text: &str, size: usize) -> Vec<Value> {
    let pieces = text.as_bytes().chunks(size).map(String::from_utf8_lossy);
    pieces.map(|piece| json!([{"text": piece}])).collect()
}

fn calls(commands: &[&str]) -> Value {
    let call = |command: &&str| json!({"functionCall": {"name": "run_shell_command", "args": {"command": command}}});
    commands.iter().map(call).collect()
}

/// One answer, a chunk for each of `parts`, a few milliseconds apart.
fn slow(parts: Vec<Value>) -> Value {
    let chunk = |parts| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]});
    let mut chunks: Vec<Value> = parts.into_iter().map(chunk).collect();
    if let Some(last) = chunks.last_mut() {
        last["candidates"][0]["finishReason"] = json!("STOP");
        last["usageMetadata"] = json!({"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10});
    }
    let delays = vec![7; chunks.len()];
    json!({"method": "generateContentStream", "response": chunks, "delaysMs": delays})
}
