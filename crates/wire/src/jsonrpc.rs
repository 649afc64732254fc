//! The JSON-RPC 2.0 envelope and the error codes A2A 0.3 uses in it.

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

/// The body is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The body is JSON, but no request.
pub const INVALID_REQUEST: i64 = -32600;
/// No such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// Something of ours failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// Too much is waiting already.
pub const BUSY: i64 = -32000;
/// No such task, or not the caller's.
pub const TASK_NOT_FOUND: i64 = -32001;
/// The task has nothing left to cancel.
pub const TASK_NOT_CANCELABLE: i64 = -32002;
/// Push notifications are not offered.
pub const PUSH_NOT_SUPPORTED: i64 = -32003;
/// The operation may not happen now.
pub const UNSUPPORTED_OPERATION: i64 = -32004;
/// A part of the message is of a kind that is not taken.
pub const CONTENT_TYPE_NOT_SUPPORTED: i64 = -32005;
/// The agent itself answered with something that is no answer.
pub const INVALID_AGENT_RESPONSE: i64 = -32006;
/// The extended card is offered, and none is configured.
pub const EXTENDED_CARD_NOT_CONFIGURED: i64 = -32007;
/// The client does not speak an extension that it must.
pub const EXTENSION_SUPPORT_REQUIRED: i64 = -32008;
/// The version of the protocol is not spoken here.
pub const VERSION_NOT_SUPPORTED: i64 = -32009;

/// The literal `"2.0"`.
pub const VERSION: &str = "2.0";

/// A request's id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Id {
    /// `null`, or none at all.
    #[default]
    Null,
    /// A whole number.
    Number(i64),
    /// Any other number, in its own digits: a client may know its request by no others.
    Digits(String),
    /// Text.
    Text(String),
}

impl Id {
    /// The id that a member `id` is; `None` when it can be none.
    pub fn of(value: &Value) -> Option<Id> {
        match value {
            Value::Null => Some(Id::Null),
            Value::Number(number) => Some(number.as_i64().map_or_else(|| Id::Digits(number.to_string()), Id::Number)),
            Value::String(text) => Some(Id::Text(text.clone())),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The id as `request`, the JSON it came in, writes it: a value keeps only what fits into 64 bits.
    pub fn as_written(self, request: &[u8]) -> Id {
        #[derive(Deserialize)]
        struct Envelope<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
        }
        match self {
            Id::Digits(digits) => {
                let written =
                    serde_json::from_slice::<Envelope<'_>>(request).map(|request| request.id.get().to_owned());
                Id::Digits(written.unwrap_or(digits))
            }
            Id::Null | Id::Number(_) | Id::Text(_) => self,
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Id::Null => to.serialize_unit(),
            Id::Number(number) => to.serialize_i64(*number),
            Id::Digits(digits) => RawValue::from_string(digits.clone()).map_err(S::Error::custom)?.serialize(to),
            Id::Text(text) => to.serialize_str(text),
        }
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub id: Id,
    pub method: String,
    /// The parameters as they came; `null` when there were none.
    pub params: Value,
}

/// A body that is no request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// It is not JSON.
    #[error("the body is not valid JSON: {0}")]
    NotJson(String),
    /// It is JSON of another shape.
    #[error("{why}")]
    NotARequest {
        /// The id, when one could be read.
        id: Id,
        why: &'static str,
    },
}

impl Malformed {
    /// The JSON-RPC code.
    pub fn code(&self) -> i64 {
        match self {
            Malformed::NotJson(_) => PARSE_ERROR,
            Malformed::NotARequest { .. } => INVALID_REQUEST,
        }
    }

    /// The id to answer to.
    pub fn id(&self) -> Id {
        match self {
            Malformed::NotJson(_) => Id::Null,
            Malformed::NotARequest { id, .. } => id.clone(),
        }
    }
}

impl Request {
    /// Read a request from a body.
    pub fn parse(body: &[u8]) -> Result<Request, Malformed> {
        let value = serde_json::from_slice(body).map_err(|error| Malformed::NotJson(error.to_string()))?;
        let request = Request::from_value(value)?;
        Ok(Request { id: request.id.as_written(body), ..request })
    }

    /// Read a request from JSON.
    pub fn from_value(value: Value) -> Result<Request, Malformed> {
        let Value::Object(mut fields) = value else {
            let why = "a request is one JSON object; batches are taken at `/` only";
            return Err(Malformed::NotARequest { id: Id::Null, why });
        };
        let Some(id) = fields.remove("id").map_or(Some(Id::Null), |id| Id::of(&id)) else {
            return Err(Malformed::NotARequest { id: Id::Null, why: "`id` must be text, a number or null" });
        };
        let wrong = |why| Err(Malformed::NotARequest { id: id.clone(), why });
        if fields.get("jsonrpc").and_then(Value::as_str) != Some(VERSION) {
            return wrong("`jsonrpc` must be \"2.0\"");
        }
        let method = match fields.remove("method") {
            Some(Value::String(method)) if !method.is_empty() => method,
            _ => return wrong("`method` must be the name of a method"),
        };
        Ok(Request { id, method, params: fields.remove("params").unwrap_or(Value::Null) })
    }
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response<T> {
    /// Always [`VERSION`].
    pub jsonrpc: &'static str,
    /// The id of the request.
    pub id: Id,
    /// `result` or `error`.
    #[serde(flatten)]
    pub outcome: Outcome<T>,
}

impl<T> Response<T> {
    /// A success.
    pub fn result(id: Id, result: T) -> Self {
        Response { jsonrpc: VERSION, id, outcome: Outcome::Result(result) }
    }

    /// A failure.
    pub fn error(id: Id, error: ErrorObject) -> Self {
        Response { jsonrpc: VERSION, id, outcome: Outcome::Error(error) }
    }
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome<T> {
    /// Well.
    Result(T),
    /// Not well.
    Error(ErrorObject),
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// One of the codes above.
    pub code: i64,
    /// A sentence for people.
    pub message: String,
    /// Details for programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<ErrorInfo>,
}

/// `google.rpc.ErrorInfo`, in the form A2A puts into `error.data`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorInfo {
    /// The type's address.
    #[serde(rename = "@type")]
    pub type_url: String,
    /// The reason, in upper case.
    pub reason: String,
    /// The organisation that defines the reason.
    pub domain: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, Value>,
}

impl ErrorInfo {
    /// A reason of ours.
    pub fn new<const N: usize>(reason: &str, metadata: [(&str, String); N]) -> ErrorInfo {
        ErrorInfo {
            type_url: "type.googleapis.com/google.rpc.ErrorInfo".into(),
            reason: reason.into(),
            domain: "pollux.dev".into(),
            metadata: metadata.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect(),
        }
    }
}
