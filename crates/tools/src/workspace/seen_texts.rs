//! The texts of files as models were shown them, so that a change since then can be told. They are kept in memory only: the log has
//! their digests, and without a text a change is told without its lines.

use super::{Workspace, WorkspacePath};
use crate::excerpt::ExcerptBuilder;
use crate::patch::unified_diff;
use parking_lot::Mutex;
use pollux_session::SeenFile;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most bytes of all texts.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of one text.
const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// The most characters that tell of a change.
const MAX_DIFFERENCE_CHARS: usize = 4_000;

/// Texts by the digest of their file, those that were shown last.
#[derive(Debug, Default)]
pub(crate) struct SeenTexts(Mutex<VecDeque<(String, Arc<str>)>>);

impl SeenTexts {
    fn keep(&self, sha256: &str, text: &str) {
        if text.len() > MAX_TEXT_BYTES {
            return;
        }
        let mut texts = self.0.lock();
        texts.retain(|(known, _)| known != sha256);
        texts.push_back((sha256.to_owned(), text.into()));
        let mut bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
        while bytes > MAX_BYTES {
            bytes -= texts.pop_front().map_or(bytes, |(_, text)| text.len());
        }
    }

    fn get(&self, sha256: &str) -> Option<Arc<str>> {
        self.0.lock().iter().find(|(known, _)| known == sha256).map(|(_, text)| Arc::clone(text))
    }
}

impl Workspace {
    /// Note that the model is shown the file at `place`, which holds `text`. What is protected is not kept.
    pub(crate) fn note_seen(&self, place: &WorkspacePath, sha256: &str, text: &str, is_secret: bool) -> SeenFile {
        if !is_secret {
            self.access.seen_texts.keep(sha256, text);
        }
        SeenFile { path: place.absolute.to_string_lossy().into_owned(), sha256: sha256.to_owned() }
    }

    /// The change of the file at `place` since the model was shown the version `sha256`, as a diff that is cut where it is long; `None`
    /// if that version is not known any more, or holds the same text in another encoding.
    pub(crate) fn describe_difference(&self, place: &WorkspacePath, sha256: &str, now: &str) -> Option<String> {
        let seen = self.access.seen_texts.get(sha256)?;
        let mut excerpt = ExcerptBuilder::new(MAX_DIFFERENCE_CHARS);
        excerpt.push(&unified_diff(&place.name(), &seen, now));
        Some(excerpt.finish()).filter(|difference| !difference.is_empty())
    }
}
