//! Which operation an address means. Verbs stand after an id and a colon, which axum's router cannot match.

use super::error::RestError;
use crate::errors::RequestError;
use crate::version::A2aVersion;
use axum::http::{Method, StatusCode};
use pollux_wire::jsonrpc;

/// An operation that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RestOperation {
    Send,
    Stream,
    List,
    Get,
    Cancel,
    Subscribe,
    SetPush,
    ListPush,
    GetPush,
    DeletePush,
    Card,
}

use RestOperation::{Cancel, Card, DeletePush, Get, GetPush, List, ListPush, Send, SetPush, Stream, Subscribe};

/// The routes that both versions have, below their prefix. The two ways to subscribe are those of the specification's
/// text and of its `.proto`.
const ROUTE_TABLE: [(Method, &str, RestOperation); 11] = [
    (Method::POST, "message:send", Send),
    (Method::POST, "message:stream", Stream),
    (Method::GET, "tasks", List),
    (Method::GET, "tasks/{id}", Get),
    (Method::POST, "tasks/{id}:cancel", Cancel),
    (Method::POST, "tasks/{id}:subscribe", Subscribe),
    (Method::GET, "tasks/{id}:subscribe", Subscribe),
    (Method::POST, "tasks/{id}/pushNotificationConfigs", SetPush),
    (Method::GET, "tasks/{id}/pushNotificationConfigs", ListPush),
    (Method::GET, "tasks/{id}/pushNotificationConfigs/{configId}", GetPush),
    (Method::DELETE, "tasks/{id}/pushNotificationConfigs/{configId}", DeletePush),
];

/// The verbs that may stand after a task's id.
const VERBS: [&str; 2] = [":cancel", ":subscribe"];

/// An operation, and what its address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RestRoute {
    pub(super) operation: RestOperation,
    pub(super) task: String,
    pub(super) config: String,
}

/// The routes of HTTP+JSON, as `(method, path)`.
pub fn rest_routes() -> Vec<(String, String)> {
    let of = |version| {
        table(version).map(move |(method, template, _)| (method.to_string(), format!("{}{template}", prefix(version))))
    };
    of(A2aVersion::V10).chain(of(A2aVersion::V03)).collect()
}

/// Which version an address belongs to, and what follows the version's prefix.
pub(super) fn version_of(path: &str) -> (A2aVersion, &str) {
    match path.strip_prefix(prefix(A2aVersion::V10)) {
        Some(rest) => (A2aVersion::V10, rest),
        None => (A2aVersion::V03, path.strip_prefix(prefix(A2aVersion::V03)).unwrap_or(path)),
    }
}

/// A tenant that is not there.
pub(crate) fn no_such_tenant(tenant: &str) -> RequestError {
    RequestError::invalid_params(format!("there is no tenant {tenant:?}: the agent card names none, leave it out"))
}

fn prefix(version: A2aVersion) -> &'static str {
    match version {
        A2aVersion::V03 => "/v1/",
        A2aVersion::V10 => "/a2a/v1/",
    }
}

fn table(version: A2aVersion) -> impl Iterator<Item = (Method, &'static str, RestOperation)> {
    let card = match version {
        A2aVersion::V03 => "card",
        A2aVersion::V10 => "extendedAgentCard",
    };
    ROUTE_TABLE.into_iter().chain([(Method::GET, card, Card)])
}

impl RestRoute {
    /// The operation that `path`, which begins after the prefix, means.
    pub(super) fn find(version: A2aVersion, method: &Method, path: &str) -> Result<RestRoute, RestError> {
        let unknown = || {
            let message = format!("there is nothing at {:?}; see the agent card", format!("{}{path}", prefix(version)));
            RestError::from(RequestError::new(jsonrpc::METHOD_NOT_FOUND, message))
        };
        let segments: Vec<String> = path.split('/').map(decoded).collect::<Option<_>>().ok_or_else(unknown)?;
        if let Some(found) = look_up(version, method, &segments) {
            return found;
        }
        match segments.split_first() {
            Some((tenant, rest)) if version == A2aVersion::V10 => match look_up(version, method, rest) {
                Some(found) if tenant.is_empty() => found,
                Some(_) => Err(no_such_tenant(tenant).into()),
                None => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

/// The operation, or that the address takes other methods; `None` when there is no such address.
fn look_up(version: A2aVersion, method: &Method, segments: &[String]) -> Option<Result<RestRoute, RestError>> {
    let mut allowed = Vec::new();
    for (takes, template, operation) in table(version) {
        match fit(template, segments) {
            Some((task, config)) if takes == *method => return Some(Ok(RestRoute { operation, task, config })),
            Some(_) => allowed.push(takes.to_string()),
            None => {}
        }
    }
    let allowed = allowed.join(", ");
    (!allowed.is_empty()).then(|| {
        let fault = RequestError::new(jsonrpc::INVALID_REQUEST, format!("this address takes {allowed}, not {method}"));
        Err(RestError { status: Some(StatusCode::METHOD_NOT_ALLOWED), allow: Some(allowed), fault })
    })
}

/// The task and the configuration that the segments name, if they fit the template.
fn fit(template: &str, segments: &[String]) -> Option<(String, String)> {
    let (mut task, mut config) = (String::new(), String::new());
    let mut segments = segments.iter();
    for wanted in template.split('/') {
        let segment = segments.next()?;
        if wanted == "{configId}" {
            config.clone_from(segment);
            if config.is_empty() {
                return None;
            }
        } else if let Some(verb) = wanted.strip_prefix("{id}") {
            task = segment.strip_suffix(verb)?.to_owned();
            if task.is_empty() || VERBS.iter().any(|verb| task.ends_with(verb)) {
                return None;
            }
        } else if wanted != segment {
            return None;
        }
    }
    segments.next().is_none().then_some((task, config))
}

/// A segment of a path without its percent signs; `None` when they stand for no text.
fn decoded(segment: &str) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    loop {
        rest = match rest {
            [] => return String::from_utf8(bytes).ok(),
            [b'%', high, low, rest @ ..] => {
                bytes.push(digit(*high)? * 16 + digit(*low)?);
                rest
            }
            [b'%', ..] => return None,
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
        };
    }
}

impl RestOperation {
    /// True if all it needs is in the address.
    pub(super) fn needs_no_body(self) -> bool {
        matches!(self, Cancel | Subscribe)
    }
}

#[cfg(test)]
mod tests;
