//! What goes wrong, said the same way on every route: a JSON-RPC code, a sentence, and details for programs.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use pollux_session::{ReadError, Refusal, RosterError, SendError};
use pollux_wire::flat::Body;
use pollux_wire::jsonrpc::{self, ErrorInfo, ErrorObject, Id};
use serde_json::json;
use thiserror::Error;

/// Why a request fails.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message}")]
pub(crate) struct Fault {
    /// The JSON-RPC code.
    pub(crate) code: i64,
    /// A sentence that names the thing and the way out.
    pub(crate) message: String,
    /// Details for programs.
    pub(crate) info: Option<Box<ErrorInfo>>,
    /// Who decided the ask first, when somebody did.
    pub(crate) decided_by: Option<String>,
}

impl Fault {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), info: None, decided_by: None }
    }

    /// The parameters do not fit.
    pub(crate) fn params(message: impl Into<String>) -> Fault {
        Fault::new(jsonrpc::INVALID_PARAMS, message)
    }

    /// No such task, or not the caller's: the two look the same.
    pub(crate) fn unknown_task(id: &str) -> Fault {
        Fault::new(jsonrpc::TASK_NOT_FOUND, format!("task not found: {id:?}; leave the task id out to start one"))
    }

    /// The same for who wants that task and no other.
    pub(crate) fn no_such_task(id: &str) -> Fault {
        Fault::new(jsonrpc::TASK_NOT_FOUND, format!("task not found: {id:?}; use the id that the server gave it"))
    }

    fn because<const N: usize>(self, reason: &str, metadata: [(&str, String); N]) -> Fault {
        Fault { info: Some(Box::new(ErrorInfo::new(reason, metadata))), ..self }
    }

    /// Details for programs: the protocol's own reason first, then ours.
    pub(crate) fn details(&self) -> Vec<ErrorInfo> {
        let of_protocol =
            reason(self.code).map(|reason| ErrorInfo { domain: A2A_DOMAIN.into(), ..ErrorInfo::new(reason, []) });
        of_protocol.into_iter().chain(self.info.as_deref().cloned()).collect()
    }

    /// The same for a request whose body nobody looked at: no reason of the protocol's, which has none for it. What it calls
    /// `CONTENT_TYPE_NOT_SUPPORTED` is about the parts of a message.
    pub(crate) fn unread_object(self) -> ErrorObject {
        let mut error = self.object();
        error.data.retain(|info| info.domain != A2A_DOMAIN);
        error
    }

    /// The `error` member of a JSON-RPC answer.
    pub(crate) fn object(self) -> ErrorObject {
        let data = self.details();
        ErrorObject { code: self.code, message: self.message, data }
    }

    /// A frame of the flat dialect.
    pub(crate) fn into_body(self) -> Body {
        Body::Error { code: self.code, message: self.message, decided_by: self.decided_by }
    }

    /// A whole JSON-RPC answer. Only a body that is no JSON changes the HTTP status.
    pub(crate) fn rpc(self, id: Id) -> Response {
        let status = if self.code == jsonrpc::PARSE_ERROR { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        (status, Json(jsonrpc::Response::<()>::error(id, self.object()))).into_response()
    }

    /// The same answer on a route of its own, where the HTTP status says it too.
    pub(crate) fn http(self) -> Response {
        let status = match self.code {
            jsonrpc::TASK_NOT_FOUND => StatusCode::NOT_FOUND,
            jsonrpc::UNSUPPORTED_OPERATION | jsonrpc::TASK_NOT_CANCELABLE => StatusCode::CONFLICT,
            jsonrpc::CONTENT_TYPE_NOT_SUPPORTED => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            jsonrpc::BUSY => StatusCode::TOO_MANY_REQUESTS,
            jsonrpc::INTERNAL_ERROR => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        (status, Json(json!({ "error": self.object() }))).into_response()
    }
}

/// The domain of the protocol's own reasons.
const A2A_DOMAIN: &str = "a2a-protocol.org";

/// The name of an error in the specification of 0.3, by which its SDKs know it on HTTP+JSON and gRPC.
pub(crate) fn v03_name(code: i64) -> &'static str {
    match code {
        jsonrpc::PARSE_ERROR => "JSONParseError",
        jsonrpc::INVALID_REQUEST => "InvalidRequestError",
        jsonrpc::METHOD_NOT_FOUND => "MethodNotFoundError",
        jsonrpc::INVALID_PARAMS => "InvalidParamsError",
        jsonrpc::TASK_NOT_FOUND => "TaskNotFoundError",
        jsonrpc::TASK_NOT_CANCELABLE => "TaskNotCancelableError",
        jsonrpc::PUSH_NOT_SUPPORTED => "PushNotificationNotSupportedError",
        jsonrpc::UNSUPPORTED_OPERATION => "UnsupportedOperationError",
        jsonrpc::CONTENT_TYPE_NOT_SUPPORTED => "ContentTypeNotSupportedError",
        jsonrpc::INVALID_AGENT_RESPONSE => "InvalidAgentResponseError",
        jsonrpc::EXTENDED_CARD_NOT_CONFIGURED => "AuthenticatedExtendedCardNotConfiguredError",
        jsonrpc::EXTENSION_SUPPORT_REQUIRED => "ExtensionSupportRequiredError",
        jsonrpc::VERSION_NOT_SUPPORTED => "VersionNotSupportedError",
        _ => "InternalError",
    }
}

