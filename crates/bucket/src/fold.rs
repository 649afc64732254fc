//! The fold of a session's log, kept between two carryings so that a long conversation is not read again each time.

use crate::bucket::sha256;
use crate::error::BucketError;
use pollux_session::{
    Entry, Event, Seq, SessionId, SessionOpened, SessionState, TaskId, TaskMark, Transcript, UnixMillis,
};
use pollux_store::{Log, TaskUpdate};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many entries one read of a log takes.
pub(crate) const PAGE: usize = 1024;

/// Where a session stands, as far as it has been folded.
#[derive(Default)]
pub(crate) struct SessionFold {
    pub(crate) state: SessionState,
    pub(crate) transcript: Transcript,
    pub(crate) opened: Option<SessionOpened>,
    /// Where each task that was ever prompted stands, and since when.
    pub(crate) marks: BTreeMap<TaskId, (UnixMillis, TaskUpdate)>,
    /// Tasks with news since they were last written down.
    pub(crate) touched: BTreeSet<TaskId>,
    /// Whether a call or a turn ended since the workspace was last looked at.
    pub(crate) worked: bool,
    /// The digest of each object that was written for this session.
    written: HashMap<String, String>,
}

impl SessionFold {
    /// Fold everything up to `to`.
    pub(crate) async fn catch_up(&mut self, log: &dyn Log, session: SessionId, to: Seq) -> Result<(), BucketError> {
        while self.state.head < to {
            let page = log.read(session, self.state.head, PAGE).await?;
            if page.is_empty() {
                break;
            }
            page.iter().take_while(|entry| entry.seq <= to).for_each(|entry| self.apply(entry));
        }
        Ok(())
    }

    /// Fold one more entry in.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        self.state.apply(entry);
        self.transcript.apply(entry);
        match &entry.event {
            Event::Opened(opened) => self.opened = Some(opened.clone()),
            Event::CallEnded { .. } | Event::TurnEnded { .. } => self.worked = true,
            Event::Said { .. } | Event::Piece { .. } | Event::Output { .. } => return,
            Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
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
            | Event::Spent { .. }
            | Event::TaskClosed { .. } => {}
        }
        let Some((task, _)) = entry.task else { return };
        self.touched.insert(task);
        if let (Some(status), Some(known)) = (self.state.task_status(task), self.state.tasks.get(&task)) {
            let mark = TaskMark::from(&status);
            let marked = TaskUpdate { task, kind: known.kind, mark };
            match self.marks.get(&task) {
                Some((_, before)) if before.mark == mark => {}
                _ => drop(self.marks.insert(task, (entry.at, marked))),
            }
        }
    }

    /// Whether `bytes` are other than what was last written to `key`.
    pub(crate) fn is_news(&self, key: &str, bytes: &[u8]) -> bool {
        self.written.get(key) != Some(&sha256(bytes))
    }

    /// Remember what was written to `key`.
    pub(crate) fn note(&mut self, key: String, bytes: &[u8]) {
        self.written.insert(key, sha256(bytes));
    }
}
