//! `pollux trust`: which folders the person trusts, in the file they share with Gemini CLI; and what an untrusted folder
//! would have to say.

use crate::runtime::folder_trust;
use crate::session_storage::resolve_workspace;
use crate::settings::{GlobalSettings, UsageError};
use pollux_policy::{FolderTrust, TrustLevel, TrustedFolders};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(test)]
mod tests;

/// What is to be done.
pub(crate) enum TrustAction {
    /// Trust a folder and everything in it.
    Trust(PathBuf),
    /// Forget what was said of a folder.
    Forget(PathBuf),
    /// Tell what was said of which folder.
    List,
}

/// What a folder may bring along that counts only when it is trusted.
const TRUST_DEPENDENT: [(&str, &str); 9] = [
    (".gemini/config.yaml", "settings that narrow yours"),
    (".gemini/settings.json", "settings that narrow yours"),
    (".gemini/.env", "variables"),
    (".env", "variables"),
    (".gemini/agents", "agents"),
    (".gemini/commands", "commands"),
    (".gemini/extensions", "extensions, but for the tool servers of those you have not enabled"),
    (".gemini/skills", "skills"),
    (".gemini/policies", "policies"),
];

/// Do what `wish` says, and tell what came of it.
pub(crate) fn run(global_settings: &GlobalSettings, wish: &TrustAction) -> anyhow::Result<ExitCode> {
    let file = global_settings
        .user_directories
        .trust()
        .ok_or_else(|| UsageError("there is no home directory: set HOME".into()))?;
    let trust = TrustedFolders::load(&file).map_err(|error| UsageError(error.to_string()))?;
    let mut out = io::stdout().lock();
    match wish {
        TrustAction::Trust(folder) => add(global_settings, trust, &resolve_folder(folder)?, &mut out)?,
        TrustAction::Forget(folder) => forget(global_settings, trust, &resolve_folder(folder)?, &mut out)?,
        TrustAction::List => list(&trust, &file, &mut out)?,
    }
    if !global_settings.config.preferences.folder_trust {
        writeln!(out, "security.folderTrust.enabled is false in your settings: every folder counts as trusted")?;
    }
    Ok(ExitCode::SUCCESS)
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
    writeln!(out, "In it the agent may run git status, log, diff, show and branch without asking.")?;
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

/// What an untrusted `workspace` brings along that does not count, in a sentence that says how to change that. Nothing
/// when there is no such thing.
pub(crate) fn hint(global_settings: &GlobalSettings, workspace: &Path) -> Option<String> {
    // The home directory's files are the person's own.
    if folder_trust(global_settings, workspace) == FolderTrust::Trusted
        || global_settings.user_directories.home() == Some(workspace)
    {
        return None;
    }
    let names: Vec<&str> = find_trust_dependent(workspace).into_iter().map(|(name, _)| name).collect();
    let names = match names.as_slice() {
        [] => return None,
        names => names.join(", "),
    };
    Some(format!("this folder is not trusted, so this does not count: {names}; `pollux trust` changes that"))
}

/// What `folder` has that counts only when it is trusted, each with what it is.
pub(crate) fn find_trust_dependent(folder: &Path) -> Vec<(&'static str, &'static str)> {
    TRUST_DEPENDENT.into_iter().filter(|(name, _)| folder.join(name).exists()).collect()
}