/// What the protocol calls an error. For those that are not its own the specification asks for no reason; the Python SDK
/// gives these, and its clients know an error by them.
fn reason(code: i64) -> Option<&'static str> {
    Some(match code {
        jsonrpc::INVALID_REQUEST | jsonrpc::PARSE_ERROR => "INVALID_REQUEST",
        jsonrpc::METHOD_NOT_FOUND => "METHOD_NOT_FOUND",
        jsonrpc::INVALID_PARAMS => "INVALID_PARAMS",
        jsonrpc::INTERNAL_ERROR => "INTERNAL_ERROR",
        jsonrpc::TASK_NOT_FOUND => "TASK_NOT_FOUND",
        jsonrpc::TASK_NOT_CANCELABLE => "TASK_NOT_CANCELABLE",
        jsonrpc::PUSH_NOT_SUPPORTED => "PUSH_NOTIFICATION_NOT_SUPPORTED",
        jsonrpc::UNSUPPORTED_OPERATION => "UNSUPPORTED_OPERATION",
        jsonrpc::CONTENT_TYPE_NOT_SUPPORTED => "CONTENT_TYPE_NOT_SUPPORTED",
        jsonrpc::INVALID_AGENT_RESPONSE => "INVALID_AGENT_RESPONSE",
        jsonrpc::EXTENDED_CARD_NOT_CONFIGURED => "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        jsonrpc::EXTENSION_SUPPORT_REQUIRED => "EXTENSION_SUPPORT_REQUIRED",
        jsonrpc::VERSION_NOT_SUPPORTED => "VERSION_NOT_SUPPORTED",
        _ => return None,
    })
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Fault {
        let message = refusal.to_string();
        let invalid = Fault::params(message.clone());
        let unsupported = Fault::new(jsonrpc::UNSUPPORTED_OPERATION, message.clone());
        match refusal {
            Refusal::AlreadyDecided { choice, by, .. } => {
                let by = by.to_string();
                let fault = unsupported.because("ALREADY_DECIDED", [("decided_by", by.clone()), ("choice", choice)]);
                Fault { decided_by: Some(by), ..fault }
            }
            Refusal::AskClosed { .. } => unsupported.because("ASK_CLOSED", []),
            Refusal::NotAllowed { .. } => unsupported.because("NOT_ALLOWED", []),
            Refusal::TaskClosed { state, .. } => unsupported.because("TASK_CLOSED", [("state", state)]),
            Refusal::UnknownTask { task } => Fault::unknown_task(&task.to_string()),
            Refusal::UnknownCall { .. } => invalid.because("UNKNOWN_CALL", []),
            Refusal::UnknownOption { .. } => invalid.because("UNKNOWN_OPTION", []),
            Refusal::NotEditable { .. } => invalid.because("NOT_EDITABLE", []),
            Refusal::UnclearReply { .. } => invalid.because("UNCLEAR_REPLY", []),
            Refusal::NothingToUncompact => unsupported.because("NOTHING_TO_UNCOMPACT", []),
            Refusal::UnknownPrompt { .. } => invalid.because("UNKNOWN_PROMPT", []),
            Refusal::UnknownModel { .. } => invalid.because("UNKNOWN_MODEL", []),
            Refusal::ModeForbidden { .. } => invalid.because("MODE_FORBIDDEN", []),
            Refusal::EmptyPrompt => invalid.because("EMPTY_PROMPT", []),
            Refusal::TooManyFiles { .. } => invalid.because("TOO_MANY_FILES", []),
            Refusal::FileTooLarge { .. } => invalid.because("FILE_TOO_LARGE", []),
            Refusal::NothingToCancel => Fault::new(jsonrpc::TASK_NOT_CANCELABLE, message),
            Refusal::QueueFull { .. } => Fault::new(jsonrpc::BUSY, message).because("QUEUE_FULL", []),
            Refusal::NotOwed => Fault::new(jsonrpc::INTERNAL_ERROR, message),
        }
    }
}

impl From<SendError> for Fault {
    fn from(error: SendError) -> Fault {
        match error {
            SendError::Refused(refusal) => refusal.into(),
            SendError::Lost(_) => Fault::new(jsonrpc::INTERNAL_ERROR, error.to_string()),
        }
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Fault {
        Fault::new(jsonrpc::INTERNAL_ERROR, error.to_string())
    }
}

impl From<RosterError> for Fault {
    fn from(error: RosterError) -> Fault {
        match error {
            RosterError::Workspace(_) | RosterError::Tools(_) => Fault::params(error.to_string()),
            RosterError::Store(_) => Fault::new(jsonrpc::INTERNAL_ERROR, error.to_string()),
        }
    }
}
