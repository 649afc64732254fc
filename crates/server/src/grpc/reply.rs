//! Answers as HTTP/2 carries them: messages as data, how it went in the trailers.

use super::cursor::with_cursor;
use super::status::{self, Code};
use super::{Asked, message, schema};
use crate::errors::Fault;
use crate::gate::Denied;
use crate::presence::How;
use crate::stream::Stream;
use crate::version::Version;
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

impl Asked {
    /// One message, of this name in the version's package.
    pub(super) fn one(&self, name: &str, value: &impl Serialize) -> Result<Response<Body>, Fault> {
        let name = format!("{}.{name}", schema::package(self.ops.version));
        Ok(single(&schema::write(&name, value)?))
    }

    /// Nothing, and that it went well.
    pub(super) fn nothing(&self) -> Response<Body> {
        single(&[])
    }

    /// The events of a stream. A call that is cancelled only stops listening.
    pub(super) fn many(&self, mut stream: Stream) -> Response<Body> {
        stream.attend(How::Grpc);
        let (version, shutdown) = (self.ops.version, self.ops.hall.shutdown.clone());
        let events = unfold(Some((stream, shutdown)), move |going| async move {
            let (mut stream, shutdown) = going?;
            let (frame, going) = step(&mut stream, &shutdown, version).await;
            Some((Framed::Ok(frame), going.then_some((stream, shutdown))))
        });
        answered(Body::new(StreamBody::new(events)))
    }
}

/// The next frame of a stream, and whether there are more.
async fn step(stream: &mut Stream, shutdown: &CancellationToken, version: Version) -> (Frame<Bytes>, bool) {
    let event = tokio::select! {
        biased;
        () = shutdown.cancelled() => {
            // To end well would say that the task has no more news.
            let message = "the server is stopping: follow the task again later";
            return (Frame::trailers(status::trailers(Code::Unavailable, message)), false);
        }
        event = stream.next() => event,
    };
    match event {
        Ok(Some(event)) => {
            let written = match event.cursor() {
                Some(cursor) => with_cursor(event.bytes(), version, cursor),
                None => event.bytes().clone(),
            };
            (Frame::data(message::frame(&written)), true)
        }
        Ok(None) => (Frame::trailers(status::ok()), false),
        Err(fault) => (Frame::trailers(status::of_fault(&fault, version)), false),
    }
}

fn single(written: &[u8]) -> Response<Body> {
    let frames = [Frame::data(message::frame(written)), Frame::trailers(status::ok())];
    answered(Body::new(StreamBody::new(iter(frames.map(Framed::Ok)))))
}

/// The answer to a call that failed before it said anything.
pub(super) fn failed(fault: &Fault, version: Version) -> Response<Body> {
    only(status::of_fault(fault, version))
}

/// The answer of the gate or the listener.
pub(crate) fn denied(denied: Denied) -> Response<Body> {
    // What does not even claim to be gRPC is not answered as if it were.
    if denied == Denied::ContentType {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return response;
    }
    only(status::trailers(Code::of_denied(denied), &denied.to_string()))
}

/// The answer to a call of a service that is not spoken here.
pub(crate) fn unknown_service(path: &str) -> Response<Body> {
    let message = format!("no service or method {path:?}; there are lf.a2a.v1.A2AService and a2a.v1.A2AService");
    failed(&Fault::new(jsonrpc::METHOD_NOT_FOUND, message), Version::V10)
}

/// Headers that are trailers at once.
fn only(trailers: HeaderMap) -> Response<Body> {
    let mut response = answered(Body::empty());
    response.headers_mut().extend(trailers);
    response
}

fn answered(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-accept-encoding", HeaderValue::from_static("identity"));
    response
}
