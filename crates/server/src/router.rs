//! Which route leads where. docs/PROTOCOL.md names every one of them, and a test holds it to that.

use crate::card::{self, Cards, Face};
use crate::direct::Direct;
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::push::{Push, PushSettings};
use crate::rooms::Rooms;
use crate::{extensions, rest, rpc, tasks, ws};
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use axum::{Json, Router};
use pollux_wire::jsonrpc;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// The largest body that is read. An edited file has to fit.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Every route, as `(method, path)`, but for those of HTTP+JSON.
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
    pub(crate) cards: Cards,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) push: Option<Arc<Push>>,
    pub(crate) direct: Option<Arc<dyn Direct>>,
    pub(crate) shutdown: CancellationToken,
    pub(crate) started: Instant,
}

/// What an agent offers besides.
#[derive(Clone, Default)]
pub struct Extras {
    /// News of tasks, pushed to where clients want it.
    pub push: Option<PushSettings>,
    /// Answers that need no task.
    pub direct: Option<Arc<dyn Direct>>,
}

/// The routes, for `listen` to serve behind the gate. Streams end when `shutdown` is cancelled.
pub fn router(rooms: Rooms, face: Face, shutdown: CancellationToken) -> Router {
    router_with(rooms, face, Extras::default(), shutdown)
}

/// The same, with whatever an agent offers besides. News that was not delivered before is taken up at once, so with
/// [`Extras::push`] this needs a runtime to work in.
pub fn router_with(rooms: Rooms, face: Face, extras: Extras, shutdown: CancellationToken) -> Router {
    let Extras { push, direct } = extras;
    let feeds: Arc<Feeds> = Arc::default();
    let push = push.map(|push| Push::start(push, rooms.clone(), Arc::clone(&feeds), shutdown.clone()));
    routes(Hall { rooms, face, cards: Cards::new(), feeds, push, direct, shutdown, started: Instant::now() })
}

fn routes(hall: Hall) -> Router {
    let hall = Arc::new(hall);
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
    for path in rest::PATHS {
        router = router.route(path, any(rest::answer));
    }
    #[cfg(feature = "grpc")]
    let router = router.merge(crate::grpc::routes());
    router
        .method_not_allowed_fallback(wrong_method)
        .fallback(no_such_route)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(Arc::clone(&hall), extensions::echo))
        .with_state(hall)
}

async fn no_such_route(uri: Uri) -> Response {
    let routes = ROUTES.map(|(method, path)| format!("{method} {path}")).join(", ");
    failure(StatusCode::NOT_FOUND, &format!("no route {:?}; there are {routes}, /a2a/v1/… and /v1/…", uri.path()))
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
