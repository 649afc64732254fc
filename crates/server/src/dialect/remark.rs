//! What is worth a line and changes nothing about where a task stands: settings, grants, compaction, attachments.

use super::DomainFrame;
use pollux_session::{ApprovalMode, Entry, Event, Grant, GrantScope, NoticeLevel, SessionSetting, WorkspaceCheckpoint};

/// The line that `entry` is worth, if it is worth one.
pub(super) fn remark_of_entry(entry: &Entry) -> Option<DomainFrame> {
    let by = &entry.by;
    let (level, line) = match &entry.event {
        Event::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) } => {
            (NoticeLevel::Warn, format!("{by} set the mode to yolo: nothing asks from now on"))
        }
        Event::Opened(opened)
            if opened.overrides.mode == Some(ApprovalMode::Yolo) && opened.overrides.grants.is_empty() =>
        {
            (NoticeLevel::Info, format!("{by} opened the session in the mode yolo: nothing asks"))
        }
        Event::Opened(opened) if !opened.overrides.grants.is_empty() => {
            let grants: Vec<String> = opened.overrides.grants.iter().map(Grant::to_string).collect();
            (NoticeLevel::Info, format!("{by} allowed {} in this session", grants.join(", ")))
        }
        Event::Set { setting: SessionSetting::Mode(mode) } => {
            (NoticeLevel::Info, format!("{by} set the mode to {}", mode.name()))
        }
        Event::Set { setting: SessionSetting::Model(model) } => {
            (NoticeLevel::Info, format!("{by} chose the model {model}, from the next turn on"))
        }
        Event::Attached { name, text, media } => {
            let seen: u64 = media.iter().map(|media| media.blob.len).sum();
            (NoticeLevel::Info, format!("{name} was read ({} bytes)", text.len() as u64 + seen))
        }
        Event::FellBack { from, to, why } => (NoticeLevel::Warn, format!("{to} answers instead of {from}: {why}")),
        Event::Noted { text } => (NoticeLevel::Info, format!("note: {text}")),
        Event::Rewound { .. } => {
            (NoticeLevel::Info, "the model no longer knows of the newest part of the conversation".into())
        }
        Event::Checkpointed(WorkspaceCheckpoint { saved: Err(why), name, .. }) => {
            (NoticeLevel::Warn, format!("no checkpoint {name} was made: {why}"))
        }
        Event::Kept { grant, reach, failure: None } => {
            let where_to = match reach {
                GrantScope::Session => "in this session",
                GrantScope::Workspace => "in this workspace from now on",
                GrantScope::Always => "everywhere from now on",
            };
            (NoticeLevel::Info, format!("{grant} is allowed {where_to}"))
        }
        Event::Kept { grant, failure: Some(why), .. } => {
            (NoticeLevel::Warn, format!("{grant} is allowed in this session only: {why}"))
        }
        Event::CompactWanted => (NoticeLevel::Info, format!("{by} wants the conversation compacted")),
        Event::Compacted { .. } => {
            (NoticeLevel::Info, "the model sees a summary of the older part of the conversation from now on".into())
        }
        Event::NotCompacted { why } => (NoticeLevel::Warn, format!("the conversation was not compacted: {why}")),
        Event::Uncompacted => (NoticeLevel::Info, format!("{by} took the newest summary of the conversation back")),
        // These are worth no line: they are as they always are, or it went well.
        Event::Opened(_)
        | Event::Equipped(_)
        | Event::Released
        | Event::Checkpointed(WorkspaceCheckpoint { saved: Ok(_), .. }) => return None,
        // These have frames of their own, or are plain to see in what follows.
        Event::Prompted { .. }
        | Event::TaskOpened { .. }
        | Event::Unqueued { .. }
        | Event::Requeued { .. }
        | Event::TurnStarted { .. }
        | Event::Commanded { .. }
        | Event::Said { .. }
        | Event::Piece { .. }
        | Event::ItemEnded { .. }
        | Event::Retrying { .. }
        | Event::StepEnded { .. }
        | Event::Called { .. }
        | Event::Allowed { .. }
        | Event::Asked { .. }
        | Event::AskKept { .. }
        | Event::Answered { .. }
        | Event::CallStarted { .. }
        | Event::Output { .. }
        | Event::Spent { .. }
        | Event::CallEnded { .. }
        | Event::TurnEnded { .. }
        | Event::TaskClosed { .. } => return None,
    };
    Some(DomainFrame::Remark { level, line })
}
