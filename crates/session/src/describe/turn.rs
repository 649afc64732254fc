//! Sentences about the end of a step and of a turn.

use super::call::{short_name, summarize_args};
use super::entry_context::{EventNote, NoteTone, NoteTopic};
use super::wording::{MARK_CHARS, format_duration, format_tokens, plural};
use crate::call::{CallOutcome, CallPhase};
use crate::event::{ModelUsage, TurnOutcome};
use crate::sanitize::one_line;
use crate::state::{SessionState, TurnState};

/// Sources, and why the model stopped where it had more to say.
pub(super) fn describe_step_end(finish: &str, citations: &[String]) -> Vec<EventNote> {
    let details: Vec<String> = citations.iter().map(|citation| one_line(citation, 500)).collect();
    let sources = (!details.is_empty()).then(|| EventNote { details, ..EventNote::info(NoteTopic::Model, "sources:") });
    let early = describe_early_stop(finish).map(|words| EventNote::new(NoteTopic::Model, NoteTone::Warn, words));
    sources.into_iter().chain(early).collect()
}

/// A sentence about a model that did not stop because it had nothing more to say.
pub fn describe_early_stop(finish: &str) -> Option<String> {
    let usual = ["", "stop", "end_turn", "tool_use", "tool_calls", "function_call", "stop_sequence"];
    let is_usual = usual.contains(&finish.to_ascii_lowercase().as_str());
    (!is_usual).then(|| format!("the model stopped early: {}", one_line(finish, MARK_CHARS)))
}

/// The end of the running turn, unless it just rests, and the prompts that do not start by themselves after it.
pub(super) fn describe_turn_end(state: &SessionState, outcome: &TurnOutcome, by: &str) -> Vec<EventNote> {
    let is_declined = state.turn.as_ref().is_some_and(|turn| turn.declined);
    let end = match outcome {
        TurnOutcome::Rested if is_declined => Some(EventNote::info(NoteTopic::NextStep, describe_declined(state))),
        TurnOutcome::Rested => None,
        TurnOutcome::Cancelled => Some(EventNote::info(NoteTopic::TurnEnd, format!("cancelled{by}"))),
        TurnOutcome::Failed { failure } => {
            Some(EventNote::new(NoteTopic::TurnEnd, NoteTone::Bad, failure.message.clone()))
        }
    };
    end.into_iter()
        .chain(describe_held_queue(state, outcome).map(|words| EventNote::info(NoteTopic::NextStep, words)))
        .collect()
}

/// The end of a turn in which a person declined a call, with the call. It says what to do next, unless the person has said so with
/// their no already, or the call was of a command of their own.
fn describe_declined(state: &SessionState) -> String {
    let calls = state.turn.iter().flat_map(|turn| turn.calls.values());
    let declined = calls.filter(|call| matches!(call.phase, CallPhase::Ended(CallOutcome::Declined)));
    let titles: Vec<String> = declined
        .map(|call| {
            let title = format!("{} {}", short_name(&call.tool, &call.args), summarize_args(&call.args));
            one_line(title.trim(), MARK_CHARS)
        })
        .collect();
    let is_of_command = state.turn.as_ref().is_some_and(TurnState::is_beside_model);
    let is_said = state.queue.iter().any(|waiting| !waiting.held);
    let next = if is_of_command || is_said { "" } else { " Say what to do instead." };
    match titles.as_slice() {
        [title] => format!("Stopped: {title} was declined.{next}"),
        _ => format!("Stopped: {} were declined.{next}", plural(titles.len(), "call")),
    }
}

/// The prompts that do not start by themselves when the running turn ends so, and what to do about them.
fn describe_held_queue(state: &SessionState, outcome: &TurnOutcome) -> Option<String> {
    let held = match outcome {
        TurnOutcome::Cancelled => state.queue.len(),
        TurnOutcome::Rested | TurnOutcome::Failed { .. } => state.held().count(),
    };
    let prompts = plural(held, "prompt");
    (held > 0).then(|| format!("held in the queue: {prompts}; /queue go continues, /queue drop N takes one out"))
}

/// Tokens and time of a turn; nothing when no model was asked.
pub fn describe_turn_usage(usage: &ModelUsage, worked_ms: Option<u64>) -> Option<String> {
    if *usage == ModelUsage::default() {
        return None;
    }
    let cached = match usage.cached {
        0 => String::new(),
        cached => format!(" ({} cached)", format_tokens(cached)),
    };
    let (sent, received) = (format_tokens(usage.prompt), format_tokens(usage.output + usage.thoughts));
    let took = worked_ms.map(|ms| format!(" · {}", format_duration(ms))).unwrap_or_default();
    Some(format!("{sent} tokens sent{cached}, {received} received{took}"))
}
