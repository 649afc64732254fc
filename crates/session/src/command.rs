//! Commands of clients, and the envelope in which they travel.

use crate::ask::{AnswerEdit, Grant};
use crate::call::MediaContent;
use crate::event::{ApprovalMode, TaskKind};
use crate::ids::{CallId, CommandId, PromptId, TaskId, UnixMillis};
use crate::who::Who;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// One command on its way to the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandEnvelope {
    /// The client's id for it; the same id with the same content is a retry.
    pub id: CommandId,
    pub who: Who,
    /// When it arrived.
    pub at: UnixMillis,
    pub command: Command,
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Say something to the agent; it waits in the queue while a turn runs.
    Prompt {
        /// The task it belongs to.
        target: PromptTarget,
        text: String,
        /// Pictures, documents and sounds that come with it; their bytes are kept already.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        media: Vec<MediaContent>,
        /// Length in bytes of the beginning of the text that is not the sender's own words, but output of a program.
        /// Commands and mentions in it do not count.
        #[serde(default, skip_serializing_if = "is_zero")]
        piped_len: usize,
        /// The dialect in which it came, in the edge's word. Never read here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dialect: Option<String>,
        /// The parts that it was made of, in the edge's words, where text and media alone do not show them. Never read here.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Value>,
    },
    /// Begin a task that nobody prompts yet. One that is there already stays as it is.
    OpenTask {
        /// Its id, made by the edge.
        task: TaskId,
        kind: TaskKind,
        /// Data that the edge wants to find again.
        edge: Value,
    },
    /// Decide a pending ask.
    Answer {
        /// The call that asks.
        call: CallId,
        /// The id of the option chosen.
        option: String,
        /// Runs instead of what was shown.
        edit: Option<AnswerEdit>,
    },
    /// Close a pending ask because nobody is there to answer it: its call is denied, and the turn goes on without it.
    Deny {
        /// The call that asks.
        call: CallId,
    },
    /// Words for a task: an answer where it waits for people and the words are one, else a prompt. Words that are no answer
    /// decline what is asked and say what to do instead. What counts as an answer is written in `reply.rs`.
    Reply {
        /// The task that a prompt would belong to.
        task: TaskId,
        /// Whose asks it may answer.
        scope: ReplyScope,
        text: String,
        /// As for [`Command::Prompt`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        media: Vec<MediaContent>,
        /// As for [`Command::Prompt`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dialect: Option<String>,
        /// As for [`Command::Prompt`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Value>,
        /// The calls whose asks the edge has shown to several readers of the sender's name, so that the sender need not be the
        /// one who answered them. The edge's own knowledge: no part of what was said, and not serialised.
        #[serde(skip)]
        shared_asks: Vec<CallId>,
    },
    /// All that one message says, in this order and in one commit: everything happens, or nothing does.
    Message {
        /// Settings, answers, then a prompt or a reply. None of them is a message.
        parts: Vec<Command>,
        /// True if prompts go on that a no among the parts would hold: a client that sees no queue has no way to
        /// release it.
        releases: bool,
    },
    /// Stop work.
    Cancel { scope: CancelScope },
    /// Change a setting of the session.
    Set {
        /// The setting and its new value.
        setting: SessionSetting,
    },
    /// Take a waiting prompt out of the queue.
    Unqueue { prompt: PromptId },
    /// Change a waiting prompt.
    Requeue {
        prompt: PromptId,
        /// Its new text.
        text: String,
    },
    /// Let a queue go on that a cancel or a no has held.
    Release,
    /// Replace the older part of the conversation, for the model, by a summary. Waits until no turn runs.
    Compact,
    /// Take the newest summary back: the model sees the whole conversation again.
    Uncompact,
}

impl Command {
    /// A prompt that is nothing but text.
    pub fn prompt(target: PromptTarget, text: impl Into<String>) -> Command {
        Command::Prompt { target, text: text.into(), media: Vec::new(), piped_len: 0, dialect: None, parts: Vec::new() }
    }
}

