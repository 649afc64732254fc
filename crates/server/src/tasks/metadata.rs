//! `GET /tasks/metadata` and `GET /tasks/{id}/metadata`: which model, tools and MCP servers a task works with, in the shape
//! of Google's server.

use super::Id;
use super::every::{TaskWriter, send_list};
use super::list::{WantedTasks, wanted};
use crate::dialect::{coder_word, encode, standing_word, word};
use crate::errors::Fault;
use crate::rooms::{Place, opened};
use crate::router::{Hall, failure};
use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use pollux_session::{ToolInfo, Tooling, Who};
use pollux_wire::a2a::Task;
use pollux_wire::jsonrpc;
use pollux_wire::named::StandingWord;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Where the next part of a list begins: the list itself is a bare array.
const NEXT_PAGE: HeaderName = HeaderName::from_static("x-next-page-token");

/// `GET /tasks/{id}/metadata`
pub(crate) async fn one(State(hall): State<Arc<Hall>>, Extension(who): Extension<Who>, id: Id) -> Response {
    let Path(id) = match id {
        Ok(id) => id,
        Err(rejection) => return failure(rejection.status(), &rejection.body_text()),
    };
    let told = async { about(&hall, &hall.rooms.find(&who, &id).await?).await };
    match told.await {
        Ok(metadata) => Json(json!({ "metadata": metadata })).into_response(),
        Err(fault) if fault.code == jsonrpc::TASK_NOT_FOUND => {
            (StatusCode::NOT_FOUND, Json(json!({ "error": "Task not found" }))).into_response()
        }
        Err(fault) => fault.http(),
    }
}

/// `GET /tasks/metadata`
pub(crate) async fn all(
    State(hall): State<Arc<Hall>>,
    Extension(who): Extension<Who>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    listed(hall, who, &uri, &headers).await.unwrap_or_else(Fault::http)
}

async fn listed(hall: Arc<Hall>, who: Who, uri: &Uri, headers: &HeaderMap) -> Result<Response, Fault> {
    let page = match wanted(Arc::clone(&hall), who.clone(), uri, headers).await? {
        WantedTasks::Page(page) => page,
        WantedTasks::Every(tasks) => {
            let sent = send_list("[", "]", tasks, MetadataWriter { hall, who }).await?;
            return Ok(sent.unwrap_or_else(|| StatusCode::NO_CONTENT.into_response()));
        }
    };
    if page.tasks.is_empty() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let mut metadata = Vec::with_capacity(page.tasks.len());
    for task in &page.tasks {
        let place = hall.rooms.find(&who, &task.id).await?;
        metadata.push(about(&hall, &place).await?);
    }
    let next = (!page.next.is_empty()).then_some([(NEXT_PAGE, page.next)]);
    Ok((next.map(axum::response::AppendHeaders), Json(metadata)).into_response())
}

/// Writes what each task works with.
struct MetadataWriter {
    hall: Arc<Hall>,
    who: Who,
}

impl TaskWriter for MetadataWriter {
    async fn write(&self, task: Task) -> Result<Bytes, Fault> {
        let place = self.hall.rooms.find(&self.who, &task.id).await?;
        Ok(encode(&about(&self.hall, &place).await?))
    }
}

/// What a task works with.
async fn about(hall: &Hall, place: &Place) -> Result<Value, Fault> {
    let opened = opened(&*place.seat).await?;
    let scene = hall.feeds.at_head(&*place.seat).await?;
    let tooling = match &hall.tooling {
        Some(tooling) => tooling(&opened.workspace, place.seat.session()).await,
        None => bare(&scene.state.equipment.tools),
    };
    let only = opened.overrides.only_tools.as_deref();
    let offered = |tool: &&ToolInfo| only.is_none_or(|only| only.contains(&tool.name));
    let servers = tooling.servers.iter().map(|server| {
        let tools: Vec<Value> = server.tools.iter().filter(offered).map(tool).collect();
        json!({ "name": server.name, "status": server.status.name(), "tools": tools })
    });
    let status = scene.status(place.view);
    let own_word = || if scene.coder(place.view).is_some() { coder_word(&status, place.view) } else { word(&status) };
    let state = standing_word(&scene, place.view).unwrap_or_else(|| StandingWord::A2a(own_word()));
    Ok(json!({
        "id": place.view.wire_id(),
        "contextId": opened.context.as_str(),
        "taskState": state,
        "model": if scene.model_now().is_empty() { &hall.face.model } else { scene.model_now() },
        "mcpServers": servers.collect::<Vec<_>>(),
        "availableTools": tooling.tools.iter().filter(offered).map(tool).collect::<Vec<_>>(),
    }))
}

/// Tools of which only the names are known.
fn bare(names: &[String]) -> Tooling {
    let tool = |name: &String| ToolInfo { name: name.clone(), ..ToolInfo::default() };
    Tooling { tools: names.iter().map(tool).collect(), servers: Vec::new() }
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
