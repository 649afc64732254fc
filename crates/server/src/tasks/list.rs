//! `GET /tasks` and `GET /tasks/{id}`, in the server reference's shapes.

use super::Id;
use crate::dialect::{state_word, word};
use crate::errors::Fault;
use crate::ops::{Head, Ops};
use crate::rest::Query;
use crate::rooms::{Place, Rooms};
use crate::router::{Hall, failure};
use crate::scene::{View, timestamp};
use crate::snapshot::{self, History};
use crate::version::Version;
use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use pollux_session::Who;
use pollux_wire::a2a::{Metadata, Task, TaskState, TaskStatus, TaskTag};
use pollux_wire::named::{TaskDetails, TaskLine};
use serde_json::json;
use std::sync::Arc;

/// How many sessions, and how many tasks of the shared one, that nobody has prompted yet a list begins with at the most.
const MOST_UNPROMPTED: usize = 50;

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

/// The caller's tasks, newest change of standing first. Those that were opened and never prompted come first of all.
pub(super) async fn page(hall: Arc<Hall>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<Page, Fault> {
    let wish = Query::of(uri)?.list_wish()?;
    let ops = Ops { hall, who, version: Version::V03, head: Head::of(headers) };
    let mut tasks = if wish.page_token.is_none() { unprompted(&ops).await? } else { Vec::new() };
    tasks.retain(|task| {
        wish.context.as_ref().is_none_or(|context| *context == task.context_id)
            && (wish.states.is_empty() || wish.states.contains(&task.status.state))
    });
    let listed = ops.list(&wish).await?;
    tasks.extend(listed.tasks);
    Ok(Page { tasks, next: listed.next_page_token })
}

async fn unprompted(ops: &Ops) -> Result<Vec<Task>, Fault> {
    let sessions = ops.hall.rooms.roster().list(&ops.who, MOST_UNPROMPTED).await?;
    let seen = |session: &pollux_session::Summary| match &ops.hall.rooms {
        Rooms::Shared { session: shared, .. } => session.id == *shared,
        Rooms::Many { .. } => true,
    };
    let untitled = sessions.into_iter().filter(|session| session.title.is_empty() && seen(session));
    let task = |session: pollux_session::Summary| Task {
        kind: TaskTag::Task,
        id: session.id.to_string(),
        context_id: session.context.as_str().to_owned(),
        status: TaskStatus { state: TaskState::Submitted, message: None, timestamp: Some(timestamp(session.opened)) },
        artifacts: Vec::new(),
        history: Vec::new(),
        metadata: Metadata::new(),
    };
    let mut tasks: Vec<Task> = untitled.map(task).collect();
    if let Some(Place { seat, .. }) = ops.hall.rooms.only(&ops.who).await? {
        let scene = ops.hall.feeds.at_head(&*seat).await?;
        // The entry that opened it is all there is of it.
        let opened = scene.state.tasks.iter().filter(|(_, task)| task.entries == 1 && !task.edge.is_null());
        let newest = opened.rev().take(MOST_UNPROMPTED);
        tasks.extend(newest.map(|(id, _)| snapshot::bare(seat.session(), View::Task(*id), &scene, Version::V03)));
    }
    Ok(tasks)
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
