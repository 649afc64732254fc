//! What a command answers with.

use pollux_session::{NewCall, Report, SeenFile};
use pollux_tools::McpContent;
use serde_json::Value;

/// One step of a command.
#[derive(Debug, PartialEq)]
pub(crate) struct CommandOutput {
    /// What it changes, in order, before it says anything.
    pub(crate) changes: Vec<Report>,
    /// What it says; may be empty.
    pub(crate) text: String,
    /// How the turn goes on.
    pub(crate) then: CommandContinuation,
}

/// How a turn goes on after a step of its command.
#[derive(Debug, PartialEq)]
pub(crate) enum CommandContinuation {
    /// It rests.
    Rest,
    /// These calls are made, and then the command is asked again.
    Call(Vec<NewCall>),
    /// The model answers; this is what it is told.
    Model(PromptAttachment),
}

/// Something that is told to the model with a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PromptAttachment {
    /// What it is, for people.
    pub(crate) name: String,
    pub(crate) content: McpContent,
    /// The files that it shows.
    pub(crate) seen: Vec<SeenFile>,
}

impl CommandOutput {
    /// Say something, and that is all.
    pub(crate) fn say(text: impl Into<String>) -> CommandOutput {
        CommandOutput { changes: Vec::new(), text: text.into(), then: CommandContinuation::Rest }
    }

    /// Have calls made first.
    pub(crate) fn call(calls: impl IntoIterator<Item = (&'static str, Value)>) -> CommandOutput {
        let calls = calls.into_iter().map(|(tool, args)| NewCall { tool: tool.to_owned(), args, meta: Value::Null });
        CommandOutput { changes: Vec::new(), text: String::new(), then: CommandContinuation::Call(calls.collect()) }
    }

    /// Let the model answer.
    pub(crate) fn hand_to_model(attachment: PromptAttachment) -> CommandOutput {
        CommandOutput { changes: Vec::new(), text: String::new(), then: CommandContinuation::Model(attachment) }
    }

    /// The same, after a change.
    #[must_use]
    pub(crate) fn with_change(mut self, change: Report) -> CommandOutput {
        self.changes.push(change);
        self
    }
}
