//! What a command has at hand when it is asked.

use crate::model_call_context::ModelCallContext;
use crate::turn_agent::TurnAgent;
use pollux_host::Reporter;
use pollux_session::{
    CallId, CallOutcome, Owner, SavedCheckpoint, SessionId, Transcript, TranscriptLine, TurnFailure, TurnId,
};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// The session a turn belongs to.
pub(crate) struct TurnSession {
    pub(crate) session: SessionId,
    pub(crate) owner: Owner,
    pub(crate) checkpoints: Arc<VecDeque<SavedCheckpoint>>,
}

/// One step of a command: where it is asked, and what has come of its turn so far.
pub(crate) struct CommandContext<'a> {
    pub(crate) agent: &'a TurnAgent,
    pub(crate) facts: &'a TurnSession,
    pub(super) model_call: &'a Result<ModelCallContext, TurnFailure>,
    pub(crate) transcript: &'a Transcript,
    pub(crate) reporter: &'a Reporter,
    /// The turn.
    pub(crate) turn: TurnId,
    /// What the person typed.
    pub(crate) prompt: &'a str,
}

impl<'a> CommandContext<'a> {
    /// The model, the tools and the servers of the session; else why there are none.
    pub(crate) fn model_call(&self) -> Result<&'a ModelCallContext, String> {
        self.model_call.as_ref().map_err(|failure| failure.message.clone())
    }

    pub(crate) fn workspace(&self) -> &'a Path {
        &self.agent.workspace.root
    }

    /// What came of the calls that the command has had made, in order: their text, or why there is none.
    pub(crate) fn call_results(&self) -> Vec<Result<String, String>> {
        let lines = self.transcript.lines().skip_while(|line| !self.is_turn(line));
        let mut calls: Vec<(CallId, Option<&CallOutcome>)> = Vec::new();
        for line in lines {
            let TranscriptLine::Call { id, replaces, parent: None, outcome, .. } = line else { continue };
            match calls.iter_mut().find(|(known, _)| Some(*known) == *replaces) {
                Some(superseded) => *superseded = (*id, outcome.as_ref()),
                None => calls.push((*id, outcome.as_ref())),
            }
        }
        calls.into_iter().map(|(_, outcome)| call_result(outcome)).collect()
    }

    fn is_turn(&self, line: &TranscriptLine) -> bool {
        matches!(line, TranscriptLine::Turn { id, .. } if *id == self.turn)
    }
}

/// What a call amounts to for the command that wanted it.
fn call_result(outcome: Option<&CallOutcome>) -> Result<String, String> {
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
