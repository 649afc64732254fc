//! One settings file as a list of settings, each with its line.

use super::error::{ConfigError, ConfigWarning};
use super::jsonc::{self, NodeContent, NodeField, SettingsFlaw, TextPosition};
use super::keys::{self, SERVERS, SettingKey, WorkspacePermission};
use super::mcp_entry::{self, McpServerEntry};
use super::name_suggestion::suggest_name;
use super::old_names::{OLD_NAMES, renamed};
use super::origin::SettingOrigin;
use super::text_file;
use super::value::SettingValue;
use super::variable_expansion::expand_all;
use super::yaml;
use std::path::Path;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOwner {
    /// The person's or the machine's: it may set everything.
    Own,
    /// A trusted workspace's: it may narrow.
    Workspace,
}

/// The settings of one file, of the environment or of the flags.
#[derive(Default)]
pub(crate) struct SettingsLayer {
    pub(crate) entries: Vec<SettingEntry>,
    pub(crate) servers: Vec<ConfiguredServer>,
    pub(crate) unused: Vec<UnusedSetting>,
    /// Hooks that are to check tool calls, and are not run here.
    pub(crate) hooks: Vec<UnusedSetting>,
    /// The file's switch for hooks, if it has one. A workspace's never does.
    pub(crate) hooks_enabled: Option<bool>,
    pub(crate) warnings: Vec<ConfigWarning>,
}

/// A setting and who set it.
#[derive(Clone, Debug)]
pub(crate) struct SettingEntry {
    pub(crate) key: &'static SettingKey,
    pub(crate) value: SettingValue,
    pub(crate) origin: SettingOrigin,
}

/// An MCP server and who configured it.
#[derive(Clone)]
pub(crate) struct ConfiguredServer {
    pub(crate) name: String,
    pub(crate) server: Arc<McpServerEntry>,
    pub(crate) origin: SettingOrigin,
}

/// A setting that is known, kept and without effect. Its value is not: it might be a secret of something we do not use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnusedSetting {
    pub(crate) name: String,
    pub(crate) origin: SettingOrigin,
}

