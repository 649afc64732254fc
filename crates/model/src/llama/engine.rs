//! The engine as a [`Model`]: requests go to one thread that owns the weights, answers come back over a channel.

use super::WORD;
use super::fault::GgufError;
use super::file::{check, window};
use super::worker::{Job, Weights, work};
use crate::emit;
use crate::error::ModelError;
use crate::info::{InstructionProfile, ModelInfo, ModelNature};
use crate::model::{Model, ModelChunk, ModelRequest};
use crate::settings::EnvLookup;
use futures_util::stream::BoxStream;
use llama_cpp_2::gguf::GgufContext;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

/// The most chunks that may wait for a slow reader before the engine pauses.
const AHEAD: usize = 16;

/// A GGUF file that answers.
pub(crate) struct Llama {
    info: ModelInfo,
    weights: Arc<Weights>,
    /// Where requests go, once there was one. The thread ends when this is dropped.
    jobs: Mutex<Option<Sender<Job>>>,
}

impl Llama {
    /// The engine for a file. Only its head is read.
    pub(crate) fn open(path: &str, env: EnvLookup<'_>) -> Result<Llama, GgufError> {
        let file = PathBuf::from(path);
        let bytes = check(&file)?;
        super::worker::quiet();
        let head = GgufContext::from_file(&file).ok_or(GgufError::NotLoaded)?;
        let window = window(trained(&head), env)?;
        let name = text(&head, "general.name").unwrap_or_else(|| file_name(&file));
        let info = ModelInfo {
            id: format!("{WORD}{path}"),
            label: format!("{name}, on this machine"),
            nature: ModelNature::Real,
            context_window: Some(window.into()),
            prices: None,
            profile: InstructionProfile::Short,
            media: &[],
            searches_web: false,
        };
        Ok(Llama { info, weights: Arc::new(Weights { path: file, bytes, window }), jobs: Mutex::default() })
    }

    /// Hand a job to the thread, starting it if there is none or the last one fell.
    fn hand(&self, job: Job) -> Result<(), ModelError> {
        let mut jobs = self.jobs.lock();
        let job = match jobs.as_ref() {
            Some(thread) => match thread.send(job) {
                Ok(()) => return Ok(()),
                Err(unsent) => unsent.0,
            },
            None => job,
        };
        let (sender, receiver) = channel();
        let weights = self.weights.clone();
        let thread = std::thread::Builder::new().name("gguf".to_owned());
        let started = thread.spawn(move || work(&weights, &receiver));
        started.map_err(|error| self.weights.fault(GgufError::Failed(error.to_string())))?;
        let _ = sender.send(job);
        *jobs = Some(sender);
        Ok(())
    }
}

impl Model for Llama {
    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        // Dropping the stream drops the receiver, and the thread sees that nobody listens any more.
        let (out, mut answers) = tokio::sync::mpsc::channel(AHEAD);
        let handed = self.hand(Job { request, out });
        let weights = self.weights.clone();
        emit::stream(move |emit| async move {
            handed?;
            let mut finished = false;
            while let Some(answer) = answers.recv().await {
                let chunk = answer?;
                finished |= matches!(chunk, ModelChunk::Finish { .. });
                emit.chunk(chunk).await;
            }
            let cut = || weights.fault(GgufError::Failed("it ended in the middle of an answer".to_owned()));
            if finished { Ok(()) } else { Err(cut()) }
        })
    }
}

/// The number of tokens that the model was trained for.
fn trained(head: &GgufContext) -> Option<u32> {
    let key = format!("{}.context_length", text(head, "general.architecture")?);
    let at = head.find_key(&key);
    (at >= 0 && head.kv_type(at) == UINT32).then(|| head.val_u32(at))
}

/// GGUF's number for an unsigned integer of 32 bits.
const UINT32: u32 = 4;
/// GGUF's number for a text.
const TEXT: u32 = 8;

fn text(head: &GgufContext, key: &str) -> Option<String> {
    let at = head.find_key(key);
    let is_text = at >= 0 && head.kv_type(at) == TEXT;
    if is_text { head.val_str(at).map(str::to_owned) } else { None }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
