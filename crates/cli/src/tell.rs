//! The commands that only tell: what policy says, which settings are in force, what is missing.

use crate::console;
use crate::doctor::{self, Answering, Examination};
use crate::equip::{Engines, config_for, rule_sources};
use crate::place::usable;
use crate::policy_check::{self, Check};
use crate::settings::{Basics, Usage};
use crate::settings_show::{self, Form};
use anyhow::Context as _;
use std::process::ExitCode;

/// The port `pollux serve` listens on.
const SERVE_PORT: u16 = 41242;

/// `pollux policy check`.
pub(crate) fn policy(basics: &Basics, command: String) -> anyhow::Result<ExitCode> {
    console::start(basics.detail, None);
    let workspace = here()?;
    let config = config_for(basics, &workspace);
    let trust_file = basics.person.trust().ok_or_else(|| Usage("there is no home directory: set HOME".into()))?;
    let sources = rule_sources(basics, &config);
    policy_check::check(&Check {
        command,
        mode: config.preferences.mode,
        workspace: workspace.into(),
        sources,
        trust_file,
    })
}

/// `pollux settings show`.
pub(crate) fn settings(basics: &Basics, form: Form) -> anyhow::Result<ExitCode> {
    console::start(basics.detail, None);
    let config = config_for(basics, &here()?);
    settings_show::write(&config, form, &mut std::io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// `pollux doctor`.
pub(crate) fn health(basics: &Basics) -> anyhow::Result<ExitCode> {
    console::start(basics.detail, None);
    let config = config_for(basics, &here()?);
    let model = Engines::choose(basics, &config).map(|engines| {
        let label = engines.chosen.model.info().label;
        Answering { label, note: engines.chosen.note }
    });
    let checks = doctor::examine(&Examination {
        config: Ok(&config),
        model: model.map_err(|error| error.to_string()),
        data_dir: &basics.data_dir,
        serve_dir: &basics.data_dir.join("serve"),
        port: SERVE_PORT,
    });
    Ok(doctor::report(&checks, &mut std::io::stdout().lock())?)
}

/// The directory the program was started in, as a workspace.
fn here() -> anyhow::Result<String> {
    usable(&std::env::current_dir().context("the current directory cannot be used")?)
}
