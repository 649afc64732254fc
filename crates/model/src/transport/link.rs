//! The way to one provider: connect, with retries that are announced, then follow the answer to its end.

use super::frames::{LONGEST, frames};
use super::{Answer, Ask, Backoff, ReadFault, Reply, Transport, Trouble};
use crate::emit::{self, Emit};
use crate::error::{Class, Flaw, ModelError};
use crate::model::Chunk;
use crate::provider::Provider;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, pin_mut};
use serde_json::Value;
use std::sync::Arc;

/// A longer id of an answer is none: it is kept with everything that is said in it.
const LONGEST_ID: usize = 256;

/// Everything a call needs but its content.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) provider: Provider,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) backoff: Backoff,
    pub(crate) read_fault: ReadFault,
}

impl Link {
    /// Send `ask` and stream what is answered.
    pub(crate) fn stream<A: Answer>(&self, ask: Ask, answer: A) -> BoxStream<'static, Result<Chunk, ModelError>> {
        let link = self.clone();
        emit::stream(move |emit| async move {
            let reply = link.connect(&ask, Some(&emit)).await?;
            follow(reply, answer, &emit).await
        })
    }

    /// Send `ask` and read the whole answer: a JSON value, of at most a frame's length.
    pub(crate) async fn fetch(self, ask: Ask) -> Result<Value, ModelError> {
        let mut body = Link { backoff: self.backoff.brief(), ..self }.connect(&ask, None).await?.body;
        let mut text = Vec::new();
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(|message| ModelError::Cut { message })?;
            if text.len() + piece.len() > LONGEST {
                return Err(bad_body(format_args!("it is longer than {LONGEST} bytes")));
            }
            text.extend_from_slice(&piece);
        }
        serde_json::from_slice(&text).map_err(bad_body)
    }

    /// Try until an answer begins, the error is final, or the attempts are used up.
    pub(crate) async fn connect(&self, ask: &Ask, emit: Option<&Emit>) -> Result<Reply, ModelError> {
        let mut waits = self.backoff.waits();
        let mut attempt = 1;
        loop {
            let error = match self.transport.send(ask).await {
                Ok(reply) if (200..300).contains(&reply.status) => return Ok(reply),
                Ok(reply) => (self.read_fault)(self.provider, &Trouble::read(reply).await),
                Err(error) => error,
            };
            let Class::Retryable { after } = error.class() else { return Err(error) };
            if attempt == self.backoff.attempts {
                return Err(ModelError::Exhausted { attempts: attempt, last: Box::new(error) });
            }
            attempt += 1;
            let wait = waits.next(after);
            if let Some(emit) = emit {
                emit.chunk(Chunk::Retrying { reason: error.to_string(), attempt, wait }).await;
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// Follow an answer that has begun to its end.
pub(crate) async fn follow<A: Answer>(reply: Reply, mut answer: A, emit: &Emit) -> Result<(), ModelError> {
    let bytes: BoxStream<'static, Result<Bytes, String>> = reply.body;
    let frames = frames(bytes);
    pin_mut!(frames);
    let mut named = false;
    while let Some(frame) = frames.next().await {
        let frame = frame?;
        let parts = answer.take(&frame)?;
        let id = A::response_id(&frame).filter(|id| !named && (1..=LONGEST_ID).contains(&id.len()));
        if let Some(id) = id {
            named = true;
            emit.chunk(Chunk::Response { id: id.to_owned() }).await;
        }
        if !parts.is_empty() {
            emit.chunk(Chunk::Parts(parts)).await;
        }
    }
    for chunk in answer.end()? {
        emit.chunk(chunk).await;
    }
    Ok(())
}

fn bad_body(error: impl std::fmt::Display) -> ModelError {
    ModelError::Malformed { flaw: Flaw::BadFrame { why: error.to_string() } }
}

#[cfg(test)]
mod tests;
