//! Commands: rights first, in one table; then a retry gets its first receipt; then each its own rule.

use super::{abandon, answer, message, reply};
use crate::call::MediaContent;
use crate::command::{CancelScope, Command, CommandEnvelope, CommandFingerprint, PromptTarget, SessionSetting};
use crate::event::{Event, TaskClosing, TaskKind, TurnOutcome};
use crate::ids::{PromptId, TaskId};
use crate::refusal::{Refusal, Right};
use crate::state::SessionState;
use serde_json::Value;

/// How many prompts may wait.
const QUEUE_LIMIT: usize = 64;
/// The longest id of a command that the log keeps, in characters.
const COMMAND_ID_LIMIT: usize = 128;

pub(super) fn decide(state: &SessionState, envelope: &CommandEnvelope) -> Result<Vec<Event>, Refusal> {
    let fingerprint = CommandFingerprint::of(&envelope.id, &envelope.command);
    match &envelope.command {
        Command::Message { parts, releases } => message::decide(state, envelope, &fingerprint, parts, *releases),
        command => decide_single(state, envelope, command, fingerprint),
    }
}

/// What `command`, which is no message, causes. It is all that `envelope` brings, or a part of it.
pub(super) fn decide_single(
    state: &SessionState,
    envelope: &CommandEnvelope,
    command: &Command,
    fingerprint: CommandFingerprint,
) -> Result<Vec<Event>, Refusal> {
    let right = needed(state, command);
    if !envelope.who.rights.allow(right) {
        return Err(Refusal::NotAllowed { right });
    }
    if state.receipt(&fingerprint).is_some() {
        return Ok(Vec::new());
    }
    match command {
        Command::Prompt { target, text, media, piped_len, dialect, parts } => {
            let words = PromptWords { text, media, piped_len: *piped_len, dialect: dialect.as_ref(), parts };
            prompt(state, envelope, fingerprint, target, &words)
        }
        Command::Reply { task, text, media, dialect, parts, .. } => {
            let words = PromptWords { text, media, piped_len: 0, dialect: dialect.as_ref(), parts };
            reply::decide(state, envelope, command, fingerprint, *task, &words)
        }
        Command::Message { .. } => Err(Refusal::NoMessage { limit: message::MAX_PARTS }),
        Command::OpenTask { task, kind, edge } => Ok(open(state, *task, *kind, edge).into_iter().collect()),
        Command::Answer { call, option, edit } => answer::decide(state, fingerprint, *call, option, edit.as_ref()),
        Command::Deny { call } => answer::deny(state, *call),
        Command::Cancel { scope: CancelScope::Turn } => cancel_turn(state),
        Command::Cancel { scope: CancelScope::Task { task } } => cancel_task(state, *task),
        Command::Set { setting: SessionSetting::Mode(mode) } if *mode == state.mode => Ok(Vec::new()),
        Command::Set { setting: SessionSetting::WithoutGrant(taken) }
            if !state.grants.iter().any(|(grant, _)| grant == taken) =>
        {
            Ok(Vec::new())
        }
        Command::Set { setting } => Ok(set(state, setting)),
        Command::Unqueue { prompt } => waiting(state, *prompt).map(|prompt| vec![Event::Unqueued { prompt }]),
        Command::Requeue { text, .. } if text.trim().is_empty() => Err(Refusal::EmptyPrompt),
        Command::Requeue { prompt, text } => {
            waiting(state, *prompt).map(|prompt| vec![Event::Requeued { prompt, text: text.clone() }])
        }
        Command::Release if state.held().next().is_some() => Ok(vec![Event::Released]),
        Command::Release => Ok(Vec::new()),
        Command::Compact if state.compact_wanted.is_some() => Ok(Vec::new()),
        Command::Compact => Ok(vec![Event::CompactWanted]),
        Command::Uncompact if state.summaries.count() == 0 => Err(Refusal::NothingToUncompact),
        Command::Uncompact => Ok(vec![Event::Uncompacted]),
    }
}

/// A changed setting. Where no grant allows changes of files, there is none to end.
pub(super) fn set(state: &SessionState, setting: &SessionSetting) -> Vec<Event> {
    let ends_nothing =
        *setting == SessionSetting::EditsAsk && !state.grants.iter().any(|(grant, _)| grant.allows_file_changes());
    if ends_nothing { Vec::new() } else { vec![Event::Set { setting: setting.clone() }] }
}

/// The right each command needs. The only place that knows.
fn needed(state: &SessionState, command: &Command) -> Right {
    match command {
        Command::Reply { .. } if reply::answers(state, command) => Right::Approve,
        Command::Prompt { .. }
        | Command::Reply { .. }
        | Command::Message { .. }
        | Command::OpenTask { .. }
        | Command::Cancel { .. }
        | Command::Unqueue { .. }
        | Command::Requeue { .. }
        | Command::Release
        | Command::Compact
        | Command::Uncompact
        | Command::Set { setting: SessionSetting::Model(_) } => Right::Prompt,
        Command::Answer { .. }
        | Command::Deny { .. }
        | Command::Set {
            setting: SessionSetting::Mode(_) | SessionSetting::EditsAsk | SessionSetting::WithoutGrant(_),
        } => Right::Approve,
    }
}

