//! Asks a server what it offers, page by page, and keeps what can be used.

use super::schema::checked;
use super::{McpPrompt, McpPromptArgument, McpResource, McpServerOffer, OfferedTool};
use crate::mcp::config::McpServerConfig;
use crate::mcp::digest::{server_digest, tool_digest};
use crate::mcp::names::tool_name;
use crate::mcp::plain_text::{is_plain, to_plain, to_plain_line};
use rmcp::model::{
    ClientRequest, ListPromptsRequestMethod, ListResourcesRequestMethod, ListToolsRequestMethod,
    PaginatedRequestParams, RequestOptionalParam,
};
use rmcp::{Peer, RoleClient, ServiceError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// The most pages of one list.
const MAX_PAGES: usize = 50;
/// The most tools, prompts or resources of one server.
const MAX_LISTED: usize = 500;
/// The most bytes a server's tools take up with the model.
const MAX_DECLARED: usize = 256 * 1024;
/// The most characters of a tool's description.
const MAX_DESCRIPTION: usize = 4_000;
/// The most characters of any name or address.
const MAX_NAME: usize = 512;
/// The most sentences about what is left out.
const MAX_LEFT_OUT: usize = 20;

/// The offer of `server`. `foreign` holds the prefixes of other servers' tools that begin like those of this one.
pub(in crate::mcp) async fn list(
    server: &str,
    config: &McpServerConfig,
    foreign: &[String],
    peer: &Peer<RoleClient>,
) -> Result<McpServerOffer, ServiceError> {
    let can = peer.peer_info().map(|info| info.capabilities.clone()).unwrap_or_default();
    let mut offer = McpServerOffer::default();
    if can.tools.is_some() {
        let entries = pages::<ListToolsRequestMethod>(peer, "tools").await?;
        take_tools(&mut offer, server, config, foreign, entries);
        offer.digest = server_digest(server, config, &offer.tools);
    }
    // A server is worth having without these.
    if can.prompts.is_some() {
        match pages::<ListPromptsRequestMethod>(peer, "prompts").await {
            Ok(entries) => take_prompts(&mut offer, server, entries),
            Err(error) => offer.left_out.push(to_plain_line(&format!("its prompts: {error}"), MAX_NAME)),
        }
    }
    if can.resources.is_some() {
        match pages::<ListResourcesRequestMethod>(peer, "resources").await {
            Ok(entries) => take_resources(&mut offer, server, entries),
            Err(error) => offer.left_out.push(to_plain_line(&format!("its resources: {error}"), MAX_NAME)),
        }
    }
    if offer.left_out.len() > MAX_LEFT_OUT {
        let more = offer.left_out.len() - MAX_LEFT_OUT;
        offer.left_out.truncate(MAX_LEFT_OUT);
        offer.left_out.push(format!("{more} more"));
    }
    Ok(offer)
}

/// All entries of one list, up to the limits. They are taken apart one by one later: to the protocol crate, one bad
/// entry spoils the whole list.
async fn pages<M: Default>(peer: &Peer<RoleClient>, key: &str) -> Result<Vec<Value>, ServiceError>
where
    ClientRequest: From<RequestOptionalParam<M, PaginatedRequestParams>>,
{
    let mut entries = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = RequestOptionalParam::<M, _>::with_param(PaginatedRequestParams::default().with_cursor(cursor));
        let answer = peer.send_request(page.into()).await?;
        let mut answer = serde_json::to_value(answer).unwrap_or_default();
        let Some(Value::Array(page)) = answer.get_mut(key).map(Value::take) else {
            return Err(ServiceError::UnexpectedResponse);
        };
        entries.extend(page);
        cursor =
            answer.get("nextCursor").and_then(Value::as_str).filter(|cursor| !cursor.is_empty()).map(str::to_owned);
        if cursor.is_none() || entries.len() > MAX_LISTED {
            break;
        }
    }
    Ok(entries)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolEntry {
    name: String,
    #[serde(default)]
    description: Option<String>,
    input_schema: Value,
    #[serde(default)]
    annotations: Option<Hints>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    #[serde(default)]
    read_only_hint: Option<bool>,
}

fn take_tools(
    offer: &mut McpServerOffer,
    server: &str,
    config: &McpServerConfig,
    foreign: &[String],
    entries: Vec<Value>,
) {
    let mut taken = BTreeSet::new();
    let mut declared = 0;
    for entry in entries {
        let label = label("tool", "name", &entry);
        match check_tool(server, config, foreign, entry) {
            Ok(None) => {}
            Ok(Some(tool)) => {
                declared += tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
                let problem = if offer.tools.len() == MAX_LISTED {
                    format!("the server offers more than {MAX_LISTED} tools")
                } else if declared > MAX_DECLARED {
                    format!("the descriptions of the server's tools are longer than {MAX_DECLARED} bytes together")
                } else if !taken.insert(tool.name.clone()) {
                    format!("another tool is called {} already", tool.name)
                } else {
                    offer.tools.push(tool);
                    continue;
                };
                offer.left_out.push(format!("{label}: {problem}"));
            }
            Err(problem) => offer.left_out.push(format!("{label}: {problem}")),
        }
    }
}

/// The tool, `None` if the entry in the settings leaves it out, or what is wrong with it.
fn check_tool(
    server: &str,
    config: &McpServerConfig,
    foreign: &[String],
    entry: Value,
) -> Result<Option<OfferedTool>, String> {
    let entry: ToolEntry = read(entry)?;
    let own_name = name(entry.name)?;
    if !config.offers(&own_name) {
        return Ok(None);
    }
    let name = tool_name(server, &own_name);
    if foreign.iter().any(|prefix| name.starts_with(prefix)) {
        return Err(format!("its name {name} reads like that of another server's tool"));
    }
    let mut tool = OfferedTool {
        name,
        own_name,
        description: to_plain(&entry.description.unwrap_or_default(), MAX_DESCRIPTION),
        parameters: checked(entry.input_schema)?.into(),
        claims_to_read: entry.annotations.is_some_and(|hints| hints.read_only_hint == Some(true)),
        digest: String::new(),
    };
    tool.digest = tool_digest(server, config, &tool);
    Ok(Some(tool))
}

#[derive(Deserialize)]
struct PromptEntry {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    arguments: Option<Vec<ArgumentEntry>>,
}

#[derive(Deserialize)]
struct ArgumentEntry {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    required: Option<bool>,
}

fn take_prompts(offer: &mut McpServerOffer, server: &str, entries: Vec<Value>) {
    for entry in entries.into_iter().take(MAX_LISTED) {
        let label = label("prompt", "name", &entry);
        let prompt = || {
            let entry: PromptEntry = read(entry)?;
            let arguments = entry.arguments.unwrap_or_default().into_iter().map(|argument| {
                Ok(McpPromptArgument {
                    name: name(argument.name)?,
                    description: to_plain_line(&argument.description.unwrap_or_default(), MAX_DESCRIPTION),
                    required: argument.required == Some(true),
                })
            });
            let arguments = arguments.collect::<Result<_, String>>()?;
            let description = to_plain_line(&entry.description.unwrap_or_default(), MAX_DESCRIPTION);
            Ok(McpPrompt { server: server.to_owned(), name: name(entry.name)?, description, arguments })
        };
        match prompt() {
            Ok(prompt) => offer.prompts.push(prompt),
            Err::<_, String>(problem) => offer.left_out.push(format!("{label}: {problem}")),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceEntry {
    uri: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    mime_type: Option<String>,
}

fn take_resources(offer: &mut McpServerOffer, server: &str, entries: Vec<Value>) {
    for entry in entries.into_iter().take(MAX_LISTED) {
        let label = label("resource", "uri", &entry);
        let resource = || {
            let entry: ResourceEntry = read(entry)?;
            Ok(McpResource {
                server: server.to_owned(),
                uri: name(entry.uri)?,
                name: to_plain_line(&entry.name.unwrap_or_default(), MAX_NAME),
                description: to_plain_line(&entry.description.unwrap_or_default(), MAX_NAME),
                media: entry.mime_type.map(|media| to_plain_line(&media, MAX_NAME)),
            })
        };
        match resource() {
            Ok(resource) => offer.resources.push(resource),
            Err::<_, String>(problem) => offer.left_out.push(format!("{label}: {problem}")),
        }
    }
}

/// The name of an entry in a sentence for a person.
fn label(kind: &str, key: &str, entry: &Value) -> String {
    match entry.get(key).and_then(Value::as_str) {
        Some(name) => format!("the {kind} `{}`", to_plain_line(name, 60)),
        None => format!("a {kind} without a {key}"),
    }
}

fn read<T: DeserializeOwned>(entry: Value) -> Result<T, String> {
    serde_json::from_value(entry).map_err(|error| to_plain_line(&error.to_string(), MAX_NAME))
}

/// A name that can be sent back as it is and shown as it is.
fn name(name: String) -> Result<String, String> {
    if name.is_empty() {
        return Err("a name is empty".into());
    }
    if name.chars().count() > MAX_NAME {
        return Err(format!("a name has more than {MAX_NAME} characters"));
    }
    if is_plain(&name) { Ok(name) } else { Err("a name has characters that cannot be seen".into()) }
}
