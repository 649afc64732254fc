//! Where every server's status can be read and watched.

use super::status::McpStatus;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// Every server's status, by name. Cloning is cheap.
#[derive(Clone, Default)]
pub(super) struct McpServerStatuses(Arc<watch::Sender<BTreeMap<String, McpStatus>>>);

impl McpServerStatuses {
    /// Put up a status; whoever watches is told if it is a new one.
    pub(super) fn set(&self, server: &str, status: McpStatus) {
        self.0.send_if_modified(|all| {
            let changed = all.get(server) != Some(&status);
            all.insert(server.to_owned(), status);
            changed
        });
    }

    pub(super) fn watch(&self) -> watch::Receiver<BTreeMap<String, McpStatus>> {
        self.0.subscribe()
    }

    /// Why a server cannot be asked.
    pub(super) fn describe(&self, server: &str) -> String {
        match self.0.borrow().get(server) {
            Some(McpStatus::Failed { why }) => why.clone(),
            Some(McpStatus::NeedsSignIn { how }) => format!("it needs a login; {how}"),
            Some(McpStatus::Stopped) => "it was stopped".into(),
            Some(McpStatus::Connecting | McpStatus::Ready { .. }) | None => "it is being started".into(),
        }
    }
}
