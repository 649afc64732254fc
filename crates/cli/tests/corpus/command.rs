//! What the people of a conversation do, one line each.

use anyhow::{Context as _, Result, bail};
use pollux_session::{CallId, CancelScope, Command, Edit, Mode, PromptId, PromptTarget, Setting, TaskId};
use serde_json::{Map, Value};

/// One line of the section `commands`.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    /// Say something; the model is set first if one is named.
    Prompt { text: String, model: Option<String> },
    /// Answer the ask of the call with this number, or the oldest one that is open.
    Answer { call: Option<usize>, option: String, edit: Option<Edit> },
    /// Stop the turn.
    Cancel,
    /// Something the seats of the process have, and the wire has not.
    Seat(SeatMove),
    /// Somebody else changes a file of the workspace.
    Write { path: String, text: String },
    /// Wait until a line of the entries holds this; the next move is made at once.
    Until { text: String },
    /// Let the answer go on that the model's provider holds back.
    LetGo,
    /// Let the MCP server `desk` answer, and wait until it is ready.
    Desk,
}

/// Moves that only a seat in the process can make.
#[derive(Clone, Debug)]
pub(crate) enum SeatMove {
    Mode(Mode),
    Unqueue(usize),
    Requeue(usize, String),
    Release,
    Compact,
    Uncompact,
}

impl Move {
    /// Read a line.
    pub(crate) fn read(line: &Value) -> Result<Move> {
        let line = line.as_object().with_context(|| format!("a command is an object: {line}"))?;
        let (verb, value) = line.iter().next().context("a command is empty")?;
        let text = || value.as_str().map(str::to_owned).with_context(|| format!("`{verb}` takes text"));
        Ok(match verb.as_str() {
            "prompt" => Move::Prompt { text: text()?, model: string(line, "model") },
            "answer" => Move::Answer {
                call: string(line, "call").map(|call| number(&call, 'c')).transpose()?,
                option: text()?,
                edit: edit(line),
            },
            "cancel" => Move::Cancel,
            "write" => Move::Write { path: text()?, text: string(line, "text").context("`write` needs `text`")? },
            "until" => Move::Until { text: text()? },
            "let_go" => Move::LetGo,
            "desk" => Move::Desk,
            "mode" => Move::Seat(SeatMove::Mode(serde_json::from_value(value.clone())?)),
            "unqueue" => Move::Seat(SeatMove::Unqueue(number(&text()?, 'p')?)),
            "requeue" => {
                let new = string(line, "text").context("`requeue` needs `text`")?;
                Move::Seat(SeatMove::Requeue(number(&text()?, 'p')?, new))
            }
            "release" => Move::Seat(SeatMove::Release),
            "compact" => Move::Seat(SeatMove::Compact),
            "uncompact" => Move::Seat(SeatMove::Uncompact),
            other => bail!("there is no command `{other}`"),
        })
    }
}

/// Who is who in a session, by the numbers that the entries show.
pub(crate) struct Numbers {
    pub(crate) main_task: TaskId,
    pub(crate) calls: Vec<CallId>,
    pub(crate) prompts: Vec<PromptId>,
    /// The oldest call that asks.
    pub(crate) asking: Option<CallId>,
}

impl Numbers {
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

    /// What a seat is sent for a move, in order.
    pub(crate) fn commands(&self, wanted: &Move) -> Result<Vec<Command>> {
        Ok(match wanted {
            Move::Prompt { text, model } => {
                let set = model.clone().map(|model| Command::Set { setting: Setting::Model(model) });
                let target = PromptTarget::Existing { task: self.main_task };
                set.into_iter().chain([Command::prompt(target, text.clone())]).collect()
            }
            Move::Answer { call, option, edit } => {
                vec![Command::Answer { call: self.call(*call)?, option: option.clone(), edit: edit.clone() }]
            }
            Move::Cancel => vec![Command::Cancel { scope: CancelScope::Turn }],
            Move::Seat(SeatMove::Mode(mode)) => vec![Command::Set { setting: Setting::Mode(*mode) }],
            Move::Seat(SeatMove::Unqueue(number)) => vec![Command::Unqueue { prompt: self.prompt(*number)? }],
            Move::Seat(SeatMove::Requeue(number, text)) => {
                vec![Command::Requeue { prompt: self.prompt(*number)?, text: text.clone() }]
            }
            Move::Seat(SeatMove::Release) => vec![Command::Release],
            Move::Seat(SeatMove::Compact) => vec![Command::Compact],
            Move::Seat(SeatMove::Uncompact) => vec![Command::Uncompact],
            Move::Write { .. } | Move::Until { .. } | Move::LetGo | Move::Desk => Vec::new(),
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

fn edit(line: &Map<String, Value>) -> Option<Edit> {
    let content = string(line, "edit").map(|new| Edit::Content { new });
    content.or_else(|| line.get("answers").map(|answers| Edit::Answers { answers: answers.clone() }))
}
