//! What a command may read without a question: files of the workspace that are no secrets.

use super::Objection;
use crate::error::ToolError;
use crate::workspace::{Place, Workspace, secret_name};
use ignore::WalkBuilder;
use pollux_session::ReadKind;
use std::io;
use std::path::Path;

/// The most files that are looked at to see whether a directory holds a secret.
const MAX_LOOKS: usize = 50_000;

/// The place of an absolute path inside the workspace.
pub(super) fn find(workspace: &Workspace, path: &Path) -> Result<Place, Objection> {
    workspace.find_path(path).map_err(|error| match error {
        ToolError::Outside { path, .. } => Objection::new(format!("{path} is outside the workspace")),
        other => Objection::new(other.to_string()),
    })
}

/// Whether the absolute path `asked` may be looked at in the way that `kind` says.
pub(super) fn check(workspace: &Workspace, asked: &Path, kind: ReadKind) -> Result<(), Objection> {
    let place = find(workspace, asked)?;
    if kind == ReadKind::Entry {
        return Ok(());
    }
    check_name(asked)?;
    check_name(&place.absolute)?;
    let metadata = match place.absolute.symlink_metadata() {
        Ok(metadata) => metadata,
        // It is not there, and the program will say so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Objection::new(format!("{} cannot be looked at: {error}", asked.display()))),
    };
    if metadata.is_dir() {
        return match kind {
            ReadKind::Tree => check_tree(workspace, &place),
            // The program says that it is a directory, and no more.
            ReadKind::File | ReadKind::Entry | ReadKind::Repository | ReadKind::RepositoryContent => Ok(()),
        };
    }
    if !metadata.is_file() {
        return Err(Objection::new(format!("{} is not a regular file", asked.display())));
    }
    workspace.check_ignored(&place).map_err(|error| Objection::new(error.to_string()))
}

/// Whether a name says that a file holds a secret.
pub(super) fn check_name(path: &Path) -> Result<(), Objection> {
    match secret_name(path) {
        Some(what) => {
            let why = format!("{} is protected: it holds {what}", path.display());
            Err(Objection { why, is_secret: true })
        }
        None => Ok(()),
    }
}

/// A search reads every file below `place`, so none of them may be a secret.
fn check_tree(workspace: &Workspace, place: &Place) -> Result<(), Objection> {
    if workspace.keeps_files_from_model() {
        return Err(Objection::new("it would also search files that an ignore file keeps from the model"));
    }
    let mut walk = WalkBuilder::new(&place.absolute);
    walk.follow_links(false).standard_filters(false);
    for (looked, entry) in walk.build().enumerate() {
        if looked >= MAX_LOOKS {
            return Err(Objection::new(format!("it searches more than {MAX_LOOKS} files")));
        }
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            check_name(entry.path())?;
        }
    }
    Ok(())
}
