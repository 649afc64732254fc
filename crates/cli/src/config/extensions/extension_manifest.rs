//! `gemini-extension.json`: what one extension says of itself.

use super::{MANIFEST, consent};
use crate::config::error::ConfigWarning;
use crate::config::jsonc::{self, NodeContent, NodeField, SettingsFlaw, SettingsNode, TextPosition};
use crate::config::keys;
use crate::config::layer::{ConfiguredServer, FileOwner, SettingEntry, is_server_name};
use crate::config::mcp_entry::{self, ConfiguredTransport, ServerTrust};
use crate::config::name_suggestion::suggest_name;
use crate::config::origin::SettingOrigin;
use crate::config::secret::ConfigSecret;
use crate::config::setting_kind::SettingKind;
use crate::config::text_file;
use crate::config::value::SettingValue;
use crate::config::variable_expansion::expand_all;
use crate::config::variables::ConfigVariables;
use crate::config::variables::reserved::is_reserved;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The names a manifest may have. The last ones mean nothing here.
const FIELDS: &[&str] = &[
    "name",
    "version",
    "description",
    "mcpServers",
    "contextFileName",
    "excludeTools",
    "settings",
    "author",
    "license",
    "migratedTo",
    "plan",
    "themes",
];
/// The memory file of an extension that names none.
const CONTEXT_FILE: &str = "GEMINI.md";
/// Where an installation says that the extension itself lies elsewhere.
const INSTALLED: &str = ".gemini-extension-install.json";

/// The content of a manifest, resolved.
pub(super) struct ExtensionManifest {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) description: Option<String>,
    pub(super) servers: Vec<ConfiguredServer>,
    /// The digest of everything that decides what the servers are; nothing when there are none.
    pub(super) digest: Option<String>,
    pub(super) excludes: Option<SettingEntry>,
    pub(super) context_files: Vec<PathBuf>,
    pub(super) warnings: Vec<ConfigWarning>,
}

impl ExtensionManifest {
    /// The manifest in `dir`; nothing when there is none. An error is a sentence that names the file and the field.
    pub(super) fn read(
        dir: &Path,
        workspace: &Path,
        whose: FileOwner,
        variables: &ConfigVariables,
    ) -> Result<Option<ExtensionManifest>, String> {
        let path = dir.join(MANIFEST);
        let left_out = |why: String| format!("{}: {why}; the extension is left out", path.display());
        let Some(text) = text_file::read(&path).map_err(left_out)? else { return Ok(None) };
        let broken = |flaw: SettingsFlaw| {
            let TextPosition { line, column } = flaw.at;
            format!("{}:{line}:{column}: {}; the extension is left out", path.display(), flaw.what)
        };
        let fields = jsonc::parse(&text).map_err(broken)?;
        let mut reader = ManifestReader { path: path.as_path().into(), dir, warnings: Vec::new() };
        let manifest = reader.manifest(fields, workspace, whose, variables).map_err(broken)?;
        Ok(Some(ExtensionManifest { warnings: reader.warnings, ..manifest }))
    }
}

/// Where an extension that was only linked really lies.
pub(super) fn link_target(dir: &Path) -> Option<PathBuf> {
    let text = text_file::read(&dir.join(INSTALLED)).ok()??;
    let installed: serde_json::Value = serde_json::from_str(&text).ok()?;
    let is_link = installed.get("type")?.as_str() == Some("link");
    let source = PathBuf::from(installed.get("source")?.as_str()?);
    (is_link && source.is_absolute()).then_some(source)
}

struct ManifestReader<'a> {
    path: Arc<Path>,
    dir: &'a Path,
    warnings: Vec<ConfigWarning>,
}

