//! What a command has at hand when it is asked.

use crate::agent::{Agent, Desk};
use pollux_session::{CallId, CallOutcome, Failure, KeptCheckpoint, Line, Owner, SessionId, Transcript, TurnId};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// The session a turn belongs to.
pub(crate) struct Facts {
    pub(crate) session: SessionId,
    pub(crate) owner: Owner,
    pub(crate) workspace: String,
    pub(crate) checkpoints: Arc<VecDeque<KeptCheckpoint>>,
}

/// One step of a command: where it is asked, and what has come of its turn so far.
pub(crate) struct Occasion<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) facts: &'a Facts,
    pub(super) desk: &'a Result<Desk, Failure>,
    pub(crate) transcript: &'a Transcript,
    /// The turn.
    pub(crate) turn: TurnId,
    /// What the person typed.
    pub(crate) prompt: &'a str,
}

impl<'a> Occasion<'a> {
    /// The model, the tools and the servers of the session; else why there are none.
    pub(crate) fn desk(&self) -> Result<&'a Desk, String> {
        self.desk.as_ref().map_err(|failure| failure.message.clone())
    }

    pub(crate) fn workspace(&self) -> &'a Path {
        Path::new(&self.facts.workspace)
    }

    /// What came of the calls that the command has had made, in order: their text, or why there is none.
    pub(crate) fn calls(&self) -> Vec<Result<String, String>> {
        let lines = self.transcript.lines().skip_while(|line| !self.is_turn(line));
        let mut calls: Vec<(CallId, Option<&CallOutcome>)> = Vec::new();
        for line in lines {
            let Line::Call { id, replaces, parent: None, outcome, .. } = line else { continue };
            match calls.iter_mut().find(|(known, _)| Some(*known) == *replaces) {
                Some(superseded) => *superseded = (*id, outcome.as_ref()),
                None => calls.push((*id, outcome.as_ref())),
            }
        }
        calls.into_iter().map(|(_, outcome)| in_words(outcome)).collect()
    }

    fn is_turn(&self, line: &Line) -> bool {
        matches!(line, Line::Turn { id, .. } if *id == self.turn)
    }
}

/// What a call amounts to for the command that wanted it.
fn in_words(outcome: Option<&CallOutcome>) -> Result<String, String> {
    match outcome {
        Some(CallOutcome::Succeeded { result }) => Ok(result.text.clone()),
        Some(CallOutcome::Failed { error, .. }) => Err(error.message.clone()),
        Some(CallOutcome::Denied { why }) => Err(why.clone()),
        Some(CallOutcome::Declined) => Err("it was declined".to_owned()),
        Some(CallOutcome::Cancelled) => Err("it was cancelled".to_owned()),
        Some(CallOutcome::Interrupted) => {
            Err("Pollux was restarted while it ran, and what came of it is not known".to_owned())
        }
        Some(CallOutcome::Superseded) | None => Err("it was not run".to_owned()),
    }
}
