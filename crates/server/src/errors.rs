//! Errors, said the same way on every route: a JSON-RPC code, a sentence, and details for programs.

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
pub(crate) struct RequestError {
    /// The JSON-RPC code.
    pub(crate) code: i64,
    /// A sentence that names the thing and the way out.
    pub(crate) message: String,
    /// Details for programs.
    pub(crate) info: Option<Box<ErrorInfo>>,
    /// The client that decided the ask first, if one did.
    pub(crate) decided_by: Option<String>,
}

impl RequestError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> RequestError {
        RequestError { code, message: message.into(), info: None, decided_by: None }
    }

    /// The parameters do not fit.
    pub(crate) fn invalid_params(message: impl Into<String>) -> RequestError {
        RequestError::new(jsonrpc::INVALID_PARAMS, message)
    }

    /// No such task, or not the caller's: the two look the same.
    pub(crate) fn unknown_task(id: &str) -> RequestError {
        RequestError::new(
            jsonrpc::TASK_NOT_FOUND,
            format!("task not found: {id:?}; leave the task id out to start one"),
        )
    }

    /// The error for a client that wants that task and no other.
    pub(crate) fn no_such_task(id: &str) -> RequestError {
        RequestError::new(
            jsonrpc::TASK_NOT_FOUND,
            format!("task not found: {id:?}; use the id that the server gave it"),
        )
    }

    fn with_reason<const N: usize>(self, reason: &str, metadata: [(&str, String); N]) -> RequestError {
        RequestError { info: Some(Box::new(ErrorInfo::new(reason, metadata))), ..self }
    }

    /// Details for programs: the protocol's own reason first, then ours.
    pub(crate) fn details(&self) -> Vec<ErrorInfo> {
        let of_protocol =
            reason(self.code).map(|reason| ErrorInfo { domain: A2A_DOMAIN.into(), ..ErrorInfo::new(reason, []) });
        of_protocol.into_iter().chain(self.info.as_deref().cloned()).collect()
    }

    /// The error for a request whose body nobody looked at: no reason of the protocol's, which has none for it. What it
    /// calls `CONTENT_TYPE_NOT_SUPPORTED` is about the parts of a message.
    pub(crate) fn unread_object(self) -> ErrorObject {
        let mut error = self.into_error_object();
        error.data.retain(|info| info.domain != A2A_DOMAIN);
        error
    }

    /// The `error` member of a JSON-RPC answer.
    pub(crate) fn into_error_object(self) -> ErrorObject {
        let data = self.details();
        ErrorObject { code: self.code, message: self.message, data }
    }

    /// A frame of the flat dialect.
    pub(crate) fn into_body(self) -> Body {
        Body::Error { code: self.code, message: self.message, decided_by: self.decided_by }
    }

    /// A whole JSON-RPC answer. Only a body that is no JSON changes the HTTP status.
    pub(crate) fn into_rpc_response(self, id: Id) -> Response {
        let status = if self.code == jsonrpc::PARSE_ERROR { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        (status, Json(jsonrpc::Response::<()>::error(id, self.into_error_object()))).into_response()
    }

    /// The error on a route of its own, where the HTTP status says it too.
    pub(crate) fn into_http_response(self) -> Response {
        let status = match self.code {
            jsonrpc::TASK_NOT_FOUND => StatusCode::NOT_FOUND,
            jsonrpc::UNSUPPORTED_OPERATION | jsonrpc::TASK_NOT_CANCELABLE => StatusCode::CONFLICT,
            jsonrpc::CONTENT_TYPE_NOT_SUPPORTED => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            jsonrpc::BUSY => StatusCode::TOO_MANY_REQUESTS,
            jsonrpc::INTERNAL_ERROR => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        (status, Json(json!({ "error": self.into_error_object() }))).into_response()
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

/// The protocol's name for an error. For those that are not its own the specification asks for no reason; the Python
/// SDK gives these, and its clients know an error by them.
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

impl From<Refusal> for RequestError {
    fn from(refusal: Refusal) -> RequestError {
        let message = refusal.to_string();
        let invalid = RequestError::invalid_params(message.clone());
        let unsupported = RequestError::new(jsonrpc::UNSUPPORTED_OPERATION, message.clone());
        match refusal {
            Refusal::AlreadyDecided { choice, by, .. } => {
                let by = by.to_string();
                let fault =
                    unsupported.with_reason("ALREADY_DECIDED", [("decided_by", by.clone()), ("choice", choice)]);
                RequestError { decided_by: Some(by), ..fault }
            }
            Refusal::AskClosed { .. } => unsupported.with_reason("ASK_CLOSED", []),
            Refusal::NotAllowed { .. } => unsupported.with_reason("NOT_ALLOWED", []),
            Refusal::TaskClosed { state, .. } => unsupported.with_reason("TASK_CLOSED", [("state", state)]),
            Refusal::UnknownTask { task } => RequestError::unknown_task(&task.to_string()),
            Refusal::UnknownCall { .. } => invalid.with_reason("UNKNOWN_CALL", []),
            Refusal::UnknownOption { .. } => invalid.with_reason("UNKNOWN_OPTION", []),
            Refusal::NotEditable { .. } => invalid.with_reason("NOT_EDITABLE", []),
            Refusal::NotLent { .. } | Refusal::NoMessage { .. } => invalid,
            Refusal::UnclearReply { .. } => invalid.with_reason("UNCLEAR_REPLY", []),
            Refusal::NothingToUncompact => unsupported.with_reason("NOTHING_TO_UNCOMPACT", []),
            Refusal::UnknownPrompt { .. } => invalid.with_reason("UNKNOWN_PROMPT", []),
            Refusal::UnknownModel { .. } => invalid.with_reason("UNKNOWN_MODEL", []),
            Refusal::ModeForbidden { .. } => invalid.with_reason("MODE_FORBIDDEN", []),
            Refusal::EmptyPrompt => invalid.with_reason("EMPTY_PROMPT", []),
            Refusal::TooManyFiles { .. } => invalid.with_reason("TOO_MANY_FILES", []),
            Refusal::FileTooLarge { .. } => invalid.with_reason("FILE_TOO_LARGE", []),
            Refusal::NothingToCancel => RequestError::new(jsonrpc::TASK_NOT_CANCELABLE, message),
            Refusal::QueueFull { .. } => RequestError::new(jsonrpc::BUSY, message).with_reason("QUEUE_FULL", []),
            Refusal::NotOwed | Refusal::NotYet => RequestError::new(jsonrpc::INTERNAL_ERROR, message),
        }
    }
}

impl From<SendError> for RequestError {
    fn from(error: SendError) -> RequestError {
        match error {
            SendError::Refused(refusal) => refusal.into(),
            SendError::Lost(_) => RequestError::new(jsonrpc::INTERNAL_ERROR, error.to_string()),
        }
    }
}

impl From<ReadError> for RequestError {
    fn from(error: ReadError) -> RequestError {
        RequestError::new(jsonrpc::INTERNAL_ERROR, error.to_string())
    }
}

impl From<RosterError> for RequestError {
    fn from(error: RosterError) -> RequestError {
        match error {
            RosterError::Workspace(_) | RosterError::Tools(_) | RosterError::UsedId => {
                RequestError::invalid_params(error.to_string())
            }
            RosterError::Store(_) => RequestError::new(jsonrpc::INTERNAL_ERROR, error.to_string()),
        }
    }
}
