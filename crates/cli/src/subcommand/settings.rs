//! `pollux settings show`: the settings in force, and where each comes from.

use crate::console::{self, LineStyle};
use crate::flags::{AgentFlags, BasicFlags, DebugFlags};
use crate::program_environment::ProgramEnvironment;
use crate::runtime::config_for;
use crate::session_storage::resolve_current_workspace;
use crate::settings_show::{self, ListingFormat};
use clap::Subcommand;
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux settings show     every effective setting, with the file or variable it comes from";

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum SettingsSubcommand {
    /// Print every setting with the file, variable or flag it comes from
    #[command(visible_alias = "list")]
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        agent: Box<AgentFlags>,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

impl SettingsSubcommand {
    /// Print them.
    pub(crate) fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let SettingsSubcommand::Show { json, agent, debug } = self;
        let global_settings = environment.settings(BasicFlags { agent: *agent, debug, ..BasicFlags::default() })?;
        console::start(global_settings.detail, LineStyle::Sentences, None);
        let config = config_for(&global_settings, &resolve_current_workspace()?);
        for misset in &config.invalid_variables {
            tracing::warn!("{}", misset.text);
        }
        let format = if json { ListingFormat::Json } else { ListingFormat::Table };
        settings_show::write(&config, format, &mut std::io::stdout().lock())?;
        Ok(ExitCode::SUCCESS)
    }
}
