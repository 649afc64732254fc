//! What a client says on its WebSocket, and what it is answered.

use super::connection::{Connection, Gone};
use crate::cancel::cancel;
use crate::dialect::encode;
use crate::errors::Fault;
use crate::inbound::{Inbound, MessageIds};
use crate::rooms::{Place, Unnamed};
use crate::rpc::not_a_message;
use crate::version::Version;
use pollux_session::{Receipt, Seq};
use pollux_wire::jsonrpc::{Id, Request, Response};
use serde_json::{Value, json};

/// Do what a frame asks for. One with an id is answered; one without hears only of a refusal.
pub(super) async fn obey(connection: &mut Connection, frame: &[u8]) -> Result<(), Gone> {
    let request = match Request::parse(frame) {
        Ok(request) => request,
        Err(malformed) => {
            let fault = Fault::new(malformed.code(), malformed.to_string());
            return refuse(connection, malformed.id(), fault).await;
        }
    };
    tracing::debug!("[A2AService] {} on /ws from {}", request.method, connection.who.label);
    match run(connection, &request).await {
        Ok((place, receipt, settled)) => {
            let task = place.view.wire_id();
            connection.accepted(place, receipt.seq, settled);
            if request.id == Id::Null {
                return Ok(());
            }
            let result = json!({ "taskId": task, "seq": receipt.seq });
            connection.tell(&encode(&Response::result(request.id, result))).await
        }
        Err(fault) => refuse(connection, request.id, fault).await,
    }
}

/// Where a frame's command was accepted, the first entry of it and the last.
async fn run(connection: &mut Connection, request: &Request) -> Result<(Place, Receipt, Seq), Fault> {
    let (hall, here) = (connection.hall.clone(), connection.place().cloned());
    match request.method.as_str() {
        "message/stream" | "message/send" => {
            let inbound = Inbound::read(&request.params, MessageIds::Optional)?;
            hall.check_lent(&inbound.settings)?;
            stays(here.as_ref(), inbound.task.as_deref())?;
            let admitted =
                hall.rooms.admit(&hall.feeds, &connection.who, &inbound, here.as_ref(), Unnamed::Joins).await?;
            Ok((admitted.place, admitted.receipt, admitted.settled))
        }
        "tasks/cancel" => {
            let id = request.params.get("id").and_then(Value::as_str);
            stays(here.as_ref(), id)?;
            let place = match (id, here) {
                (_, Some(place)) => place,
                (Some(id), None) => hall.rooms.find(&connection.who, id).await?,
                (None, None) => return Err(Fault::params("`params.id` is missing: say which task to cancel")),
            };
            let receipt = cancel(&hall.feeds, &place, Version::V03).await?;
            Ok((place, receipt, receipt.seq))
        }
        method => Err(not_a_message(method)),
    }
}

/// A connection follows one task; another one takes another connection.
fn stays(here: Option<&Place>, task: Option<&str>) -> Result<(), Fault> {
    let (Some(place), Some(task)) = (here, task) else { return Ok(()) };
    let here = place.view.wire_id();
    if here == task {
        return Ok(());
    }
    Err(Fault::params(format!("this connection follows task {here}; open another one for task {task:?}")))
}

async fn refuse(connection: &mut Connection, id: Id, fault: Fault) -> Result<(), Gone> {
    tracing::debug!("[A2AService] refused: {fault}");
    match id {
        Id::Null => connection.remark(fault.into_body()).await,
        id => connection.tell(&encode(&Response::<()>::error(id, fault.object()))).await,
    }
}
