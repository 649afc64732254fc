//! A2A over HTTP+JSON: 1.0 under `/a2a/v1`, 0.3 under `/v1`. Both have the same table of routes; the version chooses how a
//! body is read and how an answer is written.

mod error;
mod query;
mod route;
mod v03;
mod v10;

pub(crate) use error::{denial_body, is_rest_path, write_stream_error as written_fault};
#[cfg(feature = "grpc")]
pub(crate) use route::no_such_tenant;
pub use route::rest_routes;

use crate::dialect::{EventEncoding, encode};
use crate::errors::RequestError;
use crate::ops::{A2aOperations, RequestHead};
use crate::router::{AppState, options_response};
use crate::task_stream::{EventEnvelope, TaskStream, sse};
use crate::version::{self, A2aVersion};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse, Response};
use error::RestError;
use pollux_session::Who;
use pollux_wire::jsonrpc;
pub(crate) use query::QueryParameters;
use route::RestRoute;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The paths that lead here.
pub(crate) const PATHS: [&str; 2] = ["/a2a/v1/{*rest}", "/v1/{*rest}"];

/// One request being answered.
struct RestRequest {
    ops: A2aOperations,
    headers: HeaderMap,
    query: QueryParameters,
    route: RestRoute,
    body: Bytes,
}

/// Everything under `/a2a/v1/` and `/v1/`.
pub(crate) async fn answer(
    State(app): State<Arc<AppState>>,
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
        let query = QueryParameters::from_uri(&uri)?;
        check_version(&headers, &query, version)?;
        let route = RestRoute::find(version, &method, path)?;
        let body = body?;
        let asked = RestRequest {
            ops: A2aOperations { app, who, version, head: RequestHead::from_headers(&headers) },
            headers,
            query,
            route,
            body,
        };
        asked.refuse_tenant(asked.query.text("tenant"))?;
        let answer = match version {
            A2aVersion::V03 => asked.answer_v03().await,
            A2aVersion::V10 => asked.answer_v10().await,
        };
        answer.map_err(RestError::from)
    };
    answer.await.unwrap_or_else(|refused: RestError| {
        if let (true, Some(allow)) = (is_options, &refused.allow) {
            return options_response(allow);
        }
        tracing::debug!("[A2AService] refused: {}", refused.fault);
        refused.respond(version)
    })
}

/// The address says which version is spoken there. A request may say it too, and then it must be the same.
fn check_version(headers: &HeaderMap, query: &QueryParameters, here: A2aVersion) -> Result<(), RequestError> {
    let in_header = headers.get(version::HEADER).map(|value| value.to_str().unwrap_or("?"));
    match in_header.or_else(|| query.text(version::HEADER)).map(str::trim) {
        None | Some("") => Ok(()),
        Some(named) if A2aVersion::read(named)? == here => Ok(()),
        Some(named) => {
            let message = format!("A2A {named} is not spoken at this address, {} is: see the agent card", here.name());
            Err(RequestError::new(jsonrpc::VERSION_NOT_SUPPORTED, message))
        }
    }
}

/// The media type of a version's bodies. 0.3 demands the plain one.
fn media_type(version: A2aVersion) -> &'static str {
    match version {
        A2aVersion::V03 => "application/json",
        A2aVersion::V10 => "application/a2a+json",
    }
}

impl RestRequest {
    /// The body as an object. Where everything is in the address, there may be none.
    fn object(&self) -> Result<Value, RequestError> {
        if self.route.operation.needs_no_body() && self.body.trim_ascii().is_empty() {
            return Ok(json!({}));
        }
        if self.body.trim_ascii().is_empty() {
            return Err(RequestError::new(jsonrpc::PARSE_ERROR, "the body is empty: send a JSON object"));
        }
        let not_json = |error| RequestError::new(jsonrpc::PARSE_ERROR, format!("the body is not valid JSON: {error}"));
        let body: Value = serde_json::from_slice(&self.body).map_err(not_json)?;
        if !body.is_object() {
            return Err(RequestError::invalid_params("the body must be an object"));
        }
        if self.ops.version == A2aVersion::V10 {
            self.refuse_tenant(body.get("tenant").and_then(Value::as_str))?;
        }
        Ok(body)
    }

    /// No card of ours names a tenant, so no client has one to send.
    fn refuse_tenant(&self, tenant: Option<&str>) -> Result<(), RequestError> {
        match tenant {
            None | Some("") => Ok(()),
            Some(tenant) => Err(route::no_such_tenant(tenant)),
        }
    }

    /// Check that the task that the body names, if it does, is the one in the address.
    fn same_task(&self, body: &Value, names: &[&str]) -> Result<(), RequestError> {
        let named = names.iter().find_map(|name| Some((name, body.get(*name)?.as_str()?)));
        match named {
            Some((name, other)) if !other.is_empty() && other != self.route.task => {
                Err(RequestError::invalid_params(format!("`{name}` {other:?} is not the task of this address")))
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
    async fn subscribe(self, form: EventEncoding) -> Result<Response, RequestError> {
        let body = self.object()?;
        self.same_task(&body, &["id"])?;
        let stream = self.ops.subscribe(&self.route.task, self.cursor(&body).as_deref(), form).await?;
        Ok(self.sse(stream))
    }

    fn sse(&self, stream: TaskStream) -> Response {
        sse(stream, EventEnvelope::Rest(self.ops.version), self.ops.app.shutdown.clone())
    }

    fn json(&self, value: &impl Serialize) -> Response {
        ([(CONTENT_TYPE, media_type(self.ops.version))], encode(value)).into_response()
    }
}
