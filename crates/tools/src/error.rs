//! Why a call could not do its work, and the word clients know it by.

use pollux_session::{CallError, CallOutcome};
use std::fmt;
use std::io;
use thiserror::Error;

/// Why a call could not do its work. Data for the model: each says what to do instead.
#[derive(Debug, Error)]
pub enum ToolError {
    /// No tool has this name.
    #[error("there is no tool `{tool}`; the tools are {known}")]
    UnknownTool { tool: String, known: String },
    /// The arguments are not what the tool takes.
    #[error("{0}")]
    BadArguments(String),
    /// Nothing is at the path.
    #[error("`{path}` does not exist in the workspace; list_directory shows what does")]
    NotFound { path: String },
    /// The path leads out of the workspace.
    #[error("`{path}` is outside the workspace {root}; use a path inside it")]
    Outside { path: String, root: String },
    /// The path is a link to nothing.
    #[error("`{path}` is a symbolic link to something that does not exist; name the file itself")]
    Dangling { path: String },
    /// A file was wanted.
    #[error("`{path}` is a directory; name a file in it")]
    IsDirectory { path: String },
    /// A directory was wanted.
    #[error("`{path}` is not a directory")]
    NotDirectory { path: String },
    /// It is no regular file.
    #[error("`{path}` is a pipe, a socket or a device; only regular files can be {doing}")]
    NotRegular { path: String, doing: FileOperation },
    /// It may not be written.
    #[error("`{path}` is read-only; make it writable first")]
    ReadOnly { path: String },
    /// It is larger than the tool takes.
    #[error(
        "`{path}` has {len} bytes, more than the {limit} that can be {doing}; use run_shell_command for a part of it"
    )]
    TooLarge { path: String, len: u64, limit: u64, doing: FileOperation },
    /// It is no text.
    #[error("`{path}` is not text, so it cannot be {doing}; use run_shell_command if you need to")]
    NotText { path: String, doing: FileOperation },
    /// All of it would be replaced, moved or removed, and the model has never seen it.
    #[error(
        "`{path}` exists, and you have not seen what it holds, so it was left as it is; call read_file first, then make this \
         call again"
    )]
    NotSeen { path: String },
    /// The same, and it is not as the model saw it last.
    #[error(
        "`{path}` has changed since you last saw it, by the person or by a program, so it was left as it is; call read_file, \
         then make this call again with what it holds now{difference}"
    )]
    ChangedSinceSeen { path: String, difference: String },
    /// The system said no.
    #[error("`{path}` could not be {doing}: {source}")]
    Io { path: String, doing: FileOperation, source: io::Error },
    /// The workspace itself is gone.
    #[error("the workspace {root} cannot be used: {source}")]
    NoWorkspace { root: String, source: io::Error },
    /// The path is not to be read: an ignore file of the workspace lists it.
    #[error("`{path}` is listed in .geminiignore, so it is not for you to read; ask the person if you need it")]
    Ignored { path: String },
    /// Its name is protected, and nobody was asked.
    #[error("`{path}` has a protected name, so it is not attached; to see it, call read_file, and the person is asked")]
    Protected { path: String },
    /// It is known, and neither text nor anything a model can be shown.
    #[error("`{path}` is {what}, which cannot be shown; turn it into text with run_shell_command, or ask the person")]
    Unshowable { path: String, what: &'static str },
    /// Anything else, with the word clients know it by.
    #[error("{message}")]
    Failed { kind: &'static str, message: String },
    /// The tool panicked or was stopped.
    #[error("the tool broke down: {0}")]
    Broken(String),
}

/// The operation on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOperation {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Listing.
    List,
    /// Searching.
    Search,
    /// Running a command in it.
    Run,
}

impl fmt::Display for FileOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileOperation::Read => "read",
            FileOperation::Write => "written",
            FileOperation::List => "listed",
            FileOperation::Search => "searched",
            FileOperation::Run => "run",
        })
    }
}

impl ToolError {
    /// A failure of a kind that no other tool has.
    pub fn failed(kind: &'static str, message: impl Into<String>) -> ToolError {
        ToolError::Failed { kind, message: message.into() }
    }

    /// The short word clients know it by.
    pub fn kind(&self) -> &'static str {
        match self {
            ToolError::UnknownTool { .. } => "tool_not_registered",
            ToolError::BadArguments(_) | ToolError::Ignored { .. } | ToolError::Protected { .. } => {
                "invalid_tool_params"
            }
            ToolError::NotFound { .. } | ToolError::Dangling { .. } => "file_not_found",
            ToolError::Outside { .. } => "path_not_in_workspace",
            ToolError::IsDirectory { .. } => "target_is_directory",
            ToolError::NotDirectory { .. } => "path_is_not_a_directory",
            ToolError::ReadOnly { .. } => "permission_denied",
            ToolError::TooLarge { .. } => "file_too_large",
            ToolError::NotSeen { .. } => "file_not_seen",
            ToolError::ChangedSinceSeen { .. } => "file_changed",
            ToolError::Unshowable { .. } => "read_content_failure",
            ToolError::Failed { kind, .. } => kind,
            ToolError::NotRegular { doing, .. } | ToolError::NotText { doing, .. } => doing.failure(),
            ToolError::Io { doing, source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "permission_denied",
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "no_space_left",
                _ => doing.failure(),
            },
            ToolError::NoWorkspace { .. } => "execution_failed",
            ToolError::Broken(_) => "unhandled_exception",
        }
    }
}

impl FileOperation {
    fn failure(self) -> &'static str {
        match self {
            FileOperation::Read => "read_content_failure",
            FileOperation::Write => "file_write_failure",
            FileOperation::List => "ls_execution_error",
            FileOperation::Search => "grep_execution_error",
            FileOperation::Run => "shell_execute_error",
        }
    }
}

impl From<ToolError> for CallOutcome {
    fn from(error: ToolError) -> CallOutcome {
        let error = CallError { kind: error.kind().to_owned(), message: error.to_string() };
        CallOutcome::Failed { error, result: None }
    }
}
