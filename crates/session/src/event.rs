//! Facts. Tagged and additive: a changed meaning is a new variant, upcast in `upcast.rs`.

use crate::ask::{AnswerEdit, Ask, Grant, GrantScope};
use crate::call::{CallOutcome, MediaContent, ToolKind};
use crate::command::{CommandFingerprint, SessionSetting, is_zero};
use crate::ids::{CallId, CommandId, ContextId, ItemId, PromptId, Seq, TaskId, UnixMillis};
use crate::plan::CommandPlan;
use crate::seen_files::SeenFile;
use crate::who::{Owner, Who};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// One numbered fact in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, from 1, gapless.
    pub seq: Seq,
    /// When.
    pub at: UnixMillis,
    /// Who caused it.
    pub by: EntryAuthor,
    /// The task it belongs to, and its number within that task, from 1, dense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<(TaskId, u64)>,
    /// What happened.
    pub event: Event,
}

/// Who caused an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EntryAuthor {
    /// The agent or its tools.
    Agent,
    /// A seat.
    Client {
        /// Proven.
        principal: String,
        /// Claimed.
        label: String,
    },
}

impl From<&Who> for EntryAuthor {
    fn from(who: &Who) -> Self {
        EntryAuthor::Client { principal: who.principal.clone(), label: who.label.clone() }
    }
}

