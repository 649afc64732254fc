//! `GET /ws`: the endpoint guide's WebSocket, and with the subprotocol `pollux.seat.v1` a seat as terminals have it. One loop per connection; a client that does not read stops only itself.

mod command;
mod connection;
mod seat;

use crate::errors::Fault;
use crate::router::{Hall, failure};
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, Query, State};
use axum::http::header::SEC_WEBSOCKET_KEY;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use connection::Connection;
use pollux_session::{SEAT_FRAME_BYTES, SEAT_PROTOCOL, Who};
use seat::SeatConnection;
use serde::Deserialize;
use std::sync::Arc;

/// The largest frame a client may send.
const FRAME_LIMIT: usize = 1024 * 1024;

/// What the address may say.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Wish {
    /// The task to follow.
    task_id: Option<String>,
    /// Replay what follows this entry.
    after: Option<u64>,
}

/// `GET /ws[?taskId=][&after=SEQ]`
pub(crate) async fn upgrade(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    wish: Result<Query<Wish>, QueryRejection>,
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
    let place = match &wish.task_id {
        Some(id) => hall.rooms.find(&who, id).await.map(Some),
        None => hall.rooms.only(&who).await,
    };
    let place = match place {
        Ok(place) => place,
        Err(fault) => return fault.http(),
    };
    if upgrade.selected_protocol().is_some() {
        let seat = match SeatConnection::prepare(hall, place).await {
            Ok(seat) => seat,
            Err(fault) => return fault.http(),
        };
        let upgrade = upgrade.max_message_size(SEAT_FRAME_BYTES).max_frame_size(SEAT_FRAME_BYTES);
        return upgrade.on_upgrade(async move |socket| {
            tracing::info!("A2A client connected: {}", who.label);
            seat.run(socket).await;
            tracing::debug!("[A2AService] client left: {}", who.label);
        });
    }
    // So is where things stand: whoever has the 101 misses nothing that happens after it.
    let scene = match (&place, wish.after) {
        (Some(place), None) => match hall.feeds.at_head(&*place.seat).await {
            Ok(scene) => Some(Box::new(scene)),
            Err(error) => return Fault::from(error).http(),
        },
        (None, _) | (_, Some(_)) => None,
    };
    upgrade.max_message_size(FRAME_LIMIT).max_frame_size(FRAME_LIMIT).on_upgrade(async move |socket| {
        tracing::info!("A2A client connected: {}", who.label);
        let label = who.label.clone();
        Connection::new(hall, who, socket).run(place, wish.after, scene).await;
        tracing::debug!("[A2AService] client left: {label}");
    })
}

/// Whether a handshake has the one key that RFC 6455 wants: any other would be answered all the same.
fn has_key(headers: &HeaderMap) -> bool {
    const KEY_BYTES: usize = 16;
    let mut keys = headers.get_all(SEC_WEBSOCKET_KEY).iter();
    match (keys.next(), keys.next()) {
        (Some(key), None) => STANDARD.decode(key.as_bytes()).is_ok_and(|key| key.len() == KEY_BYTES),
        (None | Some(_), _) => false,
    }
}
