//! Answers from a file, one line per model call: `--model script:FILE`.
//!
//! A superset of gemini-cli's `.responses` files. A line becomes the bytes a Gemini server would send, and those go
//! through the same decoding and retries as the network's. [`ScriptLine`] documents the keys, [`ScriptModel::pick`] which line
//! answers which call.

mod expect;
mod line;
mod playback;
mod positions;

pub use line::{ConnectionCut, HistoryEffect, ScriptLine};
pub use playback::{PlaybackEnding, ScriptPlayback};

use crate::error::ModelError;
use crate::gemini::{self, body};
use crate::info::{ModelInfo, ModelNature};
use crate::model::{Model, ModelChunk, ModelRequest};
use crate::provider::Provider;
use crate::transport::{BackoffPolicy, ModelTransport, ProviderLink, ProviderRequest, ProviderResponse};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use positions::ScriptPositions;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// The longest script that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A script, ready to answer.
pub struct ScriptModel {
    id: String,
    lines: Arc<ScriptPositions>,
}

/// Why a script cannot be used. Lines are counted from 1, blank ones included.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read it: {0}")]
    Read(#[from] std::io::Error),
    /// There is nothing in it to answer with.
    #[error("it has no generateContentStream line")]
    Empty,
    /// A line is not what a line should be.
    #[error("line {line}: {why}")]
    Line { line: usize, why: String },
}

/// A difference between a script and the conversation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ScriptMismatch {
    /// There is no line for this call.
    #[error("the script ran out: call {call} has no line; add one, or \"repeat\": true to the last")]
    RanOut {
        /// Which call of the conversation, from 1.
        call: usize,
    },
    /// An expectation of the line does not hold.
    #[error("script line {line} does not fit: {why}")]
    Unmet {
        line: usize,
        /// The expectation, and what there is instead.
        why: String,
    },
}

impl ScriptModel {
    /// Read a script from a file.
    pub fn load(path: &Path) -> Result<ScriptModel, LoadError> {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string());
        let file = std::fs::metadata(path)?;
        if file.is_file() && file.len() > MAX_BYTES {
            return Err(LoadError::Read(std::io::Error::other("it is too long for a script")));
        }
        if !file.is_file() && !file.is_dir() {
            return Err(LoadError::Read(std::io::Error::other("it is not a regular file")));
        }
        ScriptModel::parse(&name, &std::fs::read_to_string(path)?)
    }

    /// Read a script from text.
    pub fn parse(name: &str, text: &str) -> Result<ScriptModel, LoadError> {
        Ok(ScriptModel { id: format!("script:{name}"), lines: Arc::new(ScriptPositions::new(line::parse(text)?)?) })
    }

    /// The line that answers a call whose request body is `body`. `model` is what the URL named, if there was one.
    ///
    /// The line is found from the conversation, so that a restart goes on where it was: with `n` contents of the
    /// model in `body`, it is the one after the first `n` lines that leave such a content behind. Lines that fail (an
    /// error status, `error`, `cut`, an unusable answer) leave none: they come before the answer they delay, one for
    /// each attempt of this process; an unfinished answer followed by [`GO_ON`](crate::GO_ON) does not count either.
    /// Once all lines are used, the last lines with `"repeat": true` go round and round.
    pub fn pick(&self, model: Option<&str>, body: &Value) -> Result<&ScriptLine, ScriptMismatch> {
        pick(&self.lines, model, body)
    }
}

fn pick<'a>(lines: &'a ScriptPositions, model: Option<&str>, body: &Value) -> Result<&'a ScriptLine, ScriptMismatch> {
    let line = lines.find(body)?;
    line.expect.check(model, body).map_err(|why| ScriptMismatch::Unmet { line: line.number, why })?;
    Ok(line)
}

impl Model for ScriptModel {
    fn info(&self) -> ModelInfo {
        let label = format!("{} (recorded answers, not an AI)", self.id);
        ModelInfo::unlimited(self.id.clone(), label, ModelNature::Script)
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let link = ProviderLink {
            provider: Provider::Gemini,
            transport: Arc::new(Player(self.lines.clone())),
            backoff: BackoffPolicy::script(),
            read_fault: gemini::read_fault,
        };
        // Its lines are found from the conversation alone: the rest need not be written down.
        let conversation = ModelRequest { contents: request.contents, ..ModelRequest::default() };
        let body = body(&self.id, None, conversation);
        let answer = gemini::Answer::to(&body);
        link.stream(ProviderRequest::post("", body), answer)
    }
}

/// Plays lines in place of a network.
struct Player(Arc<ScriptPositions>);

impl ModelTransport for Player {
    fn send(&self, ask: &ProviderRequest) -> BoxFuture<'static, Result<ProviderResponse, ModelError>> {
        let lines = self.0.clone();
        let body = ask.body.clone().unwrap_or_default();
        async move {
            let playback = pick(&lines, None, &body)?.playback();
            Ok(ProviderResponse {
                status: playback.status,
                retry_after: playback.retry_after(),
                body: playback.into_bytes(),
            })
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