impl ManifestReader<'_> {
    fn manifest(
        &mut self,
        mut fields: Vec<NodeField>,
        workspace: &Path,
        whose: FileOwner,
        variables: &ConfigVariables,
    ) -> Result<ExtensionManifest, SettingsFlaw> {
        let start = TextPosition { line: 1, column: 1 };
        let name = required(&fields, "name", start)?;
        let seen = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.chars().all(seen) || name.len() > 64 || name.starts_with('.') {
            let at = field(&fields, "name").map_or(start, |field| field.value.at);
            return Err(SettingsFlaw {
                at,
                what: "name must be letters, digits, - _ and . only, at most 64 of them".into(),
            });
        }
        let version = required(&fields, "version", start)?;
        let description = match field(&fields, "description") {
            Some(field) => text(field)?,
            None => None,
        };
        for field in fields.iter().filter(|field| !FIELDS.contains(&field.name.as_str())) {
            let meant = suggest_name(&field.name, FIELDS.iter().copied());
            let meant = meant.map_or_else(|| "it is ignored".into(), |meant| format!("did you mean {meant}?"));
            self.warn(field.at, &format!("an extension has no {:?}; {meant}", field.name));
        }
        let settings = self.settings(&fields, &name, whose, variables)?;
        replace_separators(&mut fields);
        let lookup = |wanted: &str| match wanted {
            "extensionPath" => Some(self.dir.display().to_string()),
            "workspacePath" => Some(workspace.display().to_string()),
            "pathSeparator" => Some("/".to_owned()),
            wanted => match settings.iter().find(|(known, _)| known == wanted) {
                Some((_, value)) => Some(value.clone()),
                None => variables.get(wanted),
            },
        };
        for unset in expand_all(&mut fields, &lookup) {
            self.warn(unset.at, &format!("the variable {0} is not set, so ${0} stays as it is", unset.name));
        }
        let servers = match field(&fields, "mcpServers") {
            Some(field) => self.servers(field, &settings)?,
            None => Vec::new(),
        };
        let digest = field(&fields, "mcpServers").filter(|_| !servers.is_empty());
        let digest = digest.map(|field| consent::digest(&field.value, &settings));
        let context_files = self.context_files(&fields)?;
        let excludes = self.excludes(&fields)?;
        Ok(ExtensionManifest {
            name,
            version,
            description,
            servers,
            digest,
            excludes,
            context_files,
            warnings: Vec::new(),
        })
    }

    /// The values of the settings that the extension declares: from its own `.env`, else from the environment.
    fn settings(
        &mut self,
        fields: &[NodeField],
        name: &str,
        whose: FileOwner,
        variables: &ConfigVariables,
    ) -> Result<Vec<(String, String)>, SettingsFlaw> {
        let Some(field) = field(fields, "settings") else { return Ok(Vec::new()) };
        let declared = match &field.value.content {
            NodeContent::Null => return Ok(Vec::new()),
            NodeContent::List(nodes) => nodes,
            _ => return Err(SettingsFlaw { at: field.value.at, what: "settings must be a list".into() }),
        };
        let mut own = ConfigVariables::empty();
        let file = self.dir.join(".env");
        self.warnings.extend(own.add_own(&file));
        let mut values = Vec::new();
        for node in declared {
            let NodeContent::Object(inner) = &node.content else {
                return Err(SettingsFlaw {
                    at: node.at,
                    what: "settings must hold objects with name and envVar".into(),
                });
            };
            let variable = required(inner, "envVar", node.at)?;
            if whose == FileOwner::Workspace && is_reserved(&variable) {
                self.warn(node.at, &format!("settings: {variable} is not for a workspace to set"));
                continue;
            }
            match own.get(&variable).or_else(|| variables.get(&variable)) {
                Some(value) => values.push((variable, value)),
                None => self.warn(
                    node.at,
                    &format!("the extension {name} wants {variable}: put {variable}=… into {}", file.display()),
                ),
            }
        }
        Ok(values)
    }

    fn servers(
        &mut self,
        field: &NodeField,
        settings: &[(String, String)],
    ) -> Result<Vec<ConfiguredServer>, SettingsFlaw> {
        let entries = match &field.value.content {
            NodeContent::Null => return Ok(Vec::new()),
            NodeContent::Object(entries) => entries,
            _ => return Err(SettingsFlaw { at: field.value.at, what: "mcpServers must be an object".into() }),
        };
        let mut servers = Vec::new();
        for entry in entries {
            if !is_server_name(&entry.name) {
                let what = format!("{:?} cannot be a server's name: 1 to 128 characters that can be seen", entry.name);
                return Err(SettingsFlaw { at: entry.at, what });
            }
            let (mut server, unknown) = mcp_entry::read(&entry.name, &entry.value)?;
            for unknown in unknown {
                self.warn(unknown.at, &format!("mcpServers.{} has no {:?}; it is ignored", entry.name, unknown.name));
            }
            if server.trust == ServerTrust::Trusted {
                server.trust = ServerTrust::Asks;
                let what = format!("mcpServers.{}.trust is not for an extension to set: its tools ask", entry.name);
                self.warn(entry.at, &what);
            }
            if let ConfiguredTransport::Stdio { env, .. } = &mut server.transport {
                for (name, value) in settings {
                    env.entry(name.clone()).or_insert_with(|| ConfigSecret::new(value.clone()));
                }
            }
            let origin = self.origin(entry.at);
            servers.push(ConfiguredServer { name: entry.name.clone(), server: Arc::new(server), origin });
        }
        Ok(servers)
    }

    fn context_files(&mut self, fields: &[NodeField]) -> Result<Vec<PathBuf>, SettingsFlaw> {
        let named = match field(fields, "contextFileName") {
            Some(field) => {
                SettingKind::NameOrNames.read("contextFileName", &field.value)?.map(|value| (value, field.value.at))
            }
            None => None,
        };
        let Some((SettingValue::Names(names), at)) = named else {
            return Ok(Some(self.dir.join(CONTEXT_FILE)).filter(|file| file.is_file()).into_iter().collect());
        };
        let mut files = Vec::new();
        for name in names {
            let plain =
                Path::new(&name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let file = self.dir.join(&name);
            if !plain {
                self.warn(at, &format!("contextFileName: {name:?} is not a file inside the extension"));
            } else if file.is_file() {
                files.push(file);
            } else {
                self.warn(at, &format!("contextFileName: there is no file {name:?} in the extension"));
            }
        }
        Ok(files)
    }

    fn excludes(&self, fields: &[NodeField]) -> Result<Option<SettingEntry>, SettingsFlaw> {
        let Some(field) = field(fields, "excludeTools") else { return Ok(None) };
        let (value, key) = (SettingKind::Names.read("excludeTools", &field.value)?, keys::find_key("tools.exclude"));
        Ok(value.zip(key).map(|(value, key)| SettingEntry { key, value, origin: self.origin(field.at) }))
    }

    fn origin(&self, at: TextPosition) -> SettingOrigin {
        SettingOrigin::File { path: self.path.clone(), line: at.line }
    }

    fn warn(&mut self, at: TextPosition, what: &str) {
        let text = format!("{}:{}: {what}", self.path.display(), at.line);
        self.warnings.push(ConfigWarning { subject: text.clone(), text });
    }
}

