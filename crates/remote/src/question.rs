//! Questions of an agent before it goes on: a confirmation of a tool call, in either dialect of coding agents, or
//! anything else in words. The answer goes back the way the question came.

use crate::agent_update::{AgentDialect, PartView};
use crate::error::RemoteError;
use serde_json::{Map, Value, json};

/// The most text of a question that is shown.
const SHOWN: usize = 64 * 1024;
/// The most options of a question, the most characters of the name or id of one, and the most bytes of a schema. A question
/// that needs more is not asked: unlike text, these cannot be shortened.
const OPTIONS: usize = 32;
const OPTION_CHARACTERS: usize = 200;
const SCHEMA_BYTES: usize = 64 * 1024;

/// A question of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentQuestion {
    /// Its subject, in words.
    pub description: String,
    /// The answers there are.
    pub options: Vec<QuestionOption>,
    /// The JSON schema of what an answer may carry.
    pub schema: Option<Value>,
    pub(crate) subject: QuestionSubject,
}

/// One answer there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionOption {
    pub id: String,
    /// Its label.
    pub name: String,
    /// True if it lets the agent go on with what it asks about.
    pub allows: bool,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentQuestionAnswer {
    /// They chose an option.
    Chosen {
        /// Its id.
        option: String,
        /// The answers that they were asked for.
        answers: Option<Value>,
    },
    /// They did not want to.
    Declined,
}

/// The subject of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionSubject {
    /// A tool call of the agent.
    Call { id: String, dialect: AgentDialect },
    /// Whatever it said.
    Words,
    /// A permission that is given elsewhere.
    Permission,
}

/// A tool call that a coding agent told of.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolCallView {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) is_running: bool,
    /// Its question, while it has one.
    pub(crate) question: Option<Result<AgentQuestion, RemoteError>>,
}

impl ToolCallView {
    /// Read a data part, if it is a tool call.
    pub(crate) fn read(part: &PartView) -> Option<ToolCallView> {
        let PartView::Data(data) = part else { return None };
        read_rfc(data).or_else(|| read_coder(data))
    }
}

fn read_rfc(data: &Value) -> Option<ToolCallView> {
    let id = data.get("tool_call_id")?.as_str()?.to_owned();
    let tool = string(data, "tool_name").unwrap_or_else(|| "a tool".into());
    let status = data.get("status").and_then(Value::as_str).unwrap_or_default();
    let request = data.get("confirmation_request").filter(|request| status == "PENDING" && request.is_object());
    let question = request.map(|request| {
        Ok(AgentQuestion {
            description: shown(&describe_rfc_request(&tool, data, request)),
            options: rfc_options(request)?,
            schema: rfc_schema(request)?,
            subject: QuestionSubject::Call { id: id.clone(), dialect: AgentDialect::Rfc },
        })
    });
    Some(ToolCallView { id, tool, is_running: status == "EXECUTING", question })
}

fn rfc_options(request: &Value) -> Result<Vec<QuestionOption>, RemoteError> {
    let told = request.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if told.len() > OPTIONS {
        return Err(too_large(format!("it has {} options, and {OPTIONS} is the most", told.len())));
    }
    let options = told.iter().filter_map(|option| {
        let id = string(option, "id")?;
        let name = string(option, "name").unwrap_or_else(|| id.clone());
        Some(QuestionOption { allows: !is_refusal(&id), id, name })
    });
    let options: Vec<QuestionOption> = options.collect();
    let is_long = |text: &str| text.chars().nth(OPTION_CHARACTERS).is_some();
    if options.iter().any(|option| is_long(&option.id) || is_long(&option.name)) {
        return Err(too_large(format!("an option's name or id has more than {OPTION_CHARACTERS} characters")));
    }
    Ok(options)
}

fn rfc_schema(request: &Value) -> Result<Option<Value>, RemoteError> {
    let schema = request.get("generic_details").and_then(|details| details.get("schema"));
    if schema.is_some_and(|schema| schema.to_string().len() > SCHEMA_BYTES) {
        return Err(too_large(format!("the schema of its answer has more than {SCHEMA_BYTES} bytes")));
    }
    Ok(schema.cloned())
}

fn too_large(why: String) -> RemoteError {
    RemoteError::Question { why }
}

fn describe_rfc_request(tool: &str, data: &Value, request: &Value) -> String {
    let details = |name: &str| request.get(name).filter(|details| details.is_object());
    if let Some(execute) = details("execute_details") {
        let directory = string(execute, "working_directory").map(|at| format!(" in {at}")).unwrap_or_default();
        return format!("run{directory}:\n{}", string(execute, "command").unwrap_or_default());
    }
    if let Some(edit) = details("file_edit_details") {
        let diff = string(edit, "formatted_diff").or_else(|| string(edit, "new_content")).unwrap_or_default();
        return format!("change {}:\n{diff}", string(edit, "file_path").unwrap_or_default());
    }
    if let Some(mcp) = details("mcp_details") {
        let (server, tool) = (string(mcp, "server_name").unwrap_or_default(), string(mcp, "tool_name"));
        return format!("call {} of the MCP server {server}", tool.unwrap_or_default());
    }
    match details("generic_details").and_then(|details| string(details, "description")) {
        Some(words) => words,
        None => format!("call {tool} {}", data.get("input_parameters").unwrap_or(&Value::Null)),
    }
}

