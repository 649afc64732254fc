//! A reply in words: one command, so that nothing can come between a no and what to do instead.

use super::answer;
use super::command::{PromptWords, prompt};
use crate::command::{Command, CommandEnvelope, CommandFingerprint, PromptTarget, ReplyScope};
use crate::event::{EntryAuthor, Event};
use crate::ids::{Seq, TaskId, UnixMillis};
use crate::refusal::{Refusal, Right};
use crate::reply::{
    AskAnswer, ReplyForm, ReplyMeaning, closed_ask, decline_all, describe_asks, explain_unclear, names_open_ask,
    read_reply,
};
use crate::state::{AskDecision, SessionState, TurnState};

/// How long nobody can have read an ask that has just opened.
const READING_MS: u64 = 1_000;
/// How soon a reply that is sent twice comes again.
const DOUBLED_MS: u64 = 2_000;
/// How long a reply may be on its way that was meant for an ask which somebody else has closed.
const LATE_MS: u64 = 10_000;
/// What is said of one.
const DOUBLED: &str = "It came within two seconds of your last reply, and the agent has asked something new since: read it, \
    and reply again or with its number.";
/// What is said of a reply to an ask that its sender has hardly seen.
const UNREAD: &str =
    "The question has just opened, in a turn that somebody else began: read it, and reply again or with its number.";
/// What is said of a reply that may be another client's.
const ANOTHERS: &str = "A question that was answered within the last ten seconds may have been shown to several clients with \
    your name, so it is not clear which one you mean: reply with the number.";
/// What is said of a reply that may be meant for an ask which is gone.
const OTHER_CLOSED: &str = "Another question was closed since your last message or just before it, so it is not clear which one \
    you mean: reply with the number.";

/// What the reply `command` in `envelope` causes; what is no answer goes to `task`.
pub(super) fn decide(
    state: &SessionState,
    envelope: &CommandEnvelope,
    command: &Command,
    fingerprint: CommandFingerprint,
    task: TaskId,
    words: &PromptWords<'_>,
) -> Result<Vec<Event>, Refusal> {
    let target = PromptTarget::Existing { task };
    let Some(turn) = asking_turn(state, command, words) else {
        return prompt(state, envelope, fingerprint, &target, words);
    };
    let question = || describe_asks(turn, ReplyForm::Words).unwrap_or_default();
    match meaning(state, turn, words) {
        ReplyMeaning::Numbered(answers) => answer_in_words(state, turn, envelope, &fingerprint, answers),
        ReplyMeaning::Answers(answers) if may_be_anothers(state, turn, envelope, command, &answers) => {
            Err(Refusal::UnclearReply { question: format!("{ANOTHERS} {}", question()) })
        }
        ReplyMeaning::Answers(answers) if may_be_doubled(state, turn, envelope, &answers) => {
            Err(Refusal::UnclearReply { question: format!("{DOUBLED} {}", question()) })
        }
        ReplyMeaning::Answers(answers) if may_be_unread(turn, envelope, &answers) => {
            Err(Refusal::UnclearReply { question: format!("{UNREAD} {}", question()) })
        }
        ReplyMeaning::Answers(answers) if runs_any(turn, &answers) && has_missed_ask(state, turn, envelope) => {
            Err(Refusal::UnclearReply { question: format!("{OTHER_CLOSED} {}", question()) })
        }
        ReplyMeaning::Answers(answers) => answer_in_words(state, turn, envelope, &fingerprint, answers),
        ReplyMeaning::Unclear => {
            let why = explain_unclear(turn, &state.decisions, words.text);
            Err(Refusal::UnclearReply { question: format!("{why} {}", question()) })
        }
        ReplyMeaning::Instead => {
            let declined = decline_all(turn).unwrap_or_default();
            let prompted = prompt(state, envelope, fingerprint.clone(), &target, words)?;
            decline_and_prompt(state, envelope, &fingerprint, declined, prompted)
        }
        // Whoever may not decide leaves the plan open, and the words wait behind it.
        ReplyMeaning::Feedback(feedback) if envelope.who.rights.allow(Right::Approve) => {
            answer_in_words(state, turn, envelope, &fingerprint, vec![feedback])
        }
        ReplyMeaning::Feedback(_) => prompt(state, envelope, fingerprint, &target, words),
        ReplyMeaning::NumberedInstead(declined) => {
            let prompted = prompt(state, envelope, fingerprint.clone(), &target, words)?;
            decline_and_prompt(state, envelope, &fingerprint, vec![declined], prompted)
        }
    }
}

