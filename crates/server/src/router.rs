//! Which route leads where. docs/PROTOCOL.md names every one of them, and a test holds it to that.

use crate::card::{self, CardCache, CardConfig};
use crate::commands::{self, CommandSource};
use crate::direct::DirectResponder;
use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::health::{self, HealthCheck};
use crate::message_files::{FileStore, MessageFiles};
use crate::presence::Presence;
use crate::push::{PushService, PushSettings};
use crate::session_access::SessionAccess;
use crate::{extensions, log_context, page_route, rest, rpc, tasks, ws};
use axum::extract::DefaultBodyLimit;
use axum::http::header::ALLOW;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use axum::{Json, Router};
use pollux_session::{BoxFuture, SessionId, SessionTools, UnixMillis};
use pollux_wire::jsonrpc;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// The largest body that is read. An edited file has to fit.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Every route, as `(method, path)`, but for those of HTTP+JSON.
pub const ROUTES: [(&str, &str); 15] = [
    ("GET", "/.well-known/agent-card.json"),
    ("GET", "/.well-known/agent-card.json/"),
    ("GET", "/health"),
    ("POST", "/"),
    ("GET", "/ws"),
    ("POST", "/tasks"),
    ("POST", "/tasks/{id}/messages/stream"),
    ("GET", "/tasks"),
    ("GET", "/tasks/metadata"),
    ("GET", "/tasks/{id}"),
    ("GET", "/tasks/{id}/metadata"),
    ("POST", "/tasks/{id}/execute"),
    ("POST", "/message/stream"),
    ("GET", "/listCommands"),
    ("POST", "/executeCommand"),
];

/// The state that every request can reach.
pub(crate) struct AppState {
    pub(crate) sessions: SessionAccess,
    pub(crate) card_config: CardConfig,
    pub(crate) card_cache: CardCache,
    pub(crate) feeds: Arc<SessionFeeds>,
    pub(crate) push: Option<Arc<PushService>>,
    pub(crate) direct: Option<Arc<dyn DirectResponder>>,
    pub(crate) commands: Option<CommandSource>,
    pub(crate) tooling: Option<ToolingSource>,
    pub(crate) models: Option<ModelSource>,
    pub(crate) health: Option<HealthCheck>,
    pub(crate) clients_may_start_programs: bool,
    pub(crate) shutdown: CancellationToken,
    pub(crate) started: Instant,
}

/// Says what a session in a workspace works with.
pub type ToolingSource = Arc<dyn Fn(&str, SessionId) -> BoxFuture<'static, SessionTools> + Send + Sync>;

/// Says which models can be chosen: a line for each, with the name that chooses it first.
pub type ModelSource = Arc<dyn Fn() -> BoxFuture<'static, Vec<String>> + Send + Sync>;

/// Offers of an agent besides.
#[derive(Clone, Default)]
pub struct RouterOptions {
    /// News of tasks, pushed to where clients want it.
    pub push: Option<PushSettings>,
    /// Answers that need no task.
    pub direct: Option<Arc<dyn DirectResponder>>,
    /// The slash commands; without it there are none.
    pub commands: Option<CommandSource>,
    /// The tools and MCP servers of a session; without it only the names of tools are known.
    pub tooling: Option<ToolingSource>,
    /// The models that can be chosen; without it none are listed.
    pub models: Option<ModelSource>,
    /// The health of the process, beside that it answers.
    pub health: Option<HealthCheck>,
    /// True if clients may lend sessions tool servers that are programs on this machine.
    pub clients_may_start_programs: bool,
    /// Keeps the pictures, documents and sounds that come with messages; without it they are refused.
    pub files: Option<Arc<dyn FileStore>>,
    /// Where the clients that follow sessions are listed.
    pub presence: Presence,
    /// When the process started. Asks that are older may have been shown to anybody, so a late reply that names none of them
    /// is treated with more caution.
    pub started: UnixMillis,
}

