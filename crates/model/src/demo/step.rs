//! One thing the engine can do, and the tool calls it takes.

use pollux_session::BuiltInTool;
use serde_json::{Value, json};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DemoStep {
    Read { file: String },
    Write { file: String, content: String },
    List { dir: String },
    Find { pattern: String, dir: String },
    Replace { from: String, to: String, file: String },
    Run { command: String },
}

/// A tool and its arguments.
pub(super) type DemoCall = (BuiltInTool, Value);

impl DemoStep {
    /// The call it begins with.
    pub(super) fn call(&self) -> DemoCall {
        match self {
            DemoStep::Read { file } | DemoStep::Replace { file, .. } => {
                (BuiltInTool::ReadFile, json!({"file_path": file}))
            }
            DemoStep::Write { file, content } => write_call(file, content),
            DemoStep::List { dir } => (BuiltInTool::ListDirectory, json!({"dir_path": dir})),
            DemoStep::Find { pattern, dir } => {
                let command = format!("grep -rnI -e {} -- {}", quote(pattern), quote(dir));
                run_call(&command, &format!("Search {dir} for {pattern}"))
            }
            DemoStep::Run { command } => run_call(command, "Run the command that was asked for"),
        }
    }

    /// The rule that was matched, in words.
    pub(super) fn rule(&self) -> &'static str {
        match self {
            DemoStep::Read { .. } => "read a file",
            DemoStep::Write { .. } => "write a file",
            DemoStep::List { .. } => "list a directory",
            DemoStep::Find { .. } => "find text",
            DemoStep::Replace { .. } => "replace text in a file",
            DemoStep::Run { .. } => "run a command",
        }
    }

    /// The step as the beginning of a sentence.
    pub(super) fn plan(&self) -> String {
        match self {
            DemoStep::Read { file } => format!("Reading {}", code(file)),
            DemoStep::Write { file, content } if content.len() == 1 => format!("Writing 1 byte to {}", code(file)),
            DemoStep::Write { file, content } => format!("Writing {} bytes to {}", content.len(), code(file)),
            DemoStep::List { dir } if dir == "." => "Listing this directory".to_owned(),
            DemoStep::List { dir } => format!("Listing {}", code(dir)),
            DemoStep::Find { pattern, dir } => format!("Searching {} for {}", code(dir), code(pattern)),
            DemoStep::Replace { from, to, file } => {
                format!("Replacing {} with {} in {}", code(from), code(to), code(file))
            }
            DemoStep::Run { command } => format!("Running {}", code(command)),
        }
    }
}

/// The call that writes a file.
pub(super) fn write_call(file: &str, content: &str) -> DemoCall {
    (BuiltInTool::WriteFile, json!({"file_path": file, "content": content}))
}

fn run_call(command: &str, description: &str) -> DemoCall {
    (BuiltInTool::RunShellCommand, json!({"command": command, "description": description}))
}

/// Text as one shell word, whatever is in it.
fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '+' | ',' | '@' | '%');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Text as code in Markdown, on one line and of a length to read.
pub(super) fn code(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(120).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    let fence = if short.contains('`') { "``" } else { "`" };
    let gap = if short.starts_with('`') || short.ends_with('`') { " " } else { "" };
    format!("{fence}{gap}{short}{more}{gap}{fence}")
}