fn field<'a>(fields: &'a [NodeField], name: &str) -> Option<&'a NodeField> {
    fields.iter().find(|field| field.name == name)
}

fn required(fields: &[NodeField], name: &str, at: TextPosition) -> Result<String, SettingsFlaw> {
    let missing = || SettingsFlaw { at, what: format!("{name} is missing: it must be a non-empty string") };
    text(field(fields, name).ok_or_else(missing)?)?.ok_or_else(missing)
}

fn text(field: &NodeField) -> Result<Option<String>, SettingsFlaw> {
    match SettingKind::Text.read(&field.name, &field.value)? {
        Some(SettingValue::Text(text)) => Ok(Some(text)),
        _ => Ok(None),
    }
}

/// `${/}` is how a manifest writes the sign between folders; it is no variable's name.
fn replace_separators(fields: &mut [NodeField]) {
    fields.iter_mut().for_each(|field| replace_separators_in(&mut field.value));
}

fn replace_separators_in(node: &mut SettingsNode) {
    match &mut node.content {
        NodeContent::Text(text) => *text = text.replace("${/}", "/"),
        NodeContent::List(nodes) => nodes.iter_mut().for_each(replace_separators_in),
        NodeContent::Object(fields) => replace_separators(fields),
        NodeContent::Null | NodeContent::Flag(_) | NodeContent::Number(_) => {}
    }
}
