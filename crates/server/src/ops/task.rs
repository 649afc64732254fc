//! Looking at one task, and stopping it.

use super::A2aOperations;
use crate::cancel::cancel;
use crate::errors::RequestError;
use crate::session_access::TaskHandle;
use crate::task_snapshot::{self, HistoryLength};
use crate::version::A2aVersion;
use pollux_session::{TaskClosing, TaskStatus};
use pollux_wire::a2a::Task;
use pollux_wire::jsonrpc;

impl A2aOperations {
    /// A task that is asked for by its id.
    pub(super) async fn find_task(&self, id: &str) -> Result<TaskHandle, RequestError> {
        let found = self.app.sessions.find(&self.who, id).await;
        found
            .map_err(|fault| if fault.code == jsonrpc::TASK_NOT_FOUND { RequestError::no_such_task(id) } else { fault })
    }

    /// The task, whole.
    pub(crate) async fn get(&self, id: &str, history: HistoryLength) -> Result<Task, RequestError> {
        let handle = self.find_task(id).await?;
        let audience = self.audience(&handle, None).await?;
        let (task, wire_state) =
            task_snapshot::whole_task_and_state(&self.app.feeds, &handle, history, audience).await?;
        self.app.feeds.record_shown_asks(&*handle.seat, &wire_state.asked_calls(handle.scope));
        Ok(task)
    }

    /// Stop the task, or the turn of the session. In 1.0 stopping it twice is no error.
    pub(crate) async fn cancel(&self, id: &str) -> Result<Task, RequestError> {
        let handle = self.find_task(id).await?;
        let refused = cancel(&self.app.feeds, &handle, self.version).await.err();
        if let Some(fault) = refused.as_ref().filter(|fault| fault.code != jsonrpc::TASK_NOT_CANCELABLE) {
            return Err(fault.clone());
        }
        let audience = self.audience(&handle, None).await?;
        let (task, wire_state) =
            task_snapshot::whole_task_and_state(&self.app.feeds, &handle, HistoryLength::Whole, audience).await?;
        let canceled = wire_state.status(handle.scope) == TaskStatus::Closed(TaskClosing::Cancelled);
        match refused {
            Some(fault) if !(canceled && self.version == A2aVersion::V10) => Err(fault),
            Some(_) | None => Ok(task),
        }
    }
}