/// The routes, for `listen` to serve behind the gate. Streams end when `shutdown` is cancelled.
pub fn router(session_access: SessionAccess, card_config: CardConfig, shutdown: CancellationToken) -> Router {
    router_with(session_access, card_config, RouterOptions::default(), shutdown)
}

/// The router with whatever an agent offers besides. News that was not delivered before is taken up at once, so with
/// [`RouterOptions::push`] this needs a runtime to work in.
pub fn router_with(
    session_access: SessionAccess,
    card_config: CardConfig,
    extras: RouterOptions,
    shutdown: CancellationToken,
) -> Router {
    let RouterOptions {
        push,
        direct,
        commands,
        tooling,
        models,
        health,
        clients_may_start_programs,
        files,
        presence,
        started,
    } = extras;
    let feeds = Arc::new(SessionFeeds::new(MessageFiles(files), presence, started));
    let push = push.map(|push| PushService::start(push, session_access.clone(), Arc::clone(&feeds), shutdown.clone()));
    routes(AppState {
        sessions: session_access,
        card_config,
        card_cache: CardCache::new(),
        feeds,
        push,
        direct,
        commands,
        tooling,
        models,
        health,
        clients_may_start_programs,
        shutdown,
        started: Instant::now(),
    })
}

fn routes(app: AppState) -> Router {
    let app = Arc::new(app);
    // Zipped with the table, so that a route cannot be added to one and not to the other.
    let targets: [MethodRouter<Arc<AppState>>; ROUTES.len()] = [
        get(card::show),
        get(card::show),
        get(health::show),
        post(rpc::answer),
        get(ws::upgrade),
        post(tasks::create),
        post(tasks::stream),
        get(tasks::list),
        get(tasks::all_metadata),
        get(tasks::show_task),
        get(tasks::metadata),
        post(tasks::execute),
        post(page_route::stream),
        get(commands::list),
        post(commands::execute),
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
        .layer(from_fn_with_state(Arc::clone(&app), extensions::echo))
        .layer(from_fn(log_context::number_request))
        .with_state(app)
}

async fn no_such_route(uri: Uri) -> Response {
    let routes = ROUTES.map(|(method, path)| format!("{method} {path}")).join(", ");
    failure(StatusCode::NOT_FOUND, &format!("no route {:?}; there are {routes}, /a2a/v1/… and /v1/…", uri.path()))
}

async fn wrong_method(method: Method, uri: Uri) -> Response {
    let mut right: Vec<&str> =
        ROUTES.iter().filter(|(_, route)| path_matches(route, uri.path())).map(|(method, _)| *method).collect();
    right.dedup();
    if right.is_empty() {
        // The calls of gRPC are in no table.
        right.push("POST");
    }
    // Whoever takes GET takes HEAD.
    let allow: Vec<&str> =
        right.iter().flat_map(|name| if *name == "GET" { vec!["GET", "HEAD"] } else { vec![*name] }).collect();
    if method == Method::OPTIONS {
        return options_response(&allow.join(", "));
    }
    let refused = failure(StatusCode::METHOD_NOT_ALLOWED, &format!("{:?} takes {}", uri.path(), right.join(" or ")));
    ([(ALLOW, allow.join(", "))], refused).into_response()
}

/// The answer to OPTIONS: the methods that an address takes.
pub(crate) fn options_response(methods: &str) -> Response {
    (StatusCode::NO_CONTENT, [(ALLOW, format!("{methods}, OPTIONS"))]).into_response()
}

/// True if `path` is an address of `route`.
fn path_matches(route: &str, path: &str) -> bool {
    let same = |(ours, theirs): (&str, &str)| ours == theirs || ours.starts_with('{');
    route.split('/').count() == path.split('/').count() && route.split('/').zip(path.split('/')).all(same)
}

/// An error of HTTP itself, with a JSON body like all others.
pub(crate) fn failure(status: StatusCode, message: &str) -> Response {
    let error = RequestError::new(jsonrpc::INVALID_REQUEST, message).into_error_object();
    (status, Json(json!({ "error": error }))).into_response()
}
