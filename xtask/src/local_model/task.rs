//! The task, and what must be left behind: whatever the model says, the files tell.

use crate::process;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

const PROMPT: &str = "Do these steps in order, one tool call each.\n\
                      1. Create the file note.txt with the text: draft one\n\
                      2. Read note.txt.\n\
                      3. In note.txt replace draft with final.\n\
                      4. Run this command: cp note.txt copy.txt";

/// Nobody watches, so every call is allowed, and nobody sandboxes: a small model that loses its way must not run what
/// it likes. The person's own rules hold in every mode.
const POLICY: &str = r#"[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 100
denyMessage = "only the command of the task may be run here"

[[rule]]
toolName = "run_shell_command"
command = "cp note.txt copy.txt"
decision = "allow"
priority = 200
"#;

/// The model that does it.
pub(super) struct TaskModel {
    name: String,
    variable: Option<(&'static str, String)>,
}

impl TaskModel {
    /// Whatever the server at `address` serves.
    pub(super) fn served(address: &str) -> TaskModel {
        let variable = Some(("LLAMACPP_BASE_URL", format!("{address}/v1")));
        TaskModel { name: "llamacpp:qwen2.5-coder-1.5b".to_owned(), variable }
    }

    /// The weights themselves.
    pub(super) fn file(weights: &Path) -> TaskModel {
        TaskModel { name: format!("gguf:{}", weights.display()), variable: None }
    }
}

/// The result of a task.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TaskResult {
    /// The tools that were called, in order.
    tools: Vec<String>,
    /// The model's last words, or why there was no end.
    last: String,
    /// Tokens read and written.
    tokens: (u64, u64),
    /// Faults of the result.
    pub(super) faults: Vec<String>,
}

/// Let the model work in a directory of its own.
pub(super) fn run(pollux: &Path, scratch: &Path, chosen: &TaskModel) -> Result<TaskResult> {
    if scratch.exists() {
        std::fs::remove_dir_all(scratch).context("the scratch directory of the last run could not be removed")?;
    }
    let (workspace, policies) = (scratch.join("workspace"), scratch.join("home/.config/pollux/policies"));
    std::fs::create_dir_all(&workspace)?;
    std::fs::create_dir_all(&policies)?;
    std::fs::write(policies.join("task.toml"), POLICY)?;
    let mut command = process::command(pollux, &workspace);
    command.args(["-p", PROMPT, "--yolo", "--output-format", "stream-json", "--model", &chosen.name]);
    command.env_clear().env("HOME", scratch.join("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    if let Some((name, value)) = &chosen.variable {
        command.env(name, value);
    }
    let output = command.output().context("pollux could not be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut done = parse_stream(&said);
    if said.trim().is_empty() {
        done.last = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    }
    done.faults = ["note.txt", "copy.txt"].iter().filter_map(|name| find_fault(&workspace, name)).collect();
    if !done.tools.iter().any(|tool| tool == "read_file") {
        done.faults.push("no file was read".to_owned());
    }
    Ok(done)
}

fn find_fault(workspace: &Path, name: &str) -> Option<String> {
    match std::fs::read_to_string(workspace.join(name)) {
        Ok(text) if text.trim() == "final one" => None,
        Ok(text) => Some(format!("{name} holds {text:?}")),
        Err(_) => Some(format!("{name} is missing")),
    }
}

/// The result that the lines of stream-json tell.
fn parse_stream(lines: &str) -> TaskResult {
    let mut done = TaskResult::default();
    for line in lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let word = |key: &str| line[key].as_str().unwrap_or_default();
        match word("type") {
            "tool_use" => done.tools.push(word("tool_name").to_owned()),
            "message" if word("role") == "assistant" => done.last.push_str(word("content")),
            "result" => {
                let count = |key: &str| line["stats"][key].as_u64().unwrap_or_default();
                done.tokens = (count("input_tokens"), count("output_tokens"));
                if let Some(message) = line["error"]["message"].as_str() {
                    message.clone_into(&mut done.last);
                }
            }
            _ => {}
        }
    }
    done
}

impl Display for TaskResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (read, written) = self.tokens;
        let verdict = if self.faults.is_empty() { "done".to_owned() } else { self.faults.join(", ") };
        writeln!(f, "{read} tokens read, {written} written, calls: {}: {verdict}", self.tools.join(" "))?;
        write!(f, "   it said: {}", self.last.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_run_are_read() {
        let lines = concat!(
            r#"{"type":"tool_use","tool_name":"write_file"}"#,
            "\nnot json\n",
            r#"{"type":"message","role":"user","content":"do it"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","content":"It is "}"#,
            "\n",
            r#"{"type":"message","role":"assistant","content":"done."}"#,
            "\n",
            r#"{"type":"result","stats":{"input_tokens":7,"output_tokens":3}}"#,
        );
        let tools = vec!["write_file".to_owned()];
        let expected = TaskResult { tools, last: "It is done.".into(), tokens: (7, 3), faults: Vec::new() };
        assert_eq!(parse_stream(lines), expected);
        let failed = parse_stream(r#"{"type":"result","error":{"message":"stopped"},"stats":{}}"#);
        assert_eq!(failed, TaskResult { last: "stopped".into(), ..TaskResult::default() });
    }
}
