//! Frames of a client on its WebSocket, and their answers. A socket with flat frames gets a receipt for a message or a
//! cancel; everything else is answered as over HTTP.

use super::connection::{SocketClosed, SocketConnection};
use super::open_requests::write_error;
use super::unlogged::UnloggedFrame;
use crate::cancel::cancel;
use crate::client_profile::ClientProfile;
use crate::dialect::{MessageDialect, encode};
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules};
use crate::rpc::{METHODS_V03, RpcAnswer, answer_on_socket, not_a_message};
use crate::session_access::{SessionAccess, TaskHandle, UnaddressedMessage};
use crate::version::A2aVersion;
use pollux_session::CommandReceipt;
use pollux_wire::devtool::URI;
use pollux_wire::jsonrpc::{Id, Request, Response};
use serde_json::{Value, json};
use uuid::Uuid;

/// The methods that a socket takes without an id: what comes of them is told to everybody.
const WITHOUT_ID: [&str; 3] = ["message/stream", "message/send", "tasks/cancel"];

/// Do what a frame asks for. One with an id is answered; one without hears only of a refusal.
pub(super) async fn handle_frame(connection: &mut SocketConnection, frame: &[u8]) -> Result<(), SocketClosed> {
    let request = match Request::parse(frame) {
        Ok(request) => request,
        Err(malformed) => {
            let fault = RequestError::new(malformed.code(), malformed.to_string());
            return refuse(connection, malformed.id(), fault).await;
        }
    };
    tracing::debug!("[A2AService] {} on /ws from {}", request.method, connection.who.label);
    let (method, has_id) = (request.method.as_str(), request.id != Id::Null);
    if declares_extension(&request.params) {
        connection.speak_rfc();
    }
    let by_receipt = WITHOUT_ID.contains(&method) && !(has_id && connection.speaks_rfc());
    match (METHODS_V03.contains(&method), has_id) {
        (true, _) if by_receipt => give_receipt(connection, request).await,
        (true, true) => answer(connection, request).await,
        (true, false) => {
            let fault =
                RequestError::invalid_params(format!("`id` is missing: {method} has an answer, which needs one"));
            refuse(connection, Id::Null, fault).await
        }
        (false, _) => {
            let fault = not_a_message(method);
            refuse(connection, request.id, fault).await
        }
    }
}

/// True if the metadata of a message, or of its request, holds the address of the extension.
fn declares_extension(params: &Value) -> bool {
    let Some(message) = params.get("message") else { return false };
    [message, params].iter().any(|holder| holder.get("metadata").is_some_and(|metadata| metadata.get(URI).is_some()))
}

/// Send a message or a cancel. Who wants to know gets its place in the log; what follows is told to everybody.
async fn give_receipt(connection: &mut SocketConnection, request: Request) -> Result<(), SocketClosed> {
    match run(connection, &request).await {
        Ok((handle, receipt)) => {
            let task = handle.scope.wire_id();
            connection.follow_accepted(handle, receipt.seq, receipt.settled());
            if request.id == Id::Null {
                return Ok(());
            }
            let result = json!({ "taskId": task, "seq": receipt.seq });
            connection.send_frame(&encode(&Response::result(request.id, result))).await
        }
        Err(fault) => refuse(connection, request.id, fault).await,
    }
}

/// Answer as over HTTP: with a result, or with events that all carry the request's id.
async fn answer(connection: &mut SocketConnection, mut request: Request) -> Result<(), SocketClosed> {
    let (id, method) = (request.id.clone(), request.method.clone());
    if let Err(fault) = complete(connection, &mut request) {
        return refuse(connection, id, fault).await;
    }
    let answering = answer_on_socket(connection.ops(), connection.headers.clone(), request);
    match method.as_str() {
        // These wait for what comes of them, while the socket goes on.
        "message/send" | "command/execute" => {
            connection.requests.wait_for(id, answering);
            return Ok(());
        }
        _ => {}
    }
    match answering.await {
        Ok(RpcAnswer::Result(result)) => connection.send_frame(&encode(&Response::result(id, result))).await,
        Ok(RpcAnswer::Stream(stream)) => {
            match method.as_str() {
                "message/stream" => connection.answer_message(id, stream),
                _ => connection.requests.answer_with(id, stream),
            }
            Ok(())
        }
        Err(fault) => refuse(connection, id, fault).await,
    }
}

/// Fill in what a socket knows: a message to no task goes to the one that is followed, needs no id of its own, and is the
/// user's, whatever it says.
fn complete(connection: &SocketConnection, request: &mut Request) -> Result<(), RequestError> {
    connection.requests.check_room(connection.open_answers())?;
    let here = connection.task().cloned();
    let Some(Value::Object(message)) = request.params.get_mut("message") else { return Ok(()) };
    let named = ["taskId", "task_id"].iter().find_map(|name| message.get(*name)).and_then(Value::as_str);
    check_same_task(here.as_ref(), named)?;
    // The session that all share is joined without being named.
    let follows_task = matches!(connection.app.sessions, SessionAccess::Many { .. });
    if let (true, None, Some(handle)) = (follows_task, named, &here) {
        message.insert("taskId".into(), handle.scope.wire_id().into());
    }
    if !message.contains_key("messageId") && !message.contains_key("message_id") {
        message.insert("messageId".into(), Uuid::now_v7().to_string().into());
    }
    message.insert("role".into(), "user".into());
    Ok(())
}

/// Where a frame's command was accepted, the first entry of it and the last.
async fn run(
    connection: &mut SocketConnection,
    request: &Request,
) -> Result<(TaskHandle, CommandReceipt), RequestError> {
    let (app, here) = (connection.app.clone(), connection.task().cloned());
    if request.method == "tasks/cancel" {
        let id = request.params.get("id").and_then(Value::as_str);
        check_same_task(here.as_ref(), id)?;
        let handle = match (id, here) {
            (_, Some(handle)) => handle,
            (Some(id), None) => app.sessions.find(&connection.who, id).await?,
            (None, None) => {
                return Err(RequestError::invalid_params("`params.id` is missing: say which task to cancel"));
            }
        };
        let receipt = cancel(&app.feeds, &handle, A2aVersion::V03).await?;
        return Ok((handle, receipt));
    }
    let dialect = match connection.speaks_rfc() {
        true => MessageDialect::A2a(ClientProfile::RFC),
        false => MessageDialect::Flat,
    };
    let inbound = InboundMessage::read(&request.params, MessageRules::Seeds)?.in_dialect(dialect);
    app.check_client_credentials(&inbound.settings)?;
    check_same_task(here.as_ref(), inbound.task.as_deref())?;
    let admitted =
        app.sessions.admit(&app.feeds, &connection.who, &inbound, here.as_ref(), UnaddressedMessage::Joins).await?;
    Ok((admitted.task, admitted.receipt))
}

/// A connection follows one task; another one takes another connection.
fn check_same_task(here: Option<&TaskHandle>, task: Option<&str>) -> Result<(), RequestError> {
    let (Some(handle), Some(task)) = (here, task) else { return Ok(()) };
    let here = handle.scope.wire_id();
    if here == task {
        return Ok(());
    }
    Err(RequestError::invalid_params(format!(
        "this connection follows task {here}; open another one for task {task:?}"
    )))
}

async fn refuse(connection: &mut SocketConnection, id: Id, fault: RequestError) -> Result<(), SocketClosed> {
    match id {
        Id::Null => {
            tracing::debug!("[A2AService] refused: {fault}");
            connection.send_unlogged(UnloggedFrame::Refused(fault)).await
        }
        id => connection.send_frame(&write_error(id, fault)).await,
    }
}
