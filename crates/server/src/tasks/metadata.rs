//! `GET /tasks/metadata` and `GET /tasks/{id}/metadata`: which model, tools and MCP servers a task works with, in the shape
//! of Google's server.

use super::TaskIdPath;
use super::every_task::{TaskWriter, send_list};
use super::list::{WantedTasks, read_wanted_tasks};
use crate::dialect::{coder_word, encode, standing_word, task_state};
use crate::errors::RequestError;
use crate::router::{AppState, failure};
use crate::session_access::{TaskHandle, read_opened};
use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use pollux_session::{SessionTools, ToolInfo, Who};
use pollux_wire::a2a::Task;
use pollux_wire::jsonrpc;
use pollux_wire::named::StandingWord;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Where the next part of a list begins: the list itself is a bare array.
const NEXT_PAGE: HeaderName = HeaderName::from_static("x-next-page-token");

/// `GET /tasks/{id}/metadata`
pub(crate) async fn show_metadata(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    id: TaskIdPath,
) -> Response {
    let Path(id) = match id {
        Ok(id) => id,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    let told = async { describe_task(&app, &app.sessions.find(&who, &id).await?).await };
    match told.await {
        Ok(metadata) => Json(json!({ "metadata": metadata })).into_response(),
        Err(fault) if fault.code == jsonrpc::TASK_NOT_FOUND => {
            (StatusCode::NOT_FOUND, Json(json!({ "error": "Task not found" }))).into_response()
        }
        Err(fault) => fault.into_http_response(),
    }
}

/// `GET /tasks/metadata`
pub(crate) async fn list_metadata(
    State(app): State<Arc<AppState>>,
    Extension(who): Extension<Who>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    list_response(app, who, &uri, &headers).await.unwrap_or_else(RequestError::into_http_response)
}

async fn list_response(app: Arc<AppState>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<Response, RequestError> {
    let page = match read_wanted_tasks(Arc::clone(&app), who.clone(), uri, headers).await? {
        WantedTasks::Page(page) => page,
        WantedTasks::Every(tasks) => {
            let sent = send_list("[", "]", tasks, MetadataWriter { app, who }).await?;
            return Ok(sent.unwrap_or_else(|| StatusCode::NO_CONTENT.into_response()));
        }
    };
    if page.tasks.is_empty() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let mut metadata = Vec::with_capacity(page.tasks.len());
    for task in &page.tasks {
        let handle = app.sessions.find(&who, &task.id).await?;
        metadata.push(describe_task(&app, &handle).await?);
    }
    let next = (!page.next.is_empty()).then_some([(NEXT_PAGE, page.next)]);
    Ok((next.map(axum::response::AppendHeaders), Json(metadata)).into_response())
}

/// Writes what each task works with.
struct MetadataWriter {
    app: Arc<AppState>,
    who: Who,
}

impl TaskWriter for MetadataWriter {
    async fn write(&self, task: Task) -> Result<Bytes, RequestError> {
        let handle = self.app.sessions.find(&self.who, &task.id).await?;
        Ok(encode(&describe_task(&self.app, &handle).await?))
    }
}

/// The settings and tools of a task.
async fn describe_task(app: &AppState, handle: &TaskHandle) -> Result<Value, RequestError> {
    let opened = read_opened(&*handle.seat).await?;
    let wire_state = app.feeds.newest_state(&*handle.seat).await?;
    let tooling = match &app.tooling {
        Some(tooling) => tooling(&opened.workspace, handle.seat.session()).await,
        None => tooling_of_names(&wire_state.state.equipment.tools),
    };
    let only = opened.overrides.only_tools.as_deref();
    let offered = |tool: &&ToolInfo| only.is_none_or(|only| only.contains(&tool.name));
    let servers = tooling.servers.iter().map(|server| {
        let tools: Vec<Value> = server.tools.iter().filter(offered).map(tool).collect();
        json!({ "name": server.name, "status": server.status.name(), "tools": tools })
    });
    let status = wire_state.status(handle.scope);
    let own_word = || {
        if wire_state.coder_settings(handle.scope).is_some() {
            coder_word(&status, handle.scope)
        } else {
            task_state(&status)
        }
    };
    let state = standing_word(&wire_state, handle.scope).unwrap_or_else(|| StandingWord::A2a(own_word()));
    Ok(json!({
        "id": handle.scope.wire_id(),
        "contextId": opened.context.as_str(),
        "taskState": state,
        "model": if wire_state.model_now().is_empty() { &app.card_config.model } else { wire_state.model_now() },
        "mcpServers": servers.collect::<Vec<_>>(),
        "availableTools": tooling.tools.iter().filter(offered).map(tool).collect::<Vec<_>>(),
    }))
}

/// Tools of which only the names are known.
fn tooling_of_names(names: &[String]) -> SessionTools {
    let tool = |name: &String| ToolInfo { name: name.clone(), ..ToolInfo::default() };
    SessionTools { tools: names.iter().map(tool).collect(), servers: Vec::new() }
}

fn tool(tool: &ToolInfo) -> Value {
    let mut shown = Map::new();
    shown.insert("name".into(), tool.name.as_str().into());
    shown.insert("description".into(), tool.description.as_str().into());
    if !tool.schema.is_null() {
        shown.insert("parameterSchema".into(), tool.schema.clone());
    }
    Value::Object(shown)
}
