//! The layout of a bucket.
//!
//! ```text
//! tasks/ID/metadata.json, history.json, state.json, artifacts/NAME    for people and other programs, written over
//! sessions/ID/log/FIRST.jsonl                                         the log in segments, written once
//! sessions/ID/session.json                                            how far all of the above goes, written last
//! blobs/SHA256                                                        bytes that entries and workspaces name
//! workspaces/KEY/manifest.json                                        a directory: paths, digests, modes
//! lease/NUMBER.json                                                   who carries; the highest number does
//! ```

use pollux_session::{Seq, SessionId, TaskId};

pub(crate) const SESSIONS: &str = "sessions";
pub(crate) const WORKSPACES: &str = "workspaces";
pub(crate) const TASKS: &str = "tasks";
pub(crate) const LEASES: &str = "lease";

/// The segment that begins with entry `first`. Two writers cannot both create it, so the segments of a session never
/// overlap.
pub(crate) fn segment(session: SessionId, first: Seq) -> String {
    format!("{SESSIONS}/{session}/log/{:012}.jsonl", first.0)
}

/// Which session and which first entry a key names, if it is a segment's.
pub(crate) fn segment_of(key: &str) -> Option<(SessionId, Seq)> {
    let mut parts = key.split('/');
    let (SESSIONS, id, "log", name, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next())
    else {
        return None;
    };
    Some((id.parse().ok()?, Seq(name.strip_suffix(".jsonl")?.parse().ok()?)))
}

/// The key of the object that says how far a session has been replicated.
pub(crate) fn index(session: SessionId) -> String {
    format!("{SESSIONS}/{session}/session.json")
}

/// Something about a task.
pub(crate) fn of_task(task: TaskId, name: &str) -> String {
    format!("{TASKS}/{task}/{name}")
}

/// Bytes by their digest.
pub(crate) fn blob(sha256: &str) -> String {
    format!("blobs/{sha256}")
}

/// The manifest of the directory that the session's workspace is.
pub(crate) fn manifest(workspace: &str) -> String {
    let digest = crate::bucket::sha256(workspace.as_bytes());
    format!("{WORKSPACES}/{}/manifest.json", digest.get(..32).unwrap_or(&digest))
}

/// One claim to the bucket.
pub(crate) fn lease(number: u64) -> String {
    format!("{LEASES}/{number:012}.json")
}

/// The number of a claim.
pub(crate) fn lease_of(key: &str) -> Option<u64> {
    key.strip_prefix(LEASES)?.strip_prefix('/')?.strip_suffix(".json")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_back() {
        let session = SessionId(uuid::Uuid::from_u128(7));
        assert_eq!(segment_of(&segment(session, Seq(42))), Some((session, Seq(42))));
        assert_eq!(lease_of(&lease(9)), Some(9));
        for other in ["sessions/x/log/1.jsonl", "sessions", &index(session), "sessions/x/log/1.jsonl/y"] {
            assert_eq!(segment_of(other), None, "{other}");
        }
    }
}
