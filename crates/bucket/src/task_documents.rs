//! Documents about each task, in the seeds' layout: for people and other programs. Nothing here is read back; the log
//! is.

use crate::bucket::json;
use crate::fold::ReplicationFold;
use crate::keys;
use jiff::Timestamp;
use pollux_session::{
    EntryAuthor, FileDiff, ItemKind, MediaContent, ResultDisplay, SessionId, SessionOpened, TaskId, TaskKind, TaskMark,
    TranscriptLine, UnixMillis,
};
use serde_json::{Value, json};

/// The longest text that a history repeats.
const MAX_TEXT: usize = 256 * 1024;

/// The objects of one task: keys and what they hold.
pub(crate) fn of_task(session: SessionId, task: TaskId, fold: &ReplicationFold) -> Vec<(String, Vec<u8>)> {
    let (Some(opened), Some((since, marked))) = (&fold.opened, fold.marks.get(&task)) else { return Vec::new() };
    let mut papers = vec![
        ("metadata.json".to_owned(), json(&metadata(session, task, marked.kind, opened, fold))),
        ("history.json".to_owned(), json(&history(task, opened, fold))),
        ("state.json".to_owned(), json(&json!({"state": word(opened, marked.mark), "timestamp": time(*since)}))),
    ];
    papers.extend(artifacts(task, fold));
    papers.into_iter().map(|(name, bytes)| (keys::of_task(task, &name), bytes)).collect()
}

fn metadata(session: SessionId, task: TaskId, kind: TaskKind, opened: &SessionOpened, fold: &ReplicationFold) -> Value {
    let begun = fold.transcript.lines().find_map(|line| match line {
        TranscriptLine::Prompt { task: of, at, .. } if *of == task => Some(*at),
        _ => None,
    });
    let model = fold.transcript.lines().rev().find_map(|line| match line {
        TranscriptLine::Turn { task: of, model, .. } if *of == task => Some(model.as_str()),
        _ => None,
    });
    json!({
        "id": task.to_string(),
        "contextId": opened.context.as_str(),
        "sessionId": session.to_string(),
        "owner": opened.owner.0,
        "workspacePath": opened.workspace,
        "kind": kind,
        "model": model,
        "createdAt": begun.map(time),
        "updatedAt": fold.state.tasks.get(&task).map(|task| time(task.changed)),
        "agentSettings": opened.edge.get("agentSettings"),
    })
}

/// Prompts, texts and calls, oldest first.
fn history(task: TaskId, opened: &SessionOpened, fold: &ReplicationFold) -> Vec<Value> {
    let message = |id: String, role: &str, at: UnixMillis, parts: Vec<Value>| {
        json!({
            "kind": "message",
            "messageId": id,
            "role": role,
            "parts": parts,
            "taskId": task.to_string(),
            "contextId": opened.context.as_str(),
            "metadata": {"timestamp": time(at)},
        })
    };
    let text = |text: &str| json!({"kind": "text", "text": shortened(text)});
    let told = fold.transcript.lines().filter_map(|line| match line {
        TranscriptLine::Prompt { id, task: of, at, text: said, by, media, command, .. } if *of == task => {
            let role = if matches!(by, EntryAuthor::Agent) { "agent" } else { "user" };
            let id = command.as_ref().map_or_else(|| id.to_string(), |command| command.0.clone());
            Some(message(id, role, *at, std::iter::once(text(said)).chain(media.iter().map(file)).collect()))
        }
        TranscriptLine::Item { id, task: of, kind: ItemKind::Text, at, text: said, .. } if *of == task => {
            Some(message(id.to_string(), "agent", *at, vec![text(said)]))
        }
        TranscriptLine::Call { id, task: of, tool, args, at, outcome, parent: None, .. } if *of == task => {
            let outcome = outcome.as_ref().map(|outcome| {
                let ended = serde_json::to_value(outcome).unwrap_or_default();
                let word = ended.get("type").cloned().unwrap_or_default();
                json!({"type": word, "text": outcome.result().map(|result| shortened(&result.text))})
            });
            let data = json!({"callId": id.to_string(), "tool": tool, "args": args, "outcome": outcome});
            Some(message(id.to_string(), "agent", *at, vec![json!({"kind": "data", "data": data})]))
        }
        _ => None,
    });
    told.collect()
}

/// A file that came with a prompt. Its bytes are among the blobs, by this digest.
fn file(MediaContent { name, blob }: &MediaContent) -> Value {
    let file = json!({"name": name, "mimeType": blob.media});
    json!({"kind": "file", "file": file, "metadata": {"sha256": blob.sha256, "bytes": blob.len}})
}

/// The files its calls made or changed, as the calls left them.
fn artifacts(task: TaskId, fold: &ReplicationFold) -> Vec<(String, Vec<u8>)> {
    let mut made: Vec<(String, Vec<u8>)> = Vec::new();
    for line in fold.transcript.lines() {
        let TranscriptLine::Call { id, task: of, outcome: Some(outcome), .. } = line else { continue };
        let Some(display) = outcome.result().filter(|_| *of == task).and_then(|result| result.display.as_ref()) else {
            continue;
        };
        let changes: Vec<&FileDiff> = match display {
            ResultDisplay::Text { .. } => Vec::new(),
            ResultDisplay::Diff(change) => vec![change],
            ResultDisplay::Patch { files } => {
                files.iter().filter(|file| file.is_editable()).map(|file| &file.diff).collect()
            }
        };
        for change in changes {
            let name = change.name.rsplit('/').next().unwrap_or(&change.name);
            let is_taken = |path: &String| made.iter().any(|(known, _)| known == path);
            let plain = format!("artifacts/{id}-{name}");
            let numbered = (2_u32..).map(|number| format!("artifacts/{id}-{number}-{name}"));
            // Files of one patch may have the same name in different directories.
            let Some(path) = std::iter::once(plain).chain(numbered).find(|path| !is_taken(path)) else { continue };
            made.push((path, change.new.clone().into_bytes()));
        }
    }
    made
}

/// The word of the task's own dialect for where it stands: clients of Google's server know an open task by
/// `input-required`.
fn word(opened: &SessionOpened, mark: TaskMark) -> &'static str {
    let coder = opened.edge.get("dialect").and_then(Value::as_str) == Some("coder");
    match mark {
        TaskMark::Submitted => "submitted",
        TaskMark::Working => "working",
        TaskMark::InputRequired => "input-required",
        TaskMark::Rested if coder => "input-required",
        TaskMark::Rested | TaskMark::Completed => "completed",
        TaskMark::RestedCancelled | TaskMark::Cancelled => "canceled",
        TaskMark::RestedFailed | TaskMark::Failed => "failed",
    }
}

fn shortened(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text)
}

fn time(at: UnixMillis) -> String {
    let millis = i64::try_from(at.0).unwrap_or_default();
    Timestamp::from_millisecond(millis).map(|time| time.to_string()).unwrap_or_default()
}
