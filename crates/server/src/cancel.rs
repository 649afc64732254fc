//! Stopping work: a task's id stops and closes the task, a session's id ends its turn, or a compaction between turns,
//! and nothing else.

use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::session_access::TaskHandle;
use crate::version::A2aVersion;
use crate::wire_state::TaskScope;
use pollux_session::{CancelScope, Command, CommandReceipt, Refusal, SendError, TaskStatus};
use pollux_wire::jsonrpc;
use uuid::Uuid;

/// Cancel what `handle` sees. A task that rests is over in the words of 0.3 and waits for input in those of 1.0.
pub(crate) async fn cancel(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    version: A2aVersion,
) -> Result<CommandReceipt, RequestError> {
    let not_cancelable = || {
        let message = format!("task {} is over: there is nothing to cancel", handle.scope.wire_id());
        RequestError::new(jsonrpc::TASK_NOT_CANCELABLE, message)
    };
    let wire_state = feeds.newest_state(&*handle.seat).await?;
    let rests = match (wire_state.status(handle.scope), version, handle.scope) {
        (TaskStatus::Resting(_), A2aVersion::V10, TaskScope::Task(_)) => false,
        // To clients of Google's a2a-server a task that rests waits for input too.
        (TaskStatus::Resting(_), A2aVersion::V03, TaskScope::Task(_))
            if wire_state.coder_settings(handle.scope).is_some() =>
        {
            false
        }
        (TaskStatus::Resting(_) | TaskStatus::Closed(_), ..) => true,
        (TaskStatus::Submitted | TaskStatus::Working | TaskStatus::InputRequired, ..) => false,
    };
    let compacts = matches!(handle.scope, TaskScope::Session(_)) && wire_state.state.compact_wanted.is_some();
    if rests && !compacts {
        return Err(not_cancelable());
    }
    let scope = match handle.scope {
        TaskScope::Session(_) => CancelScope::Turn,
        TaskScope::Task(task) => CancelScope::Task { task },
    };
    match handle.seat.send(Uuid::now_v7().into(), Command::Cancel { scope }).await {
        Ok(receipt) => Ok(receipt),
        Err(SendError::Refused(Refusal::TaskClosed { .. } | Refusal::NothingToCancel)) => Err(not_cancelable()),
        Err(error) => Err(error.into()),
    }
}
