//! `pollux extensions`: which there are, and where they are on.

use crate::config::extensions::{ConsentRequest, ENABLEMENT_FILE, ExtensionSwitch, MANIFEST, switch};
use crate::config::{Config, FileOwner, InstalledExtension};
use crate::console::{self, LineStyle};
use crate::flags::{BasicFlags, DebugFlags};
use crate::program_environment::ProgramEnvironment;
use crate::runtime::config_for;
use crate::session_storage::resolve_current_workspace;
use crate::settings::{GlobalSettings, UsageError};
use crate::settings_show::ListingFormat;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux extensions list                the extensions of this folder, and whether they are enabled
  pollux extensions disable weather     disable one";

/// What can be done with extensions.
#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionsSubcommand {
    /// List the extensions that apply in this folder, with version and state
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Enable an extension
    Enable(SwitchFlags),
    /// Disable an extension
    Disable(SwitchFlags),
}

/// Which extension is switched, and where.
#[derive(Debug, Args)]
pub(crate) struct SwitchFlags {
    /// The extension's name
    pub(crate) name: String,
    /// Where to enable or disable it
    #[arg(long, value_enum, default_value_t = ScopeFlag::User)]
    pub(crate) scope: ScopeFlag,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// How far a switch reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeFlag {
    /// In every folder
    User,
    /// In this folder and below
    Workspace,
}

impl ExtensionsSubcommand {
    /// Do it, and tell what came of it.
    pub(crate) fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let (ExtensionsSubcommand::List { debug, .. }
        | ExtensionsSubcommand::Enable(SwitchFlags { debug, .. })
        | ExtensionsSubcommand::Disable(SwitchFlags { debug, .. })) = &self;
        let global_settings = environment.settings(BasicFlags::from(*debug))?;
        console::start(global_settings.detail, LineStyle::Sentences, None);
        let here = resolve_current_workspace()?;
        let config = config_for(&global_settings, &here);
        let mut out = io::stdout().lock();
        let mut change = |flags: &SwitchFlags, to| {
            change(&global_settings, &config, Path::new(&here), &flags.name, flags.scope, to, &mut out)
        };
        match self {
            ExtensionsSubcommand::List { json, .. } => {
                write(&config, if json { ListingFormat::Json } else { ListingFormat::Table }, &mut out)?;
            }
            ExtensionsSubcommand::Enable(flags) => change(&flags, ExtensionSwitch::On)?,
            ExtensionsSubcommand::Disable(flags) => change(&flags, ExtensionSwitch::Off)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write(config: &Config, form: ListingFormat, out: &mut dyn Write) -> io::Result<()> {
    match form {
        ListingFormat::Json => {
            let extension = |one: &InstalledExtension| {
                json!({
                    "name": one.name, "version": one.version, "description": one.description, "path": one.dir,
                    "from": describe_owner(one), "isActive": one.enabled,
                })
            };
            writeln!(out, "{:#}", json!(config.extensions.iter().map(extension).collect::<Vec<_>>()))
        }
        ListingFormat::Table | ListingFormat::List(_) => {
            if config.extensions.is_empty() {
                return writeln!(out, "no extensions: each is a folder with a {MANIFEST} in ~/.gemini/extensions");
            }
            let widest = config.extensions.iter().map(|one| one.name.len() + one.version.len()).max().unwrap_or(0) + 1;
            for one in &config.extensions {
                let name = format!("{} {}", one.name, one.version.escape_debug());
                let state = if one.enabled { "enabled " } else { "disabled" };
                writeln!(out, "{name:widest$}  {state}  {}  {}", describe_owner(one), one.dir.display())?;
            }
            Ok(())
        }
    }
}

fn describe_owner(extension: &InstalledExtension) -> &'static str {
    match extension.owner {
        FileOwner::Own => "yours",
        FileOwner::Workspace => "the workspace's",
    }
}

fn change(
    global_settings: &GlobalSettings,
    config: &Config,
    here: &Path,
    name: &str,
    scope: ScopeFlag,
    to: ExtensionSwitch,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Some(extension) = config.extensions.iter().find(|extension| extension.name == name) else {
        let known: Vec<&str> = config.extensions.iter().map(|extension| extension.name.as_str()).collect();
        let known =
            if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
        return Err(UsageError(format!("there is no extension {name:?} here; {known}")).into());
    };
    let no_home = || UsageError("there is no home directory: set HOME".into());
    let file =
        global_settings.user_directories.gemini_dir().ok_or_else(no_home)?.join("extensions").join(ENABLEMENT_FILE);
    // Gemini CLI means the home directory by the person's scope, and so leaves one on in folders that lie elsewhere.
    let (folder, where_to) = match scope {
        ScopeFlag::User => (Path::new("/"), "for you, in every folder".to_owned()),
        ScopeFlag::Workspace => (here, format!("in {} and everything in it", here.display())),
    };
    switch(&file, name, folder, to).map_err(UsageError)?;
    let state = if to == ExtensionSwitch::On { "enabled" } else { "disabled" };
    writeln!(out, "{name} is {state} {where_to}")?;
    if let (ExtensionSwitch::On, Some(asked)) = (to, &extension.consent_request) {
        allow(asked, config.consents().ok_or_else(no_home)?, out)?;
    }
    Ok(())
}

/// Keep in `file` that the person allows the tool servers of a workspace's extension, and tell which those are.
fn allow(asked: &ConsentRequest, file: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    asked.allow(file).map_err(UsageError)?;
    writeln!(out, "its tool servers are allowed in {:?}, until what it says of them changes:", asked.folder())?;
    for line in &asked.allows {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
