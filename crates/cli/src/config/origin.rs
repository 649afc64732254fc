//! Where an effective value comes from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Where a value comes from, as a person would look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
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

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Environment { name } => write!(f, "environment {name}"),
            Origin::EnvFile { name, path, line } => write!(f, "{name} in {}:{line}", path.display()),
            Origin::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}