/// What a prompt says.
pub(super) struct PromptWords<'a> {
    pub(super) text: &'a str,
    pub(super) media: &'a [MediaContent],
    pub(super) piped_len: usize,
    pub(super) dialect: Option<&'a String>,
    pub(super) parts: &'a [Value],
}

impl PromptWords<'_> {
    /// True if it is nothing but text.
    pub(super) fn is_text(&self) -> bool {
        self.media.is_empty() && self.parts.iter().all(|part| part.get("text").is_some())
    }
}

/// Put a prompt into the queue.
pub(super) fn prompt(
    state: &SessionState,
    envelope: &CommandEnvelope,
    fingerprint: CommandFingerprint,
    target: &PromptTarget,
    words: &PromptWords<'_>,
) -> Result<Vec<Event>, Refusal> {
    let PromptWords { text, media, piped_len, dialect, parts } = *words;
    let (task, kind) = task_of(state, target, text, media)?;
    let (text, media, dialect, parts) = (text.to_owned(), media.to_vec(), dialect.cloned(), parts.to_vec());
    // No edge sends longer ids; what any seat sends stays bounded all the same.
    let command = Some(&envelope.id).filter(|id| id.0.chars().count() <= COMMAND_ID_LIMIT).cloned();
    let prompted = Event::Prompted { fingerprint, task, kind, text, media, piped_len, command, dialect, parts };
    let opened = match target {
        PromptTarget::New { task, edge, .. } if !edge.is_null() => open(state, *task, kind, edge),
        PromptTarget::New { .. } | PromptTarget::Existing { .. } => None,
    };
    Ok(opened.into_iter().chain([prompted]).collect())
}

/// The task that a prompt belongs to.
fn task_of(
    state: &SessionState,
    target: &PromptTarget,
    text: &str,
    media: &[MediaContent],
) -> Result<(TaskId, TaskKind), Refusal> {
    if text.trim().is_empty() && media.is_empty() {
        return Err(Refusal::EmptyPrompt);
    }
    if media.len() > MediaContent::MOST_IN_PROMPT {
        return Err(Refusal::TooManyFiles { limit: MediaContent::MOST_IN_PROMPT });
    }
    media.iter().try_for_each(fits)?;
    if state.queue.len() >= QUEUE_LIMIT {
        return Err(Refusal::QueueFull { limit: QUEUE_LIMIT });
    }
    let task = target.task();
    let kind = match (state.tasks.get(&task), target) {
        (Some(known), _) => {
            if let Some(closing) = known.closed {
                return Err(Refusal::TaskClosed { task, state: closing.name().to_owned() });
            }
            known.kind
        }
        (None, PromptTarget::New { kind, .. }) => *kind,
        (None, PromptTarget::Existing { .. }) => return Err(Refusal::UnknownTask { task }),
    };
    Ok((task, kind))
}

/// The beginning of a task that the session does not have yet.
fn open(state: &SessionState, task: TaskId, kind: TaskKind, edge: &Value) -> Option<Event> {
    (!state.tasks.contains_key(&task)).then(|| Event::TaskOpened { task, kind, edge: edge.clone() })
}

/// Whether a file is small enough to come with a prompt.
fn fits(MediaContent { name, blob }: &MediaContent) -> Result<(), Refusal> {
    let (bytes, chars) = (MediaContent::MOST_BYTES, MediaContent::MOST_NAME_CHARS);
    let why = match blob.len {
        len if len > bytes => format!("it has {len} bytes and at most {bytes} are taken"),
        _ if name.chars().count() > chars => format!("its name has more than {chars} characters"),
        _ => return Ok(()),
    };
    Err(Refusal::FileTooLarge { name: name.chars().take(chars).collect(), why })
}

fn cancel_turn(state: &SessionState) -> Result<Vec<Event>, Refusal> {
    let Some(turn) = &state.turn else {
        let why = "cancelled".to_owned();
        return state.compact_wanted.map(|_| vec![Event::NotCompacted { why }]).ok_or(Refusal::NothingToCancel);
    };
    let mut events = abandon(turn);
    events.push(Event::TurnEnded { outcome: TurnOutcome::Cancelled });
    Ok(events)
}

fn cancel_task(state: &SessionState, task: TaskId) -> Result<Vec<Event>, Refusal> {
    let known = state.tasks.get(&task).ok_or(Refusal::UnknownTask { task })?;
    if let Some(closing) = known.closed {
        return Err(Refusal::TaskClosed { task, state: closing.name().to_owned() });
    }
    let mut events = Vec::new();
    events.extend(
        state.queue.iter().filter(|waiting| waiting.task == task).map(|waiting| Event::Unqueued { prompt: waiting.id }),
    );
    if let Some(turn) = state.turn.as_ref().filter(|turn| turn.task == task) {
        events.extend(abandon(turn));
        events.push(Event::TurnEnded { outcome: TurnOutcome::Cancelled });
        // Other tasks' prompts did not ask to be held.
        if state.queue.iter().any(|waiting| waiting.task != task) {
            events.push(Event::Released);
        }
    }
    events.push(Event::TaskClosed { task, closing: TaskClosing::Cancelled });
    Ok(events)
}

fn waiting(state: &SessionState, prompt: PromptId) -> Result<PromptId, Refusal> {
    let found = state.queue.iter().any(|waiting| waiting.id == prompt);
    found.then_some(prompt).ok_or(Refusal::UnknownPrompt { prompt })
}
