//! Looking at one task, and stopping it.

use super::Ops;
use crate::cancel::cancel;
use crate::errors::Fault;
use crate::rooms::Place;
use crate::snapshot::{self, History};
use crate::version::Version;
use pollux_session::{Closing, TaskStatus};
use pollux_wire::a2a::Task;
use pollux_wire::jsonrpc;

impl Ops {
    /// The place of a task that is asked for by its id.
    pub(super) async fn place(&self, id: &str) -> Result<Place, Fault> {
        let found = self.hall.rooms.find(&self.who, id).await;
        found.map_err(|fault| if fault.code == jsonrpc::TASK_NOT_FOUND { Fault::no_such_task(id) } else { fault })
    }

    /// The task, whole.
    pub(crate) async fn get(&self, id: &str, history: History) -> Result<Task, Fault> {
        let place = self.place(id).await?;
        let audience = self.audience(&place, None).await?;
        snapshot::whole(&self.hall.feeds, &place, history, audience).await
    }

    /// Stop the task, or the turn of the session. In 1.0 stopping it twice is no error.
    pub(crate) async fn cancel(&self, id: &str) -> Result<Task, Fault> {
        let place = self.place(id).await?;
        let refused = cancel(&self.hall.feeds, &place, self.version).await.err();
        if let Some(fault) = refused.as_ref().filter(|fault| fault.code != jsonrpc::TASK_NOT_CANCELABLE) {
            return Err(fault.clone());
        }
        let audience = self.audience(&place, None).await?;
        let (task, scene) = snapshot::whole_in_scene(&self.hall.feeds, &place, History::Whole, audience).await?;
        let canceled = scene.status(place.view) == TaskStatus::Closed(Closing::Cancelled);
        match refused {
            Some(fault) if !(canceled && self.version == Version::V10) => Err(fault),
            Some(_) | None => Ok(task),
        }
    }
}
