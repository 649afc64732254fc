//! What a command may read without a question: files of the workspace that are no secrets.

use super::Objection;
use crate::error::ToolError;
use crate::workspace::{Place, Workspace, secret_name};
use ignore::WalkBuilder;
use pollux_files::{IgnoreFiles, IgnoreRules, read_beginning};
use pollux_session::ReadKind;
use std::io;
use std::path::Path;

/// The most files that are looked at to see whether a directory holds a secret.
const MAX_LOOKS: usize = 50_000;
/// How much of an ignore file is looked at.
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

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
    let is_tree = matches!(kind, ReadKind::Tree | ReadKind::UnignoredTree);
    if metadata.is_dir() && is_tree {
        return check_tree(workspace, &place, kind);
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

/// Leave out what `rg` leaves out: hidden files and those that ignore files list. Rules of git count only in a repository.
fn leave_out_ignored(walk: &mut WalkBuilder, root: &Path) {
    let in_repository = root.ancestors().any(|above| above.join(".git").symlink_metadata().is_ok());
    let files = IgnoreFiles {
        gemini: false,
        ignore: true,
        git: in_repository,
        git_exclude: in_repository,
        // Confined, it cannot read the person's own.
        git_global: false,
        parents: true,
    };
    let rules = IgnoreRules::new(root, files);
    walk.filter_entry(move |entry| {
        let path = entry.path();
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_hidden = entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_left_out = (is_hidden && !may_be_excepted(path)) || rules.is_ignored(path, is_directory);
        !is_left_out
    });
}

/// Whether an ignore file on the way to a hidden file makes exceptions: then `rg` may search that file, too.
fn may_be_excepted(hidden: &Path) -> bool {
    let makes_exceptions = |file: std::path::PathBuf| {
        let bytes = read_beginning(&file, MAX_IGNORE_BYTES).unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"!"))
    };
    let names = [".gitignore", ".ignore", ".rgignore"];
    hidden.ancestors().skip(1).any(|directory| names.iter().any(|name| makes_exceptions(directory.join(name))))
}

/// A search reads every file below `place`, so none of them may be a secret.
fn check_tree(workspace: &Workspace, place: &Place, kind: ReadKind) -> Result<(), Objection> {
    if workspace.keeps_files_from_model() {
        return Err(Objection::new("it would also search files that an ignore file keeps from the model"));
    }
    let mut walk = WalkBuilder::new(&place.absolute);
    walk.follow_links(false).standard_filters(false);
    if kind == ReadKind::UnignoredTree {
        leave_out_ignored(&mut walk, &place.absolute);
    }
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
