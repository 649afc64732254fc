//! A2A over gRPC: 1.0 as `lf.a2a.v1.A2AService`, 0.3 as `a2a.v1.A2AService`, both on one port. The binding only turns
//! protobuf into the JSON that the other bindings read, and their answers back.
//!
//! HTTP/2 is hyper's. What gRPC adds to it, a length before each message and a status in the trailers, is small enough to
//! be written out here, so that the gate and the limits stay those of the other listener.

mod cursor;
mod message;
mod order;
mod reply;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod v03;
mod v10;

pub(crate) use reply::{denied, unknown_service};
pub(crate) use schema::write_event;

use crate::errors::Fault;
use crate::ops::{Head, Ops};
use crate::router::Hall;
use crate::version::{self, Version};
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
const SERVICES: [(&str, Version); 2] =
    [("/lf.a2a.v1.A2AService/", Version::V10), ("/a2a.v1.A2AService/", Version::V03)];

/// One call being answered.
struct Asked {
    ops: Ops,
    headers: HeaderMap,
    /// The request, as protobuf.
    message: Bytes,
}

/// The calls, as routes beside the others. Only the gRPC listener lets protobuf through to them.
pub(crate) fn routes() -> Router<Arc<Hall>> {
    let route = |(path, version): (&str, Version)| {
        let target =
            post(move |hall: State<Arc<Hall>>, who: Extension<Who>, method: Path<String>, request: Request| {
                answer(version, hall.0, who.0, method.0, request)
            });
        Router::new().route(&format!("{path}{{method}}"), target)
    };
    SERVICES.into_iter().map(route).fold(Router::new(), Router::merge)
}

/// Whether the calls can be read and written at all. In doubt a listener does not start.
pub(crate) fn is_ready() -> bool {
    schema::is_whole()
}

/// Whether a path is one of a service spoken here.
pub(crate) fn serves(path: &str) -> bool {
    SERVICES.iter().any(|(service, _)| path.strip_prefix(service).is_some_and(|method| !method.contains('/')))
}

async fn answer(version: Version, hall: Arc<Hall>, who: Who, method: String, request: Request<Body>) -> Response {
    tracing::debug!("[A2AService] gRPC {method} {} from {}", version.name(), who.label);
    let (parts, body) = request.into_parts();
    let answer = async {
        check_version(&parts.headers, version)?;
        let message = message::read(body).await?;
        let head = Head::of(&parts.headers);
        let asked = Asked { ops: Ops { hall, who, version, head }, headers: parts.headers, message };
        match version {
            Version::V03 => asked.answer_v03(&method).await,
            Version::V10 => asked.answer_v10(&method).await,
        }
    };
    answer.await.unwrap_or_else(|fault: Fault| {
        tracing::debug!("[A2AService] refused: {fault}");
        reply::failed(&fault, version)
    })
}

/// The service says which version is spoken. A call may say it too, and then it must be the same.
fn check_version(headers: &HeaderMap, here: Version) -> Result<(), Fault> {
    match headers.get(version::HEADER).map(|value| value.to_str().unwrap_or("?").trim()) {
        None | Some("") => Ok(()),
        Some(named) if Version::read(named)? == here => Ok(()),
        Some(named) => {
            let message = format!("A2A {named} is not spoken by this service, {} is: see the agent card", here.name());
            Err(Fault::new(jsonrpc::VERSION_NOT_SUPPORTED, message))
        }
    }
}

impl Asked {
    /// The request, as the JSON of its message `name`.
    fn request(&self, name: &str) -> Result<serde_json::Value, Fault> {
        schema::read(name, self.message.clone())
    }

    /// The cursor that the client goes on from, if it names one.
    fn cursor(&self) -> Option<&str> {
        self.headers.get("last-event-id").and_then(|value| value.to_str().ok())
    }
}

/// A field that must say something.
fn needed<'a>(name: &str, text: &'a str) -> Result<&'a str, Fault> {
    if text.is_empty() { Err(Fault::params(format!("`{name}` is missing"))) } else { Ok(text) }
}

/// A method that the service does not have.
fn unknown_method(method: &str) -> Fault {
    Fault::new(jsonrpc::METHOD_NOT_FOUND, format!("no method {method:?} in this service"))
}
