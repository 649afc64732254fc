//! Why a GGUF file cannot answer.

use thiserror::Error;

/// Why a GGUF file cannot answer. Each message says what to do next.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GgufError {
    /// This program was built without the engine.
    #[error(
        "this build has no engine for GGUF files; build one with `cargo build --release --features local-llm` \
         (docs/LOCAL.md), or serve the file with llama.cpp and use llamacpp:NAME"
    )]
    NotBuilt,
    /// There is no such file.
    #[error("there is no such file; write gguf: and the path of a file that ends in .gguf")]
    Missing,
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The file is something else.
    #[error("it is not a GGUF file; convert the model to GGUF, or download it in that format")]
    NotGguf,
    /// `POLLUX_GGUF_CONTEXT` is not a number of tokens.
    #[error("POLLUX_GGUF_CONTEXT {0:?} is not a number of tokens from 512 on; write it like 8192, or leave it out")]
    Window(String),
    /// llama.cpp does not take the file.
    #[error("llama.cpp cannot load it: it is damaged, or of a kind that this version does not know; try another file")]
    NotLoaded,
    /// The machine is too small for it.
    #[error("it needs about {needed_mib} MiB of memory and {free_mib} are free; use a smaller file, or end something")]
    TooLarge { needed_mib: u64, free_mib: u64 },
    /// There is no memory for the conversation beside the weights.
    #[error(
        "there is no memory for a conversation of {window} tokens; set POLLUX_GGUF_CONTEXT to fewer, or use a smaller \
         file"
    )]
    NoRoom {
        /// The number of tokens that was wanted.
        window: u32,
    },
    /// The conversation is longer than the model's window.
    #[error(
        "the conversation has {prompt} tokens and the model takes {window} with its answer; compact it, start a new \
         session, or choose another model with -m"
    )]
    TooLong {
        /// Its tokens.
        prompt: usize,
        /// The most tokens that there may be.
        window: u32,
    },
    /// The engine failed at work.
    #[error("the engine failed: {0}; try again, or choose another model with -m")]
    Failed(String),
}
