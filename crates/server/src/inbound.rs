//! Messages of clients, read leniently: every spelling of the seeds and of Google's server is understood, what is not
//! known is ignored, what cannot be understood is answered with the place and the way out.

mod confirmation;
mod file;
mod media;
mod parts;
mod settings;

use crate::call_id::WireCallId;
use crate::client_profile::{ClientProfile, ToolExtension};
use crate::dialect::MessageDialect;
use crate::errors::RequestError;
use crate::extensions::DeclaredExtensions;
use crate::version::A2aVersion;
pub(crate) use file::{InboundFile, NAMELESS};
use parts::MessageParts;
use pollux_session::{AnswerEdit, CommandId, ContextId};
use pollux_wire::Flaw;
use pollux_wire::a2a::{MessageSendConfiguration, Part, TaskPushNotificationConfig};
use pollux_wire::coder;
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc;
use pollux_wire::v1::SendMessageRequest;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
pub(crate) use settings::{GivenSettings, UnknownMembers, settings_of, settings_of_request, unknown_members};
use uuid::Uuid;

/// The longest id that a client may make up, in characters.
const MAX_ID_CHARS: usize = 128;

/// A message, understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InboundMessage {
    /// The client's id for it.
    pub(crate) given_id: Option<CommandId>,
    /// The task it names.
    pub(crate) task: Option<String>,
    /// The context it names.
    pub(crate) context: Option<ContextId>,
    pub(crate) content: InboundContent,
    /// Settings for its session.
    pub(crate) settings: AgentSettings,
    /// Parts of it that were not understood and had no effect, a sentence each.
    pub(crate) ignored: Vec<String>,
    /// Its settings, as they came, when its client is one of Google's a2a-server.
    pub(crate) coder: Option<Value>,
    /// The dialect in which it came.
    pub(crate) dialect: MessageDialect,
    /// Its declarations of extensions.
    pub(crate) extensions: DeclaredExtensions,
    /// The wanted form of the answer.
    pub(crate) configuration: MessageSendConfiguration,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum InboundContent {
    /// Something for the agent.
    Prompt(PromptContent),
    /// Answers to asks.
    Answers {
        /// One at least, no call twice.
        answers: Vec<InboundAnswer>,
        /// The prompt after them.
        then: Option<PromptContent>,
    },
}

/// Something for the agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromptContent {
    pub(crate) text: String,
    pub(crate) files: Vec<InboundFile>,
    /// The parts that it was made of, where `text` and `files` alone do not show them. A file to look at is a part without
    /// bytes and without an address; the first such part stands for the first of `files`, and so on.
    pub(crate) parts: Vec<Part>,
}

impl PromptContent {
    /// True if there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.files.is_empty()
    }
}

/// An answer to an ask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InboundAnswer {
    /// The call that asks.
    pub(crate) call: WireCallId,
    /// The option chosen.
    pub(crate) option: String,
    /// Runs instead of what was shown.
    pub(crate) edit: Option<AnswerEdit>,
}

/// The rules of a message, by where it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageRules {
    /// A2A's own bindings: it has an id and the role of a user, and the kinds of its parts are A2A's.
    A2a,
    /// The seeds' routes and frames, whose examples have none of that.
    Seeds,
}

