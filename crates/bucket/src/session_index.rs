//! The index of a replicated session: written after everything it speaks of.

use pollux_session::{Entry, Seq, encode};
use serde::{Deserialize, Serialize};

/// The content of `session.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionIndex {
    /// The newest entry that is in the bucket with all that follows from it.
    pub(crate) head: Seq,
    /// The digest of that entry, so that another log with the same numbers is not taken for this one.
    pub(crate) digest: String,
    pub(crate) workspace: String,
}

/// The digest of an entry.
pub(crate) fn digest(entry: &Entry) -> String {
    crate::bucket::sha256(&encode(entry))
}