impl fmt::Display for EntryAuthor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryAuthor::Agent => f.write_str("the agent"),
            EntryAuthor::Client { label, .. } => f.write_str(label),
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session began. Always entry 1.
    Opened(SessionOpened),
    /// The process that holds the session brought another model or other tools.
    Equipped(RuntimeDescription),
    /// A setting changed.
    Set {
        /// The setting and its new value.
        setting: SessionSetting,
    },
    /// A prompt was accepted and waits its turn.
    Prompted {
        /// Its command, to know a retry by.
        fingerprint: CommandFingerprint,
        /// The task it belongs to.
        task: TaskId,
        /// How that task ends.
        kind: TaskKind,
        /// What was said.
        text: String,
        /// Pictures, documents and sounds that came with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        media: Vec<MediaContent>,
        /// How many bytes at the beginning of the text are not the sender's own words, but what a program printed. No
        /// command and no mention is looked for in them.
        #[serde(default, skip_serializing_if = "is_zero")]
        piped_len: usize,
        /// The id that its sender gave it. Logs from before it was kept have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<CommandId>,
        /// The dialect in which it came, in the edge's word. Never read here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dialect: Option<String>,
        /// The parts that it was made of, in the edge's words, where text and media alone do not show them. Never read here.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Value>,
    },
    /// A task began of which the edge wants to find something again. Other tasks begin with their first prompt.
    TaskOpened {
        /// Its id.
        task: TaskId,
        /// How it ends.
        kind: TaskKind,
        /// What the edge that admitted its first client wants to find again. Never read here.
        edge: Value,
    },
    /// A waiting prompt was taken out of the queue.
    Unqueued {
        /// Which one.
        prompt: PromptId,
    },
    /// A waiting prompt was changed.
    Requeued {
        /// Which one.
        prompt: PromptId,
        /// Its new text.
        text: String,
    },
    /// A held queue goes on.
    Released,
    /// A prompt left the queue and is being answered.
    TurnStarted {
        /// The prompt.
        prompt: PromptId,
        /// Its task.
        task: TaskId,
        /// The model asked.
        model: String,
        /// How freely tools run.
        mode: ApprovalMode,
        /// The tools offered.
        tools: Vec<String>,
    },
    /// The turn is answered by a command, not by the model, and the model is told nothing of it.
    Commanded {
        /// The command, with its sub-command (`memory show`).
        name: String,
    },
    /// For the model, what came between another entry and this one did not happen. Files are another matter.
    Rewound {
        /// The newest entry that is still told; [`Seq::START`] forgets everything.
        to: Seq,
    },
    /// What the workspace was like just before a call was saved, or could not be.
    Checkpointed(WorkspaceCheckpoint),
    /// What a prompt mentioned was read and is told to the model with it; or something that the model has to know.
    Attached {
        /// What it is, for people (`@src/main.rs`).
        name: String,
        /// What the model is told.
        text: String,
        /// Pictures, documents and sounds the model is shown with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        media: Vec<MediaContent>,
        /// The files that it shows the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seen: Vec<SeenFile>,
    },
    /// The model began a text or a thought, with its first piece.
    Said {
        /// Which of the two.
        kind: ItemKind,
        /// The first piece.
        text: String,
        /// What the provider calls the answer it is part of, if it has a name for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response: Option<String>,
    },
    /// The model went on with it.
    Piece {
        /// The item.
        item: ItemId,
        /// Bytes of it before this piece.
        offset: u64,
        /// The piece.
        text: String,
    },
    /// An item is over.
    ItemEnded {
        /// The item.
        item: ItemId,
        /// Its length in bytes.
        len: u64,
        /// Whether it was cut short: by a failure, a cancel or a restart.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
        /// What the provider attached to it.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        meta: Value,
    },
    /// The model call failed and is tried again.
    Retrying {
        /// Why, in words.
        reason: String,
        /// The number of the attempt that comes next, from 2.
        attempt: u32,
        /// How long it waits first, in milliseconds.
        wait_ms: u64,
    },
    /// The model asked cannot answer for long; another one does from now on.
    FellBack {
        /// The model that was asked.
        from: String,
        /// The one that is asked instead.
        to: String,
        /// Why, in words.
        why: String,
    },
    /// The model is done with a step of the turn.
    StepEnded {
        /// Why it stopped.
        finish: String,
        /// What it cost.
        usage: ModelUsage,
        /// Sources it cites.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        citations: Vec<String>,
        /// What the provider calls its answer, if it has a name for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response: Option<String>,
    },
    /// The model wants a tool call, or a running call wants another one made.
    Called {
        /// The tool's name.
        tool: String,
        /// Its arguments.
        args: Value,
        /// What the provider attached to it.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        meta: Value,
        /// The superseded call this one stands for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<CallId>,
        /// The running call it is made for. What comes of it is told to that call, not to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
    },
    /// A call may run: by policy, or because a grant covered its open ask.
    Allowed {
        /// The call.
        call: CallId,
        /// What the tool does to the world.
        kind: ToolKind,
        /// By which rule.
        why: String,
        /// For a shell command that nobody was asked about: what runs instead of a shell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<CommandPlan>,
    },
    /// A call waits for a person.
    Asked {
        /// The call.
        call: CallId,
        /// What the tool does to the world.
        kind: ToolKind,
        /// What is shown.
        ask: Ask,
        /// The policy revision it was vetted under.
        revision: u64,
    },
    /// An open ask was vetted again and stays open.
    AskKept {
        /// The call.
        call: CallId,
        /// The policy revision it was vetted under.
        revision: u64,
    },
    /// A call does not fit the files as they are, and waits for the calls before it: they may change that.
    Deferred {
        /// The call.
        call: CallId,
    },
    /// A person decided.
    Answered {
        /// Its command, to know a retry by.
        fingerprint: CommandFingerprint,
        /// The call.
        call: CallId,
        /// The id of the option chosen.
        choice: String,
        /// Whether the call may run.
        allows: bool,
        /// What runs instead of what was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<AnswerEdit>,
        /// What else is allowed from now on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<Grant>,
        /// How far that goes.
        #[serde(default, skip_serializing_if = "GrantScope::is_session")]
        reach: GrantScope,
    },
    /// A lasting grant was put into the person's own policy file, or could not be.
    Kept {
        /// The grant.
        grant: Grant,
        /// How far it goes.
        reach: GrantScope,
        /// Why it could not; it holds for this session all the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// A person wants the conversation compacted.
    CompactWanted,
    /// For the model, the conversation before an entry is a summary from now on.
    Compacted {
        /// The first entry that is still told as it is.
        before: Seq,
        /// What stands for the rest.
        summary: String,
        /// What making it cost.
        usage: ModelUsage,
    },
    /// A compaction that was wanted did not happen.
    NotCompacted {
        /// Why.
        why: String,
    },
    /// The newest summary was taken back.
    Uncompacted,
    /// A call is about to run.
    CallStarted {
        /// The call.
        call: CallId,
    },
    /// A running call printed something.
    Output {
        /// The call.
        call: CallId,
        /// Bytes of output before this piece, skipped ones included.
        offset: u64,
        /// The piece.
        text: String,
    },
    /// A running call used a model on the side: a sub-agent, a search.
    Spent {
        /// The call.
        call: CallId,
        /// The model.
        model: String,
        /// What it cost.
        usage: ModelUsage,
    },
    /// A call is over.
    CallEnded {
        /// The call.
        call: CallId,
        /// How.
        outcome: CallOutcome,
    },
    /// The turn is over.
    TurnEnded {
        /// How.
        outcome: TurnOutcome,
    },
    /// A task takes no more prompts.
    TaskClosed {
        /// Which one.
        task: TaskId,
        /// How.
        closing: TaskClosing,
    },
}

