//! Every sentence about an event that a person reads, written once.
//!
//! Pure text without terminal control: what comes from elsewhere inside a sentence is on one line and harmless, and colours,
//! signs, margins and times of day are for whoever draws. Sentences about what is no event (a refusal, a key, a setting of
//! this terminal) are elsewhere. A new event is met here by the compiler.

mod answers;
mod attachment;
mod call;
mod entry_context;
mod session_change;
mod tool_labels;
mod turn;
mod wording;

pub use answers::{describe_answers, describe_plan_mode, is_plan_schema};
pub(crate) use call::{REPLACED_CALL_SENTENCE, describe_target, runs_in_background};
pub use call::{
    call_title, describe_aftermath, describe_answer, describe_call_error, describe_change, describe_decision,
    describe_ending, describe_heading, describe_run, proposed_plan, short_name, stated_purpose, summarize_args,
    without_model_advice,
};
pub use entry_context::{EntryContext, EntryOrigin, EventNote, NoteTone, NoteTopic};
pub(crate) use session_change::describe_way_back;
pub use session_change::{UNSEEN_SUMMARY_SENTENCE, describe_reach};
pub use tool_labels::{ask_heading, choice_label, choice_name};
pub use turn::{describe_early_stop, describe_turn_usage};
pub use wording::{MARK_CHARS, client_name, format_age, format_duration, format_seconds, format_tokens, plural};

use crate::built_in_command::BuiltInCommand;
use crate::event::{ApprovalMode, Event, TaskClosing};
use crate::sanitize::one_line;
use crate::state::SessionState;
use attachment::describe_attachment;

/// The sentences about an entry that stand on lines of their own. Additions to a prompt, a text or a call have no
/// sentence here: they are drawn as what they are.
pub fn describe_entry(context: &EntryContext<'_>) -> Vec<EventNote> {
    let by = || context.by_whom();
    let note = match &context.entry.event {
        Event::Opened(opened) => {
            let yolo = opened.overrides.mode.filter(|mode| *mode == ApprovalMode::Yolo);
            let mode = yolo.map(|mode| session_change::describe_mode(mode, &by()));
            let grants = opened.overrides.grants.iter();
            let grants = grants.map(|grant| session_change::describe_opening_grant(grant, &by()));
            return mode.into_iter().chain(grants).collect();
        }
        Event::Equipped(equipment) => {
            let before = &context.state.equipment.model;
            let is_other = !before.is_empty() && *before != equipment.model;
            is_other.then(|| {
                EventNote::info(NoteTopic::Settings, format!("model: {}", one_line(&equipment.model, MARK_CHARS)))
            })
        }
        Event::Set { setting } => Some(session_change::describe_setting(context.state, setting, &by())),
        Event::Unqueued { prompt } => {
            let waiting = context.state.queue.iter().find(|waiting| waiting.id == *prompt);
            let text = one_line(waiting.map_or("", |waiting| &waiting.text), 200);
            Some(EventNote::info(NoteTopic::Queue, format!("taken out of the queue{}: {text}", by())))
        }
        Event::Requeued { text, .. } => {
            Some(EventNote::info(NoteTopic::Queue, format!("changed in the queue{}: {}", by(), one_line(text, 200))))
        }
        Event::Released => Some(EventNote::info(NoteTopic::Queue, format!("the queue goes on{}", by()))),
        Event::Rewound { to } => {
            Some(EventNote::info(NoteTopic::Context, session_change::describe_rewind(context.state, *to)))
        }
        Event::Checkpointed(checkpoint) => session_change::describe_missing_checkpoint(checkpoint),
        Event::Attached { name, .. } => describe_attachment(name),
        Event::Retrying { reason, attempt, wait_ms } => {
            let wait = format_duration(*wait_ms);
            let words = format!("the model call failed: {reason}\ntrying again in {wait} (attempt {attempt})");
            Some(EventNote::new(NoteTopic::Model, NoteTone::Warn, words))
        }
        Event::FellBack { from, to, why } => {
            let (from, to) = (one_line(from, MARK_CHARS), one_line(to, MARK_CHARS));
            let words = format!("{why}\n{to} answers from now on; /model {from} goes back");
            Some(EventNote::new(NoteTopic::Model, NoteTone::Warn, words))
        }
        Event::StepEnded { finish, citations, .. } => return turn::describe_step_end(finish, citations),
        Event::Allowed { call, why, .. } => is_asking(context.state, *call)
            .then(|| EventNote::info(NoteTopic::Call, format!("no answer needed any more: {why}"))),
        Event::Kept { grant, reach, failure } => {
            Some(session_change::describe_kept_grant(grant, *reach, failure.as_deref()))
        }
        Event::CompactWanted => Some(session_change::describe_compact_request(context.state, &by())),
        Event::Compacted { .. } if resumes_chat(context.state) => {
            let words =
                "for the model, the conversation so far is the saved one; /rewind goes back to one of your own prompts";
            Some(EventNote::info(NoteTopic::Context, words))
        }
        Event::Compacted { usage, .. } => Some(session_change::describe_summary(usage)),
        Event::NotCompacted { why } => {
            Some(EventNote::new(NoteTopic::Context, NoteTone::Warn, format!("no summary was made: {why}")))
        }
        Event::Uncompacted => {
            let words = "the newest summary was taken back";
            Some(EventNote::info(NoteTopic::Context, format!("{words}{}: the model sees what it stood for", by())))
        }
        Event::TurnEnded { outcome } => return turn::describe_turn_end(context.state, outcome, &by()),
        Event::TaskClosed { closing: TaskClosing::Cancelled, .. } => {
            Some(EventNote::info(NoteTopic::Task, format!("task closed{}", by())))
        }
        Event::TaskClosed { closing: closing @ (TaskClosing::Completed | TaskClosing::Failed), .. } => {
            Some(EventNote::info(NoteTopic::Task, format!("task closed: {}", closing.name())))
        }
        // A prompt, a text, a thought, a call and what it prints.
        Event::Prompted { .. }
        | Event::TurnStarted { .. }
        | Event::Said { .. }
        | Event::Piece { .. }
        | Event::ItemEnded { .. }
        | Event::Called { .. }
        | Event::Asked { .. }
        | Event::Answered { .. }
        | Event::CallStarted { .. }
        | Event::Output { .. }
        | Event::CallEnded { .. } => None,
        // Of no interest to a person, or plain to see in what follows.
        Event::TaskOpened { .. }
        | Event::Commanded { .. }
        | Event::AskKept { .. }
        | Event::Deferred { .. }
        | Event::Spent { .. } => None,
    };
    Vec::from_iter(note)
}

/// True if a summary that comes now is a saved conversation, which `/chat resume` shows by itself.
pub fn resumes_chat(state: &SessionState) -> bool {
    let command = state.turn.as_ref().and_then(|turn| turn.command.as_deref());
    // With what is below it: `chat resume`.
    command.and_then(|command| command.split(' ').next()) == Some(BuiltInCommand::Chat.name())
}

fn is_asking(state: &SessionState, call: crate::CallId) -> bool {
    let call = state.turn.as_ref().and_then(|turn| turn.calls.get(&call));
    call.is_some_and(|call| matches!(call.phase, crate::CallPhase::Asking { .. }))
}

#[cfg(test)]
mod tests;
