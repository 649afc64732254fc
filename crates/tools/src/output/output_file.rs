//! Files of a session that hold what a model was not shown of an output. Other than blobs, which are kept for people as
//! they were printed, they hold the text that the model is shown a part of.

use super::whole::OutputSink;
use super::{OutputSpool, OutputStore};
use crate::pluralize::pluralize;
use pollux_session::{BuiltInTool, CallId, SessionId};
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The most bytes of one file. What is printed beyond it is not in the file.
pub(crate) const MAX_OUTPUT_FILE: u64 = 64 * 1024 * 1024;

/// Which output a file is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputFileKey {
    pub(crate) session: SessionId,
    pub(crate) call: CallId,
}

/// A file that is being written, up to its limit.
pub(crate) struct OutputFileWriter {
    file: File,
    written: OutputFile,
}

/// A file that a model can open. Displayed, it is the sentence about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputFile {
    path: PathBuf,
    bytes: u64,
    lines: u64,
    /// True if there was more than the file may hold.
    is_full: bool,
}

impl OutputFileWriter {
    pub(crate) fn create(store: &dyn OutputStore, key: OutputFileKey) -> io::Result<OutputFileWriter> {
        let name = format!("{}.txt", key.call);
        let (file, path) = store.create_file(key.session, &name, MAX_OUTPUT_FILE)?;
        Ok(OutputFileWriter { file, written: OutputFile { path, bytes: 0, lines: 0, is_full: false } })
    }

    pub(crate) fn finish(self) -> OutputFile {
        self.written
    }
}

impl OutputSink for OutputFileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(MAX_OUTPUT_FILE - self.written.bytes).unwrap_or(usize::MAX);
        let fits = &bytes[..bytes.len().min(room)];
        self.file.write_all(fits)?;
        self.written.bytes += fits.len() as u64;
        self.written.lines += fits.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.written.is_full |= fits.len() < bytes.len();
        Ok(())
    }
}

impl OutputSink for Box<dyn OutputSpool> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).write(bytes)
    }
}

impl fmt::Display for OutputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = match self.is_full {
            false => "The whole output",
            true => "The beginning of the output",
        };
        let lines = pluralize(usize::try_from(self.lines).unwrap_or(usize::MAX), "line", "lines");
        let (read, search) = (BuiltInTool::ReadFile.name(), BuiltInTool::GrepSearch.name());
        let path = self.path.display();
        write!(
            f,
            "[{extent} ({} bytes, {lines}) is in the file `{path}`, which {read} and {search} can open.]",
            self.bytes
        )
    }
}

/// Keep all of `text` in a file for the model; `None` if that fails.
pub(crate) fn keep_text(store: &Arc<dyn OutputStore>, key: OutputFileKey, text: &str) -> Option<OutputFile> {
    let keep = || {
        let mut writer = OutputFileWriter::create(store.as_ref(), key)?;
        writer.write(text.as_bytes())?;
        io::Result::Ok(writer.finish())
    };
    keep().inspect_err(|error| tracing::warn!(%error, "the output of a call could not be kept for the model")).ok()
}
