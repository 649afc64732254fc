//! The thread that owns the weights: it loads them for the first request and answers one request after the other.

use super::answer::{Answer, AnswerForm, ParsedCall};
use super::fault::GgufError;
use super::file::fits;
use super::grammar::{ROOT, grammar};
use super::pick::Picker;
use super::prompt::{Message, manner, messages};
use crate::answer_tally::{AnswerTally, ContinuationPoint};
use crate::content::{MADE, MessagePart, MessageRole, PartData};
use crate::error::ModelError;
use crate::model::{ModelChunk, ModelRequest, ToolChoice};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::{DecodeError, LogOptions, send_logs_to_tracing};
use pollux_session::ModelUsage;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::mpsc::Receiver;
use tokio::sync::mpsc;

/// The tokens of a prompt that are read between two checks that somebody still waits.
const STRIDE: usize = 128;
/// The longest answer, in tokens.
const LONGEST: usize = 4096;
/// The tokens that must be left of the window for an answer to be worth beginning.
const ROOM: usize = 64;
/// The template for files that bring none, or one that llama.cpp does not know.
const FALLBACK: &str = "chatml";

/// A file of weights to load.
pub(super) struct Weights {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// The most tokens of a conversation.
    pub(super) window: u32,
}

impl Weights {
    /// An error about this file.
    pub(super) fn fault(&self, why: GgufError) -> ModelError {
        ModelError::Gguf { path: self.path.display().to_string(), why }
    }
}

/// A request, and where its answer goes.
pub(super) struct Job {
    pub(super) request: ModelRequest,
    pub(super) out: mpsc::Sender<Result<ModelChunk, ModelError>>,
}

/// Why an answer ended early.
enum Stop {
    /// Nobody waits for it any more.
    Gone,
    Fault(ModelError),
}

impl From<ModelError> for Stop {
    fn from(error: ModelError) -> Stop {
        Stop::Fault(error)
    }
}

/// llama.cpp writes to the terminal unless told not to.
pub(super) fn quiet() {
    static QUIET: OnceLock<()> = OnceLock::new();
    QUIET.get_or_init(|| send_logs_to_tracing(LogOptions::default().with_logs_enabled(false)));
}

/// Answer what comes over `jobs` until its other end is gone.
pub(super) fn work(weights: &Weights, jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        // What cannot be loaded now may be later: memory comes free, a download ends.
        let model = match load(weights) {
            Ok(model) => model,
            Err(why) => {
                let _ = job.out.blocking_send(Err(weights.fault(why)));
                continue;
            }
        };
        let mut loaded = match LoadedModel::new(weights, &model) {
            Ok(loaded) => loaded,
            Err(why) => {
                let _ = job.out.blocking_send(Err(weights.fault(why)));
                continue;
            }
        };
        loaded.answer(job);
        while let Ok(job) = jobs.recv() {
            loaded.answer(job);
        }
    }
}

/// llama.cpp itself, which is started once in a process.
fn backend() -> Result<&'static LlamaBackend, GgufError> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    quiet();
    let started = BACKEND.get_or_init(|| LlamaBackend::init().map_err(|error| error.to_string()));
    started.as_ref().map_err(|error| GgufError::Failed(error.clone()))
}

fn load(weights: &Weights) -> Result<LlamaModel, GgufError> {
    fits(weights.bytes, std::fs::read_to_string("/proc/meminfo").ok().as_deref())?;
    // The file may have gone since it was named.
    super::file::check(&weights.path)?;
    let params = LlamaModelParams::default();
    LlamaModel::load_from_file(backend()?, &weights.path, &params).map_err(|_| GgufError::NotLoaded)
}

/// Weights in memory, and the conversation they have read.
struct LoadedModel<'m> {
    weights: &'m Weights,
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    /// The tokens that the context has read, so that the next request reads only what is new.
    read: Vec<LlamaToken>,
    template: LlamaChatTemplate,
    /// The spelling of the tokens that begin and end messages.
    marks: Vec<String>,
}

