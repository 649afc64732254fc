//! Stopping work: a task's id stops and closes the task, a session's id ends its turn, or a compaction between turns,
//! and nothing else.

use crate::errors::Fault;
use crate::feed::Feeds;
use crate::rooms::Place;
use crate::scene::View;
use crate::version::Version;
use pollux_session::{CancelScope, Command, Receipt, Refusal, SendError, TaskStatus};
use pollux_wire::jsonrpc;
use uuid::Uuid;

/// Cancel what `place` sees. A task that rests is over in the words of 0.3 and waits for input in those of 1.0.
pub(crate) async fn cancel(feeds: &Feeds, place: &Place, version: Version) -> Result<Receipt, Fault> {
    let not_cancelable = || {
        let message = format!("task {} is over: there is nothing to cancel", place.view.wire_id());
        Fault::new(jsonrpc::TASK_NOT_CANCELABLE, message)
    };
    let scene = feeds.at_head(&*place.seat).await?;
    let rests = match (scene.status(place.view), version, place.view) {
        (TaskStatus::Resting(_), Version::V10, View::Task(_)) => false,
        // To clients of Google's a2a-server a task that rests waits for input too.
        (TaskStatus::Resting(_), Version::V03, View::Task(_)) if scene.coder(place.view).is_some() => false,
        (TaskStatus::Resting(_) | TaskStatus::Closed(_), ..) => true,
        (TaskStatus::Submitted | TaskStatus::Working | TaskStatus::InputRequired, ..) => false,
    };
    let compacts = matches!(place.view, View::Session(_)) && scene.state.compact_wanted.is_some();
    if rests && !compacts {
        return Err(not_cancelable());
    }
    let scope = match place.view {
        View::Session(_) => CancelScope::Turn,
        View::Task(task) => CancelScope::Task { task },
    };
    match place.seat.send(Uuid::now_v7().into(), Command::Cancel { scope }).await {
        Ok(receipt) => Ok(receipt),
        Err(SendError::Refused(Refusal::TaskClosed { .. } | Refusal::NothingToCancel)) => Err(not_cancelable()),
        Err(error) => Err(error.into()),
    }
}
