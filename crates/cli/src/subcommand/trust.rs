//! `pollux trust`: which folders the person trusts, in the file they share with Gemini CLI.

use crate::flags::{BasicFlags, DebugFlags};
use crate::folder_trust::{find_trust_dependent, folder_trust};
use crate::program_environment::{ProgramEnvironment, current_dir};
use crate::session_storage::resolve_workspace;
use crate::settings::{GlobalSettings, UsageError};
use clap::Args;
use pollux_policy::{FolderTrust, TrustLevel, TrustedFolders};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(test)]
mod tests;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux trust               trust the current directory
  pollux trust ~/project     trust another folder
  pollux trust --list        list trusted and untrusted folders";

/// What is to be trusted, or no more.
#[derive(Debug, Args)]
pub(crate) struct TrustFlags {
    /// The folder [default: the current directory]; `list` does the same as --list
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Forget the decision about the folder
    #[arg(long, conflicts_with = "list")]
    pub(crate) remove: bool,
    /// List trusted and untrusted folders
    #[arg(long, conflicts_with = "folder")]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

impl TrustFlags {
    /// Do what they say, and tell what came of it.
    pub(crate) fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let TrustFlags { folder, remove, list: is_list, debug } = self;
        // As in `pollux mcp list`; a folder of that name is `./list`.
        let is_list = is_list || (!remove && folder.as_deref() == Some(Path::new("list")));
        let folder = match (is_list, folder) {
            (true, _) => None,
            (false, Some(folder)) => Some(folder),
            (false, None) => Some(current_dir()?),
        };
        let global_settings = environment.settings(BasicFlags::from(debug))?;
        let file = global_settings
            .user_directories
            .trust()
            .ok_or_else(|| UsageError("there is no home directory: set HOME".into()))?;
        let trust = TrustedFolders::load(&file).map_err(|error| UsageError(error.to_string()))?;
        let mut out = io::stdout().lock();
        match folder {
            None => list(&trust, &file, &mut out)?,
            Some(folder) if remove => forget(&global_settings, trust, &resolve_folder(&folder)?, &mut out)?,
            Some(folder) => add(&global_settings, trust, &resolve_folder(&folder)?, &mut out)?,
        }
        if !global_settings.config.preferences.folder_trust {
            writeln!(out, "security.folderTrust.enabled is false in your settings: every folder counts as trusted")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn resolve_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    Ok(resolve_workspace(folder)
        .map_err(|error| UsageError(error.to_string().replace("be the workspace", "be trusted")))?
        .into())
}

fn add(
    global_settings: &GlobalSettings,
    mut trust: TrustedFolders,
    folder: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    // The whole home directory, or everything there is, is more than anybody means.
    if global_settings.user_directories.home().is_some_and(|home| home.starts_with(folder)) {
        let what = folder.display();
        return Err(UsageError(format!("{what} holds your whole home directory; trust the folders you work in")).into());
    }
    trust.set(folder, TrustLevel::TrustFolder).map_err(|error| UsageError(error.to_string()))?;
    writeln!(out, "{} is trusted now, with everything in it. These count from now on:", folder.display())?;
    let brought = find_trust_dependent(folder);
    if brought.is_empty() {
        writeln!(out, "  nothing yet: it has no .gemini/settings.json, .env, agents or commands of its own")?;
    }
    for (name, what) in brought {
        writeln!(out, "  {name}: {what}")?;
    }
    writeln!(out, "In it the agent may run read-only git commands (status, log, diff …) without asking.")?;
    writeln!(out, "Nothing in it can widen what your own settings allow. `pollux trust --remove` takes it back.")?;
    Ok(())
}

fn forget(
    global_settings: &GlobalSettings,
    mut trust: TrustedFolders,
    folder: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let known = trust.forget(folder).map_err(|error| UsageError(error.to_string()))?;
    let name = folder.display();
    if !known {
        return Err(
            UsageError(format!("nothing was said of {name} itself; `pollux trust --list` tells what was")).into()
        );
    }
    match folder_trust(global_settings, folder) {
        FolderTrust::Trusted => writeln!(out, "forgotten, but {name} stays trusted: a folder that holds it is")?,
        FolderTrust::Untrusted | FolderTrust::Unknown => writeln!(out, "{name} is not trusted any more")?,
    }
    Ok(())
}

fn list(trust: &TrustedFolders, file: &Path, out: &mut dyn Write) -> io::Result<()> {
    let mut none = true;
    for (folder, level) in trust.folders() {
        none = false;
        let says = match level {
            TrustLevel::TrustFolder => "trusted",
            TrustLevel::TrustParent => "trusted, with the folder that holds it",
            TrustLevel::DoNotTrust => "not trusted",
        };
        let gone = match folder.is_dir() {
            false => "  (not there)",
            true if trust.is_outdated(folder) => "  (another folder is there now: not trusted until you trust it anew)",
            true => "",
        };
        writeln!(out, "{}  {says}{gone}", folder.display())?;
    }
    if none {
        writeln!(out, "no folder is trusted; `pollux trust` trusts the one you are in")?;
    } else {
        writeln!(out, "\nkept in {}", file.display())?;
    }
    Ok(())
}
