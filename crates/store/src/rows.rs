//! What entries become in a table. Every backend writes the same rows, encoded by the caller and not by the writer.

use crate::error::StoreError;
use pollux_session::{At, Checkpoint, Entry, Event, Seq, SessionId, TaskId, encode};
use std::borrow::Borrow;

/// How long a session's title gets, in characters.
const TITLE_CHARS: usize = 80;

/// A gapless run of entries of one session, ready to be written.
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    /// What else changes; `None` when all of it is streamed text, which writes its entry rows and nothing else.
    pub(crate) change: Option<Change>,
    /// The checkpoints among them that can be gone back to.
    pub(crate) checkpoints: Vec<NewCheckpoint>,
    /// The size of all bodies.
    pub(crate) bytes: usize,
}

/// One entry.
pub(crate) struct Row {
    pub(crate) seq: Seq,
    pub(crate) at: At,
    pub(crate) task: Option<(TaskId, u64)>,
    pub(crate) body: Vec<u8>,
}

/// A checkpoint that was just saved.
pub(crate) struct NewCheckpoint {
    pub(crate) at: At,
    pub(crate) task: TaskId,
    pub(crate) name: String,
}

/// What a run of entries changes in the session's own row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) at: At,
    /// What the session is called if it has no title yet.
    pub(crate) title: String,
    /// Whether a turn is under way after it; `None` when that stays as it was.
    pub(crate) in_turn: Option<bool>,
}

impl Rows {
    /// Encode `entries`; a conflict when their numbers have a gap.
    pub(crate) fn encode<E: Borrow<Entry>>(session: SessionId, entries: &[E]) -> Result<Rows, StoreError> {
        let rows = Vec::with_capacity(entries.len());
        let mut encoded = Rows { rows, change: None, checkpoints: Vec::new(), bytes: 0 };
        for entry in entries {
            let entry = entry.borrow();
            if let Some(last) = encoded.rows.last()
                && entry.seq != last.seq.next()
            {
                return Err(StoreError::Conflict { session, expected: last.seq.next(), found: entry.seq });
            }
            let body = encode(entry);
            encoded.bytes += body.len();
            encoded.rows.push(Row { seq: entry.seq, at: entry.at, task: entry.task, body });
            encoded.note(session, entry);
        }
        Ok(encoded)
    }

    /// The number of the first entry.
    pub(crate) fn first(&self) -> Option<Seq> {
        self.rows.first().map(|row| row.seq)
    }

    /// The number of the last entry.
    pub(crate) fn last(&self) -> Option<Seq> {
        self.rows.last().map(|row| row.seq)
    }

    /// The tasks that begin here, the main task aside: it goes by the session's id.
    pub(crate) fn new_tasks(&self, session: SessionId) -> impl Iterator<Item = TaskId> {
        self.rows.iter().filter_map(move |row| match row.task {
            Some((task, 1)) if task != session.main_task() => Some(task),
            _ => None,
        })
    }

    fn note(&mut self, session: SessionId, entry: &Entry) {
        match &entry.event {
            Event::Said { .. } | Event::Piece { .. } | Event::Output { .. } => {}
            event => {
                let change = self.change.get_or_insert_default();
                change.at = entry.at;
                match event {
                    Event::Prompted { text, .. } if change.title.is_empty() => change.title = shorten(text),
                    Event::TurnStarted { .. } => change.in_turn = Some(true),
                    Event::TurnEnded { .. } => change.in_turn = Some(false),
                    Event::Checkpointed(Checkpoint { name, saved: Ok(_), .. }) => {
                        let task = entry.task.map_or(session.main_task(), |(task, _)| task);
                        self.checkpoints.push(NewCheckpoint { at: entry.at, task, name: name.clone() });
                    }
                    _ => {}
                }
            }
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
