//! The conversation as messages of plain text, for a chat template: what the tools are stands in the system prompt,
//! calls and results stand in the messages in the form that answers have.

use super::answer::AnswerForm;
use super::form::{call, say};
use crate::content::{MessagePart, MessageRole, ModelMessage, PartData};
use crate::model::{ModelRequest, ToolDeclaration};
use crate::pairing::{InlineMedia, PairingRules, ToolResultStatus, pair, told};
use pollux_session::BuiltInTool;
use serde_json::Value;

/// The longest description of a tool. Its arguments are named beside it, and the grammar knows their shape.
const LONGEST: usize = 200;

/// The order in which tools are told. A small model tries what stands first: it should begin by doing, not by looking
/// around. Others follow as they come.
const ORDER: [BuiltInTool; 5] = [
    BuiltInTool::WriteFile,
    BuiltInTool::ReadFile,
    BuiltInTool::Replace,
    BuiltInTool::RunShellCommand,
    BuiltInTool::ListDirectory,
];
/// The sentence below a result: without it a small model does the same again. It is never left out later, so that what
/// was read once stays read.
const GOES_ON: &str = "This step is done. Go on with the next step of what was asked; when there is none left, say so.";
/// The sentence below an error.
const WENT_WRONG: &str = "This did not work. Try it in another way, or say what is wrong.";

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// `system`, `user` or `assistant`.
    pub(super) role: &'static str,
    pub(super) text: String,
}

/// The form of the answer to a request: free where there is nothing to call.
pub(super) fn manner(request: &ModelRequest) -> AnswerForm {
    if request.tools.is_empty() { AnswerForm::Plain } else { AnswerForm::Formed }
}

/// The messages that say what `request` says.
pub(super) fn messages(request: ModelRequest) -> Vec<Message> {
    let manner = manner(&request);
    let system = match manner {
        AnswerForm::Plain => request.system,
        AnswerForm::Formed => format!("{}\n\n{}", request.system.trim_end(), instructions(&request.tools)),
    };
    let contents = pair(request.contents, PairingRules::strict()).into_iter().map(|content| match content.role {
        MessageRole::User => Message { role: "user", text: from_user(&content, manner) },
        MessageRole::Model => Message { role: "assistant", text: from_model(&content, manner) },
    });
    let system = Message { role: "system", text: system.trim().to_owned() };
    std::iter::once(system).chain(contents).filter(|message| !message.text.is_empty()).collect()
}

fn instructions(tools: &[ToolDeclaration]) -> String {
    let mut tools: Vec<&ToolDeclaration> = tools.iter().collect();
    tools.sort_by_key(|tool| ORDER.iter().position(|known| known.name() == tool.name).unwrap_or(ORDER.len()));
    let tools: String = tools.into_iter().map(describe).collect();
    let (do_it, done) = (call("NAME", &Value::Object(serde_json::Map::new())), say("TEXT"));
    format!(
        "Answer with one JSON object and nothing else.\n\
         To use a tool: {do_it}\n\
         When all of the work is done, or to ask the person something: {done}\n\n\
         Tools\n{tools}"
    )
}

/// `- read_file {"file_path": string, "offset"?: integer}: Reads a file.`
fn describe(tool: &ToolDeclaration) -> String {
    let first = tool.description.split_inclusive(". ").next().unwrap_or_default().trim().trim_end_matches('.');
    let short: String = first.chars().take(LONGEST).collect();
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let required = tool.parameters.get("required").and_then(Value::as_array);
    let is_required = |key: &str| required.is_some_and(|names| names.iter().any(|name| name == key));
    let arguments = properties.into_iter().flatten().map(|(key, schema)| {
        let mark = if is_required(key) { "" } else { "?" };
        format!("\"{key}\"{mark}: {}", kind(schema))
    });
    format!("- {} {{{}}}: {short}\n", tool.name, arguments.collect::<Vec<_>>().join(", "))
}

fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(word)) => word.clone(),
        Some(Value::Array(words)) => {
            let words = words.iter().filter_map(Value::as_str).filter(|word| *word != "null");
            words.collect::<Vec<_>>().join(" or ")
        }
        _ => "value".to_owned(),
    }
}

fn from_user(content: &ModelMessage, manner: AnswerForm) -> String {
    let mut texts = Vec::new();
    let mut last = None;
    for part in &content.parts {
        match &part.data {
            PartData::FunctionResponse { name, response, .. } => {
                let (text, went) = told(response);
                let word = if went == ToolResultStatus::Wrong { "error" } else { "result" };
                texts.push(format!("[{word} of {name}]\n{text}"));
                last = Some(went);
            }
            PartData::Text(text) => {
                texts.push(text.clone());
                last = None;
            }
            PartData::Other(_) => texts.extend(InlineMedia::of(part).map(|media| media.placeholder())),
            PartData::FunctionCall { .. } => {}
        }
    }
    if manner == AnswerForm::Formed {
        texts.extend(last.map(|went| if went == ToolResultStatus::Wrong { WENT_WRONG } else { GOES_ON }.to_owned()));
    }
    texts.join("\n\n")
}

fn from_model(content: &ModelMessage, manner: AnswerForm) -> String {
    let is_text = |part: &&MessagePart| matches!(part.data, PartData::Text(_));
    let words: String = content.parts.iter().filter(is_text).filter_map(text).collect();
    let calls = content.parts.iter().filter_map(|part| match &part.data {
        PartData::FunctionCall { name, args, .. } => Some(call(name, args)),
        PartData::Text(_) | PartData::FunctionResponse { .. } | PartData::Other(_) => None,
    });
    let calls: Vec<String> = calls.collect();
    match manner {
        // What was said beside a call is left out: an answer is one object, and the call is what led on.
        AnswerForm::Formed if !calls.is_empty() => calls.join("\n"),
        AnswerForm::Formed => say(&words),
        AnswerForm::Plain => {
            std::iter::once(words).chain(calls).filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n")
        }
    }
}

fn text(part: &MessagePart) -> Option<&str> {
    match &part.data {
        PartData::Text(text) => Some(text),
        PartData::FunctionCall { .. } | PartData::FunctionResponse { .. } | PartData::Other(_) => None,
    }
}

#[cfg(test)]
mod tests;
