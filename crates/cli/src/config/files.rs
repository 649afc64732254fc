//! The settings files: reading them, and what became of each.

use super::error::{ConfigError, Warning};
use super::layer::{Layer, Whose};
use super::variables::Variables;
use std::path::{Path, PathBuf};

/// A settings file and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    pub(crate) fate: Fate,
}

/// What became of a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Read,
    Absent,
    /// The workspace is not trusted, so nobody looked.
    NotTrusted,
    /// The workspace's file is left out.
    Broken(String),
}

/// Read one of the person's or the machine's files. One that is broken stops the program: it may be what forbids things.
pub(super) fn read_own(path: &Path, variables: &Variables) -> Result<(Option<Layer>, SettingsFile), ConfigError> {
    let layer = Layer::read(path, Whose::Own, &|name| variables.get(name))?;
    let fate = if layer.is_some() { Fate::Read } else { Fate::Absent };
    Ok((layer, SettingsFile { path: path.to_owned(), fate }))
}

/// What is left of one of these files that is broken, where `on_broken` does not stop the program.
pub(super) fn leave_out(
    path: &Path,
    error: ConfigError,
    on_broken: &mut dyn FnMut(ConfigError) -> Result<(), ConfigError>,
) -> Result<(Option<Layer>, SettingsFile), ConfigError> {
    let fate = Fate::Broken(error.to_string());
    on_broken(error)?;
    Ok((None, SettingsFile { path: path.to_owned(), fate }))
}

/// Read a trusted workspace's file. One that is broken is left out with a warning.
pub(super) fn read_theirs(
    path: PathBuf,
    lookup: &dyn Fn(&str) -> Option<String>,
    files: &mut Vec<SettingsFile>,
    warnings: &mut Vec<Warning>,
) -> Option<Layer> {
    let (layer, fate) = match Layer::read(&path, Whose::Workspace, lookup) {
        Ok(Some(layer)) => (Some(layer), Fate::Read),
        Ok(None) => (None, Fate::Absent),
        Err(error) => {
            let text = format!("the workspace's settings are left out: {error}");
            warnings.push(Warning { subject: path.display().to_string(), text });
            (None, Fate::Broken(error.to_string()))
        }
    };
    files.push(SettingsFile { path, fate });
    layer
}

/// The machine's overrides may be what forbids things: that they are not where they should be has to be seen.
pub(super) fn missing_overrides(path: &Path) -> Warning {
    let text = format!("GEMINI_CLI_SYSTEM_SETTINGS_PATH: there is no usable file, {} was looked for", path.display());
    Warning { subject: "GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), text }
}
