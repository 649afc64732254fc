//! The settings files: reading them, and what became of each.

use super::error::{ConfigError, ConfigWarning};
use super::layer::{FileOwner, SettingsLayer};
use super::variables::ConfigVariables;
use std::path::{Path, PathBuf};

/// A settings file and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    pub(crate) state: SettingsFileState,
}

/// The result of reading a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingsFileState {
    Read,
    Absent,
    /// The workspace is not trusted, so nobody looked.
    NotTrusted,
    /// The workspace's file is left out.
    Broken(String),
}

/// Read one of the person's or the machine's files. One that is broken stops the program: it may be what forbids things.
pub(super) fn read_own(
    path: &Path,
    variables: &ConfigVariables,
) -> Result<(Option<SettingsLayer>, SettingsFile), ConfigError> {
    let layer = SettingsLayer::read(path, FileOwner::Own, &|name| variables.get(name))?;
    let fate = if layer.is_some() { SettingsFileState::Read } else { SettingsFileState::Absent };
    Ok((layer, SettingsFile { path: path.to_owned(), state: fate }))
}

/// The rest of one of these files that is broken, where `on_broken` does not stop the program.
pub(super) fn leave_out(
    path: &Path,
    error: ConfigError,
    on_broken: &mut dyn FnMut(ConfigError) -> Result<(), ConfigError>,
) -> Result<(Option<SettingsLayer>, SettingsFile), ConfigError> {
    let fate = SettingsFileState::Broken(error.to_string());
    on_broken(error)?;
    Ok((None, SettingsFile { path: path.to_owned(), state: fate }))
}

/// Read a trusted workspace's file. One that is broken is left out with a warning.
pub(super) fn read_workspace(
    path: PathBuf,
    lookup: &dyn Fn(&str) -> Option<String>,
    files: &mut Vec<SettingsFile>,
    warnings: &mut Vec<ConfigWarning>,
) -> Option<SettingsLayer> {
    let (layer, fate) = match SettingsLayer::read(&path, FileOwner::Workspace, lookup) {
        Ok(Some(layer)) => (Some(layer), SettingsFileState::Read),
        Ok(None) => (None, SettingsFileState::Absent),
        Err(error) => {
            let text = format!("the workspace's settings are left out: {error}");
            warnings.push(ConfigWarning { subject: path.display().to_string(), text });
            (None, SettingsFileState::Broken(error.to_string()))
        }
    };
    files.push(SettingsFile { path, state: fate });
    layer
}

/// The machine's overrides may be what forbids things: that they are not where they should be has to be seen.
pub(super) fn missing_overrides(path: &Path) -> ConfigWarning {
    let text = format!("GEMINI_CLI_SYSTEM_SETTINGS_PATH: there is no usable file, {} was looked for", path.display());
    ConfigWarning { subject: "GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), text }
}
