//! A command that may not happen, and why. An answer, not an error.

use crate::event::EntryAuthor;
use crate::ids::{CallId, PromptId, TaskId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A right that a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// Read entries.
    Observe,
    /// Send prompts, edit the queue, cancel.
    Prompt,
    /// Answer asks, change the approval mode.
    Approve,
}

/// Why a command was refused. The text is for people and names the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Refusal {
    /// The seat lacks a right.
    #[error("this client may not do that: it lacks the right to {}", match .right { Right::Observe => "observe", Right::Prompt => "prompt", Right::Approve => "approve" })]
    NotAllowed {
        /// The right it lacks.
        right: Right,
    },
    /// The credentials that a client sent with a message cannot be lent.
    #[error("{why}")]
    NotLent {
        /// Why not, in a sentence.
        why: String,
    },
    /// A message holds too much, or another message.
    #[error("a message has at most {limit} parts, and none of them is a message")]
    NoMessage { limit: usize },
    /// The session has no such task.
    #[error("no task {task} here; leave the task id out to start one")]
    UnknownTask {
        /// The id that was named.
        task: TaskId,
    },
    #[error("task {task} is {} and takes no more messages; start a new task", .state)]
    TaskClosed { task: TaskId, state: String },
    /// The session has no such call, or it never asked.
    #[error("there is no {call} that waits for an answer")]
    UnknownCall {
        /// The id that was named.
        call: CallId,
    },
    /// Somebody else answered first.
    #[error("{call} was already decided: {by} chose {choice}")]
    AlreadyDecided {
        call: CallId,
        /// The id of the option that won.
        choice: String,
        by: EntryAuthor,
    },
    /// The ask was closed without an answer: the turn was cancelled, or a grant or another mode decided.
    #[error("{call} is no longer waiting for an answer: {why}")]
    AskClosed {
        call: CallId,
        /// What closed it.
        #[serde(default)]
        why: String,
    },
    /// The option is not one of those offered.
    #[error("{call} does not offer {option:?}; choose one of {}", .offered.join(", "))]
    UnknownOption { call: CallId, option: String, offered: Vec<String> },
    /// An edit came with an answer that cannot carry one.
    #[error("{call} cannot be edited: {why}")]
    NotEditable {
        call: CallId,
        /// Why not.
        why: String,
    },
    /// A reply in words begins as an answer does, and is none of those that count.
    #[error("the reply is no answer to what is asked, so nothing was decided. {question}")]
    UnclearReply {
        /// The question, and which replies count.
        question: String,
    },
    /// Nothing runs that could be cancelled.
    #[error("nothing is running that could be cancelled")]
    NothingToCancel,
    /// No summary stands for a part of the conversation.
    #[error("there is no summary to take back")]
    NothingToUncompact,
    /// No such prompt waits in the queue.
    #[error("there is no {prompt} waiting in the queue")]
    UnknownPrompt {
        /// The id that was named.
        prompt: PromptId,
    },
    /// The prompt holds no text.
    #[error("the prompt is empty; send some text")]
    EmptyPrompt,
    /// The prompt brings more files than one may.
    #[error("the prompt brings more than {limit} files; send them with several prompts")]
    TooManyFiles { limit: usize },
    /// A file that the prompt brings is too large, or its name is too long.
    #[error("the file {name:?} cannot come with a prompt: {why}; put it into the workspace and name it")]
    FileTooLarge {
        /// Its name, shortened.
        name: String,
        why: String,
    },
    /// Settings forbid the mode that was chosen.
    #[error("{why}")]
    ModeForbidden { why: String },
    /// No model has the name that was chosen.
    #[error("{why}")]
    UnknownModel {
        /// The name.
        model: String,
        /// Why it cannot be had, and what can.
        why: String,
    },
    #[error("the queue is full ({limit} prompts are waiting); try again when a turn has ended")]
    QueueFull { limit: usize },
    /// A report came for work that is no longer owed. Only the runner sees this.
    #[error("this work is no longer owed")]
    NotOwed,
    /// A report came before that of an earlier call of the same answer, on which it depends what becomes of this one. The host
    /// keeps it and offers it again; nobody else sees this.
    #[error("calls before this one have not been vetted yet")]
    NotYet,
}
