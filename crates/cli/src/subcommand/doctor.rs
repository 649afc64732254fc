//! `pollux doctor`: what works on this machine, what does not, and what to do about it. Nothing is sent beyond this
//! machine and nothing is left behind.

mod machine;
mod model;
mod servers;
mod store;
#[cfg(test)]
mod tests;
mod workspace;

use crate::config::{Config, ConfigError};
use crate::console::{self, LineStyle};
use crate::flags::{AgentFlags, BasicFlags, BrokenSettings, DataFlags, DebugFlags, ModelFlags};
use crate::folder_trust::folder_trust;
use crate::program_environment::ProgramEnvironment;
use crate::runtime::ModelSelection;
use crate::session_storage::resolve_current_workspace;
use clap::Args;
use pollux_model::LocalServer;
use pollux_policy::FolderTrust;
use pollux_tools::ProcessEnvironment;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux doctor                     check API keys, tools, settings and the data directory
  pollux doctor -m ollama:qwen3     the same, for this model";

/// What is to be checked, and where.
#[derive(Debug, Args)]
pub(crate) struct DoctorFlags {
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

impl DoctorFlags {
    /// Look at everything, and print what was found.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let DoctorFlags { model, data, debug } = self;
        let serve_dir = environment.serve_dir(&data)?;
        let agent = AgentFlags { model, ..AgentFlags::default() };
        let broken_settings = BrokenSettings::LeaveOut;
        let flags = BasicFlags { agent, data, debug, broken_settings, ..BasicFlags::default() };
        let global_settings = environment.settings(flags)?;
        console::start(global_settings.detail, LineStyle::Sentences, None);
        let workspace = resolve_current_workspace()?;
        let workspace = Path::new(&workspace);
        let trust = folder_trust(&global_settings, workspace);
        // The report tells what is odd in the settings, so the log does not say it a second time.
        let config = global_settings.config.for_workspace(workspace, trust).add_warnings(&global_settings.config);
        let model_selection = ModelSelection::choose(&global_settings, &config);
        let local = match &model_selection {
            Ok(model_selection) => model_selection.models.detect_local().await,
            Err(_) => Vec::new(),
        };
        let model = model_selection.map(|model_selection| {
            let label = model_selection.chosen.model.info().label;
            AnsweringModel { label, note: model_selection.chosen.note }
        });
        let checks = run_checks(&DoctorContext {
            config: &config,
            broken_files: &global_settings.broken_files,
            model: model.map_err(|error| error.to_string()),
            local,
            data_dir: &global_settings.data_dir,
            serve_dir: &serve_dir,
            port: serve_port(&config),
            workspace,
            trust,
        });
        Ok(print_report(&checks, &mut std::io::stdout().lock())?)
    }
}

/// The port `pollux serve` would listen on.
fn serve_port(config: &Config) -> Result<u16, String> {
    match config.invalid_variables.iter().find(|misset| misset.key == "serve.port") {
        None => Ok(config.preferences.port),
        Some(misset) => Err(misset.text.clone()),
    }
}

/// The things that are checked.
pub(crate) struct DoctorContext<'a> {
    pub(crate) config: &'a Config,
    /// The settings files that are left out of it because they are broken.
    pub(crate) broken_files: &'a [ConfigError],
    /// The model that was chosen, or why none could be chosen.
    pub(crate) model: Result<AnsweringModel, String>,
    /// Where interactive sessions are kept.
    pub(crate) data_dir: &'a Path,
    /// Model servers that run on this machine.
    pub(crate) local: Vec<LocalServer>,
    /// Where `pollux serve` keeps its sessions.
    pub(crate) serve_dir: &'a Path,
    /// The port `pollux serve` would listen on, or what is wrong with the one that the environment names.
    pub(crate) port: Result<u16, String>,
    /// The folder the program was started in, and how the person stands to it.
    pub(crate) workspace: &'a Path,
    pub(crate) trust: FolderTrust,
}

/// The model that would answer.
pub(crate) struct AnsweringModel {
    pub(crate) label: String,
    /// The way to a real one, when the demo was picked for want of one.
    pub(crate) note: Option<String>,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DoctorCheck {
    pub(crate) name: &'static str,
    pub(crate) finding: CheckStatus,
    pub(crate) message: String,
}

/// The status of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckStatus {
    Good,
    /// It is so, and neither good nor bad.
    Neutral,
    /// Something is missing that only some need.
    Missing {
        remedy: String,
    },
    /// Pollux does not work until it is put right.
    Broken {
        remedy: String,
    },
}

