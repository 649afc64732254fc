//! What entries become in a table. Every backend writes the same rows, encoded by the caller and not by the writer.
//!
//! Entries that are written together share a row, a line for each: most of what a row costs it costs once.

use crate::error::StoreError;
use pollux_session::{Entry, Event, Seq, SessionId, TaskId, UnixMillis, WorkspaceCheckpoint, encode};
use std::borrow::Borrow;

/// How long a session's title gets, in characters.
const TITLE_CHARS: usize = 80;
/// The bytes after which a row takes no further entry.
const ROW_BYTES: usize = 64 * 1024;
/// Ends each entry of a row but the last. An encoded entry has none.
const LINE_END: u8 = b'\n';

/// A gapless run of entries of one session, ready to be written.
pub(crate) struct EntryRows {
    pub(crate) rows: Vec<EntryRow>,
    /// The number of the first entry.
    pub(crate) first: Option<Seq>,
    /// The tasks that begin here, the main task aside: it goes by the session's id.
    pub(crate) new_tasks: Vec<TaskId>,
    /// What else changes; `None` when all of it is streamed text, which writes its rows and nothing else.
    pub(crate) change: Option<SessionRowChange>,
    /// The checkpoints among them that can be gone back to.
    pub(crate) checkpoints: Vec<NewCheckpoint>,
}

/// A few entries that follow each other.
pub(crate) struct EntryRow {
    /// The number of the last.
    pub(crate) last: Seq,
    /// When the last was made.
    pub(crate) at: UnixMillis,
    /// All of them, a line for each.
    pub(crate) body: Vec<u8>,
}

impl EntryRow {
    /// Add the entry that follows.
    fn push(&mut self, entry: &Entry) {
        (self.last, self.at) = (entry.seq, entry.at);
        self.body.push(LINE_END);
        self.body.extend(encode(entry));
    }
}

impl From<&Entry> for EntryRow {
    fn from(entry: &Entry) -> EntryRow {
        EntryRow { last: entry.seq, at: entry.at, body: encode(entry) }
    }
}

/// The entries in the body of the row that ends with number `last`, each with the number it has to have.
pub(crate) fn lines(last: Seq, body: &[u8]) -> impl Iterator<Item = (Seq, &[u8])> {
    let before = body.iter().filter(|byte| **byte == LINE_END).count() as u64;
    let first = last.0.saturating_sub(before);
    (first..).map(Seq).zip(body.split(|byte| *byte == LINE_END))
}

/// A checkpoint that was just saved.
pub(crate) struct NewCheckpoint {
    pub(crate) at: UnixMillis,
    pub(crate) task: TaskId,
    pub(crate) name: String,
}

/// What a run of entries changes in the session's own row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionRowChange {
    pub(crate) at: UnixMillis,
    /// What the session is called if it has no title yet.
    pub(crate) title: String,
    /// Whether a turn is under way after it; `None` when that stays as it was.
    pub(crate) in_turn: Option<bool>,
}

impl EntryRows {
    /// Encode `entries`; a conflict when their numbers have a gap.
    pub(crate) fn encode<E: Borrow<Entry>>(session: SessionId, entries: &[E]) -> Result<EntryRows, StoreError> {
        let first = entries.first().map(|entry| entry.borrow().seq);
        let rows = Vec::with_capacity(1);
        let mut encoded = EntryRows { rows, first, new_tasks: Vec::new(), change: None, checkpoints: Vec::new() };
        for entry in entries {
            let entry = entry.borrow();
            if let Some(last) = encoded.last()
                && entry.seq != last.next()
            {
                return Err(StoreError::Conflict { session, expected: last.next(), found: entry.seq });
            }
            match encoded.rows.last_mut() {
                Some(row) if row.body.len() < ROW_BYTES => row.push(entry),
                _ => encoded.rows.push(EntryRow::from(entry)),
            }
            encoded.note(session, entry);
        }
        Ok(encoded)
    }

    /// The number of the last entry.
    pub(crate) fn last(&self) -> Option<Seq> {
        self.rows.last().map(|row| row.last)
    }

    /// When the last entry was made.
    pub(crate) fn at(&self) -> UnixMillis {
        self.rows.last().map_or(UnixMillis(0), |row| row.at)
    }

    /// The size of all bodies.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.iter().map(|row| row.body.len()).sum()
    }

    fn note(&mut self, session: SessionId, entry: &Entry) {
        if let Some((task, 1)) = entry.task
            && task != session.main_task()
        {
            self.new_tasks.push(task);
        }
        let is_streamed = matches!(entry.event, Event::Said { .. } | Event::Piece { .. } | Event::Output { .. });
        if is_streamed {
            return;
        }
        let change = self.change.get_or_insert_default();
        change.at = entry.at;
        match &entry.event {
            Event::Prompted { text, .. } if change.title.is_empty() => change.title = shorten(text),
            Event::TurnStarted { .. } => change.in_turn = Some(true),
            Event::TurnEnded { .. } => change.in_turn = Some(false),
            Event::Checkpointed(WorkspaceCheckpoint { name, saved: Ok(_), .. }) => {
                let task = entry.task.map_or(session.main_task(), |(task, _)| task);
                self.checkpoints.push(NewCheckpoint { at: entry.at, task, name: name.clone() });
            }
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Said { .. }
            | Event::Piece { .. }
            | Event::ItemEnded { .. }
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::Noted { .. }
            | Event::StepEnded { .. }
            | Event::Called { .. }
            | Event::Allowed { .. }
            | Event::Asked { .. }
            | Event::AskKept { .. }
            | Event::Answered { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. }
            | Event::CallEnded { .. }
            | Event::TaskClosed { .. } => {}
        }
    }
}

/// A prompt as a title: on one line, and not too long.
fn shorten(text: &str) -> String {
    let mut title = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if chars > 0 {
            title.push(' ');
            chars += 1;
        }
        for letter in word.chars().filter(|letter| !letter.is_control()) {
            if chars >= TITLE_CHARS - 1 {
                title.truncate(title.trim_end().len());
                title.push('…');
                return title;
            }
            title.push(letter);
            chars += 1;
        }
    }
    title
}

#[cfg(test)]
mod tests;
