//! Why there is no checkpoint, or no way back to one.

use std::io;
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// Why a workspace was not saved, or cannot go back to what was saved.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// There is no git.
    #[error("git is not on PATH; install it to have checkpoints")]
    NoGit,
    /// The workspace is no place for this.
    #[error("the workspace is too much to save: {0}; work in a folder of its own to have checkpoints")]
    TooMuch(&'static str),
    /// It has more files than are saved.
    #[error("the workspace has more than {0} files; list what can be made again in .gitignore to have checkpoints")]
    TooMany(usize),
    /// It took too long.
    #[error(
        "saving the workspace took longer than {} s; list what is large and can be made again in .gitignore", .0.as_secs()
    )]
    TooSlow(Duration),
    /// It took too long before, and is not tried again yet.
    #[error("saving this workspace took too long before; it is tried again in {} minutes", .0.as_secs() / 60 + 1)]
    Paused(Duration),
    /// The workspace cannot be read.
    #[error("the workspace {path} cannot be read: {source}")]
    Workspace {
        /// The workspace.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The person's directory for checkpoints cannot be used.
    #[error("checkpoints cannot be kept in {path}: {source}")]
    Directory {
        /// The directory.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// Git failed.
    #[error("git could not {doing}: {said}")]
    Git { doing: &'static str, said: String },
    /// This session has saved no such thing here.
    #[error("its files are not on this machine; another one saved them, or they were removed")]
    Unknown,
    /// Some files could not be put back.
    #[error("not everything could be put back: {0}")]
    Incomplete(String),
}

impl CheckpointError {
    pub(super) fn workspace(path: &Path, error: &io::Error) -> CheckpointError {
        let source = io::Error::new(error.kind(), error.to_string());
        CheckpointError::Workspace { path: path.display().to_string(), source }
    }

    pub(super) fn directory(path: &Path, source: io::Error) -> CheckpointError {
        CheckpointError::Directory { path: path.display().to_string(), source }
    }
}
