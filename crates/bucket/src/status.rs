//! The status of the replication, for `/health` and for whoever wants to write.

use parking_lot::Mutex;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The status of the replication. Clones share it.
#[derive(Clone, Debug)]
pub struct ReplicationStatus {
    shared: Arc<Mutex<ReplicationReport>>,
}

#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
struct ReplicationReport {
    #[serde(rename = "where")]
    place: String,
    state: ReplicationCondition,
    /// Sessions with entries that are not in the bucket yet.
    behind: usize,
    /// Sessions that are left as they are.
    set_aside: usize,
    /// Workspaces that the bucket keeps as they were, each with why.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    left_alone: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Things that could not be replicated whole and stay so: the newest few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Which of the few ways it can go.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ReplicationCondition {
    /// It has not been reached yet.
    Starting,
    /// Everything goes there.
    Carrying,
    /// It cannot be reached or used, and is tried again.
    Failing,
    /// Another server carries to it; this one only reads.
    ReadOnly,
}

/// The most notes that are kept.
const NOTES: usize = 8;

impl ReplicationStatus {
    pub(crate) fn new(place: String) -> ReplicationStatus {
        let told = ReplicationReport {
            place,
            state: ReplicationCondition::Starting,
            behind: 0,
            set_aside: 0,
            left_alone: BTreeMap::new(),
            error: None,
            notes: Vec::new(),
        };
        ReplicationStatus { shared: Arc::new(Mutex::new(told)) }
    }

    /// All of it, as `/health` says it.
    pub fn told(&self) -> serde_json::Value {
        self.with(|told| serde_json::to_value(&*told)).unwrap_or_default()
    }

    /// The problems, a sentence each, for readers that may know how the process is; empty when all goes well.
    pub fn trouble(&self) -> Vec<String> {
        let mut trouble = self.trouble_of_bucket();
        self.with(|told| {
            let alone = told.left_alone.iter();
            trouble.extend(alone.map(|(workspace, why)| format!("{workspace} is not carried to the bucket: {why}")));
        });
        trouble
    }

    /// The problems for anybody: which directories there are on this machine is for the log.
    pub fn public_trouble(&self) -> Vec<String> {
        let mut trouble = self.trouble_of_bucket();
        let count = self.with(|told| told.left_alone.len());
        if count > 0 {
            trouble.push(format!("{count} workspaces are not carried to the bucket: see this server's log for why"));
        }
        trouble
    }

    fn trouble_of_bucket(&self) -> Vec<String> {
        self.with(|told| {
            // Anybody may ask how the server is: where the bucket is and what it said are for the log.
            let failure = told.error.iter().map(|_| match told.state {
                ReplicationCondition::ReadOnly => {
                    "another server carries to the bucket, this one only reads: see its log".to_owned()
                }
                _ => "the bucket cannot be used, and is tried again: see this server's log for why".to_owned(),
            });
            let aside = (told.set_aside > 0).then(|| {
                format!("{} sessions are not carried to the bucket: see this server's log for why", told.set_aside)
            });
            failure.chain(aside).collect()
        })
    }

    /// Which way it goes.
    pub fn condition(&self) -> ReplicationCondition {
        self.with(|told| told.state)
    }

    /// Why it does not go well.
    pub fn error(&self) -> Option<String> {
        self.with(|told| told.error.clone())
    }

    pub(crate) fn carrying(&self, behind: usize) {
        self.with(|told| (told.state, told.error, told.behind) = (ReplicationCondition::Carrying, None, behind));
    }

    pub(crate) fn failing(&self, why: &str, behind: usize) {
        self.with(|told| {
            (told.state, told.error, told.behind) = (ReplicationCondition::Failing, Some(why.to_owned()), behind);
        });
    }

    pub(crate) fn read_only(&self, why: &str) {
        self.with(|told| (told.state, told.error) = (ReplicationCondition::ReadOnly, Some(why.to_owned())));
    }

    pub(crate) fn set_aside(&self, what: String) {
        self.with(|told| told.set_aside += 1);
        self.note(what);
    }

    /// The bucket keeps `workspace` as it was.
    pub(crate) fn left_alone(&self, workspace: &str, why: String) {
        self.with(|told| {
            if told.left_alone.get(workspace) != Some(&why) {
                tracing::warn!(workspace, "not carried to the bucket: {why}");
                told.left_alone.insert(workspace.to_owned(), why);
            }
        });
    }

    /// The bucket's copy of `workspace` has no place here.
    pub(crate) fn not_put_back(&self, workspace: &str, why: &str) {
        self.left_alone(workspace, format!("what the bucket has of it is not put back, because {why}"));
    }

    /// `workspace` is carried, or back.
    pub(crate) fn workspace_is_well(&self, workspace: &str) {
        self.with(|told| told.left_alone.remove(workspace));
    }

    /// Something that stays so, said once.
    pub(crate) fn note(&self, what: String) {
        self.with(|told| {
            if !told.notes.contains(&what) {
                tracing::warn!("{what}");
                told.notes.push(what);
                let spare = told.notes.len().saturating_sub(NOTES);
                told.notes.drain(..spare);
            }
        });
    }

    fn with<T>(&self, look: impl FnOnce(&mut ReplicationReport) -> T) -> T {
        look(&mut self.shared.lock())
    }
}
