//! Sending what a message says to a session that was there before, in the words the session offers.

use super::{lend, may_prompt, options, settings};
use crate::audience::Audience;
use crate::dialect::MessageDialect;
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::inbound::{Answer, Inbound, Says, Words};
use crate::scene::View;
use pollux_session::{
    CallOutcome, CallPhase, Command, CommandId, Envelope, Event, Fingerprint, Input, PromptTarget, Receipt, ReplyScope,
    Right, Roster, Seat, Seq, SessionId, State, Who, take,
};
use serde_json::json;

/// A message that a session has accepted.
pub(super) struct Delivered {
    /// The first receipt, about what the last thing is about.
    pub(super) receipt: Receipt,
    /// The entry that accepted the last thing it says.
    pub(super) settled: Seq,
}

/// How many entries before a prompt are looked at for the no that goes with it: two for each ask.
const MOST_DECLINED: u64 = 128;

/// Send what `inbound` says, and lend what it brings; a prompt goes to `target`.
pub(super) async fn deliver(
    feeds: &Feeds,
    roster: &dyn Roster,
    seat: &dyn Seat,
    inbound: &Inbound,
    target: PromptTarget,
) -> Result<Delivered, Fault> {
    lend::may_lend_to_others(seat.who(), &inbound.settings)?;
    let id = inbound.command_id();
    let (mut commands, words) = match &inbound.says {
        Says::Prompt(words) => (Vec::new(), Some(words)),
        Says::Answers { answers, then } => (decided(feeds, seat, &id, answers).await?, then.as_ref()),
    };
    let says_both = !commands.is_empty() && words.is_some();
    if let Some(words) = words {
        let command = prompt(feeds, seat.who(), target, words, inbound.dialect).await?;
        commands.push((id.clone(), in_words(feeds, seat, inbound, command).await?));
    }
    // What is lent has to be there before any of it is done, and of two things the first is not done without the other.
    if says_both || lend::lends(&inbound.settings) {
        rehearse(feeds, seat, &commands).await?;
    }
    // A prompt that is refused sets nothing.
    if let (Some((_, command)), Some(false)) = (commands.last(), words.map(Words::is_empty)) {
        let fingerprint = Fingerprint::of(&id, command);
        settings::choose_model(feeds, seat, &inbound.settings, Some(&fingerprint)).await?;
    }
    lend::lend(roster, seat.who(), seat, &inbound.settings).await?;
    let before = match &inbound.says {
        Says::Answers { .. } => Some(feeds.at_head(seat).await?.state),
        Says::Prompt(_) => None,
    };
    let is_reply = matches!(commands.last(), Some((_, Command::Reply { .. })));
    let mut delivered = send(seat, commands).await?;
    if is_reply {
        delivered.receipt.seq = first_of_reply(seat, delivered.receipt.seq).await?;
    }
    if let Some(before) = before {
        release(feeds, seat, &id, &before).await?;
    }
    Ok(delivered)
}

/// `command`, as a reply if it is a prompt that may answer an ask in words: it names the task that waits, and neither it nor the
/// first message of that task declared the extension, whose clients have another way to answer.
async fn in_words(feeds: &Feeds, seat: &dyn Seat, inbound: &Inbound, command: Command) -> Result<Command, Fault> {
    let MessageDialect::A2a(audience) = inbound.dialect else { return Ok(command) };
    let (Some(named), None, Says::Prompt(_)) = (&inbound.task, &inbound.coder, &inbound.says) else {
        return Ok(command);
    };
    let Command::Prompt { target: PromptTarget::Existing { task }, text, media, dialect, parts, .. } = command else {
        return Ok(command);
    };
    let session = seat.session();
    let (scope, view) = if *named == session.to_string() {
        (ReplyScope::Session, View::Session(session))
    } else {
        (ReplyScope::Task, View::Task(task))
    };
    let scene = feeds.at_head(seat).await?;
    let extension = audience.extension.or(scene.first_declared(view));
    if !(Audience { extension, ..audience }).replies_in_words() || scene.coder(view).is_some() {
        let target = PromptTarget::Existing { task };
        return Ok(Command::Prompt { target, text, media, piped_len: 0, dialect, parts });
    }
    Ok(Command::Reply { task, scope, text, media, dialect, parts })
}

