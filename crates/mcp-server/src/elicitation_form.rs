//! An ask as an MCP form: what is about to happen in words, the options as an enum, and what comes back as an answer.

use pollux_session::{AnswerEdit, Ask, AskDetails, AskOption, clean, describe_patch, one_line};
use rmcp::model::ElicitRequestParams;
use serde_json::{Map, Value, json};

/// The longest diff, plan or command that is shown. What is longer is not asked: nobody allows what they cannot see.
const SHOWN_CHARS: usize = 40_000;
/// The longest name that is shown, in characters.
const NAME_CHARS: usize = 500;
/// The property that holds the option chosen.
const DECISION: &str = "decision";

/// The question to the person about one call.
#[derive(Clone, Debug)]
pub(super) struct ElicitationForm {
    tool: String,
    ask: Ask,
}

/// The reply to a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ElicitationReply {
    /// One of the options.
    Chosen { option: String, edit: Option<AnswerEdit> },
    /// No.
    Declined,
    /// Nobody could be asked, and why.
    NotAsked(String),
}

impl ElicitationForm {
    pub(super) fn new(tool: &str, ask: &Ask) -> ElicitationForm {
        ElicitationForm { tool: tool.to_owned(), ask: ask.clone() }
    }

    /// The option that lets the call not run.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.ask.options.iter().find(|choice| !choice.allows).map(|choice| choice.id.as_str())
    }

    /// The way to have such a call run without a person.
    pub(super) fn describe_alternative(&self) -> String {
        match &self.ask.details {
            AskDetails::Edit(_) | AskDetails::Patch { .. } => {
                "start pollux mcp-server with --approval-mode auto_edit to allow file changes, or allow the tool in a \
                 policy file"
                    .into()
            }
            AskDetails::Generic { schema: Some(_), .. } => "it has a question: put the answer into the prompt".into(),
            AskDetails::Execute { .. } | AskDetails::Mcp { .. } | AskDetails::Generic { schema: None, .. } => format!(
                "start pollux mcp-server with --allowed-tools {} to allow this tool, with --approval-mode yolo to allow \
                 everything, or write a policy file",
                self.tool
            ),
        }
    }

    /// The form. Titles of options are spelt in two ways, by the protocol's age. The error says why there is none.
    pub(super) fn request(&self, titled: bool) -> Result<ElicitRequestParams, String> {
        let unfit = || "its question does not fit into a form".to_owned();
        let mut properties = self.requested_properties(titled).ok_or_else(unfit)?;
        let mut required = Vec::new();
        if self.only_option().is_none() {
            properties.insert(DECISION.into(), self.decision(titled));
            required.push(DECISION);
        }
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let requested_schema = serde_json::from_value(schema).map_err(|_| unfit())?;
        let message = self.message();
        let len = message.chars().count();
        if len > SHOWN_CHARS {
            return Err(format!(
                "its question has {len} characters, and a form shows at most {SHOWN_CHARS}; make smaller changes, each in a call \
                 of its own"
            ));
        }
        Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
    }

    /// The reply that an accepted form stands for.
    pub(super) fn read_answer(&self, content: Option<Value>) -> ElicitationReply {
        let mut content = match content {
            Some(Value::Object(content)) => content,
            _ => Map::new(),
        };
        let decided = content.remove(DECISION);
        let choice = match (self.only_option(), decided.as_ref().and_then(Value::as_str)) {
            (Some(choice), _) => Some(choice),
            (None, Some(id)) => self.ask.options.iter().find(|choice| choice.id == id),
            (None, None) => None,
        };
        match choice {
            Some(choice) if choice.allows => {
                let edit = self.schema().map(|_| AnswerEdit::Answers { answers: Value::Object(content) });
                ElicitationReply::Chosen { option: choice.id.clone(), edit }
            }
            // A form without a decision decides nothing.
            Some(_) | None => ElicitationReply::Declined,
        }
    }

    /// The one option that accepting the form can mean, where a question is all there is to it.
    fn only_option(&self) -> Option<&AskOption> {
        let mut allowing = self.ask.options.iter().filter(|choice| choice.allows);
        let only = allowing.next().filter(|_| allowing.next().is_none())?;
        self.schema().map(|_| only)
    }

    fn schema(&self) -> Option<&Value> {
        match &self.ask.details {
            AskDetails::Generic { schema, .. } => schema.as_ref(),
            AskDetails::Execute { .. } | AskDetails::Edit(_) | AskDetails::Patch { .. } | AskDetails::Mcp { .. } => {
                None
            }
        }
    }

    fn decision(&self, titled: bool) -> Value {
        let options = &self.ask.options;
        let mut property = json!({ "type": "string", "title": "Decision" });
        if titled {
            property["oneOf"] = options
                .iter()
                .map(|choice| json!({ "const": choice.id, "title": one_line(&choice.name, NAME_CHARS) }))
                .collect();
        } else {
            property["enum"] = options.iter().map(|choice| json!(choice.id)).collect();
            property["enumNames"] = options.iter().map(|choice| json!(one_line(&choice.name, NAME_CHARS))).collect();
        }
        property
    }

    /// The properties that the call asks for, in the few shapes a form has. `None` when one of them does not fit.
    fn requested_properties(&self, titled: bool) -> Option<Map<String, Value>> {
        let Some(schema) = self.schema() else { return Some(Map::new()) };
        let properties = schema.get("properties")?.as_object()?;
        properties.iter().map(|(name, property)| Some((name.clone(), form_property(property, titled)?))).collect()
    }

    fn message(&self) -> String {
        let name = |text: &str| one_line(text, NAME_CHARS);
        let tool = name(&self.tool);
        match &self.ask.details {
            AskDetails::Execute { command, directory } => {
                format!("Pollux wants to run a command in {}:\n\n{}", name(directory), clean(command))
            }
            AskDetails::Edit(diff) => format!("Pollux wants to change {}:\n\n{}", name(&diff.name), clean(&diff.patch)),
            AskDetails::Patch { files } => {
                format!("Pollux wants to change files.\n\n{}", clean(&describe_patch(files)))
            }
            AskDetails::Mcp { server, tool, version } => {
                let notice = version.change_notice().map(|notice| format!(" {notice}")).unwrap_or_default();
                format!("Pollux wants to call {} of the MCP server {}.{notice}", name(tool), name(server))
            }
            AskDetails::Generic { description, schema: None } => {
                format!("Pollux wants to use {tool}: {}", clean(description))
            }
            AskDetails::Generic { description, schema: Some(_) } => clean(description).into_owned(),
        }
    }
}

