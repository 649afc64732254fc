//! `GET /ws`: the endpoint guide's WebSocket, and with the subprotocol `pollux.seat.v1` a seat as terminals have it. One loop per connection; a client that does not read stops only itself.

mod command;
mod connection;
mod followed_task;
mod open_requests;
mod seat;
mod unlogged;

use crate::client_profile::ToolExtension;
use crate::dialect::{Dialect, EventEncoding};
use crate::errors::RequestError;
use crate::log_context::RequestContext;
use crate::router::{AppState, failure};
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, Query, State};
use axum::http::header::SEC_WEBSOCKET_KEY;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use connection::SocketConnection;
use pollux_session::{SEAT_FRAME_BYTES, SEAT_PROTOCOL, Who};
use seat::SeatConnection;
use serde::Deserialize;
use std::sync::Arc;

/// The largest frame a client may send.
const FRAME_LIMIT: usize = 1024 * 1024;

/// The parameters of the address.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SocketQuery {
    /// The task to follow.
    task_id: Option<String>,
    /// Replay what follows this entry.
    after: Option<u64>,
    /// The dialect of the frames.
    dialect: Option<SocketDialect>,
}

/// A dialect that can be asked for in the address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SocketDialect {
    /// The endpoint guide's frames.
    #[default]
    Flat,
    /// Bare status updates of A2A 0.3 with the extension's objects.
    Rfc,
}

impl From<SocketDialect> for Dialect {
    fn from(dialect: SocketDialect) -> Dialect {
        match dialect {
            SocketDialect::Flat => Dialect::Flat,
            SocketDialect::Rfc => Dialect::Rfc(EventEncoding::Json03, ToolExtension::Declared),
        }
    }
}

/// `GET /ws[?taskId=][&after=SEQ][&dialect=rfc]`
pub(crate) async fn upgrade(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    wish: Result<Query<SocketQuery>, QueryRejection>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let wish = match wish {
        Ok(Query(wish)) => wish,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    if upgrade.is_ok() && !has_key(&headers) {
        let message = "sec-websocket-key must be there once, as 16 bytes in base64";
        return failure(StatusCode::BAD_REQUEST, message);
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade.protocols([SEAT_PROTOCOL]),
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    // Looked up before the 101, so that an unknown task is a plain 404.
    let handle = match &wish.task_id {
        Some(id) => app.sessions.find(&who, id).await.map(Some),
        None => app.sessions.shared_session(&who).await,
    };
    let handle = match handle {
        Ok(handle) => handle,
        Err(fault) => return fault.into_http_response(),
    };
    if upgrade.selected_protocol().is_some() {
        let seat = match SeatConnection::prepare(app, handle).await {
            Ok(seat) => seat,
            Err(fault) => return fault.into_http_response(),
        };
        let upgrade = upgrade.max_message_size(SEAT_FRAME_BYTES).max_frame_size(SEAT_FRAME_BYTES);
        let request = RequestContext::current();
        return upgrade.on_upgrade(move |socket| {
            request.run(async move {
                tracing::info!("A2A client connected: {}", who.label);
                seat.run(socket).await;
                tracing::debug!("[A2AService] client left: {}", who.label);
            })
        });
    }
    // So is where things stand: whoever has the 101 misses nothing that happens after it.
    let state = match (&handle, wish.after) {
        (Some(handle), None) => match app.feeds.newest_state(&*handle.seat).await {
            Ok(state) => Some(state),
            Err(error) => return RequestError::from(error).into_http_response(),
        },
        (None, _) | (_, Some(_)) => None,
    };
    let request = RequestContext::current();
    let serve = async move |socket| {
        tracing::info!("A2A client connected: {}", who.label);
        let label = who.label.clone();
        let dialect = wish.dialect.unwrap_or_default().into();
        SocketConnection::new(app, who, headers, dialect, socket).run(handle, wish.after, state).await;
        tracing::debug!("[A2AService] client left: {label}");
    };
    let upgrade = upgrade.max_message_size(FRAME_LIMIT).max_frame_size(FRAME_LIMIT);
    upgrade.on_upgrade(move |socket| request.run(serve(socket)))
}

/// True if a handshake has the one key that RFC 6455 wants: any other would be answered all the same.
fn has_key(headers: &HeaderMap) -> bool {
    const KEY_BYTES: usize = 16;
    let mut keys = headers.get_all(SEC_WEBSOCKET_KEY).iter();
    match (keys.next(), keys.next()) {
        (Some(key), None) => STANDARD.decode(key.as_bytes()).is_ok_and(|key| key.len() == KEY_BYTES),
        (None | Some(_), _) => false,
    }
}
