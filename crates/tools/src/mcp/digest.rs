//! Digests of what a person allows when they allow a tool of an MCP server: a server can make something else of a name.

use super::config::McpServerConfig;
use super::offer::OfferedTool;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

#[cfg(test)]
mod tests;

/// SHA-256, in hex, of one tool: how its server is reached, its name, what the server says of it and what it takes.
pub(super) fn tool_digest(server: &str, config: &McpServerConfig, tool: &OfferedTool) -> String {
    let OfferedTool { own_name, description, parameters, claims_to_read, .. } = tool;
    sha256(&json!([server_identity(server, config), own_name, description, sorted(parameters), claims_to_read]))
}

/// SHA-256, in hex, of a server: how it is reached, and all the tools it offers, in any order.
pub(super) fn server_digest(server: &str, config: &McpServerConfig, tools: &[OfferedTool]) -> String {
    let mut tools: Vec<&str> = tools.iter().map(|tool| tool.digest.as_str()).collect();
    tools.sort_unstable();
    sha256(&json!([server_identity(server, config), tools]))
}

/// Which server it is. The values of headers and variables are left out: they may be secrets, and a digest of a short
/// one in the log would give it away.
fn server_identity(server: &str, config: &McpServerConfig) -> Value {
    let McpServerConfig { command, args, env, cwd, headers, .. } = config;
    let (variables, headers): (Vec<_>, Vec<_>) = (env.keys().collect(), headers.keys().collect());
    match config.address() {
        Some(address) => json!([server, "http", address, headers]),
        None => json!([server, "command", command, args, cwd, variables]),
    }
}

/// The JSON with the members of every object in order: a server may list them in another one each time.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            let members = members.into_iter().map(|(name, value)| (name.clone(), sorted(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn sha256(value: &Value) -> String {
    Sha256::digest(value.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
}
