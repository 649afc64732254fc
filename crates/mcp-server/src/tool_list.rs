//! The offer to an MCP client: Pollux's own tools as their declarations have them, and `run_task`.

use pollux_session::{BuiltInTool, ToolInfo, ToolKind};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;
use thiserror::Error;

/// The tool that hands a whole piece of work over.
pub(super) const RUN_TASK: &str = "run_task";

/// Tools that only make sense in a conversation with Pollux's own agent: they change its mode.
const NOT_OFFERED: [BuiltInTool; 2] = [BuiltInTool::EnterPlanMode, BuiltInTool::ExitPlanMode];

/// A tool is to be offered that there is not.
#[derive(Debug, Error)]
#[error("--tools names {name:?}, which is no tool; there are {known}")]
pub struct UnknownToolError {
    name: String,
    known: String,
}

/// The tools on offer.
pub(super) struct McpToolList(Vec<Tool>);

impl McpToolList {
    /// The offered ones of Pollux's own tools, `declared`: all of them, or those in `wanted`.
    pub(super) fn new(
        mut declared: Vec<ToolInfo>,
        wanted: Option<&[String]>,
        tasks: bool,
    ) -> Result<McpToolList, UnknownToolError> {
        declared.retain(|tool| NOT_OFFERED.iter().all(|not| not.name() != tool.name));
        if let Some(wanted) = wanted {
            let known = declared.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>();
            if let Some(unknown) = wanted.iter().find(|name| !known.contains(&name.trim())) {
                return Err(UnknownToolError { name: unknown.clone(), known: known.join(", ") });
            }
            declared.retain(|tool| wanted.iter().any(|name| name.trim() == tool.name));
        }
        let tools = declared.into_iter().map(mcp_tool).chain(tasks.then(run_task));
        Ok(McpToolList(tools.collect()))
    }

    pub(super) fn tools(&self) -> &[Tool] {
        &self.0
    }
}

fn mcp_tool(ToolInfo { name, description, schema }: ToolInfo) -> Tool {
    let hints = BuiltInTool::from_name(&name).map(|tool| hints(tool.kind()));
    let mut tool = Tool::new(name, description, object(schema));
    tool.annotations = hints;
    tool
}

fn hints(kind: ToolKind) -> ToolAnnotations {
    let hints = ToolAnnotations::new().read_only(!kind.changes_things() && kind != ToolKind::Delegate);
    match kind {
        ToolKind::Read | ToolKind::Converse => hints.open_world(false),
        ToolKind::Fetch => hints.open_world(true),
        ToolKind::Edit => hints.destructive(true).open_world(false),
        ToolKind::Execute | ToolKind::Delegate => hints.destructive(true).open_world(true),
    }
}

fn run_task() -> Tool {
    let takes = json!({
        "type": "object",
        "properties": {
            "prompt": { "type": "string", "description": "What is to be done, in words, with all it takes to do it." },
            "session_id": {
                "type": "string",
                "description": "Go on with the session an earlier run_task returned: its agent remembers that work. \
                                Left out, a new session begins.",
            },
            "mode": {
                "type": "string",
                "enum": ["plan", "default", "auto_edit", "yolo"],
                "description": "How freely the agent acts; at most as freely as this server was started with. In \
                                plan mode it changes nothing.",
            },
        },
        "required": ["prompt"],
        "additionalProperties": false,
    });
    let returns = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "The agent's final answer." },
            "session_id": { "type": "string", "description": "The session, to go on with." },
            "outcome": { "type": "string", "enum": ["done", "declined", "failed", "cancelled"] },
            "changed_files": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Files the agent's file tools changed; what its commands changed is not listed.",
            },
        },
        "required": ["text", "session_id", "outcome", "changed_files"],
    });
    let description = "Hands a piece of work to Pollux's own coding agent, which reads, searches, edits and runs \
                       commands in the workspace until it is done. Returns its final answer, the id of the session to \
                       go on with, and the files it changed. What it may not do by itself asks the person.";
    Tool::new(RUN_TASK, description, object(takes))
        .with_raw_output_schema(object(returns))
        .with_annotations(hints(ToolKind::Delegate))
}

/// A schema is an object; what is none takes nothing.
fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::from_iter([("type".to_owned(), json!("object"))]),
    })
}

#[cfg(test)]
mod tests;
