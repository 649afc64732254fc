//! Problems of the settings: errors stop the program, warnings are told once.

use super::jsonc::{SettingsFlaw, TextPosition};
use super::origin::SettingOrigin;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The settings cannot be used: exit code 2. No message repeats a value, which may be secret.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum ConfigError {
    /// A file is there and cannot be read.
    #[error("cannot read {}: {why}; correct that or move the file away", path.display())]
    Unreadable { path: PathBuf, why: String },
    /// A file does not make sense.
    #[error("{}, line {}, column {}: {what}; correct it or move the file away", path.display(), at.line, at.column)]
    Broken { path: PathBuf, at: TextPosition, what: String },
    /// Yolo mode was asked for and is switched off.
    #[error("yolo mode is disabled by security.disableYoloMode ({0}); start without --yolo")]
    YoloDisabled(SettingOrigin),
    /// Yolo mode was asked for, and hooks that should check tool calls are not run.
    #[error(
        "yolo mode is refused: hooks.BeforeTool ({0}) checks tool calls, and this release does not run hooks; start \
         without --yolo, or remove the hooks"
    )]
    HooksNotRun(SettingOrigin),
}

impl ConfigError {
    /// `flaw` in the file `path`.
    pub(crate) fn broken(path: &Path, flaw: SettingsFlaw) -> ConfigError {
        ConfigError::Broken { path: path.to_owned(), at: flaw.at, what: flaw.what }
    }
}

/// Something a person should know and that stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigWarning {
    /// Equal subjects are one warning, wherever they stand.
    pub(crate) subject: String,
    pub(crate) text: String,
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
