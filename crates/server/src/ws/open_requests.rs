//! The requests of one socket that take time: streams about places it does not follow, and answers that are waited for.

use crate::dialect::encode;
use crate::errors::RequestError;
use crate::log_context::RequestContext;
use crate::rpc::RpcAnswer;
use crate::task_stream::{TaskStream, TaskStreamEvent};
use bytes::{Bytes, BytesMut};
use futures_util::future::select_all;
use pollux_wire::jsonrpc::{self, Id, Response};
use std::future::pending;
use tokio::task::JoinSet;

/// The most requests of one socket that may be open at once.
const MAX_OPEN: usize = 32;

/// The requests of one socket that are not answered to their end.
#[derive(Default)]
pub(super) struct OpenRequests {
    streams: Vec<(Id, Box<TaskStream>)>,
    waiting: JoinSet<(Id, Result<RpcAnswer, RequestError>)>,
}

impl OpenRequests {
    /// Check that one more may be opened beside these and `others`.
    pub(super) fn check_room(&self, others: usize) -> Result<(), RequestError> {
        if self.streams.len() + self.waiting.len() + others < MAX_OPEN {
            return Ok(());
        }
        let message =
            format!("{MAX_OPEN} requests of this connection are open; wait for one, or open another connection");
        Err(RequestError::new(jsonrpc::INVALID_REQUEST, message))
    }

    /// Answer a request with the events of `stream`.
    pub(super) fn answer_with(&mut self, id: Id, stream: Box<TaskStream>) {
        self.streams.push((id, stream));
    }

    /// Answer a request when `answer` is there.
    pub(super) fn wait_for(
        &mut self,
        id: Id,
        answer: impl Future<Output = Result<RpcAnswer, RequestError>> + Send + 'static,
    ) {
        let request = RequestContext::current();
        self.waiting.spawn(request.run(async move { (id, answer.await) }));
    }

    /// The next frame to send. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Bytes {
        loop {
            tokio::select! {
                Some(done) = self.waiting.join_next(), if !self.waiting.is_empty() => match done {
                    Ok((id, Ok(RpcAnswer::Result(result)))) => return encode(&Response::result(id, result)),
                    Ok((id, Ok(RpcAnswer::Stream(stream)))) => self.streams.push((id, stream)),
                    Ok((id, Err(fault))) => return write_error(id, fault),
                    Err(error) => tracing::error!("[A2AService] a request on /ws was not answered: {error}"),
                },
                (index, event) = next_event(&mut self.streams), if !self.streams.is_empty() => match event {
                    Ok(Some(event)) => return write_event(&self.streams[index].0, &event),
                    Ok(None) => drop(self.streams.swap_remove(index)),
                    Err(fault) => return write_error(self.streams.swap_remove(index).0, fault),
                },
                else => pending().await,
            }
        }
    }
}

/// The first event of any of `streams`, of which there must be one.
async fn next_event(streams: &mut [(Id, Box<TaskStream>)]) -> (usize, Result<Option<TaskStreamEvent>, RequestError>) {
    let (event, index, _) = select_all(streams.iter_mut().map(|(_, stream)| Box::pin(stream.next()))).await;
    (index, event)
}

/// An event as the answer to a request.
pub(super) fn write_event(id: &Id, event: &TaskStreamEvent) -> Bytes {
    let id = serde_json::to_string(id).unwrap_or_else(|_| "null".into());
    let mut frame = BytesMut::from(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":").as_bytes());
    frame.extend_from_slice(event.bytes());
    frame.extend_from_slice(b"}");
    frame.freeze()
}

/// A fault as the answer to a request.
pub(super) fn write_error(id: Id, fault: RequestError) -> Bytes {
    tracing::debug!("[A2AService] refused: {fault}");
    encode(&Response::<()>::error(id, fault.into_error_object()))
}
