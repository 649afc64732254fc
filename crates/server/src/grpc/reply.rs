//! Answers as HTTP/2 carries them: messages as data, how it went in the trailers.

use super::cursor::with_cursor;
use super::status::{self, GrpcCode};
use super::{GrpcRequest, framing, schema};
use crate::errors::RequestError;
use crate::gate::GateDenial;
use crate::presence::ConnectionKind;
use crate::task_stream::TaskStream;
use crate::version::A2aVersion;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use futures_util::stream::{iter, unfold};
use http_body_util::StreamBody;
use hyper::body::Frame;
use pollux_wire::jsonrpc;
use serde::Serialize;
use std::convert::Infallible;
use tokio_util::sync::CancellationToken;

type Framed = Result<Frame<Bytes>, Infallible>;

impl GrpcRequest {
    /// One message, of this name in the version's package.
    pub(super) fn reply_message(&self, name: &str, value: &impl Serialize) -> Result<Response<Body>, RequestError> {
        let name = format!("{}.{name}", schema::package(self.ops.version));
        Ok(single(&schema::write(&name, value)?))
    }

    /// Nothing, and that it went well.
    pub(super) fn reply_empty(&self) -> Response<Body> {
        single(&[])
    }

    /// The events of a stream. A call that is cancelled only stops listening.
    pub(super) fn reply_stream(&self, mut stream: TaskStream) -> Response<Body> {
        stream.register_presence(ConnectionKind::Grpc);
        let (version, shutdown) = (self.ops.version, self.ops.app.shutdown.clone());
        let events = unfold(Some((stream, shutdown)), move |going| async move {
            let (mut stream, shutdown) = going?;
            let (frame, going) = step(&mut stream, &shutdown, version).await;
            Some((Framed::Ok(frame), going.then_some((stream, shutdown))))
        });
        body_response(Body::new(StreamBody::new(events)))
    }
}

/// The next frame of a stream, and whether there are more.
async fn step(stream: &mut TaskStream, shutdown: &CancellationToken, version: A2aVersion) -> (Frame<Bytes>, bool) {
    let event = tokio::select! {
        biased;
        () = shutdown.cancelled() => {
            // To end well would say that the task has no more news.
            let message = "the server is stopping: follow the task again later";
            return (Frame::trailers(status::trailers(GrpcCode::Unavailable, message)), false);
        }
        event = stream.next() => event,
    };
    match event {
        Ok(Some(event)) => {
            let written = match event.cursor() {
                Some(cursor) => with_cursor(event.bytes(), version, cursor),
                None => event.bytes().clone(),
            };
            (Frame::data(framing::frame(&written)), true)
        }
        Ok(None) => (Frame::trailers(status::ok()), false),
        Err(fault) => (Frame::trailers(status::error_trailers(&fault, version)), false),
    }
}

fn single(written: &[u8]) -> Response<Body> {
    let frames = [Frame::data(framing::frame(written)), Frame::trailers(status::ok())];
    body_response(Body::new(StreamBody::new(iter(frames.map(Framed::Ok)))))
}

/// The answer to a call that failed before it said anything.
pub(super) fn error_response(fault: &RequestError, version: A2aVersion) -> Response<Body> {
    trailers_only(status::error_trailers(fault, version))
}

/// The answer of the gate or the listener.
pub(crate) fn denial_response(denied: GateDenial) -> Response<Body> {
    // What does not even claim to be gRPC is not answered as if it were.
    if denied == GateDenial::ContentType {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return response;
    }
    trailers_only(status::trailers(GrpcCode::from_denial(denied), &denied.to_string()))
}

/// The answer to a call of a service that is not spoken here.
pub(crate) fn unknown_service(path: &str) -> Response<Body> {
    let message = format!("no service or method {path:?}; there are lf.a2a.v1.A2AService and a2a.v1.A2AService");
    error_response(&RequestError::new(jsonrpc::METHOD_NOT_FOUND, message), A2aVersion::V10)
}

/// Headers that are trailers at once.
fn trailers_only(trailers: HeaderMap) -> Response<Body> {
    let mut response = body_response(Body::empty());
    response.headers_mut().extend(trailers);
    response
}

fn body_response(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-accept-encoding", HeaderValue::from_static("identity"));
    response
}