impl InboundMessage {
    /// Read the parameters of `message/send` and `message/stream`.
    pub(crate) fn read(params: &Value, rules: MessageRules) -> Result<InboundMessage, RequestError> {
        let message = match params.get("message") {
            Some(Value::Object(message)) => message,
            Some(_) => return Err(RequestError::invalid_params("`params.message` must be an object")),
            None => return Err(RequestError::invalid_params("`params.message` is missing")),
        };
        if let Some(place) = find_nul(params) {
            return Err(RequestError::invalid_params(format!("`params{place}` holds a NUL character; leave it out")));
        }
        check_metadata("params.message", message.get("metadata"))?;
        check_metadata("params", params.get("metadata"))?;
        let given_id = text_field(message, &["messageId", "message_id"])?;
        if rules == MessageRules::A2a {
            if given_id.is_none() {
                return Err(RequestError::invalid_params(
                    "`params.message.messageId` is missing: give each message an id of its own",
                ));
            }
            check_role(message)?;
        }
        if let Some(id) = &given_id {
            check_id("params.message.messageId", id)?;
        }
        let context = text_field(message, &["contextId", "context_id"])?;
        check_references(message)?;
        let GivenSettings { settings, ignored } = settings::message_settings(params, message)?;
        Ok(InboundMessage {
            given_id: given_id.map(CommandId),
            task: text_field(message, &["taskId", "task_id"])?,
            context: context.as_deref().map(read_context).transpose()?,
            content: MessageParts::read(message, rules)?.into_content()?,
            extensions: DeclaredExtensions::from_params(params),
            settings,
            ignored,
            dialect: MessageDialect::A2a(ClientProfile { version: A2aVersion::V03, extension: ToolExtension::Unknown }),
            coder: coder_settings(message.get("metadata")).cloned(),
            configuration: match params.get("configuration") {
                None | Some(Value::Null) => MessageSendConfiguration::default(),
                Some(configuration) => read_typed("params.configuration", configuration)?,
            },
        })
    }

    /// Read the request of `SendMessage` and `SendStreamingMessage`: strictly first, since 1.0 says what must be there.
    pub(crate) fn read_v10(params: &Value) -> Result<InboundMessage, RequestError> {
        let request: SendMessageRequest = read_typed("params", params)?;
        request.message.check().map_err(|flaw| rule_violation(flaw.within("message")))?;
        let configuration = request.configuration.unwrap_or_default();
        let mut message = params.get("message").cloned().unwrap_or_default();
        if let Value::Object(message) = &mut message {
            // What 1.0 leaves empty is not there.
            message.retain(|_, member| member.as_str() != Some(""));
            message.insert("role".into(), json!(request.message.role));
            message.entry("messageId").or_insert_with(|| Value::from(request.message.message_id));
            // Written anew, so that no member which 1.0 does not know means anything.
            message.insert("parts".into(), json!(request.message.parts));
        }
        let lenient = json!({ "message": message, "metadata": params.get("metadata") });
        let inbound = InboundMessage::read(&lenient, MessageRules::A2a)?;
        let history_length = match configuration.history_length.map(u32::try_from) {
            None => None,
            Some(Ok(length)) => Some(length),
            Some(Err(_)) => {
                return Err(RequestError::invalid_params("`params.configuration.historyLength` must not be negative"));
            }
        };
        let push = configuration.task_push_notification_config.map(TaskPushNotificationConfig::from);
        let configuration = MessageSendConfiguration {
            blocking: Some(!configuration.return_immediately),
            history_length,
            accepted_output_modes: configuration.accepted_output_modes,
            push_notification_config: push.map(|push| push.push_notification_config),
        };
        // That server's dialect is one of 0.3.
        let audience = ClientProfile { version: A2aVersion::V10, extension: ToolExtension::Unknown };
        Ok(InboundMessage { configuration, coder: None, ..inbound.in_dialect(MessageDialect::A2a(audience)) })
    }

    /// Check that the client takes the agent's media types: text, and JSON for what the extension adds.
    pub(crate) fn check_output_modes(&self) -> Result<(), RequestError> {
        let wanted = &self.configuration.accepted_output_modes;
        if wanted.is_empty() || wanted.iter().any(|mode| media::is_output(mode)) {
            return Ok(());
        }
        let message =
            "incompatible content type: the agent answers in text/plain, which `acceptedOutputModes` leaves out";
        Err(RequestError::new(jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, message))
    }

    /// The message as one that came in `dialect`.
    pub(crate) fn in_dialect(self, dialect: MessageDialect) -> InboundMessage {
        InboundMessage { dialect, ..self }
    }

    /// The id its command travels under.
    pub(crate) fn command_id(&self) -> CommandId {
        self.given_id.clone().unwrap_or_else(|| Uuid::now_v7().into())
    }
}

