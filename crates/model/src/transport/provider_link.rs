//! The way to one provider: connect, with retries that are announced, then follow the answer to its end.

use super::frames::{LONGEST, frames};
use super::{
    AnswerDecoder, BackoffPolicy, FaultReader, ModelTransport, ProviderErrorAnswer, ProviderRequest, ProviderResponse,
};
use crate::emit::{self, ChunkSender};
use crate::error::{AnswerFlaw, ModelError, RetryClass};
use crate::model::ModelChunk;
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
pub(crate) struct ProviderLink {
    pub(crate) provider: Provider,
    pub(crate) transport: Arc<dyn ModelTransport>,
    pub(crate) backoff: BackoffPolicy,
    pub(crate) read_fault: FaultReader,
}

impl ProviderLink {
    /// Send `ask` and stream what is answered.
    pub(crate) fn stream<A: AnswerDecoder>(
        &self,
        ask: ProviderRequest,
        answer: A,
    ) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let link = self.clone();
        emit::stream(move |emit| async move {
            let reply = link.connect(&ask, Some(&emit)).await?;
            follow(reply, answer, &emit).await
        })
    }

    /// Send `ask` and read the whole answer: a JSON value, of at most a frame's length.
    pub(crate) async fn fetch(self, ask: ProviderRequest) -> Result<Value, ModelError> {
        let mut body = ProviderLink { backoff: self.backoff.brief(), ..self }.connect(&ask, None).await?.body;
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
    pub(crate) async fn connect(
        &self,
        ask: &ProviderRequest,
        emit: Option<&ChunkSender>,
    ) -> Result<ProviderResponse, ModelError> {
        let mut waits = self.backoff.waits();
        let mut attempt = 1;
        loop {
            let error = match self.transport.send(ask).await {
                Ok(reply) if (200..300).contains(&reply.status) => return Ok(reply),
                Ok(reply) => (self.read_fault)(self.provider, &ProviderErrorAnswer::read(reply).await),
                Err(error) => error,
            };
            let RetryClass::Retryable { after } = error.class() else { return Err(error) };
            if attempt == self.backoff.attempts {
                return Err(ModelError::Exhausted { attempts: attempt, last: Box::new(error) });
            }
            attempt += 1;
            let wait = waits.next(after);
            if let Some(emit) = emit {
                emit.chunk(ModelChunk::Retrying { reason: error.to_string(), attempt, wait }).await;
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// Follow an answer that has begun to its end.
pub(crate) async fn follow<A: AnswerDecoder>(
    reply: ProviderResponse,
    mut answer: A,
    emit: &ChunkSender,
) -> Result<(), ModelError> {
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
            emit.chunk(ModelChunk::Response { id: id.to_owned() }).await;
        }
        if !parts.is_empty() {
            emit.chunk(ModelChunk::Parts(parts)).await;
        }
    }
    for chunk in answer.end()? {
        emit.chunk(chunk).await;
    }
    Ok(())
}

fn bad_body(error: impl std::fmt::Display) -> ModelError {
    ModelError::Malformed { flaw: AnswerFlaw::BadFrame { why: error.to_string() } }
}

#[cfg(test)]
mod tests;
