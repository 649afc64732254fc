//! One server's entry in the settings, in Gemini CLI's form.

use super::connection_error::McpConnectionError;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// One server's entry. It comes from the person's own settings, never from a workspace: its command is executed.
///
/// Its environment and headers may hold keys, so it can be neither printed nor written.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct McpServerConfig {
    /// The program of a server that is talked to over its standard input and output.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables of its environment, besides the little that every child inherits.
    pub env: BTreeMap<String, String>,
    /// The directory it runs in.
    pub cwd: Option<PathBuf>,
    /// The address of a server that speaks streamable HTTP or, failing that, the older server-sent events.
    pub url: Option<String>,
    /// The address of a server that speaks streamable HTTP. It wins over `url`, which wins over `command`.
    pub http_url: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// The time limit of a call, in milliseconds.
    pub timeout: Option<u64>,
    /// True if its tools run without asking.
    pub trust: bool,
    /// Its purpose, for the person.
    pub description: Option<String>,
    /// The only tools to offer, by the server's own names.
    pub include_tools: Option<Vec<String>>,
    /// Tools not to offer, whatever `includeTools` says.
    pub exclude_tools: Vec<String>,
    /// Settings that the person has arranged with the server's authorization server.
    pub oauth: Option<McpOauth>,
}

/// Settings for signing in, where the server does not say it all. They may hold a secret, so they can be neither
/// printed nor written.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct McpOauth {
    /// The name the authorization server knows us by. Without one, we register.
    pub client_id: Option<String>,
    /// The secret that goes with it.
    pub client_secret: Option<String>,
    /// Where the person signs in, instead of the place that the server names.
    pub authorization_url: Option<String>,
    /// Where tokens are given out, instead of the place that the server names.
    pub token_url: Option<String>,
    /// The scopes to ask for, instead of those that the server names.
    pub scopes: Vec<String>,
    /// Where the answer is awaited: an http address of this machine.
    pub redirect_uri: Option<String>,
}

/// The way to reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum McpTransport<'a> {
    Command(&'a str),
    Http(&'a str),
    HttpOrSse(&'a str),
}

impl McpServerConfig {
    /// SHA-256, in hex, of everything that decides what runs or is reached: an approval is for this, not for a name.
    pub fn fingerprint(&self) -> String {
        let McpServerConfig { command, args, env, cwd, url, http_url, headers, .. } = self;
        let all = json!([command, args, env, cwd, url, http_url, headers]).to_string();
        Sha256::digest(all).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn transport(&self) -> Result<McpTransport<'_>, McpConnectionError> {
        match (&self.http_url, &self.url, &self.command) {
            (Some(url), _, _) => Ok(McpTransport::Http(url)),
            (None, Some(url), _) => Ok(McpTransport::HttpOrSse(url)),
            (None, None, Some(command)) => Ok(McpTransport::Command(command)),
            (None, None, None) => Err(McpConnectionError::NoTransport),
        }
    }

    /// The address of a server that is reached over HTTP.
    pub(super) fn address(&self) -> Option<&str> {
        self.http_url.as_deref().or(self.url.as_deref())
    }

    /// True if the entry has a token of its own.
    pub(super) fn is_authorized(&self) -> bool {
        self.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    pub(super) fn call_timeout(&self, usual: Duration) -> Duration {
        self.timeout.map_or(usual, Duration::from_millis)
    }

    /// True if `tool` is to be offered.
    pub(super) fn offers(&self, tool: &str) -> bool {
        // Gemini CLI also takes `tool(arguments)` in these lists.
        let names = |list: &[String]| list.iter().any(|name| name.split('(').next().unwrap_or(name).trim() == tool);
        !names(&self.exclude_tools) && self.include_tools.as_ref().is_none_or(|list| names(list))
    }
}
