//! The person's trust in a folder, and the files that count only with it.

use crate::settings::GlobalSettings;
use pollux_policy::{FolderTrust, TrustedFolders};
use std::path::Path;

#[cfg(test)]
mod tests;

/// Files of a folder that count only when it is trusted.
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

/// The person's trust in a folder; a store that cannot be read trusts nothing. Where they or the machine have switched
/// that question off, every folder is trusted; `global_settings` know nothing of any workspace's settings.
pub(crate) fn folder_trust(global_settings: &GlobalSettings, folder: &Path) -> FolderTrust {
    folder_trust_by(
        global_settings.config.preferences.folder_trust,
        global_settings.user_directories.trust().as_deref(),
        folder,
    )
}

/// The trust by what is known of the person: if they are asked, and where they have answered.
pub(crate) fn folder_trust_by(folder_trust: bool, file: Option<&Path>, folder: &Path) -> FolderTrust {
    if !folder_trust {
        return FolderTrust::Trusted;
    }
    match file.map(TrustedFolders::load) {
        None => FolderTrust::Unknown,
        Some(Ok(trust)) => trust.folder_trust(folder),
        Some(Err(error)) => {
            tracing::warn!("{error}");
            FolderTrust::Unknown
        }
    }
}

/// The files of an untrusted `workspace` that do not count, in a sentence that says how to change that. Nothing when
/// there is no such file.
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

/// The files of `folder` that count only when it is trusted, each with a description.
pub(crate) fn find_trust_dependent(folder: &Path) -> Vec<(&'static str, &'static str)> {
    TRUST_DEPENDENT.into_iter().filter(|(name, _)| folder.join(name).exists()).collect()
}
