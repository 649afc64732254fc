//! Which tool servers of workspaces' extensions the person allowed: by the extension's real folder and by what its
//! servers are. Gemini CLI's file of what is on knows names only, and a name is a repository's to choose and to keep
//! while it changes what it runs.

use crate::config::error::ConfigWarning;
use crate::config::jsonc::{NodeContent, NodeField, SettingsNode};
use crate::config::layer::ConfiguredServer;
use crate::config::mcp_entry::ConfiguredTransport;
use crate::config::text_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// A request to the person to allow the tool servers of one workspace's extension, as they are now.
pub(crate) struct ConsentRequest {
    consent: ExtensionConsent,
    /// The programs and addresses, a line for each server. Nothing in it can steer a terminal.
    pub(crate) allows: Vec<String>,
}

/// One entry of the file.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
struct ExtensionConsent {
    /// The extension's folder, without links in it.
    folder: PathBuf,
    /// The digest of its tool servers.
    sha256: String,
}

/// The answers so far.
#[derive(Default)]
pub(super) struct ExtensionConsents(Vec<ExtensionConsent>);

/// The person's answer about an extension's tool servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsentState {
    /// They may be started.
    Granted,
    NotAsked,
    /// Others were allowed in that folder.
    GrantedForOther,
}

impl ExtensionConsents {
    /// The answers in `path`; a file that is not there has none.
    pub(super) fn load(path: &Path) -> Result<ExtensionConsents, ConfigWarning> {
        read(path).map(ExtensionConsents).map_err(|why| {
            let text = format!(
                "{}: {why}; no tool server of a workspace's extension is started until that is corrected",
                path.display()
            );
            ConfigWarning { subject: path.display().to_string(), text }
        })
    }

    /// The answer to the request `asked`.
    pub(super) fn state_of(&self, asked: &ConsentRequest) -> ConsentState {
        match self.0.iter().find(|known| known.folder == asked.consent.folder) {
            None => ConsentState::NotAsked,
            Some(known) if *known == asked.consent => ConsentState::Granted,
            Some(_) => ConsentState::GrantedForOther,
        }
    }
}

impl ConsentRequest {
    /// The question for `servers` of the extension in `dir`, whose digest is `sha256`.
    pub(super) fn new(dir: &Path, sha256: String, servers: &[ConfiguredServer]) -> std::io::Result<ConsentRequest> {
        let allows = servers.iter().map(describe_server).collect();
        Ok(ConsentRequest { consent: ExtensionConsent { folder: dir.canonicalize()?, sha256 }, allows })
    }

    /// The extension's folder, without links in it.
    pub(crate) fn folder(&self) -> &Path {
        &self.consent.folder
    }

    /// Keep in the file `path` that the person allows it, in place of what they allowed in that folder before. An error
    /// is a sentence.
    pub(crate) fn allow(&self, path: &Path) -> Result<(), String> {
        let said = |why: String| format!("{}: {why}; the tool servers stay off", path.display());
        let mut consents = read(path).map_err(said)?;
        consents.retain(|known| known.folder != self.consent.folder);
        consents.push(self.consent.clone());
        write(path, &consents).map_err(|error| said(error.to_string()))
    }
}

/// The digest of `servers`, the value of `mcpServers` with its variables expanded, and of the settings its programs
/// find in their environment: what runs is decided by all of that, and the workspace's `.env` is the repository's, too.
/// Neither the order of names nor the layout of the file matters.
pub(super) fn digest(servers: &SettingsNode, settings: &[(String, String)]) -> String {
    let settings: BTreeMap<&str, &str> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let whole = serde_json::json!([to_json(servers), settings]);
    Sha256::digest(whole.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The node as JSON, its names in order.
fn to_json(node: &SettingsNode) -> Value {
    match &node.content {
        NodeContent::Null => Value::Null,
        NodeContent::Flag(flag) => Value::Bool(*flag),
        // One that is too large for JSON's reader is told apart by how it is written.
        NodeContent::Number(number) => serde_json::from_str(number).unwrap_or_else(|_| Value::String(number.clone())),
        NodeContent::Text(text) => Value::String(text.clone()),
        NodeContent::List(nodes) => Value::Array(nodes.iter().map(to_json).collect()),
        NodeContent::Object(fields) => {
            let mut fields: Vec<&NodeField> = fields.iter().collect();
            fields.sort_by(|one, other| one.name.cmp(&other.name));
            Value::Object(fields.into_iter().map(|field| (field.name.clone(), to_json(&field.value))).collect())
        }
    }
}

/// A description of `server`, for the person to judge. Values of variables and headers are left out: they may be
/// secret.
fn describe_server(server: &ConfiguredServer) -> String {
    let with = |what: &str, names: Vec<&String>| match names.as_slice() {
        [] => String::new(),
        names => format!(", {what} {names:?}"),
    };
    let what = match &server.server.transport {
        ConfiguredTransport::Stdio { command, args, env, cwd } => {
            let words: Vec<&String> = std::iter::once(command).chain(args).collect();
            let place = cwd.as_ref().map(|cwd| format!(", in {cwd:?}")).unwrap_or_default();
            format!("runs {words:?}{place}{}", with("with the variables", env.keys().collect()))
        }
        ConfiguredTransport::Http { url, headers } | ConfiguredTransport::HttpOrSse { url, headers } => {
            format!("calls {url:?}{}", with("with the headers", headers.keys().collect()))
        }
    };
    format!("{} {what}", server.name.escape_debug())
}

fn read(path: &Path) -> Result<Vec<ExtensionConsent>, String> {
    match text_file::read(path)? {
        None => Ok(Vec::new()),
        Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
    }
}

/// Whole or not at all, and for the person alone.
fn write(path: &Path, consents: &[ExtensionConsent]) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(format!("{:#}\n", serde_json::to_value(consents)?).as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
