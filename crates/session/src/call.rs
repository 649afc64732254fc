//! One tool call and its life.

use crate::ask::{AnswerEdit, Ask, FileDiff};
use crate::ids::{CallId, TaskId, UnixMillis};
use crate::patched_file::PatchedFile;
use crate::plan::CommandPlan;
use crate::seen_files::SeenFile;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call of the running turn.
#[derive(Clone, Debug, PartialEq)]
pub struct CallState {
    /// Its id.
    pub id: CallId,
    /// The task it works for.
    pub task: TaskId,
    /// The running call it is made for.
    pub parent: Option<CallId>,
    /// Its place in the order of its answer: its own id, or the place of the call that it stands for.
    pub place: CallId,
    /// What the provider calls the answer it came with. Calls that other calls make came with none.
    pub response: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The arguments as the model gave them.
    pub args: Value,
    /// What the tool does to the world; known once the call is vetted.
    pub kind: ToolKind,
    /// What was shown, if it asked.
    pub ask: Option<Ask>,
    /// The option a person chose, if it asked.
    pub chosen: Option<String>,
    /// What a person changed before allowing it.
    pub edit: Option<AnswerEdit>,
    /// What runs instead of a shell, if it is a shell command that nobody was asked about.
    pub plan: Option<CommandPlan>,
    /// Where it is in its life.
    pub phase: CallPhase,
}

impl CallState {
    /// Whether policy has spoken: what kind of call it is, is known from then on.
    pub fn is_vetted(&self) -> bool {
        !matches!(self.phase, CallPhase::Vetting | CallPhase::Deferred)
    }

    /// Since when it has asked what it asks now; `None` if it asks nothing.
    pub fn asks_since(&self) -> Option<UnixMillis> {
        match self.phase {
            CallPhase::Asking { since, .. } => Some(since),
            _ => None,
        }
    }
}

/// Where a call is in its life.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a handful of calls exist at a time, and most of them end")]
pub enum CallPhase {
    /// Policy has not spoken yet.
    Vetting,
    /// It does not fit the files as they are, and calls before it may still change them: then it is vetted again.
    Deferred,
    /// A person has to answer. `revision` is the policy it was vetted under.
    Asking {
        /// See [`crate::SessionState::policy`].
        revision: u64,
        /// When it was first asked.
        since: UnixMillis,
    },
    /// It may run.
    Ready,
    /// It runs.
    Running,
    /// It is over.
    Ended(CallOutcome),
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Only looks.
    #[default]
    Read,
    /// Changes files.
    Edit,
    /// Runs a command.
    Execute,
    /// Talks to the network or to another program, and changes nothing here.
    Fetch,
    /// Talks to the person.
    Converse,
    /// Hands work to another agent. Whatever that one does is a call of its own, vetted for itself.
    Delegate,
}

impl ToolKind {
    /// Whether two such calls must not run at once.
    pub fn changes_things(self) -> bool {
        match self {
            ToolKind::Read | ToolKind::Fetch | ToolKind::Converse | ToolKind::Delegate => false,
            ToolKind::Edit | ToolKind::Execute => true,
        }
    }

    /// Whether such a call can change something here, by itself or through an agent that it hands work to.
    pub(crate) fn may_change_things(self) -> bool {
        self.changes_things() || self == ToolKind::Delegate
    }

