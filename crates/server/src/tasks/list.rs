//! `GET /tasks` and `GET /tasks/{id}`, in the server reference's shapes.

use super::Id;
use super::every::{EveryTask, TaskWriter, send_list};
use crate::audience::Audience;
use crate::dialect::{encode, standing_word, state_word, word};
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
use bytes::Bytes;
use pollux_session::{Unprompted, Who};
use pollux_wire::a2a::Task;
use pollux_wire::named::{StandingWord, TaskDetails, TaskLine};
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
    let page = match wanted(hall, who, uri, headers).await? {
        WantedTasks::Page(page) => page,
        WantedTasks::Every(tasks) => {
            let sent = send_list("{\"tasks\":[", "]}", tasks, LineWriter).await?;
            return Ok(sent.unwrap_or_else(|| Json(json!({ "tasks": [] })).into_response()));
        }
    };
    let mut body = json!({ "tasks": page.tasks.iter().map(line).collect::<Vec<_>>() });
    if !page.next.is_empty() {
        body["nextPageToken"] = json!(page.next);
    }
    Ok(Json(body).into_response())
}

fn line(task: &Task) -> TaskLine {
    TaskLine { id: task.id.clone(), context_id: task.context_id.clone(), state: state_word(task.status.state) }
}

/// Writes the lines of `GET /tasks`.
struct LineWriter;

impl TaskWriter for LineWriter {
    async fn write(&self, task: Task) -> Result<Bytes, Fault> {
        Ok(encode(&line(&task)))
    }
}

/// Which of the caller's tasks are wanted, newest change of standing first, those that were opened and never prompted
/// among them.
pub(super) enum WantedTasks {
    /// A part of them.
    Page(Page),
    /// All of them.
    Every(Box<EveryTask>),
}

/// A part of a list of tasks.
pub(super) struct Page {
    /// The tasks, without their history.
    pub(super) tasks: Vec<Task>,
    /// Where the next part begins; empty at the end.
    pub(super) next: String,
}

/// What `uri` asks for: everything, unless it names a page.
pub(super) async fn wanted(hall: Arc<Hall>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<WantedTasks, Fault> {
    let wish = ListWish { unprompted: Unprompted::Listed, ..Query::of(uri)?.list_wish()? };
    let ops = Ops { hall, who, version: Version::V03, head: Head::of(headers) };
    if wish.page_size.is_none() && wish.page_token.is_none() {
        return Ok(WantedTasks::Every(Box::new(EveryTask::new(ops, wish))));
    }
    let listed = ops.list(&wish).await?;
    Ok(WantedTasks::Page(Page { tasks: listed.tasks, next: listed.next_page_token }))
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
    let (task, scene) = snapshot::whole_in_scene(&hall.feeds, &place, History::Whole, Audience::RFC).await?;
    let own_word = StandingWord::Named(state_word(word(&scene.status(place.view))));
    Ok(TaskDetails {
        id: task.id,
        context_id: task.context_id,
        state: standing_word(&scene, place.view).unwrap_or(own_word),
        timestamp: timestamp(scene.changed(place.view)),
        metadata: task.metadata,
        history: task.history,
        artifacts: task.artifacts,
    })
}
