//! Where conversations are kept: a file each, in a directory for each owner and workspace.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use pollux_session::Owner;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The most conversations that are kept for one workspace.
const MAX_SAVED: usize = 100;
/// The longest tag.
const MAX_TAG: usize = 64;
/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// A kept conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedChat {
    /// The model that answered last.
    pub(super) model: String,
    /// The conversation as text for the model.
    pub(super) text: String,
    /// The conversation as a person reads it; empty if an older release saved it.
    #[serde(default)]
    pub(super) shown: String,
}

/// What a kept conversation is called, and when it was kept, by the clock of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChatTag {
    pub(super) tag: String,
    pub(super) saved: Option<Zoned>,
}

/// The conversations of one owner in one workspace.
pub(super) struct ChatStore {
    directory: PathBuf,
}

impl ChatStore {
    pub(super) fn open(chats: &Path, owner: &Owner, workspace: &Path) -> ChatStore {
        let mut sha = Sha256::new();
        sha.update((owner.0.len() as u64).to_le_bytes());
        sha.update(owner.0.as_bytes());
        sha.update(workspace.as_os_str().as_encoded_bytes());
        let name: String = sha.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        ChatStore { directory: chats.join(name) }
    }

    pub(super) fn save(&self, tag: &str, kept: &SavedChat) -> Result<(), String> {
        let file = self.file(tag)?;
        if self.tags()?.len() >= MAX_SAVED {
            return Err(format!(
                "{MAX_SAVED} conversations are saved for this workspace already; /chat delete TAG makes room"
            ));
        }
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("a conversation is saved as {tag} already; choose another tag, or /chat delete {tag}")
            }
            _ => format!("the conversation could not be saved: {error}"),
        };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory).map_err(failed)?;
        // Whole or not there, and never in place of another one.
        let mut draft = tempfile::NamedTempFile::new_in(&self.directory).map_err(failed)?;
        let json = serde_json::to_vec(kept).map_err(|error| failed(error.into()))?;
        draft.write_all(&json).and_then(|()| draft.as_file().sync_all()).map_err(failed)?;
        draft.persist_noclobber(file).map(drop).map_err(|error| failed(error.error))
    }

    pub(super) fn read(&self, tag: &str) -> Result<SavedChat, String> {
        let file = self.file(tag)?;
        let failed = |error: std::io::Error| missing_or(tag, "read", &error);
        let json = match pollux_files::read_whole(&file, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                return Err(format!(
                    "the saved conversation {tag} is larger than {MAX_BYTES} bytes; it was not written by /chat"
                ));
            }
            read => read.map_err(failed)?,
        };
        serde_json::from_slice(&json).map_err(|error| {
            format!("the saved conversation {tag} is damaged ({error}); /chat delete {tag} deletes it")
        })
    }

    pub(super) fn delete(&self, tag: &str) -> Result<(), String> {
        fs::remove_file(self.file(tag)?).map_err(|error| missing_or(tag, "deleted", &error))
    }

    /// The tags there are, sorted.
    pub(super) fn tags(&self) -> Result<Vec<ChatTag>, String> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("saved conversations cannot be listed: {error}")),
        };
        let chat = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let tag = name.strip_suffix(".json").filter(|tag| is_tag(tag))?.to_owned();
            let changed = entry.metadata().and_then(|about| about.modified()).ok();
            let saved = changed.and_then(|at| Timestamp::try_from(at).ok()).map(|at| at.to_zoned(TimeZone::system()));
            Some(ChatTag { tag, saved })
        };
        let mut tags: Vec<ChatTag> = entries.flatten().filter_map(chat).collect();
        tags.sort_by(|one, other| one.tag.cmp(&other.tag));
        Ok(tags)
    }

    fn file(&self, tag: &str) -> Result<PathBuf, String> {
        if !is_tag(tag) {
            return Err(format!(
                "`{tag}` is no tag: use at most {MAX_TAG} letters, digits, dots, dashes and underscores, and no dot first"
            ));
        }
        Ok(self.directory.join(format!("{tag}.json")))
    }
}

fn is_tag(tag: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    !tag.is_empty() && tag.len() <= MAX_TAG && !tag.starts_with('.') && tag.chars().all(letter)
}

fn missing_or(tag: &str, what: &str, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("no conversation is saved as {tag}; /chat list shows what is"),
        _ => format!("the saved conversation {tag} could not be {what}: {error}"),
    }
}

#[cfg(test)]
mod tests;