/// Look at everything.
pub(crate) fn run_checks(examination: &DoctorContext<'_>) -> Vec<DoctorCheck> {
    let config = examination.config;
    let mut checks: Vec<DoctorCheck> = examination.broken_files.iter().map(broken_file).collect();
    if checks.is_empty() {
        checks.push(settings(config));
    }
    checks.extend(hooks(config));
    let env = |name: &str| ProcessEnvironment::original().get(name);
    checks.extend(model::checks(config, &examination.model));
    checks.push(model::local(&examination.local));
    checks.extend(servers::checks(config, &env));
    checks.push(workspace::trust(examination.workspace, examination.trust));
    checks.extend(store::checks(examination.data_dir, examination.serve_dir));
    checks.extend(machine::checks(&env, &examination.port, examination.serve_dir));
    checks
}

/// Write what was found to `out`. The exit code is 1 when something needed is broken.
pub(crate) fn print_report(checks: &[DoctorCheck], out: &mut dyn Write) -> io::Result<ExitCode> {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for DoctorCheck { name, finding, message } in checks {
        match finding {
            CheckStatus::Good => writeln!(out, "✓ {name:width$}  {message}")?,
            CheckStatus::Neutral => writeln!(out, "· {name:width$}  {message}")?,
            CheckStatus::Missing { remedy } => writeln!(out, "! {name:width$}  {}", join_remedy(message, remedy))?,
            CheckStatus::Broken { remedy } => writeln!(out, "✗ {name:width$}  {}", join_remedy(message, remedy))?,
        }
    }
    let broken = checks.iter().filter(|check| matches!(check.finding, CheckStatus::Broken { .. })).count();
    match broken {
        0 if checks.iter().any(|check| matches!(check.finding, CheckStatus::Missing { .. })) => {
            writeln!(out, "\nnothing that was checked is broken; lines with ! are worth a look")?;
        }
        0 => writeln!(out, "\nnothing that was checked is broken")?,
        1 => writeln!(out, "\none thing is broken")?,
        more => writeln!(out, "\n{more} things are broken")?,
    }
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl DoctorCheck {
    fn good(name: &'static str, says: impl Into<String>) -> DoctorCheck {
        DoctorCheck { name, finding: CheckStatus::Good, message: says.into() }
    }

    fn neutral(name: &'static str, says: impl Into<String>) -> DoctorCheck {
        DoctorCheck { name, finding: CheckStatus::Neutral, message: says.into() }
    }

    fn missing(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> DoctorCheck {
        DoctorCheck { name, finding: CheckStatus::Missing { remedy: remedy.into() }, message: says.into() }
    }

    fn broken(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> DoctorCheck {
        DoctorCheck { name, finding: CheckStatus::Broken { remedy: remedy.into() }, message: says.into() }
    }
}

/// Hooks that are to check tool calls; nothing when there are none.
fn hooks(config: &Config) -> Option<DoctorCheck> {
    let origins: Vec<String> = config.hooks_not_run.iter().map(|hook| hook.origin.to_string()).collect();
    let says = format!("hooks.BeforeTool is not run by this release ({}), so yolo mode is refused", origins.join(", "));
    let remedy = "forbid what they forbid with rules in ~/.gemini/policies, or remove them";
    (!origins.is_empty()).then(|| DoctorCheck::missing("hooks", says, remedy))
}

const SETTINGS: &str = "settings";

fn broken_file(error: &ConfigError) -> DoctorCheck {
    DoctorCheck::broken(
        SETTINGS,
        error.to_string(),
        "Pollux does not start until then; the checks below leave this file out",
    )
}

/// The problem and its remedy. A question is a sentence of its own.
fn join_remedy(message: &str, remedy: &str) -> String {
    let colon = if message.ends_with('?') { "" } else { ":" };
    format!("{message}{colon} {remedy}")
}

fn settings(config: &Config) -> DoctorCheck {
    // Hooks have a check of their own.
    let told: Vec<String> = config.warnings_beside_hooks().map(ToString::to_string).collect();
    if told.is_empty() {
        let read = format!("{} of {} files are there and read", config.files_read(), config.files.len());
        return DoctorCheck::good(SETTINGS, read);
    }
    DoctorCheck::missing(SETTINGS, told.join("; "), "`pollux settings show` tells what holds")
}
