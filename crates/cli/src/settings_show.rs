//! `pollux settings show`: what holds, and who says so. Secrets are only ever said to be set.

use crate::config::{
    Config, ConfiguredServer, ConfiguredTransport, EffectiveSetting, ServerTrust, SettingOrigin, SettingsFileState,
};
use pollux_agent::SettingsSelection;
use pollux_model::Provider;
use pollux_session::code_span;
use serde_json::{Value, json};
use std::io::{self, Write};

#[cfg(test)]
mod tests;

/// The format of the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListingFormat {
    Table,
    /// Markdown, which is wrapped wherever it is shown.
    List(SettingsSelection),
    Json,
}

/// Variables that Pollux reads, beside the ones in the table of keys: those of each provider, then others. Their values are
/// never shown.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    let of_providers =
        Provider::ALL.into_iter().flat_map(|provider| [provider.key_variable(), provider.address_variable()]);
    of_providers.chain(OTHER_VARIABLES)
}

const OTHER_VARIABLES: [&str; 8] = [
    "GOOGLE_GENAI_API_VERSION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GEMINI_MODEL",
    "GEMINI_API_KEY_AUTH_MECHANISM",
    "GEMINI_CLI_CUSTOM_HEADERS",
    "GEMINI_SYSTEM_MD",
];

/// How a setting is written; its name has the dot that the list shows.
const EXAMPLE: &str = r#"`{"general": {"defaultApprovalMode": "plan"}}` sets `general.defaultApprovalMode`"#;

/// Write the settings of `config` to `out`.
pub(crate) fn write(config: &Config, form: ListingFormat, out: &mut dyn Write) -> io::Result<()> {
    match form {
        ListingFormat::Table => write_table(config, out),
        ListingFormat::List(selection) => write_list(config, selection, out),
        ListingFormat::Json => writeln!(out, "{:#}", to_json(config)),
    }
}

fn write_table(config: &Config, out: &mut dyn Write) -> io::Result<()> {
    let rows = rows(config);
    let widest =
        |column: fn(&SettingRow) -> &str| rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
    // A long list may run over; the columns of everything else stay together.
    let (name, value) = (widest(|row| &row.name), widest(|row| &row.value).min(40));
    for row in &rows {
        writeln!(out, "{:name$}  {:value$}  {}", row.name, row.value, row.from)?;
    }
    writeln!(out, "\nsettings files, later ones win:")?;
    for file in &config.files {
        writeln!(out, "  {}: {}", file.path.display(), describe_file_state(&file.state))?;
    }
    Ok(())
}

fn write_list(config: &Config, selection: SettingsSelection, out: &mut dyn Write) -> io::Result<()> {
    let is_shown = |row: &SettingRow| selection == SettingsSelection::All || !row.is_default;
    let (shown, defaults): (Vec<SettingRow>, Vec<SettingRow>) = rows(config).into_iter().partition(is_shown);
    if shown.is_empty() {
        writeln!(out, "Nothing is set: every setting has its default. `/settings all` lists them.")?;
    }
    for row in &shown {
        writeln!(
            out,
            "- {} = {} ({})",
            row.name,
            code_span(if row.value.is_empty() { "\"\"" } else { &row.value }),
            row.from
        )?;
    }
    if !shown.is_empty() && !defaults.is_empty() {
        writeln!(out, "\n{} more have their default: `/settings all` lists them.", defaults.len())?;
    }
    writeln!(out, "\nSettings files, later ones win:\n")?;
    for file in &config.files {
        writeln!(out, "- {}: {}", code_span(&file.path.display().to_string()), describe_file_state(&file.state))?;
    }
    writeln!(out, "\nTo change one, write it into such a file: {EXAMPLE}.")?;
    Ok(())
}

struct SettingRow {
    name: String,
    value: String,
    from: String,
    /// True if nobody has set it.
    is_default: bool,
}

fn rows(config: &Config) -> Vec<SettingRow> {
    let setting = |(key, settled): (&crate::config::SettingKey, &EffectiveSetting)| SettingRow {
        name: key.name.into(),
        value: settled.value.as_ref().map_or_else(|| "not set".into(), ToString::to_string),
        from: format_origins(&settled.origins),
        is_default: settled.origins == [SettingOrigin::Default],
    };
    let server = |server: &ConfiguredServer| SettingRow {
        name: format!("mcpServers.{}", server.name),
        value: describe(server),
        from: server.origin.to_string(),
        is_default: false,
    };
    let variable = |name: &'static str| {
        let origin = config.variables.origin(name)?;
        Some(SettingRow { name: (*name).into(), value: "set".into(), from: origin.to_string(), is_default: false })
    };
    let unused = |unused: &crate::config::UnusedSetting| SettingRow {
        name: unused.name.escape_debug().to_string(),
        value: "set, not used".into(),
        from: unused.origin.to_string(),
        is_default: false,
    };
    let settings = config.all().map(setting).chain(config.servers.iter().map(server));
    settings.chain(variables().filter_map(variable)).chain(config.unused().map(unused)).collect()
}

/// A server without its arguments, its address's path and the values it is given: any of them may hold a secret.
fn describe(server: &ConfiguredServer) -> String {
    let server = &server.server;
    let how = match &server.transport {
        ConfiguredTransport::Stdio { command, args, env, .. } => {
            format!(
                "runs {command:?}, {}, {}",
                format_count(args.len(), "argument"),
                format_count(env.len(), "variable")
            )
        }
        ConfiguredTransport::Http { url, headers } => {
            format!("http {:?}, {}", host(url), format_count(headers.len(), "header"))
        }
        ConfiguredTransport::HttpOrSse { url, headers } => {
            format!("http or sse {:?}, {}", host(url), format_count(headers.len(), "header"))
        }
    };
    let oauth = if server.oauth.is_some() { ", oauth" } else { "" };
    let trust = match server.trust {
        ServerTrust::Trusted => ", trusted: never asks",
        ServerTrust::Asks => "",
    };
    format!("{how}{oauth}{trust}")
}

fn to_json(config: &Config) -> Value {
    let origins = |origins: &[SettingOrigin]| origins.iter().map(ToString::to_string).collect::<Vec<_>>();
    let settings = config.all().map(|(key, settled)| {
        json!({"key": key.name, "value": settled.value, "origins": origins(&settled.origins), "meaning": key.meaning})
    });
    let servers = config
        .servers
        .iter()
        .map(|server| json!({"name": server.name, "server": describe(server), "origin": server.origin.to_string()}));
    let variables = variables().map(|name| {
        let origin = config.variables.origin(name).map(|origin| origin.to_string());
        json!({"name": name, "set": origin.is_some(), "origin": origin})
    });
    let unused = config.unused().map(|unused| json!({"key": unused.name, "origin": unused.origin.to_string()}));
    let files = config.files.iter().map(|file| json!({"path": file.path, "state": describe_file_state(&file.state)}));
    json!({
        "settings": settings.collect::<Vec<_>>(),
        "mcpServers": servers.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
        "unused": unused.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "warnings": config.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn format_origins(origins: &[SettingOrigin]) -> String {
    origins.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn describe_file_state(fate: &SettingsFileState) -> String {
    match fate {
        SettingsFileState::Read => "read".into(),
        SettingsFileState::Absent => "not there".into(),
        SettingsFileState::NotTrusted => "not read, the folder is not trusted".into(),
        SettingsFileState::Broken(why) => format!("left out, {why}"),
    }
}

fn format_count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// The host of an address, without who is named before it and what is asked of it.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}
