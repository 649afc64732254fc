//! One call: connect, with retries that are announced, then read the answer to its end.

use super::answer::Answer;
use super::backoff::Backoff;
use super::fault;
use super::frames;
use crate::emit::{self, Emit};
use crate::error::{Class, ModelError};
use crate::model::Chunk;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, pin_mut};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What carries a request to whoever answers it: the network, or a script.
pub(crate) trait Transport: Send + Sync + 'static {
    /// Send `body`; resolve when the answer's head is there.
    fn post(&self, body: Arc<Value>) -> BoxFuture<'static, Result<Reply, ModelError>>;
}

/// The head of an answer, and its bytes as they come.
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The `Retry-After` header.
    pub(crate) retry_after: Option<Duration>,
    /// The body. An error is the reason the connection broke.
    pub(crate) body: BoxStream<'static, Result<Bytes, String>>,
}

/// Send `body` and stream what is answered.
pub(crate) fn exchange(
    transport: Arc<dyn Transport>,
    backoff: Backoff,
    body: Value,
) -> BoxStream<'static, Result<Chunk, ModelError>> {
    emit::stream(move |emit| async move {
        let body = Arc::new(body);
        let answer = Answer::to(&body);
        let bytes = connect(&*transport, backoff, &body, &emit).await?;
        read(bytes, answer, &emit).await
    })
}

/// Try until an answer begins, the error is final, or the attempts are used up.
async fn connect(
    transport: &dyn Transport,
    backoff: Backoff,
    body: &Arc<Value>,
    emit: &Emit,
) -> Result<BoxStream<'static, Result<Bytes, String>>, ModelError> {
    let mut waits = backoff.waits();
    let mut attempt = 1;
    loop {
        let error = match transport.post(body.clone()).await {
            Ok(reply) if (200..300).contains(&reply.status) => return Ok(reply.body),
            Ok(reply) => fault::of_reply(reply).await,
            Err(error) => error,
        };
        let Class::Retryable { after } = error.class() else { return Err(error) };
        if attempt == backoff.attempts {
            return Err(ModelError::Exhausted { attempts: attempt, last: Box::new(error) });
        }
        attempt += 1;
        let wait = waits.next(after);
        emit.chunk(Chunk::Retrying { reason: error.to_string(), attempt, wait }).await;
        tokio::time::sleep(wait).await;
    }
}

async fn read(
    bytes: BoxStream<'static, Result<Bytes, String>>,
    mut answer: Answer,
    emit: &Emit,
) -> Result<(), ModelError> {
    let frames = frames::frames(bytes);
    pin_mut!(frames);
    while let Some(frame) = frames.next().await {
        let parts = answer.take(&frame?)?;
        if !parts.is_empty() {
            emit.chunk(Chunk::Parts(parts)).await;
        }
    }
    for chunk in answer.end()? {
        emit.chunk(chunk).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
