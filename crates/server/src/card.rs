//! The agent card and the health of the process.

use crate::router::Hall;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pollux_wire::a2a::{AgentCapabilities, AgentCard, AgentExtension, AgentSkill, PROTOCOL_VERSION};
use pollux_wire::devtool::URI;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What the agent calls itself to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    /// The agent's name.
    pub name: String,
    /// The model that answers, as the card's description shows it.
    pub model: String,
    /// Where the agent is reached.
    pub url: String,
    /// The program's version.
    pub version: String,
}

impl Face {
    /// The card that shows it.
    fn card(&self) -> AgentCard {
        AgentCard {
            protocol_version: PROTOCOL_VERSION.into(),
            name: self.name.clone(),
            description: format!(
                "A coding agent that reads, writes and runs code in a workspace and asks before it changes anything. \
                 Model: {}.",
                self.model
            ),
            url: self.url.clone(),
            preferred_transport: "JSONRPC".into(),
            version: self.version.clone(),
            capabilities: AgentCapabilities {
                streaming: true,
                push_notifications: false,
                state_transition_history: true,
                extensions: vec![AgentExtension {
                    uri: URI.into(),
                    description: "Tool calls with confirmation, thoughts and state as structured updates.".into(),
                    required: false,
                }],
            },
            default_input_modes: vec!["text".into()],
            default_output_modes: vec!["text".into()],
            skills: vec![AgentSkill {
                id: "code_generation".into(),
                name: "Code generation".into(),
                description: "Writes, changes and explains code on request, with the tools of a workspace.".into(),
                tags: ["code", "development", "programming"].map(str::to_owned).into(),
                examples: vec![
                    "Write a Python function that calculates Fibonacci numbers.".into(),
                    "Find out why the tests fail and fix it.".into(),
                ],
            }],
        }
    }
}

/// `GET /.well-known/agent-card.json`
pub(crate) async fn show(State(hall): State<Arc<Hall>>, headers: HeaderMap) -> Response {
    let body = serde_json::to_vec(&hall.face.card()).unwrap_or_default();
    let digest: String = Sha256::digest(&body)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("\"{digest}\"");
    let caching = [(header::ETAG, etag.clone()), (header::CACHE_CONTROL, "public, max-age=60".to_owned())];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|tag| tag.trim() == etag)) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// `GET /health`: that the process answers. It looks nothing up, so it costs the same at any load.
pub(crate) async fn health(State(hall): State<Arc<Hall>>) -> Json<Value> {
    Json(json!({
        "status": "ok",
        "uptime": hall.started.elapsed().as_secs(),
        "version": hall.face.version,
        "model": hall.face.model,
    }))
}
