//! The settings of a run: files, environment and flags in layers, every value with its origin.
//!
//! Low to high: defaults, the machine's defaults, the person's files, a trusted workspace's (which only narrows), the
//! machine's overrides, the environment, the flags. Trust and secrets come from the person's side only.

mod effective;
mod env_file;
mod error;
mod expand;
mod jsonc;
mod keys;
mod kind;
mod layer;
mod locations;
mod mcp;
mod nearest;
mod old_names;
mod origin;
mod preferences;
mod secret;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod text_file;
mod value;
mod variables;

pub(crate) use effective::Settled;
pub(crate) use error::{ConfigError, Warning};
pub(crate) use keys::Key;
pub(crate) use layer::{Server, Unused};
pub(crate) use mcp::{McpServer, OAuth, ServerTrust, Transport};
pub(crate) use origin::Origin;
pub(crate) use preferences::Preferences;
pub(crate) use secret::Secret;
pub(crate) use variables::{Environment, Variables};

use effective::Effective;
use layer::{Entry, Layer, Whose};
use locations::Locations;
use pollux_policy::FolderTrust;
use pollux_session::Mode;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use value::Value;

/// The effective settings, of the person alone or for one workspace.
pub(crate) struct Config {
    /// The settings as plain values.
    pub(crate) preferences: Preferences,
    /// MCP servers by name, those that `mcp.allowed` and `mcp.excluded` rule out included.
    pub(crate) servers: Vec<Server>,
    /// The environment, with the `.env` files below it.
    pub(crate) variables: Variables,
    /// What has to be told that was not told when this was made from another config.
    pub(crate) warnings: Vec<Warning>,
    /// Every settings file that was looked for.
    pub(crate) files: Vec<SettingsFile>,
    effective: Effective,
    own: Arc<Own>,
}

/// What the flags of this run set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// `--model`
    pub(crate) model: Option<String>,
    /// `--approval-mode` or `--yolo`
    pub(crate) mode: Option<Mode>,
    /// `--allowed-tools`; empty when not given.
    pub(crate) allowed_tools: Vec<String>,
    /// `--include-directories`; empty when not given.
    pub(crate) include_directories: Vec<String>,
    /// `--allowed-mcp-server-names`; empty when not given.
    pub(crate) allowed_servers: Vec<String>,
}

/// A settings file and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    pub(crate) fate: Fate,
}

/// What became of a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Read,
    Absent,
    /// The workspace is not trusted, so nobody looked.
    NotTrusted,
    /// The workspace's file is left out.
    Broken(String),
}

/// The person's and the machine's layers, kept so that workspaces can be put between them.
struct Own {
    locations: Locations,
    variables: Variables,
    below: Vec<Layer>,
    above: Vec<Layer>,
    files: Vec<SettingsFile>,
}

impl Config {
    /// The person's own settings, without any workspace.
    pub(crate) fn load(process: Environment, given: Given) -> Result<Config, ConfigError> {
        let locations = Locations::of(&*process);
        let named_overrides = process("GEMINI_CLI_SYSTEM_SETTINGS_PATH").is_some();
        let mut variables = Variables::of_process(process);
        let mut warnings = Vec::new();
        for path in &locations.env_files {
            warnings.extend(variables.add_own(path));
        }
        let mut files = Vec::new();
        let mut below = Vec::new();
        for path in std::iter::once(&locations.system_defaults).chain(&locations.user) {
            below.extend(read_own(path, &variables, &mut files)?);
        }
        let overrides = read_own(&locations.system_overrides, &variables, &mut files)?;
        if overrides.is_none() && named_overrides {
            warnings.push(missing_overrides(&locations.system_overrides));
        }
        let above: Vec<Layer> = overrides.into_iter().chain([environment(&variables), flags(given)]).collect();
        warnings.extend(below.iter().chain(&above).flat_map(|layer| layer.warnings.clone()));
        let own = Arc::new(Own { locations, variables: variables.clone(), below, above, files: files.clone() });
        let config = own.settle(None, None, variables, warnings, files);
        if config.preferences.mode == Mode::Yolo && config.preferences.disable_yolo {
            return Err(ConfigError::YoloDisabled(config.effective.origin("security.disableYoloMode")));
        }
        Ok(config)
    }

    /// The settings for `workspace`, which adds a layer of its own if the person trusts it. Nothing in an untrusted one
    /// is even opened, and whatever is wrong in a trusted one is a warning: it may not keep the program from starting.
    pub(crate) fn for_workspace(&self, workspace: &Path, trust: FolderTrust) -> Config {
        let locations = &self.own.locations;
        let path = locations.of_workspace(workspace);
        let mut files = self.own.files.clone();
        let (layer, variables, warnings) = match trust {
            FolderTrust::Untrusted | FolderTrust::Unknown => {
                files.extend(path.map(|path| SettingsFile { path, fate: Fate::NotTrusted }));
                (None, self.own.variables.clone(), Vec::new())
            }
            FolderTrust::Trusted => {
                let (theirs, mut warnings) = Variables::of_workspace(&locations.env_files_of_workspace(workspace));
                // Its texts see its own variables only: what is in the person's environment is none of its business.
                let layer =
                    path.and_then(|path| read_theirs(path, &|name| theirs.get(name), &mut files, &mut warnings));
                (layer, self.own.variables.with_workspace(&theirs), warnings)
            }
        };
        let mut config = self.own.settle(layer.as_ref(), Some(workspace), variables, warnings, files);
        if config.preferences.mode == Mode::Yolo && config.preferences.disable_yolo {
            config.preferences.mode = Mode::Default;
            let origin = config.effective.origin("security.disableYoloMode");
            let text = format!("{origin}: security.disableYoloMode holds in this workspace, so tools ask");
            config.warnings.push(Warning { subject: "yolo".into(), text });
        }
        config
    }

