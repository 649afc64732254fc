//! The environment of the program, and the settings that its flags come to there: the start of every command.

use crate::config::{Config, EnvironmentLookup, RunOverrides};
use crate::flags::{AgentFlags, BasicFlags, BrokenSettings, DataFlags, ModeFlag};
use crate::named_by_flags::NamedByFlags;
use crate::paths;
use crate::reported_warnings::ReportedWarnings;
use crate::settings::{GlobalSettings, LogDetail, UsageError};
use crate::token_source::TokenSource;
use crate::user_directories::UserDirectories;
use pollux_server::discovery;
use pollux_session::ApprovalMode;
use std::path::PathBuf;

/// Where the program runs.
pub(crate) struct ProgramEnvironment {
    pub(crate) variables: EnvironmentLookup,
    /// Where Pollux keeps things unless somebody names another place.
    state_dir: PathBuf,
}

impl ProgramEnvironment {
    /// `variables` looks up an environment variable.
    pub(crate) fn new(variables: EnvironmentLookup) -> anyhow::Result<ProgramEnvironment> {
        let state_dir = paths::state_dir(&*variables)?;
        Ok(ProgramEnvironment { variables, state_dir })
    }

    /// The settings by flags that mean the same everywhere.
    pub(crate) fn settings(&self, flags: BasicFlags) -> anyhow::Result<GlobalSettings> {
        self.settings_with(flags, RunOverrides::default())
    }

    /// The settings, with those of a command's own flags: `given`.
    pub(crate) fn settings_with(&self, flags: BasicFlags, given: RunOverrides) -> anyhow::Result<GlobalSettings> {
        let BasicFlags {
            agent: AgentFlags { model, rules, checkpointing, allowed_mcp_server_names },
            data,
            endpoint,
            debug,
            broken_settings,
        } = flags;
        let (model, debug) = (model.model, debug.debug);
        let mode = match (rules.yolo, rules.approval_mode) {
            (true, _) | (false, Some(ModeFlag::Yolo)) => Some(ApprovalMode::Yolo),
            (false, Some(ModeFlag::AutoEdit)) => Some(ApprovalMode::AutoEdit),
            (false, Some(ModeFlag::Plan)) => Some(ApprovalMode::Plan),
            (false, Some(ModeFlag::Default)) => Some(ApprovalMode::Default),
            (false, None) => None,
        };
        if endpoint.max_connections == 0 {
            return Err(UsageError("--max-connections must be at least 1".into()).into());
        }
        let own_dir = data_dir_flag(&data)?;
        let named = NamedByFlags {
            include_directories: rules.include_directories.clone(),
            allowed_tools: rules.allowed_tools.clone(),
            allowed_servers: allowed_mcp_server_names.clone(),
            policies: rules.policy.clone(),
            admin_policies: rules.admin_policy.clone(),
        };
        let given = RunOverrides {
            model: model.clone(),
            mode,
            checkpointing,
            allowed_tools: rules.allowed_tools,
            include_directories: rules.include_directories,
            allowed_servers: allowed_mcp_server_names,
            policies: rules.policy.iter().map(|path| path.display().to_string()).collect(),
            admin_policies: rules.admin_policy.iter().map(|path| path.display().to_string()).collect(),
            debug,
            ..given
        };
        let loaded = match broken_settings {
            BrokenSettings::Stop => Config::load(self.variables.clone(), given).map(|config| (config, Vec::new())),
            BrokenSettings::LeaveOut => Config::load_past_broken(self.variables.clone(), given),
        };
        let (config, broken_files) = loaded.map_err(|error| UsageError(error.to_string()))?;
        Ok(GlobalSettings {
            model,
            config,
            broken_files,
            named,
            system_prompt: None,
            user_directories: UserDirectories::from_environment(&*self.variables),
            data_dir: own_dir.unwrap_or_else(|| self.state_dir.clone()),
            state_dir: self.state_dir.clone(),
            runtime_dir: discovery::directory((self.variables)("XDG_RUNTIME_DIR").map(PathBuf::from), &self.state_dir),
            token: endpoint.token.token_file.map(TokenSource::File),
            max_connections: endpoint.max_connections,
            detail: if debug { LogDetail::Everything } else { LogDetail::Warnings },
            reported_warnings: ReportedWarnings::default(),
        })
    }

    /// Where `pollux serve` keeps its sessions.
    pub(crate) fn serve_dir(&self, flags: &DataFlags) -> anyhow::Result<PathBuf> {
        Ok(data_dir_flag(flags)?.unwrap_or_else(|| self.state_dir.join("serve")))
    }
}

/// The directory that `--data-dir` names.
fn data_dir_flag(flags: &DataFlags) -> anyhow::Result<Option<PathBuf>> {
    let Some(given) = &flags.data_dir else { return Ok(None) };
    let real = paths::real(given);
    Ok(Some(real.map_err(|error| UsageError(format!("--data-dir {} cannot be used: {error}", given.display())))?))
}

/// The directory that the program was started in.
pub(crate) fn current_dir() -> anyhow::Result<PathBuf> {
    let refuse = |error| UsageError(format!("the current directory cannot be the workspace: {error}"));
    Ok(std::env::current_dir().map_err(refuse)?)
}