/// A property of an ask's schema as a form may have it.
fn form_property(property: &Value, titled: bool) -> Option<Value> {
    let kind = property.get("type")?.as_str()?;
    let mut shape = match kind {
        "array" => {
            let offered = constants(property.get("items")?);
            // Several of nothing in particular is no form.
            let items = if titled {
                json!({ "anyOf": offered.iter().map(|label| json!({ "const": label, "title": label })).collect::<Vec<_>>() })
            } else {
                json!({ "type": "string", "enum": offered })
            };
            (!offered.is_empty()).then(|| json!({ "type": "array", "items": items }))?
        }
        "string" => match constants(property) {
            offered if offered.is_empty() => json!({ "type": "string" }),
            offered => json!({ "type": "string", "enum": offered }),
        },
        "boolean" | "number" | "integer" => json!({ "type": kind }),
        _ => return None,
    };
    for word in ["title", "description", "default"] {
        if let Some(value) = property.get(word) {
            shape[word] = value.clone();
        }
    }
    Some(shape)
}

/// The constants that a property offers.
fn constants(property: &Value) -> Vec<&str> {
    let list = |word: &str| property.get(word).and_then(Value::as_array).into_iter().flatten();
    let named = list("enum").filter_map(Value::as_str);
    named.chain(list("anyOf").filter_map(|one| one.get("const")?.as_str())).collect()
}

#[cfg(test)]
mod tests;
