//! The facts that a model learns from a result, whatever the words around them: both programs have their own.

use serde_json::Value;
use std::collections::BTreeSet;

/// The essence of the response to a call of `tool`.
pub(crate) fn summarize_response(tool: &str, response: &Value) -> String {
    // How a failure is told is each program's own business; that it is one is not.
    if response.get("error").is_some() {
        return "fails".to_owned();
    }
    let text = response["output"].as_str().unwrap_or_default();
    let essence = match tool {
        "read_file" => Value::from(content(text).trim_end_matches('\n')).to_string(),
        "list_directory" => listed(text),
        "glob" => set(text.lines().filter(|line| line.starts_with('/'))),
        "grep_search" => matches(text),
        "run_shell_command" => printed(text),
        // The files that are left behind say the rest.
        _ => String::new(),
    };
    format!("works {essence}").trim_end().to_owned()
}

/// A file's text without the remark in front of it.
fn content(text: &str) -> &str {
    if let Some((_, content)) = text.split_once("--- FILE CONTENT (truncated) ---\n") {
        return content;
    }
    match text.strip_prefix('[').and_then(|rest| rest.split_once("]\n\n")) {
        Some((_, content)) => content,
        None => text,
    }
}

fn listed(text: &str) -> String {
    let names = text.lines().filter_map(|line| {
        let file = line.rsplit_once(" (").filter(|(_, size)| size.ends_with(" bytes)"));
        line.strip_prefix("[DIR] ").or(file.map(|(name, _)| name))
    });
    set(names)
}

/// Files, and the lines of them, `L2: beta`.
fn matches(text: &str) -> String {
    let is_line = |line: &str| {
        let digits = line.strip_prefix('L').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        // An empty line around a match says nothing; Gemini CLI counts one behind the last newline of a file.
        digits.is_some_and(|rest| rest.starts_with(": ") || (rest.starts_with("- ") && rest.len() > 2))
    };
    let kept: Vec<&str> = text.lines().filter(|line| line.starts_with("File: ") || is_line(line)).collect();
    Value::from(kept.join("\n")).to_string()
}

fn printed(text: &str) -> String {
    let text = text.replace("<untrusted_context>", "").replace("</untrusted_context>", "");
    let text = text.replace("Exit Code:", "Exit code:").replace("(no output)", "(empty)");
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.contains("PGID:"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("Output: ").unwrap_or(line)).collect();
    Value::from(lines.join("\n")).to_string()
}

fn set<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    Vec::from_iter(names).join(" ")
}
