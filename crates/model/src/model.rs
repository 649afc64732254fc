//! The trait every engine implements, and what goes in and comes out.

use crate::content::{MessagePart, ModelMessage};
use crate::error::ModelError;
use crate::info::{ModelInfo, OfferedModel};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use pollux_session::ModelUsage;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// An engine that answers.
pub trait Model: Send + Sync {
    /// Its description.
    fn info(&self) -> ModelInfo;

    /// Start one model call.
    ///
    /// Trouble before the first byte of an answer is retried inside, and each wait is announced by
    /// [`ModelChunk::Retrying`]. Trouble after that is an error whose [class](ModelError::class) says whether asking again
    /// may help: only the caller knows what it has shown already. An error is always the last item. Dropping the
    /// stream cancels the call.
    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>>;

    /// The number of tokens of a request, by the provider's own count. `None` where it does not count: estimate then.
    fn count_tokens(&self, request: ModelRequest) -> BoxFuture<'static, Result<Option<u64>, ModelError>> {
        drop(request);
        std::future::ready(Ok(None)).boxed()
    }

    /// The models that the same provider offers.
    fn list_models(&self) -> BoxFuture<'static, Result<Vec<OfferedModel>, ModelError>> {
        std::future::ready(Err(ModelError::Unsupported { model: self.info().id, what: "list models" })).boxed()
    }

    /// Search the web and answer `query` from what is found.
    fn search(&self, query: &str) -> BoxFuture<'static, Result<GroundedAnswer, ModelError>> {
        let _ = query;
        std::future::ready(Err(ModelError::Unsupported { model: self.info().id, what: "search the web" })).boxed()
    }

    /// Have the provider read the addresses that `prompt` names, and answer it from them. The provider fetches: vet the
    /// addresses before.
    fn read_urls(&self, prompt: &str) -> BoxFuture<'static, Result<GroundedAnswer, ModelError>> {
        let _ = prompt;
        std::future::ready(Err(ModelError::Unsupported { model: self.info().id, what: "read web pages" })).boxed()
    }
}

/// One model call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// The instructions of the model. May be empty.
    pub system: String,
    /// The conversation, oldest first. Neighbours of one role are merged before they are sent.
    pub contents: Vec<ModelMessage>,
    /// The tools it is told of.
    pub tools: Vec<ToolDeclaration>,
    pub tool_choice: ToolChoice,
}

/// Whether a model may call the tools that it is told of. They are declared either way: what a provider has kept of the
/// conversation begins with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it sees fit.
    #[default]
    Auto,
    /// It answers with text. Not every engine obeys: who asks for this ignores calls.
    None,
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    pub name: String,
    /// Its description, for the model.
    pub description: String,
    /// Its arguments, as a JSON schema. Shared: it is told with every call.
    pub parameters: Arc<Value>,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelChunk {
    /// The provider has begun to answer. At most once and before any parts; never where the provider names no id.
    Response {
        /// The provider's name for this answer.
        id: String,
    },
    /// Text, thoughts and calls, as received. A function call always has an id here: one is made when the provider
    /// sent none, unique in the conversation, and left out again when the call is sent back.
    Parts(Vec<MessagePart>),
    /// The tokens of the call. Once, near the end.
    Usage(ModelUsage),
    /// Sources the answer cites, one line each. Once, near the end.
    Citations(Vec<String>),
    /// The provider could not be reached or was busy; the call is tried again after a wait.
    Retrying {
        /// Why, in words.
        reason: String,
        /// The number of the attempt that comes next, from 2.
        attempt: u32,
        wait: Duration,
    },
    /// The answer is complete. The last chunk of a good stream.
    Finish {
        /// Why the model stopped: `STOP`, `MAX_TOKENS`, `SAFETY`, or any other word the provider uses.
        reason: String,
    },
}

/// An answer from the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundedAnswer {
    /// The answer; `[1]` behind a passage means the first of the sources.
    pub text: String,
    pub sources: Vec<WebSource>,
    /// The addresses that could not be read, and the provider's word for why (`URL_RETRIEVAL_STATUS_ERROR`).
    pub unread: Vec<(String, String)>,
    pub usage: ModelUsage,
}

/// A page an answer rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSource {
    /// Its title. May be empty.
    pub title: String,
    /// Where it is.
    pub uri: String,
}
