//! Sending what a message says to a session that was there before, in the words the session offers.

use super::{options, settings};
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::inbound::{Answer, Inbound, Says};
use pollux_session::{CallPhase, Command, CommandId, Fingerprint, PromptTarget, Receipt, Seat, Seq, State};

/// A message that a session has accepted.
pub(super) struct Delivered {
    /// The first receipt.
    pub(super) receipt: Receipt,
    /// The entry that accepted the last thing it says.
    pub(super) settled: Seq,
}

/// Send what `inbound` says; a prompt goes to `target`.
pub(super) async fn deliver(
    feeds: &Feeds,
    seat: &dyn Seat,
    inbound: &Inbound,
    target: PromptTarget,
) -> Result<Delivered, Fault> {
    let id = inbound.command_id();
    match &inbound.says {
        Says::Prompt(text) => {
            let command = Command::Prompt { target, text: text.clone() };
            // A prompt that is refused sets nothing.
            if !text.trim().is_empty() {
                let fingerprint = Fingerprint::of(&id, &command);
                settings::choose_model(feeds, seat, &inbound.settings, Some(&fingerprint)).await?;
            }
            let receipt = seat.send(id, command).await?;
            Ok(Delivered { receipt, settled: receipt.seq })
        }
        Says::Answers(answers) => decide(feeds, seat, &id, answers).await,
    }
}

/// Send answers, each as a command of its own. One that the session would refuse goes first, so that what cannot be
/// answered as a whole is not answered by half.
async fn decide(feeds: &Feeds, seat: &dyn Seat, id: &CommandId, answers: &[Answer]) -> Result<Delivered, Fault> {
    let mut commands = Vec::with_capacity(answers.len());
    for (index, answer) in answers.iter().enumerate() {
        let id = if index == 0 { id.clone() } else { CommandId(format!("{}/{index}", id.0)) };
        commands.push((id, options::as_offered(seat, answer.command()).await?));
    }
    if commands.len() > 1 {
        let state = feeds.at_head(seat).await?.state;
        commands.sort_by_cached_key(|(id, command)| is_taken(&state, id, command));
    }
    let mut delivered: Option<Delivered> = None;
    for (id, command) in commands {
        let receipt = seat.send(id, command).await?;
        delivered = Some(match delivered {
            None => Delivered { receipt, settled: receipt.seq },
            Some(before) => Delivered {
                settled: before.settled.max(receipt.seq),
                receipt: if receipt.seq < before.receipt.seq { receipt } else { before.receipt },
            },
        });
    }
    delivered.ok_or_else(|| Fault::params("the message answers nothing"))
}

/// Whether an answer would be taken now, or was taken before.
fn is_taken(state: &State, id: &CommandId, command: &Command) -> bool {
    let Command::Answer { call, option, .. } = command else { return false };
    let known = state.turn.as_ref().and_then(|turn| turn.calls.get(call));
    let asks = known.filter(|call| matches!(call.phase, CallPhase::Asking { .. })).and_then(|call| call.ask.as_ref());
    asks.is_some_and(|ask| ask.options.iter().any(|choice| choice.id == *option))
        || state.receipt(&Fingerprint::of(id, command)).is_some()
}

impl Answer {
    fn command(&self) -> Command {
        Command::Answer { call: self.call, option: self.option.clone(), edit: self.edit.clone() }
    }
}