    /// Every setting with its value and its origins, in the order of docs/SETTINGS.md.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static Key, &Settled)> {
        self.effective.all()
    }

    /// Who set `key` last.
    #[cfg(test)]
    pub(crate) fn origin(&self, key: &str) -> Origin {
        self.effective.origin(key)
    }

    /// How many settings files were there and could be read.
    pub(crate) fn files_read(&self) -> usize {
        self.files.iter().filter(|file| file.fate == Fate::Read).count()
    }

    /// Settings in the person's files that have no effect here.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &Unused> {
        self.own.below.iter().chain(&self.own.above).flat_map(|layer| &layer.unused)
    }
}

impl Own {
    fn settle(
        self: &Arc<Own>,
        theirs: Option<&Layer>,
        workspace: Option<&Path>,
        variables: Variables,
        mut warnings: Vec<Warning>,
        files: Vec<SettingsFile>,
    ) -> Config {
        let mut effective = Effective::presets();
        let set = |effective: &mut Effective, layers: &[Layer]| {
            layers.iter().flat_map(|layer| &layer.entries).for_each(|entry| effective.set(entry.clone()));
        };
        set(&mut effective, &self.below);
        if let Some(theirs) = theirs {
            warnings.extend(theirs.warnings.iter().cloned());
            warnings.extend(theirs.entries.iter().filter_map(|entry| effective.narrow(entry.clone())));
        }
        set(&mut effective, &self.above);
        Config {
            preferences: Preferences::of(&effective, self.locations.home.as_deref(), workspace),
            servers: self.servers(),
            variables,
            warnings: once_each(warnings),
            files,
            effective,
            own: self.clone(),
        }
    }

    /// A higher layer's server takes the place of a lower one's of the same name.
    fn servers(&self) -> Vec<Server> {
        let mut servers: Vec<Server> = Vec::new();
        for server in self.below.iter().chain(&self.above).flat_map(|layer| &layer.servers) {
            servers.retain(|lower| lower.name != server.name);
            servers.push(server.clone());
        }
        servers.sort_by(|one, other| one.name.cmp(&other.name));
        servers
    }
}

/// Read one of the person's or the machine's files. One that is broken stops the program: it may be what forbids things.
fn read_own(path: &Path, variables: &Variables, files: &mut Vec<SettingsFile>) -> Result<Option<Layer>, ConfigError> {
    let layer = Layer::read(path, Whose::Own, &|name| variables.get(name))?;
    let fate = if layer.is_some() { Fate::Read } else { Fate::Absent };
    files.push(SettingsFile { path: path.to_owned(), fate });
    Ok(layer)
}

fn read_theirs(
    path: PathBuf,
    lookup: &dyn Fn(&str) -> Option<String>,
    files: &mut Vec<SettingsFile>,
    warnings: &mut Vec<Warning>,
) -> Option<Layer> {
    let (layer, fate) = match Layer::read(&path, Whose::Workspace, lookup) {
        Ok(Some(layer)) => (Some(layer), Fate::Read),
        Ok(None) => (None, Fate::Absent),
        Err(error) => {
            let text = format!("the workspace's settings are left out: {error}");
            warnings.push(Warning { subject: path.display().to_string(), text });
            (None, Fate::Broken(error.to_string()))
        }
    };
    files.push(SettingsFile { path, fate });
    layer
}

/// The machine's overrides may be what forbids things: that they are not where they should be has to be seen.
fn missing_overrides(path: &Path) -> Warning {
    let text = format!("GEMINI_CLI_SYSTEM_SETTINGS_PATH: there is no usable file, {} was looked for", path.display());
    Warning { subject: "GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), text }
}

/// What the environment sets, by the names in the table of keys.
fn environment(variables: &Variables) -> Layer {
    let entry = |key: &'static Key| {
        let name = key.elsewhere.iter().find_map(|elsewhere| match elsewhere {
            keys::Elsewhere::Variable(name) => Some(name),
            keys::Elsewhere::Flag(_) => None,
        })?;
        Some(Entry { key, value: Value::Text(variables.get(name)?), origin: variables.origin(name)? })
    };
    Layer { entries: keys::KEYS.iter().filter_map(entry).collect(), ..Layer::default() }
}

fn flags(given: Given) -> Layer {
    let names = |names: Vec<String>| (!names.is_empty()).then_some(Value::Names(names));
    let mode_flag = if given.mode == Some(Mode::Yolo) { "--yolo" } else { "--approval-mode" };
    let set = [
        ("model.name", "--model", given.model.map(Value::Text)),
        ("general.defaultApprovalMode", mode_flag, given.mode.map(Value::Mode)),
        ("tools.allowed", "--allowed-tools", names(given.allowed_tools)),
        ("context.includeDirectories", "--include-directories", names(given.include_directories)),
        ("mcp.allowed", "--allowed-mcp-server-names", names(given.allowed_servers)),
    ];
    let entry = |(name, flag, value): (&str, &'static str, Option<Value>)| {
        Some(Entry { key: keys::key(name)?, value: value?, origin: Origin::Flag(flag) })
    };
    Layer { entries: set.into_iter().filter_map(entry).collect(), ..Layer::default() }
}

fn once_each(warnings: Vec<Warning>) -> Vec<Warning> {
    let mut told: Vec<Warning> = Vec::new();
    for warning in warnings {
        if !told.iter().any(|earlier| earlier.subject == warning.subject) {
            told.push(warning);
        }
    }
    told
}