/// How a session began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// The session's main task, which has the session's own id.
    pub main_task: TaskId,
    /// Whose it is.
    pub owner: Owner,
    /// Its label.
    pub context: ContextId,
    /// The absolute path of its workspace.
    pub workspace: String,
    /// What differs from the defaults.
    #[serde(default)]
    pub overrides: SessionOverrides,
    /// The release that opened it.
    pub release: String,
    /// What the edge that admitted its first client wants to find again. Never read here.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub edge: Value,
}

/// Settings fixed when the session was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOverrides {
    /// How freely tools run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ApprovalMode>,
    /// The model that answers, by the name a person would use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The only tools that are offered and may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_tools: Option<Vec<String>>,
    /// What runs without asking from the beginning. Whoever opened the session gave it, as with an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Grant>,
    /// Whether a client lent the session a key or tool servers. They are in no log, so a process that does not have them
    /// must say so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lent: bool,
}

/// What the workspace was like just before a call that changes things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceCheckpoint {
    /// The call.
    pub call: CallId,
    /// What people call it.
    pub name: String,
    /// Where it was saved, in the words of whoever did; or why it was not.
    pub saved: Result<String, String>,
    /// The only file that the call may change, relative to the workspace. Without it, the call may change any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The only files that the call may change, where they are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl WorkspaceCheckpoint {
    /// The only files that the call may change; `None` if it may change any.
    pub fn changed_files(&self) -> Option<&[String]> {
        match &self.file {
            Some(file) => Some(std::slice::from_ref(file)),
            None => (!self.files.is_empty()).then_some(self.files.as_slice()),
        }
    }
}

/// What the process that holds the session works with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeDescription {
    /// The model's id.
    pub model: String,
    /// The names of the tools, sorted.
    pub tools: Vec<String>,
    /// The plan of the person whose account pays for the model, in the operator's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_tier: Option<String>,
    /// How often the model may be asked in one turn.
    #[serde(default, skip_serializing_if = "StepLimit::is_usual")]
    pub step_limit: StepLimit,
}

/// The most model calls of one turn; `None` for any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepLimit(pub Option<u32>);

impl StepLimit {
    /// The limit where nobody says otherwise, as in logs from before it could be set.
    pub const USUAL: StepLimit = StepLimit(Some(100));

    /// True if there is nothing to write down.
    fn is_usual(&self) -> bool {
        *self == StepLimit::USUAL
    }
}

impl Default for StepLimit {
    fn default() -> Self {
        StepLimit::USUAL
    }
}

/// How freely tools run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Reading is allowed, everything else asks.
    #[default]
    Default,
    /// Changing files in the workspace is allowed too.
    AutoEdit,
    /// Nothing may be changed.
    Plan,
    /// Nothing asks.
    Yolo,
}

impl ApprovalMode {
    /// The name used in flags and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ApprovalMode::Default => "default",
            ApprovalMode::AutoEdit => "auto_edit",
            ApprovalMode::Plan => "plan",
            ApprovalMode::Yolo => "yolo",
        }
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// The answer.
    Text,
    /// The reasoning behind it: a subject between `**`, then the rest.
    Thought,
}

/// How a task ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// It rests after a turn and takes another prompt.
    OpenEnded,
    /// It closes when its turn rests.
    Once,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TurnOutcome {
    /// The agent has nothing more to do.
    Rested,
    /// A client stopped it.
    Cancelled,
    /// It could not go on.
    Failed {
        /// Why.
        failure: TurnFailure,
    },
}

/// Why a turn could not go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnFailure {
    /// A short machine-readable word (`model_refused`, `step_limit`).
    pub kind: String,
    /// A sentence that says what to do next.
    pub message: String,
}

/// How a task was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskClosing {
    /// Its turn rested and it was a once task.
    Completed,
    /// A client cancelled it.
    Cancelled,
    /// Its turn failed and it was a once task.
    Failed,
}

impl TaskClosing {
    /// The word people see.
    pub fn name(self) -> &'static str {
        match self {
            TaskClosing::Completed => "completed",
            TaskClosing::Cancelled => "canceled",
            TaskClosing::Failed => "failed",
        }
    }
}

/// Tokens of one model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUsage {
    /// Sent, cached ones included.
    pub prompt: u64,
    /// Of those, taken from a cache.
    pub cached: u64,
    /// Received, thoughts excluded.
    pub output: u64,
    /// Spent on thoughts.
    pub thoughts: u64,
}
