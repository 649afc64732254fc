//! Standard output and standard error as one sequence: on a terminal they meet, and what was told first stands first.

use std::collections::VecDeque;
use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Two streams and what they have not taken yet, in order. A write that is dropped half way goes on with the next one,
/// so that a line of JSON stays whole.
pub(super) struct OutputStreams<O, E> {
    output: O,
    errors: E,
    pending: VecDeque<(OutputTarget, Vec<u8>)>,
}

/// Where something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputTarget {
    Output,
    Errors,
}

impl<O: AsyncWrite + Unpin, E: AsyncWrite + Unpin> OutputStreams<O, E> {
    pub(super) fn new(output: O, errors: E) -> Self {
        OutputStreams { output, errors, pending: VecDeque::new() }
    }

    /// Have `text` written after all that waits.
    pub(super) fn push(&mut self, to: OutputTarget, text: String) {
        if text.is_empty() {
            return;
        }
        match self.pending.back_mut() {
            Some((last, bytes)) if *last == to => bytes.extend_from_slice(text.as_bytes()),
            _ => self.pending.push_back((to, text.into_bytes())),
        }
    }

    /// Write all that waits.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        while let Some((to, bytes)) = self.pending.front_mut() {
            match to {
                OutputTarget::Output => drain(&mut self.output, bytes).await?,
                OutputTarget::Errors => drain(&mut self.errors, bytes).await?,
            }
            self.pending.pop_front();
        }
        Ok(())
    }
}

async fn drain(writer: &mut (impl AsyncWrite + Unpin), bytes: &mut Vec<u8>) -> io::Result<()> {
    while !bytes.is_empty() {
        match writer.write(bytes).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => drop(bytes.drain(..count)),
        }
    }
    writer.flush().await
}
