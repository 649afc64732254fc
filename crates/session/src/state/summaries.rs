//! Which summaries stand for parts of the conversation as the model is told it now, so that only those are taken back. It has
//! to agree with what [`crate::Transcript::told`] tells.

use crate::ids::Seq;

/// Summaries, one within the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryStack {
    /// The entries that made those in force, oldest first.
    in_force: Vec<Seq>,
    /// The newest entry that a line of the conversation began with.
    newest_line: Seq,
    /// Those in force after each change, and the newest line before it: a rewind to that line or a later one knows of it.
    changes: Vec<(Seq, Vec<Seq>)>,
}

impl SummaryStack {
    /// How many summaries are in force.
    pub fn count(&self) -> usize {
        self.in_force.len()
    }

    /// A line of the conversation began.
    pub(super) fn pass_line(&mut self, seq: Seq) {
        self.newest_line = seq;
    }

    /// A summary was made.
    pub(super) fn push(&mut self, seq: Seq) {
        self.in_force.push(seq);
        self.note_change();
    }

    /// Another conversation stands for this one: what was summarised here is not told any more.
    pub(super) fn replace_conversation(&mut self) {
        self.in_force.clear();
        self.note_change();
    }

    /// The newest summary is taken back, for good: going back in the conversation does not bring it again.
    pub(super) fn take_newest_back(&mut self) {
        if let Some(taken) = self.in_force.pop() {
            self.changes.iter_mut().for_each(|(_, in_force)| in_force.retain(|seq| *seq != taken));
            self.note_change();
        }
    }

    /// The conversation is what it was at the entry `to`.
    pub(super) fn rewind(&mut self, to: Seq) {
        let known = self.changes.iter().rev().find(|(line, _)| *line <= to);
        self.in_force = known.map(|(_, in_force)| in_force.clone()).unwrap_or_default();
        self.note_change();
    }

    fn note_change(&mut self) {
        self.changes.push((self.newest_line, self.in_force.clone()));
    }
}
