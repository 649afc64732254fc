//! Which files the tools reach: the workspace, the directories a person has added, and what they keep from the model.

use super::seen_texts::SeenTexts;
use super::{ObeyedPlaces, RootKind, Workspace, WorkspaceRoot};
use crate::error::ToolError;
use crate::toolbox_settings::FileFilterSettings;
use crate::walk::WalkFilter;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Which files the tools of one toolbox reach.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileAccess {
    /// Directories besides the workspace.
    pub(crate) include: Vec<PathBuf>,
    pub(crate) filtering: FileFilterSettings,
    /// Files that decide what runs without a question.
    pub(crate) obeyed: ObeyedPlaces,
    /// The directory that has a directory of long output for each session.
    pub(crate) session_files: Option<PathBuf>,
    /// What models were shown of files.
    pub(crate) seen_texts: Arc<SeenTexts>,
}

impl FileAccess {
    /// Open `workspace` and the directories that go with it. One of those that is gone is left out.
    pub(crate) fn open(self: &Arc<Self>, workspace: &Path) -> Result<Workspace, ToolError> {
        let refused = |source| ToolError::NoWorkspace { root: workspace.display().to_string(), source };
        let mut roots = vec![open_root(workspace).map_err(refused)?];
        for directory in &self.include {
            match open_root(directory) {
                Ok(root) if roots.iter().all(|known| !root.path.starts_with(&known.path)) => roots.push(root),
                // It is part of another one.
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(directory = %directory.display(), %error, "an added directory is missing");
                }
            }
        }
        Ok(Workspace { roots, access: Arc::clone(self), obeyed: OnceLock::new(), storage: OnceLock::new() })
    }

    /// The files that searches leave out unless a call says otherwise.
    pub(crate) fn walk_filter(&self) -> WalkFilter {
        WalkFilter { git: self.filtering.respect_git_ignore, gemini: self.filtering.respect_gemini_ignore }
    }
}

fn open_root(path: &Path) -> io::Result<WorkspaceRoot> {
    let path = path.canonicalize()?;
    let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
    Ok(WorkspaceRoot { path, dir, kind: RootKind::Workspace })
}
