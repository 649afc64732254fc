//! The settings of a run: files, environment and flags in layers, every value with its origin.
//!
//! Low to high: defaults, the machine's defaults, the person's files, a trusted workspace's (which only narrows), the
//! machine's overrides, the environment, the flags. Trust and secrets come from the person's side only.

mod effective;
mod env_file;
mod error;
pub(crate) mod extensions;
#[cfg(test)]
pub(crate) mod fake_machine;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod jsonc;
mod keys;
mod layer;
mod locations;
mod mcp_entry;
mod name_suggestion;
mod old_names;
mod origin;
mod run_overrides;
mod secret;
mod setting_kind;
mod settings_files;
#[cfg(test)]
mod tests;
pub(crate) mod text_file;
mod typed_settings;
mod value;
mod variable_expansion;
mod variables;
mod yaml;

pub(crate) use effective::EffectiveSetting;
pub(crate) use error::{ConfigError, ConfigWarning};
pub(crate) use extensions::InstalledExtension;
pub(crate) use keys::SettingKey;
pub(crate) use layer::{ConfiguredServer, FileOwner, UnusedSetting};
pub(crate) use mcp_entry::{ConfiguredTransport, McpServerEntry, OAuthSettings, ServerTrust};
pub(crate) use origin::SettingOrigin;
pub(crate) use run_overrides::{InvalidVariable, RunOverrides};
pub(crate) use secret::ConfigSecret;
pub(crate) use settings_files::{SettingsFile, SettingsFileState};
pub(crate) use typed_settings::TypedSettings;
pub(crate) use variables::{ConfigVariables, EnvironmentLookup};

use effective::EffectiveSettings;
use layer::SettingsLayer;
use locations::SettingsLocations;
use pollux_policy::FolderTrust;
use pollux_session::ApprovalMode;
use run_overrides::{environment_layer, flags_layer};
use settings_files::{leave_out, missing_overrides, read_own, read_workspace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use typed_settings::TypedSettingsReader;

/// The effective settings, of the person alone or for one workspace.
pub(crate) struct Config {
    /// The settings as plain values.
    pub(crate) preferences: TypedSettings,
    /// MCP servers by name, those that `mcp.allowed` and `mcp.excluded` rule out included.
    pub(crate) servers: Vec<ConfiguredServer>,
    /// Extensions by name, those that are off included; none without a workspace.
    pub(crate) extensions: Vec<InstalledExtension>,
    /// The environment, with the `.env` files below it.
    pub(crate) variables: ConfigVariables,
    /// Those of the workspace's own `.env` files alone: all that its files may name.
    pub(crate) workspace_variables: ConfigVariables,
    /// Warnings that were not given when this was made from another config.
    pub(crate) warnings: Vec<ConfigWarning>,
    /// Every settings file that was looked for.
    pub(crate) files: Vec<SettingsFile>,
    /// Variables that cannot be what they are set to. They do not count; whoever needs one has to say so.
    pub(crate) invalid_variables: Vec<InvalidVariable>,
    /// Hooks that are to check tool calls, and are not run here: yolo mode is refused while there are any.
    pub(crate) hooks_not_run: Vec<UnusedSetting>,
    effective: EffectiveSettings,
    own: Arc<OwnLayers>,
}

/// The person's and the machine's layers, kept so that workspaces can be put between them.
struct OwnLayers {
    locations: SettingsLocations,
    variables: ConfigVariables,
    below: Vec<SettingsLayer>,
    above: Vec<SettingsLayer>,
    /// The files of `below`.
    files: Vec<SettingsFile>,
    /// The machine's overrides: they win over a workspace's files.
    overrides: SettingsFile,
    invalid_variables: Vec<InvalidVariable>,
}

/// The layers between the person's: a workspace's, if there is one, and what else was found out with it.
struct WorkspaceLayers<'a> {
    workspace: Option<&'a Path>,
    layers: Vec<SettingsLayer>,
    extensions: Vec<InstalledExtension>,
    variables: ConfigVariables,
    workspace_variables: ConfigVariables,
    warnings: Vec<ConfigWarning>,
    files: Vec<SettingsFile>,
}

impl Default for WorkspaceLayers<'_> {
    fn default() -> Self {
        WorkspaceLayers {
            workspace: None,
            layers: Vec::new(),
            extensions: Vec::new(),
            variables: ConfigVariables::empty(),
            workspace_variables: ConfigVariables::empty(),
            warnings: Vec::new(),
            files: Vec::new(),
        }
    }
}