    /// Whether a call of one answer may run while one of kind `other` before it runs or waits. Calls of other kinds take
    /// effect in the order in which the model made them.
    pub(crate) fn runs_beside(self, other: ToolKind) -> bool {
        match self {
            ToolKind::Read | ToolKind::Fetch | ToolKind::Delegate => self == other,
            ToolKind::Edit | ToolKind::Execute | ToolKind::Converse => false,
        }
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CallOutcome {
    /// It ran and did its work.
    Succeeded {
        /// What came of it.
        result: CallResult,
    },
    /// It ran, or could not, and failed. Data for the model, not an error of ours.
    Failed {
        /// What went wrong.
        error: CallError,
        /// What there is to show all the same.
        result: Option<CallResult>,
    },
    /// A person said no.
    Declined,
    /// Policy said no.
    Denied {
        /// Why, and how to allow it.
        why: String,
    },
    /// The turn was cancelled.
    Cancelled,
    /// It had started when the process ended. It is never run again by itself.
    Interrupted,
    /// The world changed after it was shown; another call asks anew.
    Superseded,
}

impl CallOutcome {
    /// What the call left behind, whether it worked or not.
    pub fn result(&self) -> Option<&CallResult> {
        match self {
            CallOutcome::Succeeded { result } | CallOutcome::Failed { result: Some(result), .. } => Some(result),
            CallOutcome::Failed { result: None, .. }
            | CallOutcome::Declined
            | CallOutcome::Denied { .. }
            | CallOutcome::Cancelled
            | CallOutcome::Interrupted
            | CallOutcome::Superseded => None,
        }
    }
}

/// What a finished call leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// What the model is told.
    pub text: String,
    /// What a person is shown, when that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<ResultDisplay>,
    /// What came of it as data for programs, where the tool says it so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Box<Value>>,
    /// The exit code of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The whole output, where the log keeps only its head and tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<BlobRef>,
    /// Pictures, documents and sounds the model is shown with the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaContent>,
    /// What it made for others, beside what it changed here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<CallArtifact>,
    /// The files that it shows the model, in whole or in part, and those that it changed, as they are now. A file of which the
    /// model does not know what it holds is not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<SeenFile>,
}

impl CallResult {
    /// True if it is that of a command which ended with another exit code than 0. People see such a call as failed.
    pub fn has_nonzero_exit(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
    }

    /// True if it is that of a command whose processes in the background were stopped when it ended. The shell tool says it to the
    /// model in a line of its own, below the output and above nothing but the exit code.
    pub fn has_stopped_processes(&self) -> bool {
        let mut from_the_end = self.text.lines().rev().skip_while(|line| line.starts_with("Exit code: "));
        from_the_end.next() == Some("[Background processes were stopped when the command ended.]")
    }
}

/// Something a call made for others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CallArtifact {
    /// Data for programs.
    Data {
        /// What it says.
        data: Value,
    },
    /// Something that is to be had elsewhere.
    Link {
        /// Where.
        url: String,
        /// What it is, for people.
        name: String,
        /// Its media type, when that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media: Option<String>,
    },
}

/// Something a model is shown that is not text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaContent {
    /// What it is, for people: a path.
    pub name: String,
    /// Its bytes and media type.
    pub blob: BlobRef,
}

impl MediaContent {
    /// How many of them one prompt may bring.
    pub const MOST_IN_PROMPT: usize = 16;
    /// How large one that a prompt brings may be, in bytes.
    pub const MOST_BYTES: u64 = 10 * 1024 * 1024;
    /// How long its name may be then, in characters.
    pub const MOST_NAME_CHARS: usize = 200;
}

/// What a person is shown of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResultDisplay {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A changed file.
    Diff(FileDiff),
    /// Files that were changed, added, moved or deleted together.
    Patch {
        /// The files, in the order of the patch.
        files: Vec<PatchedFile>,
    },
}

impl ResultDisplay {
    /// The changes of files that it shows.
    pub fn file_diffs(&self) -> impl Iterator<Item = &FileDiff> {
        let (one, several) = match self {
            ResultDisplay::Text { .. } => (None, &[][..]),
            ResultDisplay::Diff(change) => (Some(change), &[][..]),
            ResultDisplay::Patch { files } => (None, files.as_slice()),
        };
        one.into_iter().chain(several.iter().map(|file| &file.diff))
    }
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// A short machine-readable word (`file_not_found`, `path_not_in_workspace`).
    pub kind: String,
    /// A sentence for the model and the person.
    pub message: String,
}

/// Bytes kept outside the log, by content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    /// SHA-256 in hex.
    pub sha256: String,
    /// Length in bytes.
    pub len: u64,
    /// Media type.
    pub media: String,
}
