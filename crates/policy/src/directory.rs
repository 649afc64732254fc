//! Directories as grants name them: relative to the workspace, so that a grant means the same in every checkout.

use pollux_session::WORKSPACE_DIRECTORY;
use std::path::Path;

/// `directory`, an absolute path, as a grant in `workspace` names it.
pub(crate) fn in_workspace(workspace: &Path, directory: &str) -> String {
    match Path::new(directory).strip_prefix(workspace) {
        Ok(relative) if relative.as_os_str().is_empty() => WORKSPACE_DIRECTORY.to_owned(),
        Ok(relative) => relative.to_string_lossy().into_owned(),
        Err(_) => directory.to_owned(),
    }
}

/// Where a command runs that is started in `directory` and begins with `cd DIR &&`.
pub(crate) fn after_cd(directory: &str, cd: Option<&str>) -> String {
    match cd {
        None => directory.to_owned(),
        Some(to) => {
            let joined = Path::new(directory).join(to);
            let parts = joined.components().filter(|part| *part != std::path::Component::CurDir);
            parts.collect::<std::path::PathBuf>().to_string_lossy().into_owned()
        }
    }
}
