//! The items that a person sees of a session, as plain data: nothing here is drawn, and nothing draws from anything
//! else.

use crate::ask::Ask;
use crate::call::{CallOutcome, ToolKind};
use crate::describe::{NoteTone, NoteTopic};
use crate::event::EntryAuthor;
use crate::ids::{CallId, PromptId, Seq, UnixMillis};
use serde_json::Value;
use std::collections::VecDeque;

/// Names an item for good: the entry that began it, and its place among what that entry began. Items are in the order of
/// their ids, and every fold of a log gives them the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewItemId {
    /// The entry that began it.
    pub seq: Seq,
    /// From 0, among those that the entry began.
    pub part: u16,
}

/// One thing to see.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewItem {
    /// Names it for good.
    pub id: ViewItemId,
    /// The newest entry that changed it. A reader who has seen that entry has seen this item as it is.
    pub revision: Seq,
    /// When it began.
    pub at: UnixMillis,
    /// True if it can never change again: then it may go where nothing is drawn twice (docs/DECISIONS.md, 25).
    pub settled: bool,
    pub content: ItemContent,
}

/// The content of an item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemContent {
    /// A prompt, where its answer begins. Until then it is in the queue.
    Prompt {
        prompt: PromptId,
        /// The sender's name; `None` for the reader.
        by: Option<String>,
        /// The sender, for an edge that shows one view to several readers: each knows its own.
        author: EntryAuthor,
        text: String,
        /// The names of what came along.
        media: Vec<String>,
    },
    /// The agent's words.
    Text {
        text: StreamedText,
        /// True if it broke off. Known once it is settled.
        cut: bool,
    },
    /// A thought of the agent.
    Thought {
        text: StreamedText,
        /// Its subjects so far; the first line for a settled one that has none.
        subjects: Vec<String>,
    },
    /// A tool call.
    Call(Box<CallView>),
    /// A sentence about something that happened.
    Note {
        topic: NoteTopic,
        tone: NoteTone,
        /// The sentence, with what stands below it on lines of their own.
        text: String,
    },
    /// A file that was read for the model.
    Attachment {
        /// A sentence.
        text: String,
    },
    /// A summary that stands for the conversation so far.
    Summary {
        /// A sentence that says so.
        heading: String,
        /// The summary.
        text: String,
    },
}

/// Text that grows at its end. Beyond a bound the beginning is let go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamedText {
    /// Bytes before `text` that are not kept.
    pub offset: u64,
    /// The rest.
    pub text: String,
}

/// A call from the moment it is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct CallView {
    pub call: CallId,
    /// The call it was made for, if that is in sight.
    pub parent: Option<CallId>,
    /// The depth of its parents: 0 for a call of the model.
    pub depth: usize,
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// Known once the call is vetted.
    pub kind: ToolKind,
    /// The tool, and the agent that gets the work: `run_shell_command`.
    pub name: String,
    /// Its subject, on one line: `npm test`. A path inside the workspace is written without it.
    pub about: String,
    /// Where it is in its life.
    pub progress: CallProgress,
    /// The preview and the options that were shown, if it asked.
    pub ask: Option<Ask>,
    /// Sentences about it, on lines of their own.
    pub remarks: Vec<CallRemark>,
    /// The seat that declined it and when, if that was another one.
    pub declined: Option<(String, UnixMillis)>,
    /// True if there is a checkpoint of the files from before it.
    pub is_saved_before: bool,
    /// The newest part of what it printed.
    pub output: OutputTail,
    /// When it began to run.
    pub started_at: Option<UnixMillis>,
    /// When it was over.
    pub ended_at: Option<UnixMillis>,
    /// Its end; `None` for one that is over when the log does not say.
    pub outcome: Option<CallOutcome>,
}

/// Where a call is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallProgress {
    /// Policy has not spoken yet.
    Vetting,
    /// A person has to answer.
    Asking,
    /// It may run.
    Ready,
    /// It runs.
    Running,
    /// It is over.
    Ended,
}

/// Something said about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRemark {
    pub tone: NoteTone,
    /// The sentence.
    pub text: String,
    /// When somebody else did what it says.
    pub at: Option<UnixMillis>,
}

/// The newest part of what a call printed, as it printed it: control sequences are for whoever draws to deal with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputTail {
    /// Pieces with nothing missing inside, oldest first. Between two of them the log left something out.
    pub pieces: VecDeque<OutputPiece>,
    /// Bytes printed so far, those left out included.
    pub printed: u64,
}

/// Output with nothing missing inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPiece {
    /// Bytes printed before it.
    pub offset: u64,
    pub text: String,
}

impl ItemContent {
    /// The call, if it is one.
    pub fn as_call(&self) -> Option<&CallView> {
        match self {
            ItemContent::Call(call) => Some(call),
            ItemContent::Prompt { .. }
            | ItemContent::Text { .. }
            | ItemContent::Thought { .. }
            | ItemContent::Note { .. }
            | ItemContent::Attachment { .. }
            | ItemContent::Summary { .. } => None,
        }
    }
}

impl CallView {
    /// `run_shell_command npm test`.
    pub fn title(&self) -> String {
        if self.about.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.about) }
    }
}
