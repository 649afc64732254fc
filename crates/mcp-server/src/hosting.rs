//! The server's request to the program that starts it: sessions to work in. Only the program knows where they are kept
//! and what their agents have.

use pollux_host::{Host, Runner};
use pollux_session::SessionId;
use pollux_store::{BlobStore, DatabaseLock};
use std::sync::Arc;

/// Makes a runner of the agent's.
pub type RunnerWrapper = Box<dyn FnOnce(Arc<dyn Runner>) -> Arc<dyn Runner>>;

/// Hosts the sessions of one MCP client.
pub trait McpSessionHosting: Send + Sync + 'static {
    /// A host for a new session with the client's own calls. What `wrap` makes of its agent does its work.
    fn host_calls(&self, wrap: RunnerWrapper) -> anyhow::Result<HostedSession>;

    /// A host for a task: for a new session, or for the one that `earlier` names.
    fn host_task(&self, earlier: Option<&str>) -> anyhow::Result<HostedSession>;
}

/// A session that is this process's own until it is dropped.
pub struct HostedSession {
    /// Its host, which has no other one.
    pub host: Host,
    /// The session. A new one has still to be opened.
    pub id: SessionId,
    /// True if it is new.
    pub is_new: bool,
    /// The blobs of its calls.
    pub blobs: BlobStore,
    /// Says that it is taken; `None` when nothing is kept.
    pub lock: Option<DatabaseLock>,
}