impl<'m> LoadedModel<'m> {
    fn new(weights: &'m Weights, model: &'m LlamaModel) -> Result<LoadedModel<'m>, GgufError> {
        let threads = std::thread::available_parallelism().map_or(4, |count| i32::try_from(count.get()).unwrap_or(4));
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(weights.window))
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let no_room = |_| GgufError::NoRoom { window: weights.window };
        let context = model.new_context(backend()?, params).map_err(no_room)?;
        let fallback = LlamaChatTemplate::new(FALLBACK).map_err(|error| GgufError::Failed(error.to_string()))?;
        let template = model.chat_template(None).unwrap_or(fallback);
        let vocab = model.vocab();
        let controls = vocab.tokens().filter(|token| vocab.is_control(*token));
        let spelt =
            controls.map(|token| String::from_utf8_lossy(&vocab.token_to_piece(token, true, None)).into_owned());
        let marks = spelt.filter(|mark| mark.chars().count() > 2).collect();
        Ok(LoadedModel { weights, model, context, read: Vec::new(), template, marks })
    }

    fn answer(&mut self, job: Job) {
        let Job { request, out } = job;
        match self.run(request, &out) {
            Ok(()) | Err(Stop::Gone) => {}
            Err(Stop::Fault(error)) => {
                // Nobody knows how much of the last piece was read.
                self.context.clear_kv_cache();
                self.read.clear();
                let _ = out.blocking_send(Err(error));
            }
        }
    }

    fn run(&mut self, request: ModelRequest, out: &mpsc::Sender<Result<ModelChunk, ModelError>>) -> Result<(), Stop> {
        let send = |chunk: ModelChunk| out.blocking_send(Ok(chunk)).map_err(|_| Stop::Gone);
        let turn = request.contents.iter().filter(|content| content.role == MessageRole::Model).count();
        let mut tally = AnswerTally::new(ContinuationPoint::of(&request.contents));
        let manner = manner(&request);
        let callable = match request.tool_choice {
            ToolChoice::Auto => request.tools.as_slice(),
            ToolChoice::None => &[],
        };
        let rules = (manner == AnswerForm::Formed).then(|| grammar(callable));
        let picker = Picker::new(self.model, rules.as_deref().map(|rules| (rules, ROOT)));
        let mut picker = picker.map_err(|why| self.weights.fault(why))?;

        let prompt = self.tokens(messages(request)).map_err(|why| self.weights.fault(why))?;
        let window = self.weights.window as usize;
        if prompt.len() + ROOM > window {
            let why = GgufError::TooLong { prompt: prompt.len(), window: self.weights.window };
            return Err(self.weights.fault(why).into());
        }
        let cached = self.read_prompt(&prompt, out)?;
        let longest = LONGEST.min(window - prompt.len());
        let mut answer = Answer::new(manner);
        let mut written = 0;
        let vocab = self.model.vocab();
        let reason = loop {
            let token = picker.pick(&self.context);
            if vocab.is_eog(token) {
                break "STOP";
            }
            if written == longest {
                break "MAX_TOKENS";
            }
            written += 1;
            let text = answer.take(&vocab.token_to_piece(token, false, None));
            if !text.is_empty() {
                let part = MessagePart::text(text);
                tally.add(&part);
                send(ModelChunk::Parts(vec![part]))?;
            } else if out.is_closed() {
                return Err(Stop::Gone);
            }
            self.decode(&[token])?;
        };
        if let Some(ParsedCall { name, args }) = answer.end()? {
            let call = MessagePart::from(PartData::FunctionCall { id: Some(format!("{MADE}{turn}-1")), name, args });
            tally.add(&call);
            send(ModelChunk::Parts(vec![call]))?;
        }
        if let Some(flaw) = tally.flaw(Some(reason)) {
            return Err(ModelError::Malformed { flaw }.into());
        }
        let usage =
            ModelUsage { prompt: prompt.len() as u64, cached: cached as u64, output: written as u64, thoughts: 0 };
        send(ModelChunk::Usage(usage))?;
        send(ModelChunk::Finish { reason: reason.to_owned() })
    }

    /// The conversation in the model's own notation, as tokens.
    fn tokens(&self, messages: Vec<Message>) -> Result<Vec<LlamaToken>, GgufError> {
        let failed = |error: &dyn std::fmt::Display| GgufError::Failed(error.to_string());
        let chat = messages.into_iter().map(|message| {
            LlamaChatMessage::new(message.role.to_owned(), self.harmless(&message.text)).map_err(|error| failed(&error))
        });
        let chat = chat.collect::<Result<Vec<_>, GgufError>>()?;
        let text = match self.model.apply_chat_template(&self.template, &chat, true) {
            Ok(text) => text,
            Err(_) => {
                let fallback = LlamaChatTemplate::new(FALLBACK).map_err(|error| failed(&error))?;
                self.model.apply_chat_template(&fallback, &chat, true).map_err(|error| failed(&error))?
            }
        };
        Ok(self.model.vocab().tokenize(text.as_bytes(), true, true))
    }

    /// Text that cannot end a message or begin one: what a file says must not become a turn of its own.
    fn harmless(&self, text: &str) -> String {
        let text = text.replace('\0', "\u{fffd}");
        self.marks.iter().fold(text, |text, mark| match mark.char_indices().nth(1) {
            Some((second, _)) if text.contains(mark) => {
                let (first, rest) = mark.split_at(second);
                text.replace(mark, &format!("{first} {rest}"))
            }
            _ => text,
        })
    }

    /// Read a prompt, beginning where it differs from what was read before. How many tokens were known already.
    fn read_prompt(
        &mut self,
        prompt: &[LlamaToken],
        out: &mpsc::Sender<Result<ModelChunk, ModelError>>,
    ) -> Result<usize, Stop> {
        let same = prompt.iter().zip(&self.read).take_while(|(new, old)| new == old).count();
        // The last token is read in any case: what follows it is wanted.
        let mut known = same.min(prompt.len().saturating_sub(1));
        let from = u32::try_from(known).unwrap_or(u32::MAX);
        if self.context.kv_cache_seq_rm(0, Some(from), None).is_err() {
            self.context.clear_kv_cache();
            known = 0;
        }
        self.read.truncate(known);
        for piece in prompt.get(known..).unwrap_or_default().chunks(STRIDE) {
            if out.is_closed() {
                return Err(Stop::Gone);
            }
            self.decode(piece)?;
        }
        Ok(known)
    }

    fn decode(&mut self, tokens: &[LlamaToken]) -> Result<(), ModelError> {
        let failed = |error: &dyn std::fmt::Display| self.weights.fault(GgufError::Failed(error.to_string()));
        let mut batch = LlamaBatch::new(tokens.len(), 1);
        for (at, token) in tokens.iter().enumerate() {
            let position = i32::try_from(self.read.len() + at).unwrap_or(i32::MAX);
            let is_last = at + 1 == tokens.len();
            batch.add(*token, position, &[0], is_last).map_err(|error| failed(&error))?;
        }
        let decoded = self.context.decode(&mut batch);
        decoded.map_err(|error| match error {
            DecodeError::NoKvCacheSlot => {
                let prompt = self.read.len() + tokens.len();
                self.weights.fault(GgufError::TooLong { prompt, window: self.weights.window })
            }
            other => failed(&other),
        })?;
        self.read.extend_from_slice(tokens);
        Ok(())
    }
}