/// Read a typed value; the message names the place that does not fit. None at all is one without members.
pub(crate) fn read_typed<T: DeserializeOwned>(place: &str, value: &Value) -> Result<T, RequestError> {
    let read = if value.is_null() { pollux_wire::read(&Value::Object(Map::new())) } else { pollux_wire::read(value) };
    read.map_err(|flaw| RequestError::invalid_params(flaw.within(place).to_string()))
}

/// A rule of the protocol that the parameters break.
pub(crate) fn rule_violation(flaw: Flaw) -> RequestError {
    RequestError::invalid_params(flaw.within("params").to_string())
}

/// Check that an id has a length that one can have.
pub(crate) fn check_id(place: &str, id: &str) -> Result<(), RequestError> {
    match id.chars().count() {
        1..=MAX_ID_CHARS => Ok(()),
        _ => Err(RequestError::invalid_params(format!("`{place}` must have 1 to {MAX_ID_CHARS} characters"))),
    }
}

/// Where a NUL character is, which neither files nor every database can hold.
fn find_nul(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => text.contains('\0').then(String::new),
        Value::Array(values) => {
            let mut places = values.iter().enumerate();
            places.find_map(|(index, value)| find_nul(value).map(|rest| format!("[{index}]{rest}")))
        }
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            if name.contains('\0') {
                return Some(String::new());
            }
            find_nul(value).map(|rest| format!(".{name}{rest}"))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A context's label.
pub(crate) fn read_context(text: &str) -> Result<ContextId, RequestError> {
    ContextId::new(text).ok_or_else(|| {
        let max = ContextId::MAX_CHARS;
        RequestError::invalid_params(format!("`contextId` must have 1 to {max} characters and no control characters"))
    })
}

/// The settings that a client of Google's a2a-server puts into a message's metadata.
fn coder_settings(of_message: Option<&Value>) -> Option<&Value> {
    of_message?.get(coder::KEY).filter(|settings| settings.is_object())
}

/// Free-form fields are an object, or not there.
fn check_metadata(place: &str, metadata: Option<&Value>) -> Result<(), RequestError> {
    match metadata {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(_) => Err(RequestError::invalid_params(format!("`{place}.metadata` must be an object"))),
    }
}

/// Check that a client speaks for itself, in the words of either version.
fn check_role(message: &Map<String, Value>) -> Result<(), RequestError> {
    match message.get("role") {
        Some(Value::String(role)) if matches!(role.as_str(), "user" | "ROLE_USER") => Ok(()),
        None | Some(Value::Null) => {
            Err(RequestError::invalid_params("`params.message.role` is missing: a client's is \"user\""))
        }
        Some(role) => {
            let way_out = "send \"user\" (in 1.0 \"ROLE_USER\"), the only role that a client has";
            Err(RequestError::invalid_params(format!("`params.message.role` is {role}: {way_out}")))
        }
    }
}

/// The other tasks that a message speaks of. Nothing here goes by them; what can be no id is a mistake all the same.
fn check_references(message: &Map<String, Value>) -> Result<(), RequestError> {
    let named = ["referenceTaskIds", "reference_task_ids"].iter().find_map(|name| message.get(*name));
    let Some(Value::Array(tasks)) = named else { return Ok(()) };
    let mut tasks = tasks.iter().enumerate();
    tasks.try_for_each(|(index, task)| {
        check_id(&format!("params.message.referenceTaskIds[{index}]"), task.as_str().unwrap_or_default())
    })
}

fn text_field(object: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, RequestError> {
    for name in names {
        match object.get(*name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => return Ok(Some(text.clone())),
            Some(_) => return Err(RequestError::invalid_params(format!("`params.message.{name}` must be text"))),
        }
    }
    Ok(None)
}

/// A part of a kind that no tool of ours can look at.
pub(crate) fn unsupported_part(what: &str) -> RequestError {
    let way_out = "send text, or put the file into the workspace and name it";
    let message = format!("incompatible content type: {what} parts are not taken; {way_out}");
    RequestError::new(jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, message)
}

#[cfg(test)]
mod tests;
