//! Turns that ended before anything came of them. The model has seen their prompts at most in a request that it did not
//! answer, so what is told of them may still change; what it has answered never does: which prompts are left out depends only on
//! what comes before its next answer.
//!
//! - A cancelled prompt stays, with a note behind it, so that "only the second half" is understood; of several in a row only the
//!   newest does.
//! - A prompt that failed stays as it is: "try again" is about it.
//! - A prompt that was sent again in the same words is told once.

use pollux_session::{ItemKind, PromptId, TranscriptLine, TurnId, TurnOutcome};
use std::collections::HashMap;

/// What is told of a turn's prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnFate {
    /// The prompt as it is.
    Told,
    /// The prompt, and that it was cancelled.
    Cancelled,
    /// Nothing.
    LeftOut,
}

/// The turns of a conversation of which less is told, or more.
#[derive(Default)]
pub(super) struct UnansweredTurns {
    fates: HashMap<TurnId, TurnFate>,
}

/// A turn as far as it matters here.
struct TurnRecord<'a> {
    id: TurnId,
    prompt: &'a str,
    /// True if pictures or other files came with it: then the words are not all of it.
    has_media: bool,
    is_answered: bool,
    outcome: Option<&'a TurnOutcome>,
}

impl TurnRecord<'_> {
    fn is_cancelled(&self) -> bool {
        !self.is_answered && matches!(self.outcome, Some(TurnOutcome::Cancelled))
    }

    fn is_unanswered(&self) -> bool {
        !self.is_answered && matches!(self.outcome, Some(TurnOutcome::Cancelled | TurnOutcome::Failed { .. }))
    }

    fn says_again(&self, earlier: &TurnRecord<'_>) -> bool {
        !self.has_media && !earlier.has_media && self.prompt.trim() == earlier.prompt.trim()
    }
}

impl UnansweredTurns {
    /// Find them among the lines that are told.
    pub(super) fn find(told: &[&TranscriptLine]) -> UnansweredTurns {
        let turns = read_turns(told);
        let mut fates = HashMap::new();
        for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.is_unanswered()) {
            let later = &turns[at + 1..];
            // Up to the next turn that was answered, or that runs.
            let until = later.iter().position(|next| !next.is_unanswered()).map_or(later.len(), |last| last + 1);
            let is_repeated = later[..until].iter().any(|next| next.says_again(turn));
            let is_replaced = turn.is_cancelled() && later.first().is_some_and(TurnRecord::is_cancelled);
            if is_repeated || is_replaced {
                fates.insert(turn.id, TurnFate::LeftOut);
            } else if turn.is_cancelled() {
                fates.insert(turn.id, TurnFate::Cancelled);
            }
        }
        UnansweredTurns { fates }
    }

    pub(super) fn fate(&self, turn: TurnId) -> TurnFate {
        self.fates.get(&turn).copied().unwrap_or(TurnFate::Told)
    }
}

fn read_turns<'a>(told: &[&'a TranscriptLine]) -> Vec<TurnRecord<'a>> {
    let mut prompts: HashMap<PromptId, (&str, bool)> = HashMap::new();
    let mut turns: Vec<TurnRecord<'a>> = Vec::new();
    for line in told {
        match line {
            TranscriptLine::Prompt { id, text, media, .. } => {
                prompts.insert(*id, (text.as_str(), !media.is_empty()));
            }
            TranscriptLine::Turn { id, prompt, .. } => {
                let (prompt, has_media) = prompts.get(prompt).copied().unwrap_or_default();
                turns.push(TurnRecord { id: *id, prompt, has_media, is_answered: false, outcome: None });
            }
            TranscriptLine::Item { kind: ItemKind::Text, text, .. } if !text.is_empty() => answer(&mut turns),
            TranscriptLine::Call { .. } => answer(&mut turns),
            TranscriptLine::End { outcome, turn, .. } => {
                if let Some(ended) = turns.last_mut().filter(|last| last.id == *turn) {
                    ended.outcome = Some(outcome);
                }
            }
            _ => {}
        }
    }
    turns
}

fn answer(turns: &mut [TurnRecord<'_>]) {
    if let Some(turn) = turns.last_mut() {
        turn.is_answered = true;
    }
}
