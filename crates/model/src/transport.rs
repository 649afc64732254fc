//! The shared part of the wire formats: the network, retries, frames, and how an answer is followed to its end.
//!
//! A wire format brings three things: a request's path and body ([`ProviderRequest`]), what frames mean ([`AnswerDecoder`]), and what
//! error bodies mean (a [`FaultReader`]). A [`ProviderLink`] does the rest.

mod backoff;
mod error_answer;
mod frames;
mod http;
mod key;
mod provider_link;

pub(crate) use backoff::BackoffPolicy;
pub(crate) use error_answer::{ProviderErrorAnswer, delay_in_words, fault_of_status, innermost, read_delay};
pub(crate) use http::{HttpTimeouts, HttpTransport, client};
pub(crate) use key::ApiKey;
pub(crate) use provider_link::{ProviderLink, follow};

use crate::content::MessagePart;
use crate::error::ModelError;
use crate::model::ModelChunk;
use crate::provider::Provider;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The carrier of a request to its answerer: the network, or a script.
pub(crate) trait ModelTransport: Send + Sync + 'static {
    /// Send `ask`; resolve when the answer's head is there.
    fn send(&self, ask: &ProviderRequest) -> BoxFuture<'static, Result<ProviderResponse, ModelError>>;
}

/// A request, below the provider's address.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProviderRequest {
    /// Path and query, from a slash on.
    pub(crate) path: String,
    /// The body that is posted; without it the request is a GET.
    pub(crate) body: Option<Arc<Value>>,
}

impl ProviderRequest {
    pub(crate) fn post(path: impl Into<String>, body: Value) -> ProviderRequest {
        ProviderRequest { path: path.into(), body: Some(Arc::new(body)) }
    }

    pub(crate) fn get(path: impl Into<String>) -> ProviderRequest {
        ProviderRequest { path: path.into(), body: None }
    }
}

/// The head of an answer, and its bytes as they come.
pub(crate) struct ProviderResponse {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The `Retry-After` header.
    pub(crate) retry_after: Option<Duration>,
    /// The body. An error is the reason the connection broke.
    pub(crate) body: BoxStream<'static, Result<Bytes, String>>,
}

/// An answer in one wire format, as its frames come in.
pub(crate) trait AnswerDecoder: Send + 'static {
    /// The provider's name for the answer that `frame` is part of.
    fn response_id(frame: &Value) -> Option<&str>;

    /// Take in one frame; the parts it brings.
    fn take(&mut self, frame: &Value) -> Result<Vec<MessagePart>, ModelError>;

    /// The stream is over: the closing chunks, or why the answer cannot be used. Parts may still come first.
    fn end(self) -> Result<Vec<ModelChunk>, ModelError>;
}

/// Reads an error body of a provider.
pub(crate) type FaultReader = fn(Provider, &ProviderErrorAnswer) -> ModelError;
