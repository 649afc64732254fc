//! Settings that every command has, and what is said when something was asked for that cannot be.

use crate::config::{Config, ConfigError};
use crate::named_by_flags::NamedByFlags;
use crate::reported_warnings::ReportedWarnings;
use crate::token_source::TokenSource;
use crate::user_directories::UserDirectories;
use std::path::PathBuf;
use thiserror::Error;

/// Something was asked for that cannot be: exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// Settings of everything.
pub(crate) struct GlobalSettings {
    pub(crate) model: Option<String>,
    /// The person's settings, without any workspace's.
    pub(crate) config: Config,
    /// Settings files that were left out because they are broken; others stop the program.
    pub(crate) broken_files: Vec<ConfigError>,
    /// The things that this run's flags name, for checks at the start.
    pub(crate) named: NamedByFlags,
    /// The text in place of the agent's own system prompt.
    pub(crate) system_prompt: Option<String>,
    pub(crate) user_directories: UserDirectories,
    pub(crate) data_dir: PathBuf,
    /// Where they would be if nobody had named another place.
    pub(crate) state_dir: PathBuf,
    pub(crate) runtime_dir: PathBuf,
    pub(crate) token: Option<TokenSource>,
    pub(crate) max_connections: usize,
    pub(crate) detail: LogDetail,
    pub(crate) reported_warnings: ReportedWarnings,
}

/// The detail on standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LogDetail {
    Errors,
    Warnings,
    /// Good news, too.
    News,
    Everything,
    /// Every step of it.
    Traces,
}