impl Config {
    /// The person's own settings, without any workspace.
    pub(crate) fn load(process: EnvironmentLookup, given: RunOverrides) -> Result<Config, ConfigError> {
        Config::load_with(process, given, &mut Err)
    }

    /// The config without the files that are broken, for a reader that only reports problems; and why each one is
    /// broken.
    pub(crate) fn load_past_broken(
        process: EnvironmentLookup,
        given: RunOverrides,
    ) -> Result<(Config, Vec<ConfigError>), ConfigError> {
        let mut broken = Vec::new();
        let mut leave_out = |error| {
            broken.push(error);
            Ok(())
        };
        let config = Config::load_with(process, given, &mut leave_out)?;
        Ok((config, broken))
    }

    /// With what `on_broken` makes of a file that is broken: an end to it all, or a file less.
    fn load_with(
        process: EnvironmentLookup,
        given: RunOverrides,
        on_broken: &mut dyn FnMut(ConfigError) -> Result<(), ConfigError>,
    ) -> Result<Config, ConfigError> {
        let locations = SettingsLocations::from_environment(&*process);
        let named_overrides = process("GEMINI_CLI_SYSTEM_SETTINGS_PATH").is_some();
        let mut variables = ConfigVariables::from_process(process);
        let mut warnings = Vec::new();
        for path in &locations.env_files {
            warnings.extend(variables.add_own(path));
        }
        let mut files = Vec::new();
        let mut below = Vec::new();
        for path in std::iter::once(&locations.system_defaults).chain(&locations.user) {
            let (layer, file) = read_own(path, &variables).or_else(|error| leave_out(path, error, on_broken))?;
            below.extend(layer);
            files.push(file);
        }
        let path = &locations.system_overrides;
        let (overrides, overrides_file) =
            read_own(path, &variables).or_else(|error| leave_out(path, error, on_broken))?;
        if overrides.is_none() && named_overrides {
            warnings.push(missing_overrides(&locations.system_overrides));
        }
        let (environment, misset) = environment_layer(&variables);
        let above: Vec<SettingsLayer> = overrides.into_iter().chain([environment, flags_layer(given)]).collect();
        warnings.extend(below.iter().chain(&above).flat_map(|layer| layer.warnings.clone()));
        let own = OwnLayers {
            locations,
            variables,
            below,
            above,
            files,
            overrides: overrides_file,
            invalid_variables: misset,
        };
        let (variables, files, own) = (own.variables.clone(), own.files.clone(), Arc::new(own));
        warnings.extend(own.hooks().map(|hook| hook_not_run(&hook)));
        let config = own.merge(WorkspaceLayers { variables, warnings, files, ..WorkspaceLayers::default() });
        if let (ApprovalMode::Yolo, Some(hook)) = (config.preferences.mode, config.hooks_not_run.first()) {
            return Err(ConfigError::HooksNotRun(hook.origin.clone()));
        }
        if config.preferences.mode == ApprovalMode::Yolo && config.preferences.disable_yolo {
            return Err(ConfigError::YoloDisabled(config.effective.origin("security.disableYoloMode")));
        }
        Ok(config)
    }

