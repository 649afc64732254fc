//! A2A over gRPC: 1.0 as `lf.a2a.v1.A2AService`, 0.3 as `a2a.v1.A2AService`, both on one port. The binding only turns
//! protobuf into the JSON that the other bindings read, and their answers back.
//!
//! HTTP/2 is hyper's. What gRPC adds to it, a length before each message and a status in the trailers, is small enough to
//! be written out here, so that the gate and the limits stay those of the other listener.

mod cursor;
mod framing;
mod map_order;
mod reply;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod v03;
mod v10;

pub(crate) use reply::{denial_response, unknown_service};
pub(crate) use schema::write_event;

use crate::errors::RequestError;
use crate::ops::{A2aOperations, RequestHead};
use crate::router::AppState;
use crate::version::{self, A2aVersion};
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use pollux_session::Who;
use pollux_wire::jsonrpc;
use std::sync::Arc;

/// The services, each with its version.
const SERVICES: [(&str, A2aVersion); 2] =
    [("/lf.a2a.v1.A2AService/", A2aVersion::V10), ("/a2a.v1.A2AService/", A2aVersion::V03)];

/// One call being answered.
struct GrpcRequest {
    ops: A2aOperations,
    headers: HeaderMap,
    /// The request, as protobuf.
    message: Bytes,
}

/// The calls, as routes beside the others. Only the gRPC listener lets protobuf through to them.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    let route = |(path, version): (&str, A2aVersion)| {
        let target =
            post(move |app: State<Arc<AppState>>, who: Extension<Who>, method: Path<String>, request: Request| {
                answer(version, app.0, who.0, method.0, request)
            });
        Router::new().route(&format!("{path}{{method}}"), target)
    };
    SERVICES.into_iter().map(route).fold(Router::new(), Router::merge)
}

/// True if the calls can be read and written at all. In doubt a listener does not start.
pub(crate) fn is_ready() -> bool {
    schema::is_whole()
}

/// True if a path is one of a service spoken here.
pub(crate) fn serves(path: &str) -> bool {
    SERVICES.iter().any(|(service, _)| path.strip_prefix(service).is_some_and(|method| !method.contains('/')))
}

async fn answer(version: A2aVersion, app: Arc<AppState>, who: Who, method: String, request: Request<Body>) -> Response {
    tracing::debug!("[A2AService] gRPC {method} {} from {}", version.name(), who.label);
    let (parts, body) = request.into_parts();
    let answer = async {
        check_version(&parts.headers, version)?;
        let message = framing::read(body).await?;
        let head = RequestHead::from_headers(&parts.headers);
        let asked = GrpcRequest { ops: A2aOperations { app, who, version, head }, headers: parts.headers, message };
        match version {
            A2aVersion::V03 => asked.answer_v03(&method).await,
            A2aVersion::V10 => asked.answer_v10(&method).await,
        }
    };
    answer.await.unwrap_or_else(|fault: RequestError| {
        tracing::debug!("[A2AService] refused: {fault}");
        reply::error_response(&fault, version)
    })
}

/// The service says which version is spoken. A call may say it too, and then it must be the same.
fn check_version(headers: &HeaderMap, here: A2aVersion) -> Result<(), RequestError> {
    match headers.get(version::HEADER).map(|value| value.to_str().unwrap_or("?").trim()) {
        None | Some("") => Ok(()),
        Some(named) if A2aVersion::read(named)? == here => Ok(()),
        Some(named) => {
            let message = format!("A2A {named} is not spoken by this service, {} is: see the agent card", here.name());
            Err(RequestError::new(jsonrpc::VERSION_NOT_SUPPORTED, message))
        }
    }
}

impl GrpcRequest {
    /// The request, as the JSON of its message `name`.
    fn request(&self, name: &str) -> Result<serde_json::Value, RequestError> {
        schema::read(name, self.message.clone())
    }

    /// The cursor that the client goes on from, if it names one.
    fn cursor(&self) -> Option<&str> {
        self.headers.get("last-event-id").and_then(|value| value.to_str().ok())
    }
}

/// A field that must say something.
fn required_field<'a>(name: &str, text: &'a str) -> Result<&'a str, RequestError> {
    if text.is_empty() { Err(RequestError::invalid_params(format!("`{name}` is missing"))) } else { Ok(text) }
}

/// A method that the service does not have.
fn unknown_method(method: &str) -> RequestError {
    RequestError::new(jsonrpc::METHOD_NOT_FOUND, format!("no method {method:?} in this service"))
}
