//! About how much memory an entry takes, for whoever keeps a bounded number of them.

use crate::ask::{AnswerEdit, AskDetails};
use crate::call::CallOutcome;
use crate::event::{Entry, Event};
use crate::seen_files::SeenFile;

/// The weight of an entry besides its text.
const FIXED: usize = 200;

impl Entry {
    /// About how many bytes it takes. Counting is cheap: only what can be long is looked at.
    pub fn weight(&self) -> usize {
        FIXED + text(&self.event)
    }
}

fn text(event: &Event) -> usize {
    match event {
        Event::Said { text, .. } | Event::Piece { text, .. } | Event::Output { text, .. } => text.len(),
        Event::Prompted { text, media, parts, .. } => {
            text.len() + media.len() * FIXED + parts.iter().map(|part| part.to_string().len()).sum::<usize>()
        }
        Event::Requeued { text, .. } => text.len(),
        Event::TaskOpened { edge, .. } => edge.to_string().len(),
        Event::Called { args, .. } => args.to_string().len(),
        Event::Attached { text, seen, .. } => text.len() + seen_files(seen),
        Event::Compacted { summary, .. } => summary.len(),
        Event::Answered { edit: Some(edit), .. } => match edit {
            AnswerEdit::Content { new } => new.len(),
            AnswerEdit::Files { files } => files.iter().map(|file| file.path.len() + file.new.len()).sum(),
            AnswerEdit::Answers { answers } => answers.to_string().len(),
        },
        Event::TurnStarted { tools, .. } => tools.iter().map(String::len).sum(),
        Event::Asked { ask, .. } => match &ask.details {
            AskDetails::Edit(diff) => diff.weight(),
            AskDetails::Patch { files } => files.iter().map(|file| FIXED + file.diff.weight()).sum(),
            AskDetails::Execute { command, .. } => command.len(),
            AskDetails::Generic { description, .. } => description.len(),
            AskDetails::Mcp { .. } => 0,
        },
        Event::CallEnded {
            outcome: CallOutcome::Succeeded { result } | CallOutcome::Failed { result: Some(result), .. },
            ..
        } => {
            let structured = result.structured.as_ref().map_or(0, |data| data.to_string().len());
            2 * result.text.len() + structured + seen_files(&result.seen)
        }
        Event::Opened(_)
        | Event::Equipped(_)
        | Event::Set { .. }
        | Event::Unqueued { .. }
        | Event::Released
        | Event::Commanded { .. }
        | Event::Rewound { .. }
        | Event::Checkpointed(_)
        | Event::ItemEnded { .. }
        | Event::Retrying { .. }
        | Event::FellBack { .. }
        | Event::StepEnded { .. }
        | Event::Allowed { .. }
        | Event::AskKept { .. }
        | Event::Deferred { .. }
        | Event::Answered { .. }
        | Event::Kept { .. }
        | Event::CompactWanted
        | Event::NotCompacted { .. }
        | Event::Uncompacted
        | Event::CallStarted { .. }
        | Event::Spent { .. }
        | Event::CallEnded { .. }
        | Event::TurnEnded { .. }
        | Event::TaskClosed { .. } => 0,
    }
}

fn seen_files(seen: &[SeenFile]) -> usize {
    seen.iter().map(|file| file.path.len() + file.sha256.len()).sum()
}