    /// The settings for `workspace`, which adds a layer of its own if the person trusts it. Nothing in an untrusted one
    /// is even opened, and whatever is wrong in a trusted one is a warning: it may not keep the program from starting.
    pub(crate) fn for_workspace(&self, workspace: &Path, trust: FolderTrust) -> Config {
        let locations = &self.own.locations;
        let paths = locations.workspace_files(workspace);
        let mut theirs = WorkspaceLayers {
            workspace: Some(workspace),
            variables: self.own.variables.clone(),
            files: self.own.files.clone(),
            ..WorkspaceLayers::default()
        };
        let mut their_variables = ConfigVariables::empty();
        match trust {
            FolderTrust::Untrusted | FolderTrust::Unknown => {
                theirs
                    .files
                    .extend(paths.into_iter().map(|path| SettingsFile { path, state: SettingsFileState::NotTrusted }));
            }
            FolderTrust::Trusted => {
                (their_variables, theirs.warnings) =
                    ConfigVariables::from_workspace_files(&locations.workspace_env_files(workspace));
                theirs.warnings.extend(locations.env_links_out_of_workspace(workspace).iter().map(|file| {
                    let file = file.display();
                    let text = format!("{file} is not read: it is a link out of the workspace; copy the file instead");
                    ConfigWarning { subject: format!("link {file}"), text }
                }));
                // Its texts see its own variables only: what is in the person's environment is none of its business.
                let lookup = |name: &str| their_variables.get(name);
                for path in paths {
                    let layer = read_workspace(path, &lookup, &mut theirs.files, &mut theirs.warnings);
                    theirs.layers.extend(layer);
                }
                theirs.variables = self.own.variables.with_workspace(&their_variables);
                theirs.workspace_variables = their_variables.clone();
            }
        }
        let their_extensions = locations.workspace_extensions(workspace);
        let (extensions, told) = extensions::load(&extensions::ExtensionLocations {
            own: locations.extensions.as_deref(),
            theirs: their_extensions.as_deref().filter(|_| trust == FolderTrust::Trusted),
            consents: locations.consents.as_deref(),
            workspace,
            own_variables: &self.own.variables,
            their_variables: &their_variables,
        });
        theirs.extensions = extensions;
        theirs.warnings.extend(told);
        let mut config = self.own.merge(theirs);
        if config.preferences.mode == ApprovalMode::Yolo && config.preferences.disable_yolo {
            config.preferences.mode = ApprovalMode::Default;
            let text = match config.hooks_not_run.first() {
                Some(hook) => format!("{}: yolo mode is refused in this workspace, so tools ask", hook.origin),
                None => {
                    let origin = config.effective.origin("security.disableYoloMode");
                    format!("{origin}: security.disableYoloMode holds in this workspace, so tools ask")
                }
            };
            config.warnings.push(ConfigWarning { subject: "yolo".into(), text });
        }
        config
    }

    /// The files that decide what [`Config::for_workspace`] says of `workspace`, beside the person's own settings, which
    /// are read once.
    pub(crate) fn watched(&self, workspace: &Path, trust: FolderTrust) -> Vec<PathBuf> {
        let locations = &self.own.locations;
        let theirs = (trust == FolderTrust::Trusted).then(|| locations.workspace_extensions(workspace)).flatten();
        let mut files = extensions::watched_files([locations.extensions.as_deref(), theirs.as_deref()]);
        if trust == FolderTrust::Trusted {
            files.extend(locations.consents.clone());
            files.extend(locations.workspace_files(workspace));
            files.extend(locations.workspace_env_files(workspace));
        }
        files
    }

    /// The files of settings and variables that hold in `workspace`, whether they are there or not.
    pub(crate) fn obeyed_files(&self, workspace: &Path, trust: FolderTrust) -> Vec<PathBuf> {
        let locations = &self.own.locations;
        let machine = [&locations.system_defaults, &locations.system_overrides];
        let own = machine.into_iter().chain(&locations.user).chain(&locations.env_files).chain(&locations.consents);
        let extensions = self.extensions.iter().filter(|extension| extension.enabled).flat_map(|extension| {
            let folders = [&extension.commands, &extension.policies, &extension.hooks].into_iter().flatten();
            folders.chain(&extension.context_files)
        });
        own.chain(extensions).cloned().chain(self.watched(workspace, trust)).collect()
    }

    /// Every setting with its value and its origins, in the order of docs/SETTINGS.md.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static SettingKey, &EffectiveSetting)> {
        self.effective.all()
    }

    /// Where a path leads that is written in a setting or a flag: `~` is the person's home, relative ones are `workspace`'s.
    pub(crate) fn path_in(&self, workspace: &Path, text: &str) -> PathBuf {
        let home = self.own.locations.home.as_deref();
        TypedSettingsReader { effective: &self.effective, home, workspace: Some(workspace) }.path(text)
    }

    /// The origin of the value of `key`.
    pub(crate) fn origin(&self, key: &str) -> SettingOrigin {
        self.effective.origin(key)
    }

    /// Where it is kept which tool servers of workspaces' extensions the person allowed; nowhere without a home.
    pub(crate) fn consents(&self) -> Option<&Path> {
        self.own.locations.consents.as_deref()
    }

    /// The number of settings files that were there and could be read.
    pub(crate) fn files_read(&self) -> usize {
        self.files.iter().filter(|file| file.state == SettingsFileState::Read).count()
    }

    /// Everything odd but hooks that are not run.
    pub(crate) fn warnings_beside_hooks(&self) -> impl Iterator<Item = &ConfigWarning> {
        let hooks: Vec<String> = self.hooks_not_run.iter().map(|hook| hook_not_run(hook).subject).collect();
        self.warnings.iter().filter(move |warning| !hooks.contains(&warning.subject))
    }

    /// The config with the warnings about the person's own settings added.
    pub(crate) fn add_warnings(self, own: &Config) -> Config {
        let warnings = own.warnings.iter().cloned().chain(self.warnings).collect();
        Config { warnings: once_each(warnings), ..self }
    }

    /// Settings in the person's files that have no effect here.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &UnusedSetting> {
        self.own.below.iter().chain(&self.own.above).flat_map(|layer| &layer.unused)
    }
}

