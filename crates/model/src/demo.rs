//! The built-in offline engine: a deterministic parser for plain sentences. It is not an AI, and says so.
//!
//! It keeps nothing between calls. What is done already is read from the conversation, so a restart goes on in the
//! middle of a chain, and even in the middle of a sentence.

mod grammar;
mod progress;
mod reply;
mod sentences;
mod step;
mod words;

use crate::content::{GO_ON, MessagePart, MessageRole, ModelMessage, PartData, SIGNATURE};
use crate::error::ModelError;
use crate::info::{ModelInfo, ModelNature};
use crate::model::{Model, ModelChunk, ModelRequest};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use pollux_session::ModelUsage;
use reply::DemoReply;
use serde_json::{Map, Value};

/// The engine's name.
pub(crate) const ID: &str = "demo-offline-not-an-ai";

/// The signature on its calls, as Gemini has one, so that echoing really happens.
const SIGNED: &str = "offline-demo";

/// The offline engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct DemoModel;

impl DemoModel {
    /// The offline engine.
    pub fn new() -> DemoModel {
        DemoModel
    }
}

impl Model for DemoModel {
    fn info(&self) -> ModelInfo {
        let label = "offline demo, not an AI".to_owned();
        ModelInfo::unlimited(ID.to_owned(), label, ModelNature::Demo)
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        stream::iter(answer(&request.contents).into_iter().map(Ok)).boxed()
    }
}

/// The whole answer to a conversation.
fn answer(contents: &[ModelMessage]) -> Vec<ModelChunk> {
    let (contents, said) = unfinished(contents);
    let turn = contents.iter().filter(|content| content.role == MessageRole::Model).count();
    let DemoReply { thought, text, call } = reply::reply(contents);
    let text = if turn == 0 { format!("{}\n\n{text}", reply::BANNER) } else { text };
    let rest = text.strip_prefix(said.as_str()).unwrap_or(&text);

    let mut chunks = vec![ModelChunk::Parts(vec![MessagePart::thought(&thought)])];
    chunks.extend(pieces(rest).map(|piece| ModelChunk::Parts(vec![MessagePart::text(piece)])));
    let output = tokens(text.len()) + call.iter().map(|(_, args)| tokens(args.to_string().len())).sum::<u64>();
    if let Some((name, args)) = call {
        let data =
            PartData::FunctionCall { id: Some(format!("demo-{}", turn + 1)), name: name.name().to_owned(), args };
        let extra = Map::from_iter([(SIGNATURE.to_owned(), Value::from(SIGNED))]);
        chunks.push(ModelChunk::Parts(vec![MessagePart { data, thought: false, extra }]));
    }
    let prompt = contents.iter().flat_map(|content| &content.parts).map(size).sum();
    let usage = ModelUsage { prompt: tokens(prompt), cached: 0, output, thoughts: tokens(thought.len()) };
    chunks.push(ModelChunk::Usage(usage));
    chunks.push(ModelChunk::Finish { reason: "STOP".to_owned() });
    chunks
}

/// The contents without an answer that broke off, and what had been said of it.
fn unfinished(contents: &[ModelMessage]) -> (&[ModelMessage], String) {
    match contents {
        [before @ .., model, last]
            if model.role == MessageRole::Model && last.parts == ModelMessage::user(GO_ON).parts =>
        {
            let texts = model.parts.iter().filter(|part| !part.thought).map(|part| match &part.data {
                PartData::Text(text) => text.as_str(),
                PartData::FunctionCall { .. } | PartData::FunctionResponse { .. } | PartData::Other(_) => "",
            });
            (before, texts.collect())
        }
        _ => (contents, String::new()),
    }
}

/// Text as it would stream: a few words at a time.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let spaces = rest.match_indices([' ', '\n']).map(|(at, _)| at + 1);
        let cut = spaces.into_iter().find(|at| *at >= 32).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(cut);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The size of a part, in bytes.
fn size(part: &MessagePart) -> usize {
    match &part.data {
        PartData::Text(text) => text.len(),
        PartData::FunctionCall { args: value, .. } | PartData::FunctionResponse { response: value, .. } => {
            value.to_string().len()
        }
        PartData::Other(fields) => fields.len(),
    }
}

/// The usual estimate: four bytes a token.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

#[cfg(test)]
mod tests;
