//! The text of memory files as a conversation began with it. The instructions hold it, so it stays as it is until the
//! conversation begins anew or a summary stands for its beginning: a provider keeps a request only as far as it begins like
//! the one before. What a call saves meanwhile is in that call's result.

use crate::memory::{self, MemorySettings};
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::{Seq, SessionId, Transcript, TranscriptLine};
use pollux_tools::{KeptFiles, run_file_work};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// The most sessions of which the text is remembered. For others the files are read again.
const MAX_SESSIONS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The memory of the sessions that worked last.
pub(crate) struct SessionMemories(Mutex<LruCache<SessionId, Arc<ConversationMemory>>>);

impl Default for SessionMemories {
    fn default() -> Self {
        SessionMemories(Mutex::new(LruCache::new(MAX_SESSIONS)))
    }
}

impl SessionMemories {
    pub(crate) fn of_session(&self, session: SessionId) -> Arc<ConversationMemory> {
        Arc::clone(self.0.lock().get_or_insert(session, Arc::default))
    }
}

/// What a conversation was told of memory files, once it was told.
#[derive(Default)]
pub(crate) struct ConversationMemory {
    loaded: tokio::sync::Mutex<Option<(ConversationStart, MemorySources, String)>>,
}

impl ConversationMemory {
    /// The text for the conversation that begins at `start`.
    pub(crate) async fn text(&self, start: ConversationStart, sources: &MemorySources, kept: KeptFiles) -> String {
        let mut loaded = self.loaded.lock().await;
        match loaded.as_ref() {
            Some((known_start, known_sources, text)) if *known_start == start && known_sources == sources => {
                text.clone()
            }
            _ => {
                let text = sources.clone().load(kept).await;
                *loaded = Some((start, sources.clone(), text.clone()));
                text
            }
        }
    }

    /// Have the files read again.
    pub(crate) async fn forget(&self) {
        *self.loaded.lock().await = None;
    }
}

/// What a conversation begins with, as it is told: its first turn, or the entry up to which a summary stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConversationStart {
    Turn(Option<Seq>),
    Summary(Seq),
}

impl ConversationStart {
    pub(crate) fn of(transcript: &Transcript) -> ConversationStart {
        if let Some((before, _)) = transcript.summary() {
            return ConversationStart::Summary(before);
        }
        // Prompts are told even while they wait, so the first of them says nothing.
        let turn = transcript.told().into_iter().find(|line| matches!(line, TranscriptLine::Turn { .. }));
        ConversationStart::Turn(turn.and_then(TranscriptLine::seq))
    }
}

/// Where memory is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemorySources {
    pub(crate) workspace: PathBuf,
    /// Directories that were added to the workspace.
    pub(crate) added: Vec<PathBuf>,
    pub(crate) settings: MemorySettings,
}

impl MemorySources {
    /// The text of the files now. They are read off the async threads.
    pub(crate) async fn load(self, kept: KeptFiles) -> String {
        if !memory::has_memory_files(&self.workspace, &self.added, &self.settings) {
            return String::new();
        }
        let load = run_file_work(move || memory::load(&self.workspace, &self.added, &self.settings, &kept));
        load.await.unwrap_or_else(|error| {
            tracing::warn!("memory files are left out: {error}");
            format!("[Memory files are left out: {error}]\n")
        })
    }
}
