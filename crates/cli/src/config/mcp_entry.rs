//! One entry of `mcpServers`.

use super::jsonc::{NodeField, SettingsFlaw, SettingsNode, TextPosition};
use super::secret::ConfigSecret;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

mod fields;
#[cfg(test)]
mod tests;

use fields::EntryFields;

/// The names an entry may have. `extension` is written by Gemini CLI for itself and means nothing here.
pub(crate) const FIELDS: &[&str] = &[
    "args",
    "authProviderType",
    "command",
    "cwd",
    "description",
    "env",
    "excludeTools",
    "extension",
    "headers",
    "httpUrl",
    "includeTools",
    "oauth",
    "targetAudience",
    "targetServiceAccount",
    "tcp",
    "timeout",
    "trust",
    "type",
    "url",
];

/// An MCP server. Without `Debug`: its arguments and its address may hold a secret.
pub(crate) struct McpServerEntry {
    pub(crate) transport: ConfiguredTransport,
    /// The time limit of a request.
    pub(crate) timeout: Option<Duration>,
    pub(crate) trust: ServerTrust,
    pub(crate) description: Option<String>,
    /// The only tools that are taken from it; all of them when `None`.
    pub(crate) include_tools: Option<Vec<String>>,
    /// Tools that are not taken from it, even when included.
    pub(crate) exclude_tools: Vec<String>,
    pub(crate) oauth: Option<OAuthSettings>,
}

/// The way to reach a server. Of several, `httpUrl` goes before `url` and that before `command`.
pub(crate) enum ConfiguredTransport {
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, ConfigSecret>,
        cwd: Option<PathBuf>,
    },
    Http {
        url: String,
        headers: BTreeMap<String, ConfigSecret>,
    },
    /// Streamable HTTP or, failing that, the older server-sent events.
    HttpOrSse {
        url: String,
        headers: BTreeMap<String, ConfigSecret>,
    },
}

/// The trust in a server: its calls ask or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerTrust {
    /// They run without asking.
    Trusted,
    Asks,
}

/// Settings for a server's authorization server. Without `Debug`: they may hold a secret.
pub(crate) struct OAuthSettings {
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<ConfigSecret>,
    pub(crate) authorization_url: Option<String>,
    pub(crate) token_url: Option<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) redirect_uri: Option<String>,
}

/// Read the entry `name`. Also said: the fields it has that nobody knows.
pub(crate) fn read(name: &str, node: &SettingsNode) -> Result<(McpServerEntry, Vec<UnknownField>), SettingsFlaw> {
    let prefix = format!("mcpServers.{name}");
    let fields = EntryFields::new(&prefix, node)?;
    let unknown = |field: &&NodeField| !FIELDS.contains(&field.name.as_str());
    let unknown =
        fields.all().iter().filter(unknown).map(|field| UnknownField { name: field.name.clone(), at: field.at });
    let unknown = unknown.collect();
    let server = McpServerEntry {
        transport: transport(&prefix, node, &fields)?,
        timeout: fields.milliseconds("timeout")?,
        trust: if fields.flag("trust")? == Some(true) { ServerTrust::Trusted } else { ServerTrust::Asks },
        description: fields.text("description")?,
        include_tools: fields.names("includeTools")?,
        exclude_tools: fields.names("excludeTools")?.unwrap_or_default(),
        oauth: oauth(&prefix, &fields)?,
    };
    Ok((server, unknown))
}

/// A field that is not one of [`FIELDS`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnknownField {
    pub(crate) name: String,
    pub(crate) at: TextPosition,
}

fn transport(prefix: &str, node: &SettingsNode, fields: &EntryFields<'_>) -> Result<ConfiguredTransport, SettingsFlaw> {
    let headers = fields.secrets("headers")?;
    let declared = fields.choice("type", &["stdio", "sse", "http"])?;
    if let Some(url) = fields.address("httpUrl")? {
        return Ok(ConfiguredTransport::Http { url, headers });
    }
    if let Some(url) = fields.address("url")? {
        let streams = declared.as_deref() == Some("http");
        return Ok(if streams {
            ConfiguredTransport::Http { url, headers }
        } else {
            ConfiguredTransport::HttpOrSse { url, headers }
        });
    }
    let Some(command) = fields.text("command")? else {
        let what = match fields.get("tcp") {
            Some(_) => format!("{prefix} has only tcp, which is not supported; give it command, url or httpUrl"),
            None => format!("{prefix} needs command, url or httpUrl"),
        };
        return Err(SettingsFlaw { at: node.at, what });
    };
    Ok(ConfiguredTransport::Stdio {
        command,
        args: fields.words("args")?,
        env: fields.secrets("env")?,
        cwd: fields.text("cwd")?.map(PathBuf::from),
    })
}

fn oauth(prefix: &str, fields: &EntryFields<'_>) -> Result<Option<OAuthSettings>, SettingsFlaw> {
    let Some(node) = fields.get("oauth") else { return Ok(None) };
    let prefix = format!("{prefix}.oauth");
    let fields = EntryFields::new(&prefix, node)?;
    let enabled = fields.flag("enabled")? != Some(false);
    let oauth = OAuthSettings {
        client_id: fields.text("clientId")?,
        client_secret: fields.text("clientSecret")?.map(ConfigSecret::new),
        authorization_url: fields.address("authorizationUrl")?,
        token_url: fields.address("tokenUrl")?,
        scopes: fields.names("scopes")?.unwrap_or_default(),
        redirect_uri: fields.address("redirectUri")?,
    };
    Ok(enabled.then_some(oauth))
}
