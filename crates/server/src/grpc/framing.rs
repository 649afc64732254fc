//! The one message of a call, as gRPC frames it: a byte that says whether it is compressed, four for its length, and the
//! protobuf.

use crate::errors::RequestError;
use axum::body::Body;
use bytes::{BufMut, Bytes, BytesMut};
use http_body_util::BodyExt;
use pollux_wire::jsonrpc;

/// The length of the head of a message.
const PREFIX: usize = 5;

/// The message that a body holds. The listener bounds the body, and answers for one that breaks its bounds.
pub(super) async fn read(body: Body) -> Result<Bytes, RequestError> {
    let broken = |error| RequestError::new(jsonrpc::INVALID_REQUEST, format!("the request cannot be read: {error}"));
    let mut body = body.collect().await.map_err(broken)?.to_bytes();
    if body.len() < PREFIX {
        return Err(malformed("there is no whole message in it"));
    }
    let prefix = body.split_to(PREFIX);
    let length = prefix[1..].iter().fold(0_usize, |length, byte| (length << 8) | usize::from(*byte));
    match (prefix[0], length == body.len()) {
        (0, true) => Ok(body),
        (0, false) => Err(malformed("it must hold one message of the length it says")),
        _ => Err(RequestError::new(jsonrpc::METHOD_NOT_FOUND, "messages must not be compressed: send identity")),
    }
}

/// A message, framed.
pub(super) fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    // Longer ones than four bytes can say are beyond every limit here.
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    framed.freeze()
}

fn malformed(why: &str) -> RequestError {
    RequestError::new(jsonrpc::INVALID_REQUEST, format!("the request is no gRPC message: {why}"))
}
