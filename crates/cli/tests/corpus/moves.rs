//! The actions of the people in a conversation, one line each.

use anyhow::{Context as _, Result, bail};
use pollux_session::{
    AnswerEdit, ApprovalMode, CallId, CancelScope, Command, PromptId, PromptTarget, SessionSetting, TaskId,
};
use serde_json::{Map, Value};

/// One line of the section `commands`.
#[derive(Clone, Debug)]
pub(crate) enum ConversationMove {
    /// Say something; the model is set first if one is named.
    Prompt { text: String, model: Option<String> },
    /// Answer the ask of the call with this number, or the oldest one that is open.
    Answer { call: Option<usize>, option: String, edit: Option<AnswerEdit> },
    /// Stop the turn.
    Cancel,
    /// Something the seats of the process have, and the wire has not.
    Seat(SeatMove),
    /// Somebody else changes a file of the workspace.
    Write { path: String, text: String },
    /// Wait until a line of the entries holds this; the next move is made at once.
    Until { text: String },
    /// Let the answer go on that the model's provider holds back.
    ReleaseAnswer,
    /// Let the MCP server `desk` answer, and wait until it is ready.
    OpenMcpServer,
}

/// Moves that only a seat in the process can make.
#[derive(Clone, Debug)]
pub(crate) enum SeatMove {
    Mode(ApprovalMode),
    Unqueue(usize),
    Requeue(usize, String),
    Release,
    Compact,
    Uncompact,
}

impl ConversationMove {
    /// Read a line.
    pub(crate) fn read(line: &Value) -> Result<ConversationMove> {
        let line = line.as_object().with_context(|| format!("a command is an object: {line}"))?;
        let (verb, value) = line.iter().next().context("a command is empty")?;
        let text = || value.as_str().map(str::to_owned).with_context(|| format!("`{verb}` takes text"));
        Ok(match verb.as_str() {
            "prompt" => ConversationMove::Prompt { text: text()?, model: string(line, "model") },
            "answer" => ConversationMove::Answer {
                call: string(line, "call").map(|call| number(&call, 'c')).transpose()?,
                option: text()?,
                edit: edit(line),
            },
            "cancel" => ConversationMove::Cancel,
            "write" => {
                ConversationMove::Write { path: text()?, text: string(line, "text").context("`write` needs `text`")? }
            }
            "until" => ConversationMove::Until { text: text()? },
            "let_go" => ConversationMove::ReleaseAnswer,
            "desk" => ConversationMove::OpenMcpServer,
            "mode" => ConversationMove::Seat(SeatMove::Mode(serde_json::from_value(value.clone())?)),
            "unqueue" => ConversationMove::Seat(SeatMove::Unqueue(number(&text()?, 'p')?)),
            "requeue" => {
                let new = string(line, "text").context("`requeue` needs `text`")?;
                ConversationMove::Seat(SeatMove::Requeue(number(&text()?, 'p')?, new))
            }
            "release" => ConversationMove::Seat(SeatMove::Release),
            "compact" => ConversationMove::Seat(SeatMove::Compact),
            "uncompact" => ConversationMove::Seat(SeatMove::Uncompact),
            other => bail!("there is no command `{other}`"),
        })
    }
}

/// The numbers of entries, and what they stand for in a session.
pub(crate) struct EntryNumbers {
    pub(crate) main_task: TaskId,
    pub(crate) calls: Vec<CallId>,
    pub(crate) prompts: Vec<PromptId>,
    /// The oldest call that asks.
    pub(crate) asking: Option<CallId>,
}

impl EntryNumbers {
    /// The call a move means.
    pub(crate) fn call(&self, number: Option<usize>) -> Result<CallId> {
        match number {
            Some(number) => {
                let found = number.checked_sub(1).and_then(|at| self.calls.get(at));
                found.copied().with_context(|| format!("there is no call c{number}"))
            }
            None => self.asking.context("no call asks"),
        }
    }

    fn prompt(&self, number: usize) -> Result<PromptId> {
        let found = number.checked_sub(1).and_then(|at| self.prompts.get(at));
        found.copied().with_context(|| format!("there is no prompt p{number}"))
    }

    /// The commands for a move, in order.
    pub(crate) fn commands(&self, wanted: &ConversationMove) -> Result<Vec<Command>> {
        Ok(match wanted {
            ConversationMove::Prompt { text, model } => {
                let set = model.clone().map(|model| Command::Set { setting: SessionSetting::Model(model) });
                let target = PromptTarget::Existing { task: self.main_task };
                set.into_iter().chain([Command::prompt(target, text.clone())]).collect()
            }
            ConversationMove::Answer { call, option, edit } => {
                vec![Command::Answer { call: self.call(*call)?, option: option.clone(), edit: edit.clone() }]
            }
            ConversationMove::Cancel => vec![Command::Cancel { scope: CancelScope::Turn }],
            ConversationMove::Seat(SeatMove::Mode(mode)) => vec![Command::Set { setting: SessionSetting::Mode(*mode) }],
            ConversationMove::Seat(SeatMove::Unqueue(number)) => {
                vec![Command::Unqueue { prompt: self.prompt(*number)? }]
            }
            ConversationMove::Seat(SeatMove::Requeue(number, text)) => {
                vec![Command::Requeue { prompt: self.prompt(*number)?, text: text.clone() }]
            }
            ConversationMove::Seat(SeatMove::Release) => vec![Command::Release],
            ConversationMove::Seat(SeatMove::Compact) => vec![Command::Compact],
            ConversationMove::Seat(SeatMove::Uncompact) => vec![Command::Uncompact],
            ConversationMove::Write { .. }
            | ConversationMove::Until { .. }
            | ConversationMove::ReleaseAnswer
            | ConversationMove::OpenMcpServer => Vec::new(),
        })
    }
}

fn string(line: &Map<String, Value>, key: &str) -> Option<String> {
    line.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn number(text: &str, letter: char) -> Result<usize> {
    let digits = text.strip_prefix(letter).with_context(|| format!("{text:?} is not written {letter}1"))?;
    Ok(digits.parse()?)
}

fn edit(line: &Map<String, Value>) -> Option<AnswerEdit> {
    let content = string(line, "edit").map(|new| AnswerEdit::Content { new });
    content.or_else(|| line.get("answers").map(|answers| AnswerEdit::Answers { answers: answers.clone() }))
}
