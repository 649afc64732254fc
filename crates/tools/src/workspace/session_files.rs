//! Files of a session that hold long output: tools that only look reach those of their own session, and no other file of ours.

use super::{RootKind, Workspace, WorkspacePath, WorkspaceRoot, join_rest};
use crate::error::ToolError;
use crate::output::MAX_OUTPUT_FILE;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use pollux_session::SessionId;
use std::path::Path;

impl Workspace {
    /// True if `place` is a file that holds the output of a call.
    pub(crate) fn is_output(&self, place: &WorkspacePath) -> bool {
        self.roots[place.root].kind == RootKind::Outputs
    }

    /// The most bytes of a file at `place` that are read as text, where `usual` is the most of others.
    pub(crate) fn readable_bytes(&self, place: &WorkspacePath, usual: u64) -> u64 {
        // A log of a background process has a line more, which says that it is full.
        if self.is_output(place) { 2 * MAX_OUTPUT_FILE } else { usual }
    }

    /// Make the directory of a session's files a root, if `asked` lies in it; it says whether it does.
    pub(super) fn open_session_files(&mut self, asked: &str, session: Option<SessionId>) -> Result<bool, ToolError> {
        let Some(all) = &self.access.session_files else { return Ok(false) };
        let all = all.canonicalize().unwrap_or_else(|_| all.clone());
        let (found, missing) = self.real_path(Path::new(asked))?;
        let path = join_rest(&found, &missing);
        let own = path.strip_prefix(&all).ok().and_then(|inside| inside.components().next());
        let own = own.and_then(|name| name.as_os_str().to_str()?.parse::<SessionId>().ok());
        let Some(own) = own.filter(|own| session.is_none_or(|session| session == *own)) else {
            return Ok(false);
        };
        let directory = all.join(own.to_string());
        let gone = || {
            let message = format!(
                "`{asked}` is gone: a session keeps the newest 512 MiB of long output, where it ran; run the command again"
            );
            ToolError::failed("file_not_found", message)
        };
        if !path.exists() {
            return Err(gone());
        }
        let dir = Dir::open_ambient_dir(&directory, ambient_authority()).map_err(|_| gone())?;
        self.roots.push(WorkspaceRoot { path: directory, dir, kind: RootKind::Outputs });
        Ok(true)
    }
}
