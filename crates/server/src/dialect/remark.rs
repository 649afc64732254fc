//! Which sentences about an entry are remarks: they change nothing about where a task stands. The sentences are those of
//! `describe`, told to nobody in particular, so that they name whoever did it.

use super::DomainFrame;
use crate::wire_state::WireState;
use pollux_session::{
    Entry, Event, EventNote, NoteTone, NoticeLevel, UNSEEN_SUMMARY_SENTENCE, WorkspaceCheckpoint, events_about,
};

/// The remark about `entry`, which is the newest of `wire_state`, if there is one.
pub(super) fn remark_of_entry(wire_state: &WireState, entry: &Entry) -> Option<DomainFrame> {
    let notes = wire_state.notes();
    let (level, line) = match &entry.event {
        // Whoever opened the session asked for its mode just now, and needs no warning.
        Event::Opened(_) => (NoticeLevel::Info, join_notes(notes)),
        Event::Set { .. }
        | Event::Attached { .. }
        | Event::FellBack { .. }
        | Event::Rewound { .. }
        | Event::Checkpointed(WorkspaceCheckpoint { saved: Err(_), .. })
        | Event::Kept { .. }
        | Event::CompactWanted
        | Event::NotCompacted { .. }
        | Event::Uncompacted => {
            let is_warning = notes.iter().any(|note| matches!(note.tone, NoteTone::Warn | NoteTone::Bad));
            (if is_warning { NoticeLevel::Warn } else { NoticeLevel::Info }, join_notes(notes))
        }
        // The note is the heading of the summary, which no dialect sends.
        Event::Compacted { .. } => (NoticeLevel::Info, UNSEEN_SUMMARY_SENTENCE.to_owned()),
        // These are as they always are, or went well.
        Event::Equipped(_) | Event::Released | Event::Checkpointed(WorkspaceCheckpoint { saved: Ok(_), .. }) => {
            return None;
        }
        // These have frames of their own, or are plain to see in what follows.
        events_about!(tasks, text, approval)
        | Event::Prompted { .. }
        | Event::Unqueued { .. }
        | Event::Requeued { .. }
        | Event::TurnStarted { .. }
        | Event::Commanded { .. }
        | Event::Retrying { .. }
        | Event::StepEnded { .. }
        | Event::Called { .. }
        | Event::CallStarted { .. }
        | Event::Output { .. }
        | Event::Spent { .. }
        | Event::CallEnded { .. }
        | Event::TurnEnded { .. } => return None,
    };
    (!line.is_empty()).then_some(DomainFrame::Remark { level, line })
}

/// Sentences about one entry, each on a line of its own.
pub(super) fn join_notes(notes: &[EventNote]) -> String {
    notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n")
}
