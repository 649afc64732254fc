//! A server on the official crate for Rust, in memory: every message becomes a task that says "ok". It is no part of this
//! workspace; the benchmark builds it below the target directory.

use a2a::{
    A2AError, Artifact, Part, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use a2a_server::{AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryTaskStore, jsonrpc};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use std::sync::Arc;

struct OkExecutor;

fn status(state: TaskState) -> TaskStatus {
    TaskStatus { state, message: None, timestamp: None }
}

impl AgentExecutor for Ok {
    fn execute(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let (id, context_id) = context.task_info();
        let artifact = Artifact {
            artifact_id: "answer".into(),
            name: None,
            description: None,
            parts: vec![Part::text("ok")],
            metadata: None,
            extensions: None,
        };
        let task = Task {
            id: id.clone(),
            context_id: context_id.clone(),
            status: status(TaskState::Submitted),
            artifacts: None,
            history: context.message.map(|message| vec![message]),
            metadata: None,
        };
        let update = |state| {
            StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id: id.clone(),
                context_id: context_id.clone(),
                status: status(state),
                metadata: None,
            })
        };
        let made = StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: id.clone(),
            context_id: context_id.clone(),
            artifact,
            append: None,
            last_chunk: None,
            metadata: None,
        });
        let events = [StreamResponse::Task(task), update(TaskState::Working), made, update(TaskState::Completed)];
        stream::iter(events.map(Result::Ok)).boxed()
    }

    fn cancel(&self, _: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        stream::empty().boxed()
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let handler = Arc::new(DefaultRequestHandler::new(Ok, InMemoryTaskStore::new()));
    let card = axum::routing::get(async || "{}");
    let app = jsonrpc::jsonrpc_router(handler).route("/.well-known/agent-card.json", card);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app).await
}
