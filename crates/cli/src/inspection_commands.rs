//! The commands that only tell: what policy says, which settings are in force, what is missing.

use crate::config::Config;
use crate::console::{self, LineStyle};
use crate::named_by_flags;
use crate::runtime::{ModelSelection, config_for, folder_trust, rule_sources};
use crate::session_storage::resolve_workspace;
use crate::settings::{GlobalSettings, UsageError};
use crate::settings_show::{self, ListingFormat};
use crate::subcommand::doctor::{self, AnsweringModel, DoctorContext};
use crate::subcommand::policy::{self, PolicyCheck};
use anyhow::Context as _;
use std::path::Path;
use std::process::ExitCode;

/// `pollux policy check`.
pub(crate) fn check_policy(global_settings: &GlobalSettings, command: String) -> anyhow::Result<ExitCode> {
    if command.trim().is_empty() {
        return Err(UsageError(
            "there is no command to check; give one, as in pollux policy check 'git status'".into(),
        )
        .into());
    }
    console::start(global_settings.detail, LineStyle::Sentences, None);
    let workspace = here()?;
    let config = config_for(global_settings, &workspace);
    named_by_flags::check_places(global_settings, &config, Path::new(&workspace))?;
    let trust = folder_trust(global_settings, Path::new(&workspace));
    let sources = rule_sources(global_settings, &config);
    let include_directories = config.preferences.include_directories.clone();
    let (mode, workspace) = (config.preferences.mode, workspace.into());
    policy::check(&PolicyCheck { command, mode, workspace, sources, include_directories, trust })
}

/// `pollux settings show`.
pub(crate) fn show_settings(global_settings: &GlobalSettings, form: ListingFormat) -> anyhow::Result<ExitCode> {
    console::start(global_settings.detail, LineStyle::Sentences, None);
    let config = config_for(global_settings, &here()?);
    for misset in &config.invalid_variables {
        tracing::warn!("{}", misset.text);
    }
    settings_show::write(&config, form, &mut std::io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// `pollux doctor`. `serve_dir` is where `pollux serve` would keep its sessions.
pub(crate) async fn run_doctor(global_settings: &GlobalSettings, serve_dir: &Path) -> anyhow::Result<ExitCode> {
    console::start(global_settings.detail, LineStyle::Sentences, None);
    let workspace = here()?;
    let workspace = Path::new(&workspace);
    let trust = folder_trust(global_settings, workspace);
    // The report tells what is odd in the settings, so the log does not say it a second time.
    let config = global_settings.config.for_workspace(workspace, trust).add_warnings(&global_settings.config);
    let model_selection = ModelSelection::choose(global_settings, &config);
    let local = match &model_selection {
        Ok(model_selection) => model_selection.models.detect_local().await,
        Err(_) => Vec::new(),
    };
    let model = model_selection.map(|model_selection| {
        let label = model_selection.chosen.model.info().label;
        AnsweringModel { label, note: model_selection.chosen.note }
    });
    let checks = doctor::run_checks(&DoctorContext {
        config: &config,
        broken_files: &global_settings.broken_files,
        model: model.map_err(|error| error.to_string()),
        local,
        data_dir: &global_settings.data_dir,
        serve_dir,
        port: serve_port(&config),
        workspace,
        trust,
    });
    Ok(doctor::print_report(&checks, &mut std::io::stdout().lock())?)
}

/// The port `pollux serve` would listen on.
fn serve_port(config: &Config) -> Result<u16, String> {
    match config.invalid_variables.iter().find(|misset| misset.key == "serve.port") {
        None => Ok(config.preferences.port),
        Some(misset) => Err(misset.text.clone()),
    }
}

/// The directory the program was started in, as a workspace.
fn here() -> anyhow::Result<String> {
    resolve_workspace(&std::env::current_dir().context("the current directory cannot be used")?)
}
