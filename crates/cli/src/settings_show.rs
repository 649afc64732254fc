//! `pollux settings show`: what holds, and who says so. Secrets are only ever said to be set.

use crate::config::{Config, Fate, Origin, Server, ServerTrust, Settled, Transport};
use serde_json::{Value, json};
use std::io::{self, Write};

#[cfg(test)]
mod tests;

/// How the settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Table,
    Json,
}

/// Variables that Pollux reads, beside the ones in the table of keys. Their values are never shown.
pub(crate) const VARIABLES: &[&str] = &[
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "GOOGLE_GENAI_API_VERSION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GEMINI_MODEL",
    "GEMINI_API_KEY_AUTH_MECHANISM",
    "GEMINI_CLI_CUSTOM_HEADERS",
    "GEMINI_SYSTEM_MD",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
];

/// Write the settings of `config` to `out`.
pub(crate) fn write(config: &Config, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Table => table(config, out),
        Form::Json => writeln!(out, "{:#}", json(config)),
    }
}

fn table(config: &Config, out: &mut dyn Write) -> io::Result<()> {
    let rows = rows(config);
    let widest = |column: fn(&Row) -> &str| rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
    // A long list may run over; the columns of everything else stay together.
    let (name, value) = (widest(|row| &row.name), widest(|row| &row.value).min(40));
    for row in &rows {
        writeln!(out, "{:name$}  {:value$}  {}", row.name, row.value, row.from)?;
    }
    writeln!(out, "\nsettings files, later ones win:")?;
    for file in &config.files {
        writeln!(out, "  {}: {}", file.path.display(), fate(&file.fate))?;
    }
    Ok(())
}

struct Row {
    name: String,
    value: String,
    from: String,
}

fn rows(config: &Config) -> Vec<Row> {
    let setting = |(key, settled): (&crate::config::Key, &Settled)| Row {
        name: key.name.into(),
        value: settled.value.as_ref().map_or_else(|| "not set".into(), ToString::to_string),
        from: from(&settled.origins),
    };
    let server = |server: &Server| Row {
        name: format!("mcpServers.{}", server.name),
        value: describe(server),
        from: server.origin.to_string(),
    };
    let variable = |name: &&str| {
        let origin = config.variables.origin(name)?;
        Some(Row { name: (*name).into(), value: "set".into(), from: origin.to_string() })
    };
    let unused = |unused: &crate::config::Unused| Row {
        name: unused.name.escape_debug().to_string(),
        value: "set, not used".into(),
        from: unused.origin.to_string(),
    };
    let settings = config.all().map(setting).chain(config.servers.iter().map(server));
    settings.chain(VARIABLES.iter().filter_map(variable)).chain(config.unused().map(unused)).collect()
}

/// A server without its arguments, its address's path and the values it is given: any of them may hold a secret.
fn describe(server: &Server) -> String {
    let server = &server.server;
    let how = match &server.transport {
        Transport::Stdio { command, args, env, .. } => {
            format!("runs {command:?}, {}, {}", count(args.len(), "argument"), count(env.len(), "variable"))
        }
        Transport::Http { url, headers } => format!("http {:?}, {}", host(url), count(headers.len(), "header")),
        Transport::HttpOrSse { url, headers } => {
            format!("http or sse {:?}, {}", host(url), count(headers.len(), "header"))
        }
    };
    let oauth = if server.oauth.is_some() { ", oauth" } else { "" };
    let trust = match server.trust {
        ServerTrust::Trusted => ", trusted: never asks",
        ServerTrust::Asks => "",
    };
    format!("{how}{oauth}{trust}")
}

fn json(config: &Config) -> Value {
    let origins = |origins: &[Origin]| origins.iter().map(ToString::to_string).collect::<Vec<_>>();
    let settings = config.all().map(|(key, settled)| {
        json!({"key": key.name, "value": settled.value, "origins": origins(&settled.origins), "meaning": key.meaning})
    });
    let servers = config
        .servers
        .iter()
        .map(|server| json!({"name": server.name, "server": describe(server), "origin": server.origin.to_string()}));
    let variables = VARIABLES.iter().map(|name| {
        let origin = config.variables.origin(name).map(|origin| origin.to_string());
        json!({"name": name, "set": origin.is_some(), "origin": origin})
    });
    let unused = config.unused().map(|unused| json!({"key": unused.name, "origin": unused.origin.to_string()}));
    let files = config.files.iter().map(|file| json!({"path": file.path, "state": fate(&file.fate)}));
    json!({
        "settings": settings.collect::<Vec<_>>(),
        "mcpServers": servers.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
        "unused": unused.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "warnings": config.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn from(origins: &[Origin]) -> String {
    origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn fate(fate: &Fate) -> String {
    match fate {
        Fate::Read => "read".into(),
        Fate::Absent => "not there".into(),
        Fate::NotTrusted => "not read, the folder is not trusted".into(),
        Fate::Broken(why) => format!("left out, {why}"),
    }
}

fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// The host of an address, without who is named before it and what is asked of it.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}
