//! How the carrying goes, for `/health` and for whoever wants to write.

use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// How the carrying goes. Clones tell the same.
#[derive(Clone, Debug)]
pub struct Status {
    shared: Arc<Mutex<Told>>,
}

/// What is told of it.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
struct Told {
    #[serde(rename = "where")]
    place: String,
    state: Condition,
    /// Sessions with entries that are not in the bucket yet.
    behind: usize,
    /// Sessions that are left as they are.
    set_aside: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What could not be carried whole and stays so: the newest few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Which of the few ways it can go.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// It has not been reached yet.
    Starting,
    /// Everything goes there.
    Carrying,
    /// It cannot be reached or used, and is tried again.
    Failing,
    /// Another server carries to it; this one only reads.
    ReadOnly,
}

/// How many notes are kept.
const NOTES: usize = 8;

impl Status {
    pub(crate) fn new(place: String) -> Status {
        let told = Told { place, state: Condition::Starting, behind: 0, set_aside: 0, error: None, notes: Vec::new() };
        Status { shared: Arc::new(Mutex::new(told)) }
    }

    /// All of it, as `/health` says it.
    pub fn told(&self) -> serde_json::Value {
        self.with(|told| serde_json::to_value(&*told)).unwrap_or_default()
    }

    /// What is wrong, a sentence each, for whoever may ask how the process is; empty when all goes well.
    pub fn trouble(&self) -> Vec<String> {
        self.with(|told| {
            let failure = told.error.iter().map(|error| format!("bucket {}: {error}", told.place));
            let aside = (told.set_aside > 0).then(|| {
                format!("{} sessions are not carried to the bucket: see this server's log for why", told.set_aside)
            });
            failure.chain(aside).collect()
        })
    }

    /// Which way it goes.
    pub fn condition(&self) -> Condition {
        self.with(|told| told.state)
    }

    /// Why it does not go well.
    pub fn error(&self) -> Option<String> {
        self.with(|told| told.error.clone())
    }

    pub(crate) fn carrying(&self, behind: usize) {
        self.with(|told| (told.state, told.error, told.behind) = (Condition::Carrying, None, behind));
    }

    pub(crate) fn failing(&self, why: &str, behind: usize) {
        self.with(|told| (told.state, told.error, told.behind) = (Condition::Failing, Some(why.to_owned()), behind));
    }

    pub(crate) fn read_only(&self, why: &str) {
        self.with(|told| (told.state, told.error) = (Condition::ReadOnly, Some(why.to_owned())));
    }

    pub(crate) fn set_aside(&self, what: String) {
        self.with(|told| told.set_aside += 1);
        self.note(what);
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

    fn with<T>(&self, look: impl FnOnce(&mut Told) -> T) -> T {
        look(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
