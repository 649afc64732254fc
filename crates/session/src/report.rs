//! Results of work that was owed.

use crate::ask::Ask;
use crate::call::{CallOutcome, MediaContent, ToolKind};
use crate::command::SessionSetting;
use crate::event::{ItemKind, ModelUsage, TurnFailure};
use crate::ids::{CallId, Seq};
use crate::plan::CommandPlan;
use crate::seen_files::SeenFile;
use serde_json::Value;

/// The result of an effect, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// Files that the prompt mentioned were read, before the model was asked.
    Attached {
        /// A name for people.
        name: String,
        /// The text for the model.
        text: String,
        /// Pictures, documents and sounds the model is shown with it.
        media: Vec<MediaContent>,
        /// The files that the model is shown with it.
        seen: Vec<SeenFile>,
    },
    /// The turn is answered by a command, not by the model. Comes before anything else.
    Commanded {
        /// The command, with its sub-command.
        name: String,
    },
    /// For the model, what came after an entry did not happen.
    Rewound {
        /// The newest entry that is still told.
        to: Seq,
    },
    /// The workspace was saved just before the call, or could not be. Comes before [`Report::Starting`].
    Checkpointed {
        name: String,
        /// Where it was saved, or why it was not.
        saved: Result<String, String>,
        /// See [`WorkspaceCheckpoint::changed_files`](crate::WorkspaceCheckpoint::changed_files). None: it may change any.
        files: Vec<String>,
    },
    /// The model said more.
    Said {
        /// In order; adjacent pieces of one kind are one fragment.
        fragments: Vec<ModelFragment>,
        /// The provider's name for the answer they are part of.
        response: Option<String>,
    },
    /// The model call failed and will be tried again. What was half said stays, marked as cut.
    Retrying {
        /// Why, in words.
        reason: String,
        /// The number of the attempt that comes next, from 2.
        attempt: u32,
        /// The wait before it, in milliseconds.
        wait_ms: u64,
    },
    /// The model cannot answer for long; another one is asked from now on.
    FellBack {
        /// The model that was asked.
        from: String,
        /// The one that is asked instead.
        to: String,
        /// Why, in words.
        why: String,
    },
    /// The model is done with this step.
    StepDone {
        /// The newest part of the answer.
        fragments: Vec<ModelFragment>,
        /// The calls it wants.
        calls: Vec<NewCall>,
        /// Why it stopped (`STOP`, `MAX_TOKENS`).
        finish: String,
        usage: ModelUsage,
        /// Sources it cites, one line each.
        citations: Vec<String>,
        /// The provider's name for its answer.
        response: Option<String>,
    },
    /// The model could not be reached or refused.
    StepFailed {
        /// Why.
        failure: TurnFailure,
    },
    /// Policy and the tool's preview have spoken.
    Vetted {
        kind: ToolKind,
        /// Allow, deny or ask.
        verdict: PolicyVerdict,
    },
    /// The call is about to run. It starts once this is durable.
    Starting,
    /// The running call printed something.
    Output {
        text: String,
        /// Bytes before `text` that the log does not hold.
        skipped: u64,
    },
    /// The running call wants another call made. That one is vetted and run like any other.
    Calls {
        /// The call it wants.
        call: NewCall,
    },
    /// The running call has no more use for a call that it wanted made: nobody waits for its end, and an ask of it closes.
    Withdrawn {
        /// That call.
        call: CallId,
    },
    /// The running call used a model on the side.
    Spent { model: String, usage: ModelUsage },
    /// The call is over.
    Done { outcome: CallOutcome },
    /// The file that the call was about to change is no longer as it was shown.
    Stale,
    /// The running call, or the command that answers the turn, changes a setting of the session.
    Set {
        /// The setting and its new value.
        setting: SessionSetting,
    },
    /// The conversation before an entry is, for the model, this summary from now on.
    Compacted {
        /// The first entry that is still told as it is.
        before: Seq,
        /// Stands for the rest of the conversation.
        summary: String,
        /// The tokens that it took to make it.
        usage: ModelUsage,
    },
    /// There is nothing to compact, or it could not be done.
    NotCompacted { why: String },
    /// A lasting grant is in the person's own policy file now, or could not be put there.
    Kept {
        /// Why it could not.
        failure: Option<String>,
    },
}

/// A piece of what the model says.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFragment {
    /// Text or thought.
    pub kind: ItemKind,
    /// The next piece of it.
    pub text: String,
    /// Set when the item ends here, with what the provider attached to it (a signature).
    pub end: Option<Value>,
}

/// A call the model wants.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// Data that the provider attached to it (its own id, a signature): echoed back, never read here.
    pub meta: Value,
}

/// The decision of policy about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyVerdict {
    /// It may run.
    Allow {
        /// By which rule.
        why: String,
        /// For a shell command that nobody is asked about: what runs instead of a shell.
        plan: Option<CommandPlan>,
    },
    /// It may not.
    Deny {
        /// Why, and how to allow it.
        why: String,
    },
    /// A person decides.
    Ask(Ask),
    /// The tool could not even prepare: unknown tool, bad arguments, no such file.
    Fail { outcome: CallOutcome },
}

impl PolicyVerdict {
    /// The call may run, as it is.
    pub fn allow(why: impl Into<String>) -> PolicyVerdict {
        PolicyVerdict::Allow { why: why.into(), plan: None }
    }
}
