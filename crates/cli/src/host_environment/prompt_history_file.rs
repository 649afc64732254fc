//! Prompts of earlier sessions: one JSON string a line, in a file that only the person can read.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The most bytes of the file that are read; older prompts are forgotten.
const READ_BYTES: u64 = 1024 * 1024;
/// A prompt longer than this is a document, not something to recall.
const PROMPT_BYTES: usize = 16 * 1024;
/// A file that has grown beyond this is cut down to what is read of it.
const MAX_FILE_BYTES: u64 = 4 * READ_BYTES;

/// The file.
pub(super) struct PromptHistoryFile {
    path: PathBuf,
}

impl PromptHistoryFile {
    pub(super) fn in_dir(data_dir: &Path) -> PromptHistoryFile {
        PromptHistoryFile { path: data_dir.join("prompts.jsonl") }
    }

    /// The newest prompts, oldest first. Lines that cannot be read are passed over.
    pub(super) fn read(&self) -> Vec<String> {
        let text = self.tail().unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Add one. A history that cannot be kept is no reason to stop anybody.
    pub(super) fn add(&self, prompt: &str) {
        if prompt.len() > PROMPT_BYTES {
            return;
        }
        if let Err(error) = self.append(prompt) {
            tracing::debug!(%error, "the prompt is not kept for later sessions");
        }
    }

    fn append(&self, prompt: &str) -> std::io::Result<()> {
        if let Some(dir) = self.path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        let line = serde_json::Value::from(prompt).to_string() + "\n";
        // In one piece: terminals that run side by side write here too.
        file.write_all(line.as_bytes())?;
        if file.metadata()?.len() > MAX_FILE_BYTES {
            let kept = self.tail()?;
            let mut fresh = tempfile::NamedTempFile::new_in(self.path.parent().unwrap_or(Path::new(".")))?;
            fresh.write_all(kept.as_bytes())?;
            fresh.persist(&self.path).map_err(|error| error.error)?;
        }
        Ok(())
    }

    /// The end of the file, whole lines only.
    fn tail(&self) -> std::io::Result<String> {
        let mut file = pollux_files::open_regular(&self.path)?;
        let start = file.metadata()?.len().saturating_sub(READ_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(READ_BYTES).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(match start {
            0 => text.into_owned(),
            _ => text.split_once('\n').map(|(_, whole)| whole.to_owned()).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn prompts_come_back_and_odd_lines_are_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let history = PromptHistoryFile::in_dir(dir.path());
        assert_eq!(history.read(), [""; 0]);
        history.add("one\ntwo");
        std::fs::OpenOptions::new().append(true).open(&history.path).unwrap().write_all(b"{broken\n").unwrap();
        history.add("three");
        history.add(&"x".repeat(PROMPT_BYTES + 1));
        assert_eq!(history.read(), ["one\ntwo", "three"]);
        assert_eq!(std::fs::metadata(&history.path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_old_file_is_cut_down_to_its_newest_prompts() {
        let dir = tempfile::tempdir().unwrap();
        let history = PromptHistoryFile::in_dir(dir.path());
        let long = "y".repeat(PROMPT_BYTES - 16);
        for _ in 0..=(MAX_FILE_BYTES as usize / long.len() + 1) {
            history.add(&long);
        }
        history.add("newest");
        assert!(std::fs::metadata(&history.path).unwrap().len() < MAX_FILE_BYTES);
        assert_eq!(history.read().last().map(String::as_str), Some("newest"));
    }
}
