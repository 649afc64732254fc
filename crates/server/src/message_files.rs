//! Files that come with messages: kept before a session is told of them, and shown again to whoever reads the task.

use crate::errors::RequestError;
use crate::inbound::{InboundFile, NAMELESS, unsupported_part};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pollux_session::{BlobRef, MediaContent};
use pollux_wire::a2a::{FileContent, Message, Part};
use pollux_wire::jsonrpc;
use std::io;
use std::sync::Arc;

/// The largest file that is repeated in a task's history, in bytes.
const MAX_REPEATED_FILE: u64 = 1024 * 1024;
/// The most bytes of files that the history of one task repeats, the newest first.
pub(crate) const MAX_HISTORY_FILES: u64 = 4 * 1024 * 1024;

/// Keeps the files that come with messages. It may block.
pub trait FileStore: Send + Sync {
    /// Keep a file that a model can be shown: it is durable when this returns. `None` when its bytes are those of no such
    /// file, whatever it is called.
    fn store(&self, name: &str, bytes: &[u8]) -> io::Result<Option<BlobRef>>;

    /// The bytes of one that was kept.
    fn read(&self, blob: &BlobRef) -> io::Result<Vec<u8>>;
}

/// The files of every session, where somebody keeps them.
#[derive(Clone, Default)]
pub(crate) struct MessageFiles(pub(crate) Option<Arc<dyn FileStore>>);

/// The files that came with a message of a history, by its place there.
pub(crate) type HistoryMedia = Vec<(usize, Vec<MediaContent>)>;

impl MessageFiles {
    /// Keep what a message brings. A file that no model can be shown is refused, and so is every one where nobody keeps
    /// them.
    pub(crate) async fn store_all(&self, files: &[InboundFile]) -> Result<Vec<MediaContent>, RequestError> {
        let Some(first) = files.first() else { return Ok(Vec::new()) };
        let Some(keeper) = self.0.clone() else { return Err(unsupported_part(first.kind())) };
        let files = files.to_vec();
        let all =
            tokio::task::spawn_blocking(move || files.iter().map(|file| store_file(&*keeper, file)).collect()).await;
        all.unwrap_or_else(|error| Err(failed(&error.to_string())))
    }

    /// Put the files back into the messages they came with, where they stood or at the end, as long as `room` bytes last.
    pub(crate) async fn restore_parts(&self, history: &mut [Message], brought: HistoryMedia, room: u64) {
        if brought.is_empty() {
            return;
        }
        let keeper = self.0.clone();
        let read = move || {
            let mut room = room;
            // The newest come first while there is room.
            let parts = brought.into_iter().rev().map(|(place, media)| {
                (place, media.iter().map(|media| part(keeper.as_deref(), media, &mut room)).collect::<Vec<_>>())
            });
            parts.collect::<Vec<_>>()
        };
        // A read that panics is a bug; the messages are told without their files then.
        for (place, parts) in tokio::task::spawn_blocking(read).await.unwrap_or_default() {
            if let Some(message) = history.get_mut(place) {
                fill_file_parts(&mut message.parts, parts);
            }
        }
        for message in history {
            message.parts.retain(|part| !matches!(part, Part::File { file, .. } if file.is_elsewhere()));
        }
    }
}

/// Fill `parts` that say only that there is a file, as its sender called it; what has no such place goes to the end.
fn fill_file_parts(parts: &mut Vec<Part>, files: Vec<Part>) {
    let mut files = files.into_iter();
    for part in parts.iter_mut() {
        let Part::File { file: place, metadata } = part else { continue };
        if !place.is_elsewhere() {
            continue;
        }
        let Some(mut found) = files.next() else { return };
        if let Part::File { file, metadata: of_file } = &mut found {
            file.name = place.name.take().or(file.name.take());
            file.mime_type = place.mime_type.take().or(file.mime_type.take());
            *of_file = std::mem::take(metadata);
        }
        *part = found;
    }
    parts.extend(files);
}

/// A prompt in words alone: its text, and a line for each file that came with it.
pub(crate) fn describe_prompt(text: &str, media: &[MediaContent]) -> String {
    let text = (!text.is_empty() || media.is_empty()).then(|| text.to_owned());
    let lines: Vec<String> = text.into_iter().chain(media.iter().map(|media| note(media, ""))).collect();
    lines.join("\n")
}

fn store_file(keeper: &dyn FileStore, file: &InboundFile) -> Result<MediaContent, RequestError> {
    match keeper.store(&file.name, &file.bytes) {
        Ok(Some(blob)) => Ok(MediaContent { name: file.name.clone(), blob }),
        Ok(None) => {
            let (place, said) = (&file.place, file.kind());
            let why = format!("`{place}`: the file's bytes are those of no picture, PDF, sound or video ({said})");
            Err(RequestError::new(jsonrpc::CONTENT_TYPE_NOT_SUPPORTED, format!("incompatible content type: {why}")))
        }
        Err(error) => Err(failed(&error.to_string())),
    }
}

fn failed(why: &str) -> RequestError {
    let message = format!("the files of the message could not be kept: {why}; send the message again");
    RequestError::new(jsonrpc::INTERNAL_ERROR, message)
}

/// A file as a part: itself while there is `room`, a note otherwise.
fn part(keeper: Option<&dyn FileStore>, media: &MediaContent, room: &mut u64) -> Part {
    let blob = &media.blob;
    let left = room.checked_sub(blob.len).filter(|_| blob.len <= MAX_REPEATED_FILE);
    let Some(left) = left else { return Part::text(note(media, " and is not repeated here")) };
    match keeper.map(|keeper| keeper.read(blob)) {
        Some(Ok(bytes)) => {
            *room = left;
            Part::file(FileContent {
                name: Some(media.name.clone()).filter(|name| name != NAMELESS),
                mime_type: Some(blob.media.clone()),
                bytes: Some(STANDARD.encode(bytes)),
                uri: None,
            })
        }
        Some(Err(error)) => {
            tracing::warn!(name = media.name, %error, "a file that came with a message cannot be read");
            Part::text(note(media, " and is no longer there"))
        }
        None => Part::text(note(media, " and is kept elsewhere")),
    }
}

fn note(MediaContent { name, blob }: &MediaContent, more: &str) -> String {
    format!("[the file {name:?} ({}, {} bytes) came with this message{more}]", blob.media, blob.len)
}
