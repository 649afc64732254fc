//! A message: several commands that happen as one, or not at all.

use super::command::decide_single;
use crate::command::{Command, CommandEnvelope, CommandFingerprint, SessionSetting};
use crate::engine::record;
use crate::event::{EntryAuthor, Event};
use crate::refusal::{Refusal, Right};
use crate::state::SessionState;

/// The most parts of a message: as many as a step may have asks, a setting and a prompt.
pub(super) const MAX_PARTS: usize = 64;

/// What `parts` cause, each seen from the state that those before it leave. Everything that they cause has the
/// `fingerprint` of the whole.
pub(super) fn decide(
    state: &SessionState,
    envelope: &CommandEnvelope,
    fingerprint: &CommandFingerprint,
    parts: &[Command],
    releases: bool,
) -> Result<Vec<Event>, Refusal> {
    if parts.len() > MAX_PARTS {
        return Err(Refusal::NoMessage { limit: MAX_PARTS });
    }
    if state.receipt_of(&envelope.id, &envelope.command).is_some() {
        return Ok(Vec::new());
    }
    let taken = CommandFingerprint::of_parts(&envelope.id, parts);
    let is_taken = |part: &Option<CommandFingerprint>| part.as_ref().is_some_and(|part| state.receipt(part).is_some());
    let (mut after, mut events) = (state.clone(), Vec::new());
    // An earlier release may have been stopped between two parts.
    for (part, _) in parts.iter().zip(&taken).filter(|(_, taken)| !is_taken(taken)) {
        // The fingerprint must not tell the second part that the first one has been here.
        after.forget_receipt(fingerprint);
        for event in without_repetition(&after, part, decide_single(&after, envelope, part, fingerprint.clone())?) {
            record(&mut after, envelope.at, EntryAuthor::from(&envelope.who), event.clone());
            events.push(event);
        }
    }
    let holds = |state: &SessionState| state.held().next().is_some();
    if releases && !holds(state) && holds(&after) && envelope.who.rights.allow(Right::Prompt) {
        events.push(Event::Released);
    }
    Ok(events)
}

/// A message names the model that is to answer it; most often that is the one in use.
fn without_repetition(state: &SessionState, part: &Command, caused: Vec<Event>) -> Vec<Event> {
    let in_use = state.model.as_ref().unwrap_or(&state.equipment.model);
    match part {
        Command::Set { setting: SessionSetting::Model(model) } if model == in_use => Vec::new(),
        _ => caused,
    }
}
