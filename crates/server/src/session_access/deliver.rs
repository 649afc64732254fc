//! Sending what a message says to a session that was there before, in the words the session offers.

use super::{answer_options, client_tools, may_prompt, settings};
use crate::client_profile::ClientProfile;
use crate::dialect::MessageDialect;
use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::inbound::{InboundAnswer, InboundContent, InboundMessage, PromptContent};
use crate::wire_state::TaskScope;
use pollux_session::{
    CallOutcome, CallPhase, Command, CommandEnvelope, CommandFingerprint, CommandId, CommandReceipt, Event,
    PromptTarget, ReplyScope, Right, Roster, Seat, Seq, SessionId, SessionInput, SessionState, Who, take,
};
use serde_json::json;

/// A message that a session has accepted.
pub(super) struct DeliveredMessage {
    /// The first receipt, about what the last thing is about.
    pub(super) receipt: CommandReceipt,
    /// The entry that accepted the last thing it says.
    pub(super) settled: Seq,
}

/// How many entries before a prompt are looked at for the no that goes with it: two for each ask.
const MOST_DECLINED: u64 = 128;

/// Send what `inbound` says, and lend what it brings; a prompt goes to `target`.
pub(super) async fn deliver(
    feeds: &SessionFeeds,
    roster: &dyn Roster,
    seat: &dyn Seat,
    inbound: &InboundMessage,
    target: PromptTarget,
) -> Result<DeliveredMessage, RequestError> {
    client_tools::check_credential_right(seat.who(), &inbound.settings)?;
    let id = inbound.command_id();
    let (mut commands, words) = match &inbound.content {
        InboundContent::Prompt(words) => (Vec::new(), Some(words)),
        InboundContent::Answers { answers, then } => (answer_commands(feeds, seat, &id, answers).await?, then.as_ref()),
    };
    let says_both = !commands.is_empty() && words.is_some();
    if let Some(words) = words {
        let command = prompt(feeds, seat.who(), target, words, inbound.dialect).await?;
        commands.push((id.clone(), as_reply(feeds, seat, inbound, command).await?));
    }
    // What is lent has to be there before any of it is done, and of two things the first is not done without the other.
    if says_both || client_tools::has_credentials(&inbound.settings) {
        check_accepted(feeds, seat, &commands).await?;
    }
    // A prompt that is refused sets nothing.
    if let (Some((_, command)), Some(false)) = (commands.last(), words.map(PromptContent::is_empty)) {
        let fingerprint = CommandFingerprint::of(&id, command);
        settings::choose_model(feeds, seat, &inbound.settings, Some(&fingerprint)).await?;
    }
    client_tools::apply_credentials(roster, seat.who(), seat, &inbound.settings).await?;
    let before = match &inbound.content {
        InboundContent::Answers { .. } => Some(feeds.state_at_head(seat).await?.state),
        InboundContent::Prompt(_) => None,
    };
    let is_reply = matches!(commands.last(), Some((_, Command::Reply { .. })));
    let mut delivered = send(seat, commands).await?;
    if is_reply {
        delivered.receipt.seq = first_of_reply(seat, delivered.receipt.seq).await?;
    }
    if let Some(before) = before {
        release_held_prompts(feeds, seat, &id, &before).await?;
    }
    Ok(delivered)
}

/// `command`, as a reply if it is a prompt that may answer an ask in words: it names the task that waits, and neither it nor the
/// first message of that task declared the extension, whose clients have another way to answer.
async fn as_reply(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    inbound: &InboundMessage,
    command: Command,
) -> Result<Command, RequestError> {
    let MessageDialect::A2a(audience) = inbound.dialect else { return Ok(command) };
    let (Some(named), None, InboundContent::Prompt(_)) = (&inbound.task, &inbound.coder, &inbound.content) else {
        return Ok(command);
    };
    let Command::Prompt { target: PromptTarget::Existing { task }, text, media, dialect, parts, .. } = command else {
        return Ok(command);
    };
    let session = seat.session();
    let (scope, view) = if *named == session.to_string() {
        (ReplyScope::Session, TaskScope::Session(session))
    } else {
        (ReplyScope::Task, TaskScope::Task(task))
    };
    let wire_state = feeds.state_at_head(seat).await?;
    let extension = audience.extension.or(wire_state.first_declared(view));
    if !(ClientProfile { extension, ..audience }).replies_in_words() || wire_state.coder_settings(view).is_some() {
        let target = PromptTarget::Existing { task };
        return Ok(Command::Prompt { target, text, media, piped_len: 0, dialect, parts });
    }
    Ok(Command::Reply { task, scope, text, media, dialect, parts })
}

