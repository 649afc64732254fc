//! `message/send` and `message/stream`.

use super::Asked;
use crate::dialect::{Dialect, encode};
use crate::errors::Fault;
use crate::inbound::{Inbound, MessageIds};
use crate::rooms::Admitted;
use crate::snapshot::{self, History};
use crate::stream::{Stream, Wrap, sse};
use axum::response::Response;
use pollux_wire::jsonrpc;

impl Asked {
    /// Send, wait until the turn rests or only asks remain, and answer with the task.
    pub(super) async fn send(self) -> Result<Response, Fault> {
        let (inbound, admitted) = self.admit().await?;
        if inbound.configuration.blocking.unwrap_or(true) {
            let mut stream = Stream::of_message(&self.hall.feeds, &admitted, Dialect::Rfc);
            tokio::select! {
                ended = stream.run_out() => ended?,
                () = self.hall.shutdown.cancelled() => {
                    let message = "the server is stopping; the message was accepted, ask for the task again later";
                    return Err(Fault::new(jsonrpc::INTERNAL_ERROR, message));
                }
            }
        }
        let history = History::from(inbound.configuration.history_length);
        let (task, _) = snapshot::whole(&admitted.place, history).await?;
        Ok(self.result(task))
    }

    /// Send, and stream what follows. A message that names no task gets the task first.
    pub(super) async fn stream(self) -> Result<Response, Fault> {
        let (inbound, admitted) = self.admit().await?;
        let mut stream = Stream::of_message(&self.hall.feeds, &admitted, Dialect::Rfc);
        if inbound.task.is_none()
            && let Some(task) = snapshot::submitted(&admitted.place, admitted.receipt.seq).await?
        {
            stream.begin_with(encode(&task), Some(admitted.receipt.seq));
        }
        Ok(sse(stream, Wrap::Rpc(self.request.id), self.hall.shutdown.clone()))
    }

    async fn admit(&self) -> Result<(Inbound, Admitted), Fault> {
        let inbound = Inbound::read(&self.request.params, MessageIds::Required)?;
        let admitted = self.hall.rooms.admit(&self.hall.feeds, &self.who, &inbound, None).await?;
        Ok((inbound, admitted))
    }
}