/// A no and what to do instead. Whoever may not decide leaves the asks open, and the prompt waits behind them.
fn decline_and_prompt(
    state: &SessionState,
    envelope: &CommandEnvelope,
    fingerprint: &CommandFingerprint,
    declined: Vec<AskAnswer>,
    prompted: Vec<Event>,
) -> Result<Vec<Event>, Refusal> {
    let declined = if envelope.who.rights.allow(Right::Approve) { declined } else { Vec::new() };
    let mut events = answer_all(state, fingerprint, declined)?;
    // After the no, so that it goes before what the no holds, and in the same commit, so that no task closes in between.
    events.extend(prompted);
    Ok(events)
}

/// Whether a reply that names no ask and lets something run may be the one before it, sent twice: its sender has just answered
/// another ask, and this one has opened since. What its sender said in between may be the same reply once more. A no does no
/// harm.
fn may_be_doubled(state: &SessionState, turn: &TurnState, envelope: &CommandEnvelope, answers: &[AskAnswer]) -> bool {
    let previous = own_decisions(state, envelope).next();
    previous.is_some_and(|previous| {
        is_sent_within(DOUBLED_MS, previous.at, envelope) && runs_any_opened_since(previous, turn, answers)
    })
}

/// Whether a reply that names no ask and lets something run may come from another client of the same name: an ask that both were
/// shown has been answered a moment ago, and this one has opened since.
fn may_be_anothers(
    state: &SessionState,
    turn: &TurnState,
    envelope: &CommandEnvelope,
    command: &Command,
    answers: &[AskAnswer],
) -> bool {
    let Command::Reply { shared_asks, .. } = command else { return false };
    own_decisions(state, envelope).any(|decision| {
        shared_asks.contains(&decision.call)
            && is_sent_within(LATE_MS, decision.at, envelope)
            && runs_any_opened_since(decision, turn, answers)
    })
}

/// Whether any of `answers` lets something run of which the ask has opened since `decision`.
fn runs_any_opened_since(decision: &AskDecision, turn: &TurnState, answers: &[AskAnswer]) -> bool {
    let has_opened_since = |answer: &AskAnswer| opened_at(turn, answer).is_some_and(|since| since >= decision.at);
    answers.iter().any(|answer| runs(turn, answer) && has_opened_since(answer))
}

/// Whether a reply that names no ask lets something run that nobody can have read, in a turn that its sender did not begin: it
/// was meant for an ask that is gone. Whoever began the turn may know what comes.
fn may_be_unread(turn: &TurnState, envelope: &CommandEnvelope, answers: &[AskAnswer]) -> bool {
    !is_senders(&turn.prompted_by, envelope) && answers.iter().any(|answer| is_unread(turn, envelope, answer))
}

/// Whether an answer lets something run of which the ask has just opened.
fn is_unread(turn: &TurnState, envelope: &CommandEnvelope, answer: &AskAnswer) -> bool {
    let opened = opened_at(turn, answer);
    runs(turn, answer) && opened.is_some_and(|since| is_sent_within(READING_MS, since, envelope))
}

fn opened_at(turn: &TurnState, answer: &AskAnswer) -> Option<UnixMillis> {
    turn.calls.get(&answer.call)?.asks_since()
}

/// Whether a reply came less than `limit` milliseconds after `earlier`. Where the clock went back, it may have.
fn is_sent_within(limit: u64, earlier: UnixMillis, envelope: &CommandEnvelope) -> bool {
    envelope.at.0.checked_sub(earlier.0).is_none_or(|passed| passed < limit)
}

/// Whether an ask was closed by somebody else, or by nobody, since the sender last said something. The sender may have that one
/// in mind: a tool server can take its harmless question back, so that the next yes meets another one. Whoever has neither begun
/// this turn nor answered anything may have any of them in mind, and everybody one that was closed a moment ago: what its sender
/// said since may have been on its way already, and may even have begun this turn.
fn has_missed_ask(state: &SessionState, turn: &TurnState, envelope: &CommandEnvelope) -> bool {
    let prompt = is_senders(&turn.prompted_by, envelope).then_some(turn.prompt.0);
    let answer = own_decisions(state, envelope).next().map(|decision| decision.seq);
    let last_said = prompt.max(answer).unwrap_or(Seq::START);
    let is_others = |decision: &AskDecision| !decision.answer().is_some_and(|(_, by)| is_senders(by, envelope));
    let may_be_meant =
        |decision: &AskDecision| decision.seq > last_said || is_sent_within(LATE_MS, decision.at, envelope);
    state.decisions.iter().any(|decision| may_be_meant(decision) && is_others(decision))
}