/// A prompt, its files kept. Who may not prompt has nothing kept.
pub(super) async fn prompt(
    feeds: &Feeds,
    who: &Who,
    target: PromptTarget,
    words: &Words,
    dialect: MessageDialect,
) -> Result<Command, Fault> {
    let Words { text, files, parts } = words;
    if !files.is_empty() {
        may_prompt(who)?;
    }
    let media = feeds.files.keep(files).await?;
    let (text, dialect) = (text.clone(), Some(dialect.name().to_owned()));
    let parts = parts.iter().map(|part| json!(part)).collect();
    Ok(Command::Prompt { target, text, media, piped_len: 0, dialect, parts })
}

/// Whether the session would take all of `commands` now. If it would not, none of them is sent.
async fn rehearse(feeds: &Feeds, seat: &dyn Seat, commands: &[(CommandId, Command)]) -> Result<(), Fault> {
    let mut state = feeds.at_head(seat).await?.state;
    let at = state.at;
    for (id, command) in commands {
        let (id, who, command) = (id.clone(), seat.who().clone(), command.clone());
        take(&mut state, &Input::Command(Envelope { id, who, at, command }), at)?;
    }
    Ok(())
}

/// The first entry of a reply that was accepted at `seq`: if it is a no and what to do instead, the no comes directly before it.
async fn first_of_reply(seat: &dyn Seat, seq: Seq) -> Result<Seq, Fault> {
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
async fn decided(
    feeds: &Feeds,
    seat: &dyn Seat,
    id: &CommandId,
    answers: &[Answer],
) -> Result<Vec<(CommandId, Command)>, Fault> {
    let mut commands = Vec::with_capacity(answers.len());
    for (index, answer) in answers.iter().enumerate() {
        let id = if index == 0 { id.clone() } else { CommandId(format!("{}/{index}", id.0)) };
        commands.push((id, options::as_offered(seat, answer.command(seat.session())?).await?));
    }
    if commands.len() > 1 {
        let state = feeds.at_head(seat).await?.state;
        commands.sort_by_cached_key(|(id, command)| is_taken(&state, id, command));
    }
    Ok(commands)
}

async fn send(seat: &dyn Seat, commands: impl IntoIterator<Item = (CommandId, Command)>) -> Result<Delivered, Fault> {
    let mut delivered: Option<Delivered> = None;
    for (id, command) in commands {
        let receipt = seat.send(id, command).await?;
        delivered = Some(match delivered {
            None => Delivered { receipt, settled: receipt.seq },
            Some(before) => Delivered {
                settled: before.settled.max(receipt.seq),
                receipt: Receipt { seq: before.receipt.seq.min(receipt.seq), about: receipt.about },
            },
        });
    }
    delivered.ok_or_else(|| Fault::params("the message answers nothing"))
}

/// A no holds the prompts that wait behind it. A2A has no word for that and its clients none to let them go, so they go on;
/// what somebody else has held `before` stays held.
async fn release(feeds: &Feeds, seat: &dyn Seat, id: &CommandId, before: &State) -> Result<(), Fault> {
    let holds = |state: &State| state.held().next().is_some();
    if seat.who().rights.allow(Right::Prompt) && !holds(before) && holds(&feeds.glance(seat).await?.state) {
        seat.send(CommandId(format!("{}/release", id.0)), Command::Release).await?;
    }
    Ok(())
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
    fn command(&self, session: SessionId) -> Result<Command, Fault> {
        let call = self.call.within(session)?;
        Ok(Command::Answer { call, option: self.option.clone(), edit: self.edit.clone() })
    }
}