fn read_coder(data: &Value) -> Option<ToolCallView> {
    let request = data.get("request")?;
    let id = string(request, "callId")?;
    let tool = string(request, "name").unwrap_or_else(|| "a tool".into());
    let status = data.get("status").and_then(Value::as_str).unwrap_or_default();
    // An answered one is told once more, with the outcome.
    let waits = status == "awaiting_approval" && data.get("outcome").is_none_or(Value::is_null);
    let question = waits.then(|| {
        let details = data.get("confirmationDetails").unwrap_or(&Value::Null);
        Ok(AgentQuestion {
            description: shown(&describe_coder_request(&tool, request, details)),
            options: coder_options(details),
            schema: None,
            subject: QuestionSubject::Call { id: id.clone(), dialect: AgentDialect::Coder },
        })
    });
    Some(ToolCallView { id, tool, is_running: status == "executing", question })
}

fn describe_coder_request(tool: &str, request: &Value, details: &Value) -> String {
    let of = |name: &str| string(details, name).unwrap_or_default();
    match details.get("type").and_then(Value::as_str) {
        Some("exec") => format!("run:\n{}", of("command")),
        Some("edit") => format!("change {}:\n{}", of("filePath"), of("fileDiff")),
        Some("mcp") => format!("call {} of the MCP server {}", of("toolName"), of("serverName")),
        Some("info") => of("prompt"),
        _ => format!("call {tool} {}", request.get("args").unwrap_or(&Value::Null)),
    }
}

/// Google's server sends no options: these are the outcomes it takes.
fn coder_options(details: &Value) -> Vec<QuestionOption> {
    let option =
        |(id, name): (&str, &str)| QuestionOption { allows: !is_refusal(id), id: id.into(), name: name.into() };
    let wider: &[(&str, &str)] = match details.get("type").and_then(Value::as_str) {
        Some("mcp") => &[
            ("proceed_always_tool", "Always allow this tool, there"),
            ("proceed_always_server", "Always allow every tool of this server, there"),
        ],
        _ => &[("proceed_always", "Always allow, there")],
    };
    let once = [("proceed_once", "Allow once")];
    once.iter().chain(wider).chain(&[("cancel", "Cancel")]).copied().map(option).collect()
}

fn is_refusal(option: &str) -> bool {
    ["cancel", "reject", "deny", "decline", "no"]
        .iter()
        .any(|word| option == *word || option.starts_with(&format!("{word}_")))
}

impl AgentQuestion {
    /// The agent asked something in words.
    pub(crate) fn in_words(text: &str) -> AgentQuestion {
        AgentQuestion {
            description: shown(if text.trim().is_empty() { "The agent needs an answer to go on." } else { text }),
            options: options("Send the answer"),
            schema: Some(json!({
                "type": "object",
                "properties": {"answer": {"type": "string", "title": "Answer", "description": "What the agent is told"}},
                "required": ["answer"],
            })),
            subject: QuestionSubject::Words,
        }
    }

    /// The agent may not go on before somebody has given it a permission.
    pub(crate) fn permission(text: &str) -> AgentQuestion {
        AgentQuestion {
            description: shown(&format!("The agent waits for a permission that is given elsewhere. {text}")),
            options: options("It is given: go on"),
            schema: None,
            subject: QuestionSubject::Permission,
        }
    }

    /// The data or text that carries `answer`; `None` when there is nothing to send.
    pub(crate) fn reply(&self, answer: &AgentQuestionAnswer) -> Option<OutgoingPart> {
        match (&self.subject, answer) {
            (QuestionSubject::Call { id, dialect }, answer) => {
                let (option, answers) = match answer {
                    AgentQuestionAnswer::Chosen { option, answers } => (option.clone(), answers.clone()),
                    AgentQuestionAnswer::Declined => (self.refusal(), None),
                };
                let (call, choice) = match dialect {
                    AgentDialect::Rfc => ("tool_call_id", "selected_option_id"),
                    AgentDialect::Coder => ("callId", "outcome"),
                };
                let mut data = Map::new();
                data.insert(call.into(), Value::from(id.as_str()));
                data.insert(choice.into(), Value::from(option));
                data.extend(answers.map(|answers| ("answers".to_owned(), answers)));
                Some(OutgoingPart::Data(Value::Object(data)))
            }
            (QuestionSubject::Words, AgentQuestionAnswer::Chosen { answers, .. }) => {
                let text = answers.as_ref().and_then(|answers| string(answers, "answer"));
                Some(OutgoingPart::Text(text.unwrap_or_else(|| "(no answer)".into())))
            }
            (QuestionSubject::Words | QuestionSubject::Permission, AgentQuestionAnswer::Declined)
            | (QuestionSubject::Permission, AgentQuestionAnswer::Chosen { .. }) => None,
        }
    }

    /// The option that says no.
    fn refusal(&self) -> String {
        let refusal = self.options.iter().find(|option| !option.allows);
        refusal.map_or_else(|| "cancel".to_owned(), |option| option.id.clone())
    }
}

/// A part of the answer that is sent back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OutgoingPart {
    Text(String),
    Data(Value),
}

fn options(yes: &str) -> Vec<QuestionOption> {
    let option = |id: &str, name: &str, goes_on| QuestionOption { id: id.into(), name: name.into(), allows: goes_on };
    vec![option("proceed_once", yes, true), option("cancel", "Cancel", false)]
}

fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn shown(text: &str) -> String {
    let end = text.floor_char_boundary(SHOWN);
    if end == text.len() { text.to_owned() } else { format!("{}\n[{} bytes more]", &text[..end], text.len() - end) }
}

#[cfg(test)]
mod tests;
