//! `GET /tasks` and `GET /tasks/{id}`, in the server reference's shapes.

use super::Id;
use crate::dialect::{state_word, word};
use crate::errors::Fault;
use crate::ops::{Head, ListWish, Ops};
use crate::rest::Query;
use crate::router::{Hall, failure};
use crate::scene::timestamp;
use crate::snapshot::{self, History};
use crate::version::Version;
use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use pollux_session::{Unprompted, Who};
use pollux_wire::a2a::Task;
use pollux_wire::named::{TaskDetails, TaskLine};
use serde_json::json;
use std::sync::Arc;

/// `GET /tasks`
pub(crate) async fn list(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    listed(hall, who, &uri, &headers).await.unwrap_or_else(Fault::http)
}

async fn listed(hall: Arc<Hall>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<Response, Fault> {
    let page = page(hall, who, uri, headers).await?;
    let line = |task: &Task| TaskLine {
        id: task.id.clone(),
        context_id: task.context_id.clone(),
        state: state_word(task.status.state),
    };
    let mut body = json!({ "tasks": page.tasks.iter().map(line).collect::<Vec<_>>() });
    if !page.next.is_empty() {
        body["nextPageToken"] = json!(page.next);
    }
    Ok(Json(body).into_response())
}

/// A part of a list of tasks.
pub(super) struct Page {
    /// The tasks, without their history.
    pub(super) tasks: Vec<Task>,
    /// Where the next part begins; empty at the end.
    pub(super) next: String,
}

/// The caller's tasks, newest change of standing first, those that were opened and never prompted among them.
pub(super) async fn page(hall: Arc<Hall>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<Page, Fault> {
    let wish = ListWish { unprompted: Unprompted::Listed, ..Query::of(uri)?.list_wish()? };
    let ops = Ops { hall, who, version: Version::V03, head: Head::of(headers) };
    let listed = ops.list(&wish).await?;
    Ok(Page { tasks: listed.tasks, next: listed.next_page_token })
}

/// `GET /tasks/{id}`
pub(crate) async fn look(State(hall): State<Arc<Hall>>, Extension(who): Extension<Who>, id: Id) -> Response {
    let Path(id) = match id {
        Ok(id) => id,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    details(&hall, &who, &id).await.map_or_else(Fault::http, |details| Json(details).into_response())
}

async fn details(hall: &Hall, who: &Who, id: &str) -> Result<TaskDetails, Fault> {
    let place = hall.rooms.find(who, id).await?;
    let (task, scene) = snapshot::whole_in_scene(&hall.feeds, &place, History::Whole, Version::V03).await?;
    Ok(TaskDetails {
        id: task.id,
        context_id: task.context_id,
        state: state_word(word(&scene.status(place.view))),
        timestamp: timestamp(scene.changed(place.view)),
        metadata: task.metadata,
        history: task.history,
        artifacts: task.artifacts,
    })
}
