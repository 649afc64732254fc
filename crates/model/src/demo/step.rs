//! One thing the engine can do, and the tool calls it takes.

use serde_json::{Value, json};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Read { file: String },
    Write { file: String, content: String },
    List { dir: String },
    Find { pattern: String, dir: String },
    Replace { from: String, to: String, file: String },
    Run { command: String },
}

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

impl Step {
    /// The call it begins with.
    pub(super) fn call(&self) -> Call {
        match self {
            Step::Read { file } | Step::Replace { file, .. } => ("read_file", json!({"file_path": file})),
            Step::Write { file, content } => write_call(file, content),
            Step::List { dir } => ("list_directory", json!({"dir_path": dir})),
            Step::Find { pattern, dir } => {
                let command = format!("grep -rnI -e {} -- {}", quote(pattern), quote(dir));
                run_call(&command, &format!("Search {dir} for {pattern}"))
            }
            Step::Run { command } => run_call(command, "Run the command that was asked for"),
        }
    }

    /// The rule that was matched, in words.
    pub(super) fn rule(&self) -> &'static str {
        match self {
            Step::Read { .. } => "read a file",
            Step::Write { .. } => "write a file",
            Step::List { .. } => "list a directory",
            Step::Find { .. } => "find text",
            Step::Replace { .. } => "replace text in a file",
            Step::Run { .. } => "run a command",
        }
    }

    /// What it is about to do, as a sentence begins.
    pub(super) fn plan(&self) -> String {
        match self {
            Step::Read { file } => format!("Reading {}", code(file)),
            Step::Write { file, content } if content.len() == 1 => format!("Writing 1 byte to {}", code(file)),
            Step::Write { file, content } => format!("Writing {} bytes to {}", content.len(), code(file)),
            Step::List { dir } if dir == "." => "Listing this directory".to_owned(),
            Step::List { dir } => format!("Listing {}", code(dir)),
            Step::Find { pattern, dir } => format!("Searching {} for {}", code(dir), code(pattern)),
            Step::Replace { from, to, file } => {
                format!("Replacing {} with {} in {}", code(from), code(to), code(file))
            }
            Step::Run { command } => format!("Running {}", code(command)),
        }
    }
}

/// The call that writes a file.
pub(super) fn write_call(file: &str, content: &str) -> Call {
    ("write_file", json!({"file_path": file, "content": content}))
}

fn run_call(command: &str, description: &str) -> Call {
    ("run_shell_command", json!({"command": command, "description": description}))
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