/// A prompt, its files kept. Who may not prompt has nothing kept.
pub(super) async fn prompt(
    feeds: &SessionFeeds,
    who: &Who,
    target: PromptTarget,
    words: &PromptContent,
    dialect: MessageDialect,
) -> Result<Command, RequestError> {
    let PromptContent { text, files, parts } = words;
    if !files.is_empty() {
        may_prompt(who)?;
    }
    let media = feeds.files.store_all(files).await?;
    let (text, dialect) = (text.clone(), Some(dialect.name().to_owned()));
    let parts = parts.iter().map(|part| json!(part)).collect();
    Ok(Command::Prompt { target, text, media, piped_len: 0, dialect, parts })
}

/// Whether the session would take all of `commands` now. If it would not, none of them is sent.
async fn check_accepted(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    commands: &[(CommandId, Command)],
) -> Result<(), RequestError> {
    let mut state = feeds.state_at_head(seat).await?.state;
    let at = state.at;
    for (id, command) in commands {
        let (id, who, command) = (id.clone(), seat.who().clone(), command.clone());
        take(&mut state, &SessionInput::Command(CommandEnvelope { id, who, at, command }), at)?;
    }
    Ok(())
}

/// The first entry of a reply that was accepted at `seq`: if it is a no and what to do instead, the no comes directly before it.
async fn first_of_reply(seat: &dyn Seat, seq: Seq) -> Result<Seq, RequestError> {
    let from = Seq(seq.0.saturating_sub(MOST_DECLINED + 1));
    let before = seat.read(from, MOST_DECLINED as usize).await?;
    let declines = before.iter().rev().skip_while(|entry| entry.seq >= seq).take_while(|entry| {
        let is_no = matches!(&entry.event, Event::Answered { allows: false, .. });
        is_no || matches!(&entry.event, Event::CallEnded { outcome: CallOutcome::Declined, .. })
    });
    Ok(declines.last().map_or(seq, |entry| entry.seq))
}

/// Answers, each as a command of its own. One that the session would refuse goes first, so that what cannot be answered
/// as a whole is not answered by half.
async fn answer_commands(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    id: &CommandId,
    answers: &[InboundAnswer],
) -> Result<Vec<(CommandId, Command)>, RequestError> {
    let mut commands = Vec::with_capacity(answers.len());
    for (index, answer) in answers.iter().enumerate() {
        let id = if index == 0 { id.clone() } else { CommandId(format!("{}/{index}", id.0)) };
        commands.push((id, answer_options::replace_outcome(seat, answer.command(seat.session())?).await?));
    }
    if commands.len() > 1 {
        let state = feeds.state_at_head(seat).await?.state;
        commands.sort_by_cached_key(|(id, command)| is_accepted(&state, id, command));
    }
    Ok(commands)
}

async fn send(
    seat: &dyn Seat,
    commands: impl IntoIterator<Item = (CommandId, Command)>,
) -> Result<DeliveredMessage, RequestError> {
    let mut delivered: Option<DeliveredMessage> = None;
    for (id, command) in commands {
        let receipt = seat.send(id, command).await?;
        delivered = Some(match delivered {
            None => DeliveredMessage { receipt, settled: receipt.seq },
            Some(before) => DeliveredMessage {
                settled: before.settled.max(receipt.seq),
                receipt: CommandReceipt { seq: before.receipt.seq.min(receipt.seq), about: receipt.about },
            },
        });
    }
    delivered.ok_or_else(|| RequestError::invalid_params("the message answers nothing"))
}

/// A no holds the prompts that wait behind it. A2A has no word for that and its clients none to let them go, so they go on;
/// what somebody else has held `before` stays held.
async fn release_held_prompts(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    id: &CommandId,
    before: &SessionState,
) -> Result<(), RequestError> {
    let holds = |state: &SessionState| state.held().next().is_some();
    if seat.who().rights.allow(Right::Prompt)
        && !holds(before)
        && holds(&feeds.uncached_state_at_head(seat).await?.state)
    {
        seat.send(CommandId(format!("{}/release", id.0)), Command::Release).await?;
    }
    Ok(())
}

/// Whether an answer would be taken now, or was taken before.
fn is_accepted(state: &SessionState, id: &CommandId, command: &Command) -> bool {
    let Command::Answer { call, option, .. } = command else { return false };
    let known = state.turn.as_ref().and_then(|turn| turn.calls.get(call));
    let asks = known.filter(|call| matches!(call.phase, CallPhase::Asking { .. })).and_then(|call| call.ask.as_ref());
    asks.is_some_and(|ask| ask.options.iter().any(|choice| choice.id == *option))
        || state.receipt(&CommandFingerprint::of(id, command)).is_some()
}

impl InboundAnswer {
    fn command(&self, session: SessionId) -> Result<Command, RequestError> {
        let call = self.call.within(session)?;
        Ok(Command::Answer { call, option: self.option.clone(), edit: self.edit.clone() })
    }
}