/// True if there is nothing to write down.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) fn is_zero(len: &usize) -> bool {
    *len == 0
}

/// Which task a prompt belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PromptTarget {
    /// A task the session already has.
    Existing { task: TaskId },
    /// A task that begins with this prompt.
    New {
        /// Its id, made by the edge.
        task: TaskId,
        kind: TaskKind,
        /// Data that the edge wants to find again, if there is any.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        edge: Value,
    },
}

impl PromptTarget {
    /// The task, whether it exists yet or not.
    pub fn task(&self) -> TaskId {
        match self {
            PromptTarget::Existing { task } | PromptTarget::New { task, .. } => *task,
        }
    }
}

/// Whose asks a reply in words may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyScope {
    /// Those of its task.
    Task,
    /// Those of whichever task has the turn: the sender sees the whole session as one task.
    Session,
}

/// The extent of a cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CancelScope {
    /// The running turn. The session and its tasks go on; waiting prompts are held, never fired.
    Turn,
    /// One task: its turn, its waiting prompts, and the task itself is closed.
    Task { task: TaskId },
}

/// A setting of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "value", rename_all = "snake_case")]
pub enum SessionSetting {
    Mode(ApprovalMode),
    /// The model that answers from the next turn on, by the name a person would use.
    Model(String),
    /// Changes of files ask again: the grants of the session that allow them end. What is allowed permanently is not touched.
    EditsAsk,
    /// What was allowed for the rest of the session, and is not any more. A rule in a policy file stays.
    WithoutGrant(Grant),
}

/// The digest of a command and its id. Equal fingerprints are the same command sent again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandFingerprint(pub String);

impl CommandFingerprint {
    /// The fingerprint of `command` under `id`. What the edge adds does not count: a retry of a message that begins a task
    /// gets another id for it.
    pub fn of(id: &CommandId, command: &Command) -> CommandFingerprint {
        let mut sha = Sha256::new();
        let mut feed = |field: &str| {
            sha.update((field.len() as u64).to_le_bytes());
            sha.update(field.as_bytes());
        };
        feed(&id.0);
        feed_command(&mut feed, command);
        let first_half = sha.finalize()[..16].iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        CommandFingerprint(format!("{first_half:032x}"))
    }

    /// The fingerprint that an earlier release gave each of `parts` of the message `id`, when it sent them as commands of
    /// their own. A setting had none.
    pub(crate) fn of_parts(id: &CommandId, parts: &[Command]) -> Vec<Option<CommandFingerprint>> {
        let mut answers = 0;
        let fingerprint = |part: &Command| match part {
            Command::Answer { .. } => {
                let id = if answers == 0 { id.clone() } else { CommandId(format!("{}/{answers}", id.0)) };
                answers += 1;
                Some(CommandFingerprint::of(&id, part))
            }
            Command::Prompt { .. } | Command::Reply { .. } => Some(CommandFingerprint::of(id, part)),
            _ => None,
        };
        parts.iter().map(fingerprint).collect()
    }
}

/// Feed what makes `command` the same as another one.
fn feed_command(feed: &mut impl FnMut(&str), command: &Command) {
    match command {
        Command::Message { parts, releases } => {
            feed(if *releases { "releasing message" } else { "message" });
            parts.iter().for_each(|part| feed_command(feed, part));
        }
        Command::Prompt { target, text, media, piped_len, dialect: _, parts: _ } => {
            feed(match target {
                PromptTarget::New { kind: TaskKind::OpenEnded, .. } => "open-ended",
                PromptTarget::New { kind: TaskKind::Once, .. } => "once",
                PromptTarget::Existing { .. } => "existing",
            });
            if let PromptTarget::Existing { task } = target {
                feed(&task.to_string());
            }
            feed(text);
            if *piped_len > 0 {
                feed(&piped_len.to_string());
            }
            for MediaContent { name, blob } in media {
                feed(name);
                feed(&blob.sha256);
                feed(&blob.media);
            }
        }
        other => feed(&serde_json::to_string(other).unwrap_or_default()),
    }
}
