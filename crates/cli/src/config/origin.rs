//! Where an effective value comes from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Where a value comes from, as a person would look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    /// Nobody set it.
    Default,
    /// A line of a settings file.
    File { path: Arc<Path>, line: usize },
    /// A variable of the process's environment.
    Environment { name: String },
    /// A line of a `.env` file.
    EnvFile { name: String, path: Arc<Path>, line: usize },
    /// A flag of this run.
    Flag(&'static str),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Default => f.write_str("default"),
            SettingOrigin::File { path, line } => write!(f, "{}:{line}", path.display()),
            SettingOrigin::Environment { name } => write!(f, "environment {name}"),
            SettingOrigin::EnvFile { name, path, line } => write!(f, "{name} in {}:{line}", path.display()),
            SettingOrigin::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}
