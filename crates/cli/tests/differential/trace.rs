//! The work of one program: its requests as lines, each of them only what the one before it did not have, and its
//! files.

use crate::differential::result_summary;
use pollux_testkit::gemini::CapturedRequest;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The work of one program.
pub(crate) struct ProgramTrace {
    /// The lines that each request adds to the one before it.
    pub(crate) requests: Vec<Vec<String>>,
    /// The files that are new or changed.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl ProgramTrace {
    pub(crate) fn new(
        requests: &[CapturedRequest],
        prompt: &str,
        workspace: &Path,
        files: BTreeMap<String, Vec<u8>>,
    ) -> ProgramTrace {
        let place = workspace.display().to_string();
        let mut before: Vec<String> = Vec::new();
        let mut added = Vec::new();
        for request in requests.iter().filter(|request| request.target.contains("enerateContent")) {
            let lines: Vec<String> =
                lines(&request.body, prompt).iter().map(|line| line.replace(&place, "$WS")).collect();
            let same = lines.iter().zip(&before).take_while(|(one, other)| one == other).count();
            // A request that is sent again adds nothing, and that it was sent is worth a line.
            let again = same == lines.len() && !before.is_empty();
            added.push(if again { vec!["the same again".to_owned()] } else { lines[same..].to_vec() });
            before = lines;
        }
        ProgramTrace { requests: added, files }
    }
}

/// The conversation a request carries.
fn lines(body: &Value, prompt: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut calls: HashMap<&str, &str> = HashMap::new();
    if body["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool.get("googleSearch").is_some())) {
        lines.push("searches the web".to_owned());
    }
    for content in body["contents"].as_array().into_iter().flatten() {
        let role = content["role"].as_str().unwrap_or_default();
        let mut said = String::new();
        for part in content["parts"].as_array().into_iter().flatten() {
            if let Some(text) = part["text"].as_str() {
                said.push_str(without_surroundings(text));
            } else if let Some(call) = part.get("functionCall") {
                let name = call["name"].as_str().unwrap_or_default();
                calls.extend(call["id"].as_str().map(|id| (id, name)));
                lines.push(format!("call {name} {}", sorted(&call["args"])));
            } else if let Some(result) = part.get("functionResponse") {
                let name = result["name"].as_str().unwrap_or_default();
                // An id must be that of a call of the same tool.
                let paired = result["id"].as_str().is_none_or(|id| calls.get(id) == Some(&name));
                let unpaired = if paired { "" } else { ", of no such call" };
                lines.push(format!(
                    "result {name} {}{unpaired}",
                    result_summary::summarize_response(name, &result["response"])
                ));
            } else {
                lines.push(format!("{role} part {part}"));
            }
        }
        if !said.is_empty() {
            let said = if said == prompt { "the prompt".to_owned() } else { Value::from(said).to_string() };
            lines.push(format!("{role} {said}"));
        }
    }
    lines
}

/// Both tell where they run before the prompt, each in its own words, which are not compared.
fn without_surroundings(text: &str) -> &str {
    if ["<session_context>", "[The situation, as it is now."].iter().any(|start| text.starts_with(start)) {
        ""
    } else {
        text
    }
}

/// Arguments in one order.
fn sorted(args: &Value) -> String {
    let fields: BTreeMap<&String, &Value> = args.as_object().into_iter().flatten().collect();
    serde_json::to_string(&fields).unwrap_or_default()
}