impl OwnLayers {
    fn merge(self: &Arc<OwnLayers>, theirs: WorkspaceLayers<'_>) -> Config {
        let WorkspaceLayers { workspace, layers, extensions, variables, workspace_variables, mut warnings, files } =
            theirs;
        let mut effective = EffectiveSettings::defaults();
        let set = |effective: &mut EffectiveSettings, layers: &[SettingsLayer]| {
            layers.iter().flat_map(|layer| &layer.entries).for_each(|entry| effective.set(entry.clone()));
        };
        set(&mut effective, &self.below);
        for layer in &layers {
            warnings.extend(layer.warnings.iter().cloned());
            warnings.extend(layer.entries.iter().filter_map(|entry| effective.narrow(entry.clone())));
        }
        let on = || extensions.iter().filter(|extension| extension.enabled);
        on().filter_map(|extension| extension.excludes.clone()).for_each(|entry| effective.set(entry));
        set(&mut effective, &self.above);
        let mut servers = self.servers();
        // What the person has set up by that name goes before what an extension brings.
        for server in on().flat_map(|extension| &extension.servers) {
            if servers.iter().all(|known| known.name != server.name) {
                servers.push(server.clone());
            }
        }
        servers.sort_by(|one, other| one.name.cmp(&other.name));
        let mut preferences = TypedSettings::from_effective(&effective, self.locations.home.as_deref(), workspace);
        let of_extension = |file: &PathBuf| {
            let origin = SettingOrigin::File { path: file.as_path().into(), line: 1 };
            UnusedSetting { name: layer::BEFORE_TOOL.to_owned(), origin }
        };
        let of_extensions = on().filter_map(|extension| extension.hooks.as_ref()).map(of_extension);
        let theirs = layers.iter().flat_map(|layer| layer.hooks.clone()).chain(of_extensions);
        let theirs: Vec<UnusedSetting> = theirs.filter(|_| self.runs_hooks()).collect();
        warnings.extend(theirs.iter().map(hook_not_run));
        let hooks_not_run: Vec<UnusedSetting> = self.hooks().chain(theirs).collect();
        preferences.disable_yolo |= !hooks_not_run.is_empty();
        Config {
            preferences,
            servers,
            extensions,
            variables,
            workspace_variables,
            warnings: once_each(warnings),
            files: files.into_iter().chain([self.overrides.clone()]).collect(),
            invalid_variables: self.invalid_variables.clone(),
            hooks_not_run,
            effective,
            own: self.clone(),
        }
    }

    /// The person's and the machine's hooks that check tool calls.
    fn hooks(&self) -> impl Iterator<Item = UnusedSetting> {
        let hooks = self.below.iter().chain(&self.above).flat_map(|layer| &layer.hooks);
        hooks.filter(|_| self.runs_hooks()).cloned()
    }

    /// True if Gemini CLI would run hooks.
    fn runs_hooks(&self) -> bool {
        self.below.iter().chain(&self.above).filter_map(|layer| layer.hooks_enabled).next_back().unwrap_or(true)
    }

    /// A higher layer's server takes the place of a lower one's of the same name.
    fn servers(&self) -> Vec<ConfiguredServer> {
        let mut servers: Vec<ConfiguredServer> = Vec::new();
        for server in self.below.iter().chain(&self.above).flat_map(|layer| &layer.servers) {
            servers.retain(|lower| lower.name != server.name);
            servers.push(server.clone());
        }
        servers
    }
}

fn hook_not_run(hook: &UnusedSetting) -> ConfigWarning {
    let text = format!(
        "{}: hooks.BeforeTool is not run by this release: it checks no tool call, and yolo mode is refused while it is set",
        hook.origin
    );
    ConfigWarning { subject: format!("hook {}", hook.origin), text }
}

fn once_each(warnings: Vec<ConfigWarning>) -> Vec<ConfigWarning> {
    let mut told: Vec<ConfigWarning> = Vec::new();
    for warning in warnings {
        if !told.iter().any(|earlier| earlier.subject == warning.subject) {
            told.push(warning);
        }
    }
    told
}
