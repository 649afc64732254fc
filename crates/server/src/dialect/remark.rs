//! What is worth a line and changes nothing about where a task stands: settings, grants, compaction, attachments.

use super::Saying;
use pollux_session::{Checkpoint, Entry, Event, Grant, Level, Mode, Reach, Setting};

/// The line that `entry` is worth, if it is worth one.
pub(super) fn of(entry: &Entry) -> Option<Saying> {
    let by = &entry.by;
    let (level, line) = match &entry.event {
        Event::Set { setting: Setting::Mode(Mode::Yolo) } => {
            (Level::Warn, format!("{by} set the mode to yolo: nothing asks from now on"))
        }
        Event::Opened(opened) if opened.overrides.mode == Some(Mode::Yolo) && opened.overrides.grants.is_empty() => {
            (Level::Info, format!("{by} opened the session in the mode yolo: nothing asks"))
        }
        Event::Opened(opened) if !opened.overrides.grants.is_empty() => {
            let grants: Vec<String> = opened.overrides.grants.iter().map(Grant::to_string).collect();
            (Level::Info, format!("{by} allowed {} in this session", grants.join(", ")))
        }
        Event::Set { setting: Setting::Mode(mode) } => (Level::Info, format!("{by} set the mode to {}", mode.name())),
        Event::Set { setting: Setting::Model(model) } => {
            (Level::Info, format!("{by} chose the model {model}, from the next turn on"))
        }
        Event::Attached { name, text, media } => {
            let seen: u64 = media.iter().map(|media| media.blob.len).sum();
            (Level::Info, format!("{name} was read ({} bytes)", text.len() as u64 + seen))
        }
        Event::FellBack { from, to, why } => (Level::Warn, format!("{to} answers instead of {from}: {why}")),
        Event::Rewound { .. } => {
            (Level::Info, "the model no longer knows of the newest part of the conversation".into())
        }
        Event::Checkpointed(Checkpoint { saved: Err(why), name, .. }) => {
            (Level::Warn, format!("no checkpoint {name} was made: {why}"))
        }
        Event::Kept { grant, reach, failure: None } => {
            let where_to = match reach {
                Reach::Session => "in this session",
                Reach::Workspace => "in this workspace from now on",
                Reach::Always => "everywhere from now on",
            };
            (Level::Info, format!("{grant} is allowed {where_to}"))
        }
        Event::Kept { grant, failure: Some(why), .. } => {
            (Level::Warn, format!("{grant} is allowed in this session only: {why}"))
        }
        Event::CompactWanted => (Level::Info, format!("{by} wants the conversation compacted")),
        Event::Compacted { .. } => {
            (Level::Info, "the model sees a summary of the older part of the conversation from now on".into())
        }
        Event::NotCompacted { why } => (Level::Warn, format!("the conversation was not compacted: {why}")),
        Event::Uncompacted => (Level::Info, format!("{by} took the newest summary of the conversation back")),
        // What has words of its own, or is plain to see in what follows, is named in `saying`.
        _ => return None,
    };
    Some(Saying::Remark { level, line })
}
