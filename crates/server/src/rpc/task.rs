//! `tasks/get`, `tasks/cancel` and `tasks/resubscribe`.

use super::Asked;
use crate::cancel::cancel;
use crate::cursor::{self, Cursor};
use crate::dialect::{Dialect, Spot, encode, gap};
use crate::errors::Fault;
use crate::inbound::typed;
use crate::rooms::Place;
use crate::snapshot::{self, History};
use crate::stream::{Stream, Wrap, sse};
use axum::response::Response;
use pollux_wire::a2a::{TaskIdParams, TaskQueryParams};
use serde_json::Value;

impl Asked {
    /// The task, whole.
    pub(super) async fn get(self) -> Result<Response, Fault> {
        let params: TaskQueryParams = typed("params", &self.request.params)?;
        let place = self.hall.rooms.find(&self.who, &params.id).await?;
        let (task, _) = snapshot::whole(&place, History::from(params.history_length)).await?;
        Ok(self.result(task))
    }

    /// Stop the task, or the turn of the session.
    pub(super) async fn cancel(self) -> Result<Response, Fault> {
        let params: TaskIdParams = typed("params", &self.request.params)?;
        let place = self.hall.rooms.find(&self.who, &params.id).await?;
        cancel(&self.hall.feeds, &place).await?;
        let (task, _) = snapshot::whole(&place, History::Whole).await?;
        Ok(self.result(task))
    }

    /// Take a stream up again, after a cursor or at the newest entry.
    pub(super) async fn resubscribe(self) -> Result<Response, Fault> {
        let params: TaskIdParams = typed("params", &self.request.params)?;
        let place = self.hall.rooms.find(&self.who, &params.id).await?;
        let from_header = self.headers.get("last-event-id").and_then(|value| value.to_str().ok());
        let given = from_header.or_else(|| params.metadata.get("lastEventId").and_then(Value::as_str));
        let stream = match given {
            Some(cursor) => self.go_on(&place, cursor).await?,
            None => self.start_over(&place).await?,
        };
        Ok(sse(stream, Wrap::Rpc(self.request.id), self.hall.shutdown.clone()))
    }

    /// The whole task, then what follows.
    async fn start_over(&self, place: &Place) -> Result<Stream, Fault> {
        let (task, scene) = snapshot::whole(place, History::Whole).await?;
        let head = scene.state.head;
        let mut stream = Stream::of_place(&self.hall.feeds, place, Dialect::Rfc, head, head);
        stream.begin_with(encode(&task), Some(head));
        if scene.is_quiet(place.view) {
            stream.end();
        }
        Ok(stream)
    }

    /// The bare task, then what follows the cursor.
    async fn go_on(&self, place: &Place, cursor: &str) -> Result<Stream, Fault> {
        let scene = self.hall.feeds.at_head(&*place.seat).await?;
        let (session, head) = (place.seat.session(), scene.state.head);
        match cursor::read(cursor, &*place.seat, head) {
            Cursor::Lost => {
                let mut stream = self.start_over(place).await?;
                stream.begin_before(gap(&Spot::at_head(session, place.view, &scene)));
                Ok(stream)
            }
            Cursor::At(after) => {
                let mut stream = Stream::of_place(&self.hall.feeds, place, Dialect::Rfc, after, head);
                stream.begin_with(encode(&snapshot::bare(session, place.view, &scene)), None);
                if after == head && scene.is_quiet(place.view) {
                    stream.end();
                }
                Ok(stream)
            }
        }
    }
}
