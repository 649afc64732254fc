//! A2A over HTTP+JSON: 1.0 under `/a2a/v1`, 0.3 under `/v1`. Both have the same table of routes; the version chooses how a
//! body is read and how an answer is written.

mod fault;
mod query;
mod route;
mod v03;
mod v10;

pub(crate) use fault::{denied, leads_here, written as written_fault};
#[cfg(feature = "grpc")]
pub(crate) use route::no_such_tenant;
pub use route::rest_routes;

use crate::dialect::{Form, encode};
use crate::errors::Fault;
use crate::ops::{Head, Ops};
use crate::router::{Hall, tell_options};
use crate::stream::{Stream, Wrap, sse};
use crate::version::{self, Version};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse, Response};
use fault::Refused;
use pollux_session::Who;
use pollux_wire::jsonrpc;
pub(crate) use query::Query;
use route::Route;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What leads here.
pub(crate) const PATHS: [&str; 2] = ["/a2a/v1/{*rest}", "/v1/{*rest}"];

/// One request being answered.
struct Asked {
    ops: Ops,
    headers: HeaderMap,
    query: Query,
    route: Route,
    body: Bytes,
}

/// Everything under `/a2a/v1/` and `/v1/`.
pub(crate) async fn answer(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let (version, path) = route::version_of(uri.path());
    let is_options = method == Method::OPTIONS;
    tracing::debug!("[A2AService] {method} {} from {}", uri.path(), who.label);
    let answer = async {
        let query = Query::of(&uri)?;
        check_version(&headers, &query, version)?;
        let route = Route::find(version, &method, path)?;
        let body = body?;
        let asked = Asked { ops: Ops { hall, who, version, head: Head::of(&headers) }, headers, query, route, body };
        asked.refuse_tenant(asked.query.text("tenant"))?;
        let answer = match version {
            Version::V03 => asked.answer_v03().await,
            Version::V10 => asked.answer_v10().await,
        };
        answer.map_err(Refused::from)
    };
    answer.await.unwrap_or_else(|refused: Refused| {
        if let (true, Some(allow)) = (is_options, &refused.allow) {
            return tell_options(allow);
        }
        tracing::debug!("[A2AService] refused: {}", refused.fault);
        refused.respond(version)
    })
}

/// The address says which version is spoken there. A request may say it too, and then it must be the same.
fn check_version(headers: &HeaderMap, query: &Query, here: Version) -> Result<(), Fault> {
    let in_header = headers.get(version::HEADER).map(|value| value.to_str().unwrap_or("?"));
    match in_header.or_else(|| query.text(version::HEADER)).map(str::trim) {
        None | Some("") => Ok(()),
        Some(named) if Version::read(named)? == here => Ok(()),
        Some(named) => {
            let message = format!("A2A {named} is not spoken at this address, {} is: see the agent card", here.name());
            Err(Fault::new(jsonrpc::VERSION_NOT_SUPPORTED, message))
        }
    }
}

/// The media type of a version's bodies. 0.3 demands the plain one.
fn media_type(version: Version) -> &'static str {
    match version {
        Version::V03 => "application/json",
        Version::V10 => "application/a2a+json",
    }
}

impl Asked {
    /// The body as an object. Where everything is in the address, there may be none.
    fn object(&self) -> Result<Value, Fault> {
        if self.route.operation.needs_no_body() && self.body.trim_ascii().is_empty() {
            return Ok(json!({}));
        }
        if self.body.trim_ascii().is_empty() {
            return Err(Fault::new(jsonrpc::PARSE_ERROR, "the body is empty: send a JSON object"));
        }
        let not_json = |error| Fault::new(jsonrpc::PARSE_ERROR, format!("the body is not valid JSON: {error}"));
        let body: Value = serde_json::from_slice(&self.body).map_err(not_json)?;
        if !body.is_object() {
            return Err(Fault::params("the body must be an object"));
        }
        if self.ops.version == Version::V10 {
            self.refuse_tenant(body.get("tenant").and_then(Value::as_str))?;
        }
        Ok(body)
    }

    /// No card of ours names a tenant, so no client has one to send.
    fn refuse_tenant(&self, tenant: Option<&str>) -> Result<(), Fault> {
        match tenant {
            None | Some("") => Ok(()),
            Some(tenant) => Err(route::no_such_tenant(tenant)),
        }
    }

    /// Whether the task that the body names, if it does, is the one in the address.
    fn same_task(&self, body: &Value, names: &[&str]) -> Result<(), Fault> {
        let named = names.iter().find_map(|name| Some((name, body.get(*name)?.as_str()?)));
        match named {
            Some((name, other)) if !other.is_empty() && other != self.route.task => {
                Err(Fault::params(format!("`{name}` {other:?} is not the task of this address")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The cursor that the client goes on from, if it names one.
    fn cursor(&self, body: &Value) -> Option<String> {
        let in_header = self.headers.get("last-event-id").and_then(|value| value.to_str().ok());
        let in_body = || body.get("metadata")?.get("lastEventId")?.as_str();
        in_header.or_else(|| self.query.text("lastEventId")).or_else(in_body).map(str::to_owned)
    }

    /// Follow the task of the address.
    async fn subscribe(self, form: Form) -> Result<Response, Fault> {
        let body = self.object()?;
        self.same_task(&body, &["id"])?;
        let stream = self.ops.follow(&self.route.task, self.cursor(&body).as_deref(), form).await?;
        Ok(self.sse(stream))
    }

    fn sse(&self, stream: Stream) -> Response {
        sse(stream, Wrap::Rest(self.ops.version), self.ops.hall.shutdown.clone())
    }

    fn json(&self, value: &impl Serialize) -> Response {
        ([(CONTENT_TYPE, media_type(self.ops.version))], encode(value)).into_response()
    }
}