impl SettingsLayer {
    /// Read the file `path`; nothing when there is none. `lookup` finds the variables that its texts name.
    pub(crate) fn read(
        path: &Path,
        whose: FileOwner,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<SettingsLayer>, ConfigError> {
        let text = text_file::read(path).map_err(|why| ConfigError::Unreadable { path: path.to_owned(), why })?;
        text.map(|text| SettingsLayer::parse(&text, path, whose, lookup)).transpose()
    }

    /// Read `text`, which stands in the file `path`.
    pub(crate) fn parse(
        text: &str,
        path: &Path,
        whose: FileOwner,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<SettingsLayer, ConfigError> {
        let mut reader =
            LayerReader { path: path.into(), owner: whose, layer: SettingsLayer::default(), old: Vec::new() };
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml");
        let parsed = if is_yaml { yaml::parse(text) } else { jsonc::parse(text) };
        let read = parsed.and_then(|mut fields| {
            for unset in expand_all(&mut fields, lookup) {
                reader.warn_unset(&unset.name, unset.at);
            }
            reader.top(&fields)
        });
        read.map_err(|flaw| ConfigError::broken(path, flaw))?;
        Ok(reader.finish())
    }
}

/// Hooks that may forbid a tool call.
pub(super) const BEFORE_TOOL: &str = "hooks.BeforeTool";

/// True if nothing is set.
pub(super) fn is_empty(content: &NodeContent) -> bool {
    match content {
        NodeContent::Null => true,
        NodeContent::List(nodes) => nodes.is_empty(),
        NodeContent::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

struct LayerReader {
    path: Arc<Path>,
    owner: FileOwner,
    layer: SettingsLayer,
    /// Entries under an old name, which give way to the same setting under its new one.
    old: Vec<SettingEntry>,
}

/// Under which form of the file a setting was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileForm {
    Old,
    New,
}

impl LayerReader {
    fn top(&mut self, fields: &[NodeField]) -> Result<(), SettingsFlaw> {
        for field in fields {
            let is_object = matches!(field.value.content, NodeContent::Object(_));
            match renamed(&field.name) {
                // The old `model` was a text; the group of that name is an object.
                Some(now) if !(keys::is_group(&field.name) && is_object) => self.setting(now, field, FileForm::Old)?,
                _ => self.setting(&field.name, field, FileForm::New)?,
            }
        }
        Ok(())
    }

    fn setting(&mut self, name: &str, field: &NodeField, form: FileForm) -> Result<(), SettingsFlaw> {
        if name == SERVERS {
            return self.servers(field);
        }
        if let Some(key) = keys::find_key(name) {
            return self.entry(key, field, form);
        }
        if !keys::is_group(name) {
            match keys::is_unused(name) {
                true => self.unused(name, field),
                false => self.warn_unknown(name, field.at),
            }
            return Ok(());
        }
        match &field.value.content {
            NodeContent::Null => Ok(()),
            NodeContent::Object(fields) => {
                fields.iter().try_for_each(|field| self.setting(&format!("{name}.{}", field.name), field, form))
            }
            _ => Err(SettingsFlaw { at: field.value.at, what: format!("{name} must be an object") }),
        }
    }

    fn entry(&mut self, key: &'static SettingKey, field: &NodeField, form: FileForm) -> Result<(), SettingsFlaw> {
        if self.owner == FileOwner::Workspace && key.workspace == WorkspacePermission::Never {
            self.warn_not_the_workspaces(key.name, field.at);
            return Ok(());
        }
        let Some(value) = key.kind.read(key.name, &field.value)? else { return Ok(()) };
        let entry = SettingEntry { key, value, origin: self.origin(field.at) };
        match form {
            FileForm::Old => self.old.push(entry),
            FileForm::New => self.layer.entries.push(entry),
        }
        Ok(())
    }

    fn servers(&mut self, field: &NodeField) -> Result<(), SettingsFlaw> {
        if self.owner == FileOwner::Workspace {
            self.warn_not_the_workspaces(SERVERS, field.at);
            return Ok(());
        }
        let servers = match &field.value.content {
            NodeContent::Null => return Ok(()),
            NodeContent::Object(servers) => servers,
            _ => return Err(SettingsFlaw { at: field.value.at, what: format!("{SERVERS} must be an object") }),
        };
        for field in servers {
            if !is_server_name(&field.name) {
                let what = format!("{:?} cannot be a server's name: 1 to 128 characters that can be seen", field.name);
                return Err(SettingsFlaw { at: field.at, what });
            }
            let (server, unknown) = mcp_entry::read(&field.name, &field.value)?;
            for unknown in unknown {
                let name = format!("{SERVERS}.{}.{}", field.name, unknown.name);
                let meant = suggest_name(&unknown.name, mcp_entry::FIELDS.iter().copied());
                self.warn_meant(&name, meant, unknown.at);
            }
            let origin = self.origin(field.at);
            self.layer.servers.push(ConfiguredServer { name: field.name.clone(), server: Arc::new(server), origin });
        }
        Ok(())
    }

    /// Note every setting below `name`, so that each can be told to have no effect.
    fn unused(&mut self, name: &str, field: &NodeField) {
        match (name, &field.value.content) {
            (BEFORE_TOOL, content) if !is_empty(content) => {
                self.layer.hooks.push(UnusedSetting { name: name.to_owned(), origin: self.origin(field.at) });
            }
            ("hooksConfig.enabled" | "hooks.enabled", NodeContent::Flag(on)) if self.owner == FileOwner::Own => {
                self.layer.hooks_enabled = Some(*on);
            }
            _ => {}
        }
        match &field.value.content {
            NodeContent::Object(fields) if !fields.is_empty() => {
                fields.iter().for_each(|field| self.unused(&format!("{name}.{}", field.name), field));
            }
            _ if self.owner == FileOwner::Workspace => {}
            content => {
                let off = matches!(content, NodeContent::Null | NodeContent::Flag(false));
                if keys::is_missing_protection(name) && !off {
                    self.warn(name, field.at, &format!("{name:?} has no effect in this release: do not rely on it"));
                }
                self.layer.unused.push(UnusedSetting { name: name.to_owned(), origin: self.origin(field.at) });
            }
        }
    }

    fn finish(mut self) -> SettingsLayer {
        for old in std::mem::take(&mut self.old) {
            match self.layer.entries.iter().find(|entry| entry.key.name == old.key.name) {
                Some(new) => {
                    let text = format!("{}: {} is set again at {}, which counts", old.origin, old.key.name, new.origin);
                    self.layer.warnings.push(ConfigWarning { subject: format!("twice {}", old.key.name), text });
                }
                None => self.layer.entries.push(old),
            }
        }
        self.layer
    }

    fn origin(&self, at: TextPosition) -> SettingOrigin {
        SettingOrigin::File { path: self.path.clone(), line: at.line }
    }

    fn warn(&mut self, subject: &str, at: TextPosition, what: &str) {
        let text = format!("{}:{}: {what}", self.path.display(), at.line);
        self.layer.warnings.push(ConfigWarning { subject: subject.to_owned(), text });
    }

    fn warn_unknown(&mut self, name: &str, at: TextPosition) {
        let old = OLD_NAMES.iter().map(|(old, _)| *old);
        self.warn_meant(name, suggest_name(name, keys::names().chain(old)), at);
    }

    fn warn_meant(&mut self, name: &str, meant: Option<&str>, at: TextPosition) {
        let meant = meant.map_or_else(|| "it is ignored".into(), |meant| format!("did you mean {meant}?"));
        self.warn(name, at, &format!("there is no setting {name:?}; {meant}"));
    }

    fn warn_not_the_workspaces(&mut self, name: &str, at: TextPosition) {
        self.warn(
            &format!("workspace {name}"),
            at,
            &format!("{name} is not taken from a workspace; set it in your own ~/.gemini/settings.json"),
        );
    }

    fn warn_unset(&mut self, name: &str, at: TextPosition) {
        self.warn(&format!("${name}"), at, &format!("the variable {name} is not set, so ${name} stays as it is"));
    }
}

/// True if a server can have this name.
pub(crate) fn is_server_name(name: &str) -> bool {
    let seen = |c: char| c == ' ' || c.escape_debug().len() == 1 || matches!(c, '"' | '\'' | '\\');
    !name.trim().is_empty() && name.len() <= 128 && name.chars().all(seen)
}
