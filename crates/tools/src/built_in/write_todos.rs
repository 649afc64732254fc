//! `write_todos`: the plan of the work at hand, kept where the person sees it.

use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::pluralize::pluralize;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const NAME: &str = BuiltInTool::WriteTodos.name();
/// The most todos a list holds.
const MAX_TODOS: usize = 100;
/// The longest description, in characters.
const MAX_CHARS: usize = 500;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The whole list, in order. It replaces the list there was.
    todos: Vec<Todo>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct Todo {
    /// What is to be done, in one sentence.
    description: String,
    /// How far it is. At most one todo is in_progress.
    status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
    Blocked,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::InProgress => "in_progress",
            Status::Completed => "completed",
            Status::Cancelled => "cancelled",
            Status::Blocked => "blocked",
        }
    }
}

pub(crate) struct WriteTodosTool;

impl Tool for WriteTodosTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Keeps the list of what is to be done, which the person sees while you work. Use it for work of several \
             steps; leave it out for anything simple. Each call gives the whole list anew. Mark a todo in_progress \
             before you start on it, one at a time, and completed as soon as it is done.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let todos = parse_todos(args)?;
            Ok(CallPreview::reading(NAME, format!("Note {}", pluralize(todos.len(), "todo", "todos"))))
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let todos = parse_todos(&call.args)?;
            if todos.is_empty() {
                return Ok(ToolRunOutcome::from_text("The todo list is empty now."));
            }
            let mut text = "The todo list is now:".to_owned();
            for (number, todo) in todos.iter().enumerate() {
                text.push_str(&format!("\n{}. [{}] {}", number + 1, todo.status.name(), todo.description.trim()));
            }
            Ok(ToolRunOutcome::succeeded(CallResult { text, ..CallResult::default() }))
        })
    }
}

fn parse_todos(args: &Value) -> Result<Vec<Todo>, ToolError> {
    let Arguments { todos } = parse(args)?;
    let bad = |problem: String| Err(ToolError::BadArguments(format!("argument `todos`: {problem}")));
    if todos.len() > MAX_TODOS {
        return bad(format!("{} are too many; {MAX_TODOS} is the limit", todos.len()));
    }
    for (at, todo) in todos.iter().enumerate() {
        if todo.description.trim().is_empty() {
            return bad(format!("todo {} has no description", at + 1));
        }
        if todo.description.chars().count() > MAX_CHARS {
            return bad(format!("the description of todo {} has more than {MAX_CHARS} characters", at + 1));
        }
    }
    let started = todos.iter().filter(|todo| todo.status == Status::InProgress).count();
    if started > 1 {
        return bad(format!("{started} todos are in_progress; only one may be"));
    }
    Ok(todos)
}
