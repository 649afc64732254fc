//! `GET /tasks` and `GET /tasks/{id}`, in the server reference's shapes.

use super::TaskIdPath;
use super::every_task::{EveryTask, TaskWriter, send_list};
use crate::client_profile::ClientProfile;
use crate::dialect::{encode, standing_word, state_word, task_state};
use crate::errors::RequestError;
use crate::ops::{A2aOperations, RequestHead, TaskListQuery};
use crate::rest::QueryParameters;
use crate::router::{AppState, failure};
use crate::task_snapshot::{self, HistoryLength};
use crate::version::A2aVersion;
use crate::wire_state::timestamp;
use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use pollux_session::{UnpromptedTasks, Who};
use pollux_wire::a2a::Task;
use pollux_wire::named::{StandingWord, TaskDetails, TaskLine};
use serde_json::json;
use std::sync::Arc;

/// `GET /tasks`
pub(crate) async fn list(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    list_response(app, who, &uri, &headers).await.unwrap_or_else(RequestError::into_http_response)
}

async fn list_response(app: Arc<AppState>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<Response, RequestError> {
    let page = match read_wanted_tasks(app, who, uri, headers).await? {
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
    async fn write(&self, task: Task) -> Result<Bytes, RequestError> {
        Ok(encode(&line(&task)))
    }
}

/// Which of the caller's tasks are wanted, newest change of standing first, those that were opened and never prompted
/// among them.
pub(super) enum WantedTasks {
    /// A part of them.
    Page(TaskListSlice),
    /// All of them.
    Every(Box<EveryTask>),
}

/// A part of a list of tasks.
pub(super) struct TaskListSlice {
    /// The tasks, without their history.
    pub(super) tasks: Vec<Task>,
    /// Where the next part begins; empty at the end.
    pub(super) next: String,
}

/// The tasks that `uri` asks for: all of them, unless it names a page.
pub(super) async fn read_wanted_tasks(
    app: Arc<AppState>,
    who: Who,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<WantedTasks, RequestError> {
    let wish =
        TaskListQuery { unprompted: UnpromptedTasks::Listed, ..QueryParameters::from_uri(uri)?.task_list_query()? };
    let ops = A2aOperations { app, who, version: A2aVersion::V03, head: RequestHead::from_headers(headers) };
    if wish.page_size.is_none() && wish.page_token.is_none() {
        return Ok(WantedTasks::Every(Box::new(EveryTask::new(ops, wish))));
    }
    let listed = ops.list(&wish).await?;
    Ok(WantedTasks::Page(TaskListSlice { tasks: listed.tasks, next: listed.next_page_token }))
}

/// `GET /tasks/{id}`
pub(crate) async fn show_task(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    id: TaskIdPath,
) -> Response {
    let Path(id) = match id {
        Ok(id) => id,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    details(&app, &who, &id)
        .await
        .map_or_else(RequestError::into_http_response, |details| Json(details).into_response())
}

async fn details(app: &AppState, who: &Who, id: &str) -> Result<TaskDetails, RequestError> {
    let handle = app.sessions.find(who, id).await?;
    let (task, wire_state) =
        task_snapshot::whole_task_and_state(&app.feeds, &handle, HistoryLength::Whole, ClientProfile::RFC).await?;
    app.feeds.record_shown_asks(&*handle.seat, &wire_state.asked_calls(handle.scope));
    let own_word = StandingWord::Named(state_word(task_state(&wire_state.status(handle.scope))));
    Ok(TaskDetails {
        id: task.id,
        context_id: task.context_id,
        state: standing_word(&wire_state, handle.scope).unwrap_or(own_word),
        timestamp: timestamp(wire_state.changed(handle.scope)),
        metadata: task.metadata,
        history: task.history,
        artifacts: task.artifacts,
    })
}
