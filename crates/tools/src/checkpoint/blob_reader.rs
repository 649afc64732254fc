//! Reads the content of files from a repository, one after the other.

use super::error::CheckpointError;
use super::scan::MAX_BYTES;
use super::shadow_repository::ShadowRepository;
use crate::process::{OwnGroup, OwnProgram};
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// A git that hands out what it is asked for.
pub(super) struct GitBlobReader {
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Kept open, so that git does not fail when it has something to say.
    _complaints: ChildStderr,
    _group: OwnGroup,
}

impl GitBlobReader {
    pub(super) fn open(shadow: &ShadowRepository) -> Result<GitBlobReader, CheckpointError> {
        let OwnProgram { input, output, errors, group } =
            shadow.start(&["cat-file", "--batch"]).map_err(|error| read_error(error.to_string()))?;
        Ok(GitBlobReader { ask: input, answers: BufReader::new(output), _complaints: errors, _group: group })
    }

    /// The bytes that have this id.
    pub(super) async fn read(&mut self, id: &str) -> Result<Vec<u8>, CheckpointError> {
        self.exchange(id).await.map_err(|error| read_error(error.to_string()))
    }

    async fn exchange(&mut self, id: &str) -> io::Result<Vec<u8>> {
        self.ask.write_all(format!("{id}\n").as_bytes()).await?;
        self.ask.flush().await?;
        let mut head = String::new();
        self.answers.read_line(&mut head).await?;
        // `ID blob LENGTH`, or `ID missing`.
        let mut words = head.split_whitespace().skip(1);
        let len = match (words.next(), words.next().map(str::parse::<u64>)) {
            (Some("blob"), Some(Ok(len))) if len <= MAX_BYTES => len,
            _ => return Err(io::Error::other(format!("it is damaged: {}", head.trim()))),
        };
        let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
        self.answers.read_exact(&mut bytes).await?;
        // A line end follows.
        self.answers.read_u8().await?;
        Ok(bytes)
    }
}

fn read_error(said: String) -> CheckpointError {
    CheckpointError::Git { doing: "read a checkpoint", said }
}
