//! Which operation an address means. Verbs stand after an id and a colon, which axum's router cannot match.

use super::fault::Refused;
use crate::errors::Fault;
use crate::version::Version;
use axum::http::{Method, StatusCode};
use pollux_wire::jsonrpc;

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
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

use Operation::{Cancel, Card, DeletePush, Get, GetPush, List, ListPush, Send, SetPush, Stream, Subscribe};

/// What both versions have, below their prefix. The two ways to subscribe are those of the specification's text and of its
/// `.proto`.
const TABLE: [(Method, &str, Operation); 11] = [
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

/// What may stand after a task's id.
const VERBS: [&str; 2] = [":cancel", ":subscribe"];

/// An operation, and what its address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) operation: Operation,
    pub(super) task: String,
    pub(super) config: String,
}

/// The routes of HTTP+JSON, as `(method, path)`.
pub fn rest_routes() -> Vec<(String, String)> {
    let of = |version| {
        table(version).map(move |(method, template, _)| (method.to_string(), format!("{}{template}", prefix(version))))
    };
    of(Version::V10).chain(of(Version::V03)).collect()
}

/// Which version an address belongs to, and what follows the version's prefix.
pub(super) fn version_of(path: &str) -> (Version, &str) {
    match path.strip_prefix(prefix(Version::V10)) {
        Some(rest) => (Version::V10, rest),
        None => (Version::V03, path.strip_prefix(prefix(Version::V03)).unwrap_or(path)),
    }
}

/// A tenant that is not there.
pub(crate) fn no_such_tenant(tenant: &str) -> Fault {
    Fault::params(format!("there is no tenant {tenant:?}: the agent card names none, leave it out"))
}

fn prefix(version: Version) -> &'static str {
    match version {
        Version::V03 => "/v1/",
        Version::V10 => "/a2a/v1/",
    }
}

fn table(version: Version) -> impl Iterator<Item = (Method, &'static str, Operation)> {
    let card = match version {
        Version::V03 => "card",
        Version::V10 => "extendedAgentCard",
    };
    TABLE.into_iter().chain([(Method::GET, card, Card)])
}

impl Route {
    /// The operation that `path`, which begins after the prefix, means.
    pub(super) fn find(version: Version, method: &Method, path: &str) -> Result<Route, Refused> {
        let unknown = || {
            let message = format!("there is nothing at {:?}; see the agent card", format!("{}{path}", prefix(version)));
            Refused::from(Fault::new(jsonrpc::METHOD_NOT_FOUND, message))
        };
        let segments: Vec<String> = path.split('/').map(decoded).collect::<Option<_>>().ok_or_else(unknown)?;
        if let Some(found) = look_up(version, method, &segments) {
            return found;
        }
        match segments.split_first() {
            Some((tenant, rest)) if version == Version::V10 => match look_up(version, method, rest) {
                Some(found) if tenant.is_empty() => found,
                Some(_) => Err(no_such_tenant(tenant).into()),
                None => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

/// The operation, or that the address takes other methods; `None` when there is no such address.
fn look_up(version: Version, method: &Method, segments: &[String]) -> Option<Result<Route, Refused>> {
    let mut allowed = Vec::new();
    for (takes, template, operation) in table(version) {
        match fit(template, segments) {
            Some((task, config)) if takes == *method => return Some(Ok(Route { operation, task, config })),
            Some(_) => allowed.push(takes.to_string()),
            None => {}
        }
    }
    let allowed = allowed.join(", ");
    (!allowed.is_empty()).then(|| {
        let fault = Fault::new(jsonrpc::INVALID_REQUEST, format!("this address takes {allowed}, not {method}"));
        Err(Refused { status: Some(StatusCode::METHOD_NOT_ALLOWED), allow: Some(allowed), fault })
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

impl Operation {
    /// Whether all it needs is in the address.
    pub(super) fn needs_no_body(self) -> bool {
        matches!(self, Cancel | Subscribe)
    }
}

#[cfg(test)]
mod tests;