/// The asks that the sender answered, or somebody of the same name; the newest first.
fn own_decisions<'a>(state: &'a SessionState, envelope: &CommandEnvelope) -> impl Iterator<Item = &'a AskDecision> {
    let is_own = |decision: &&AskDecision| decision.answer().is_some_and(|(_, by)| is_senders(by, envelope));
    state.decisions.iter().rev().filter(is_own)
}

/// All programs of a user prove to be the same one, so the name that they claim tells them apart.
fn is_senders(by: &EntryAuthor, envelope: &CommandEnvelope) -> bool {
    *by == EntryAuthor::from(&envelope.who)
}

/// Whether any of `answers` lets something run.
fn runs_any(turn: &TurnState, answers: &[AskAnswer]) -> bool {
    answers.iter().any(|answer| runs(turn, answer))
}

fn runs(turn: &TurnState, answer: &AskAnswer) -> bool {
    let ask = turn.calls.get(&answer.call).and_then(|call| call.ask.as_ref());
    ask.is_some_and(|ask| ask.options.iter().any(|choice| choice.id == answer.option && choice.allows))
}

/// Whether a reply answers what is asked, or is meant to.
pub(super) fn answers(state: &SessionState, command: &Command) -> bool {
    let Command::Reply { text, media, parts, .. } = command else { return false };
    let words = PromptWords { text, media, piped_len: 0, dialect: None, parts };
    let is_answer = |turn| match meaning(state, turn, &words) {
        ReplyMeaning::Numbered(_) | ReplyMeaning::Answers(_) | ReplyMeaning::Unclear => true,
        ReplyMeaning::Instead | ReplyMeaning::NumberedInstead(_) | ReplyMeaning::Feedback(_) => false,
    };
    asking_turn(state, command, &words).is_some_and(is_answer)
}

/// The turn whose asks a reply may answer: one that waits for people. While something runs beside its asks, only a reply that begins
/// with the number of one is for them.
fn asking_turn<'a>(state: &'a SessionState, command: &Command, words: &PromptWords<'_>) -> Option<&'a TurnState> {
    let Command::Reply { task, scope, .. } = command else { return None };
    let turn = state.turn.as_ref()?;
    let is_seen = *scope == ReplyScope::Session || turn.task == *task;
    let is_heard = || state.only_asks_remain() || words.is_text() && names_open_ask(turn, words.text);
    (is_seen && is_heard()).then_some(turn)
}

/// Files and data say something that no answer in words holds, and what names an ask that is closed answers no other.
fn meaning(state: &SessionState, turn: &TurnState, words: &PromptWords<'_>) -> ReplyMeaning {
    match closed_ask(turn, &state.decisions, words.text) {
        _ if !words.is_text() => ReplyMeaning::Instead,
        Some(_) => ReplyMeaning::Unclear,
        None => read_reply(turn, words.text),
    }
}

/// The answers, and after a no the release of what it holds: a no holds the prompts of its task so that a person may look at
/// them, and whoever answers in words sees no queue and has no word to let it go. What somebody else has held stays held.
fn answer_in_words(
    state: &SessionState,
    turn: &TurnState,
    envelope: &CommandEnvelope,
    fingerprint: &CommandFingerprint,
    answers: Vec<AskAnswer>,
) -> Result<Vec<Event>, Refusal> {
    let mut events = answer_all(state, fingerprint, answers)?;
    let ends_turn = |event: &Event| {
        matches!(event, Event::Answered { call, allows: false, .. }
            if turn.calls.get(call).is_some_and(|declined| declined.parent.is_none()))
    };
    let holds = !turn.declined
        && events.iter().any(ends_turn)
        && state.queue.iter().any(|waiting| waiting.task == turn.task)
        && state.held().next().is_none();
    if holds && envelope.who.rights.allow(Right::Prompt) {
        events.push(Event::Released);
    }
    Ok(events)
}

/// The answers, all with the fingerprint of the reply.
fn answer_all(
    state: &SessionState,
    fingerprint: &CommandFingerprint,
    answers: Vec<AskAnswer>,
) -> Result<Vec<Event>, Refusal> {
    let mut events = Vec::new();
    for AskAnswer { call, option, edit } in answers {
        events.extend(answer::decide(state, fingerprint.clone(), call, &option, edit.as_ref())?);
    }
    Ok(events)
}
