//! Which route leads where. docs/PROTOCOL.md names every one of them, and a test holds it to that.

use crate::card::{self, Face};
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::rooms::Rooms;
use crate::{rpc, tasks, ws};
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use pollux_wire::jsonrpc;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// The largest body that is read. An edited file has to fit.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Every route, as `(method, path)`.
pub const ROUTES: [(&str, &str); 6] = [
    ("GET", "/.well-known/agent-card.json"),
    ("GET", "/health"),
    ("POST", "/"),
    ("GET", "/ws"),
    ("POST", "/tasks"),
    ("POST", "/tasks/{id}/messages/stream"),
];

/// What every request can reach.
pub(crate) struct Hall {
    pub(crate) rooms: Rooms,
    pub(crate) face: Face,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) shutdown: CancellationToken,
    pub(crate) started: Instant,
}

/// The routes, for `listen` to serve behind the gate. Streams end when `shutdown` is cancelled.
pub fn router(rooms: Rooms, face: Face, shutdown: CancellationToken) -> Router {
    let hall = Hall { rooms, face, feeds: Arc::default(), shutdown, started: Instant::now() };
    // Zipped with the table, so that a route cannot be added to one and not to the other.
    let targets: [MethodRouter<Arc<Hall>>; ROUTES.len()] = [
        get(card::show),
        get(card::health),
        post(rpc::answer),
        get(ws::upgrade),
        post(tasks::create),
        post(tasks::stream),
    ];
    let mut router = Router::new();
    for ((_, path), target) in ROUTES.into_iter().zip(targets) {
        router = router.route(path, target);
    }
    router
        .method_not_allowed_fallback(wrong_method)
        .fallback(no_such_route)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(Arc::new(hall))
}

async fn no_such_route(uri: Uri) -> Response {
    let routes = ROUTES.map(|(method, path)| format!("{method} {path}")).join(", ");
    failure(StatusCode::NOT_FOUND, &format!("no route {:?}; there are {routes}", uri.path()))
}

async fn wrong_method(uri: Uri) -> Response {
    let right = ROUTES.iter().find(|(_, path)| *path == uri.path()).map_or("POST", |(method, _)| *method);
    failure(StatusCode::METHOD_NOT_ALLOWED, &format!("{:?} takes {right}", uri.path()))
}

/// An error of HTTP itself, with a JSON body like all others.
pub(crate) fn failure(status: StatusCode, message: &str) -> Response {
    let error = Fault::new(jsonrpc::INVALID_REQUEST, message).object();
    (status, Json(json!({ "error": error }))).into_response()
}
