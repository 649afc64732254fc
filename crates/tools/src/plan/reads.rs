//! What a command may read without a question: files of the workspace that are no secrets.

use super::PlanObjection;
use super::left_out::LeftOutNames;
use super::lookups::PlanLookups;
use crate::error::ToolError;
use crate::workspace::{
    REPOSITORY_DIRECTORIES, Workspace, WorkspacePath, completions_of, find_secret, is_git_directory, is_kept_by_git,
};
use ignore::{DirEntry, WalkBuilder};
use pollux_files::GEMINI_IGNORE;
use pollux_session::{PlannedWord, ReadKind};
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The most files that are looked at to see whether a directory holds a secret.
const MAX_LOOKS: usize = 50_000;
/// The names of a directory that are read at the cost of one look, when only their names are compared.
const NAMES_PER_LOOK: usize = 16;
/// How much of an ignore file is read at the cost of one look.
const IGNORE_BYTES_PER_LOOK: u64 = 64;

/// The place of an absolute path inside the workspace.
pub(super) fn find(workspace: &Workspace, path: &Path) -> Result<WorkspacePath, PlanObjection> {
    workspace.find_path(path).map_err(|error| match error {
        ToolError::Outside { path, .. } => PlanObjection::new(format!("{path} is outside the workspace")),
        other => PlanObjection::new(other.to_string()),
    })
}

/// Whether the absolute path `asked` may be looked at in the way that `kind` says. A directory that is searched has to be
/// checked by [`check_tree`] besides.
pub(super) fn check(
    workspace: &Workspace,
    asked: &Path,
    kind: ReadKind,
    lookups: &PlanLookups,
) -> Result<(), PlanObjection> {
    lookups.check_once(asked, kind, || check_path(workspace, asked, kind, lookups))
}

fn check_path(workspace: &Workspace, asked: &Path, kind: ReadKind, lookups: &PlanLookups) -> Result<(), PlanObjection> {
    if kind == ReadKind::Entry {
        return find(workspace, asked).map(drop);
    }
    // First, since a secret asks whoever allowed the command, and a place outside does not.
    check_name(asked)?;
    let place = find(workspace, asked)?;
    check_name(&place.absolute)?;
    let metadata = match place.absolute.symlink_metadata() {
        Ok(metadata) => metadata,
        // It is not there, and the program will say so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(PlanObjection::new(format!("{} cannot be looked at: {error}", asked.display()))),
    };
    if metadata.is_dir() {
        // If it is no tree to it, the program says that it is a directory, and no more.
        if kind == ReadKind::Tree && keeps_files_in(workspace, &place.absolute, lookups)? {
            let why = "it would also search files that an ignore file keeps from the model";
            return Err(PlanObjection::new(why));
        }
        return Ok(());
    }
    if !metadata.is_file() {
        return Err(PlanObjection::new(format!("{} is not a regular file", asked.display())));
    }
    let ignore_looks = workspace.ignore_bytes(&place) / IGNORE_BYTES_PER_LOOK;
    lookups.spend(usize::try_from(ignore_looks).unwrap_or(usize::MAX))?;
    workspace.check_ignored(&place).map_err(|error| PlanObjection::new(error.to_string()))
}

/// Whether an ignore file keeps something in `directory`, a real path, from the model: one in it, above it or below it.
pub(super) fn keeps_files_in(
    workspace: &Workspace,
    directory: &Path,
    lookups: &PlanLookups,
) -> Result<bool, PlanObjection> {
    if !workspace.respects_ignore_files() || workspace.keeps_files_from_model(directory) {
        return Ok(workspace.respects_ignore_files());
    }
    let mut walk = WalkBuilder::new(directory);
    walk.follow_links(false).standard_filters(false).filter_entry(|entry| entry.file_name() != ".git");
    for (looked, entry) in walk.build().enumerate() {
        if looked % NAMES_PER_LOOK == 0 {
            lookups.spend(1)?;
        }
        if entry.is_ok_and(|entry| entry.file_name() == GEMINI_IGNORE) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a name says that a file holds a secret, or may hold one that was committed.
pub(super) fn check_name(path: &Path) -> Result<(), PlanObjection> {
    match find_secret(path) {
        Some(what) => {
            let why = format!("{} is protected: it holds {what}", path.display());
            Err(PlanObjection::of_secret(why))
        }
        None => Ok(()),
    }
}

/// Where a path really leads. One inside the workspace may not lead out, by a link on its way; one that is outside, or goes
/// by `..`, was shown so when it was allowed.
pub(super) fn follow_links(workspace: &Workspace, path: &Path) -> Result<PathBuf, PlanObjection> {
    let is_inside = |path: &Path| workspace.root_paths().any(|root| path.starts_with(root));
    let may_lead_out = path.components().any(|part| part == Component::ParentDir) || !is_inside(path);
    for part in path.ancestors() {
        let is_link = || part.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        match part.canonicalize() {
            Ok(real) if may_lead_out || is_inside(&real) => {
                return Ok(match path.strip_prefix(part) {
                    // Joined with nothing, a file would become a directory that is not there.
                    Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                    Ok(_) | Err(_) => real,
                });
            }
            Ok(_) => return Err(PlanObjection::new(format!("{} leads out of the workspace", path.display()))),
            Err(_) if is_link() && !may_lead_out => {
                return Err(PlanObjection::new(format!("where {} leads cannot be told", path.display())));
            }
            // It is not there yet.
            Err(_) => {}
        }
    }
    Ok(path.to_owned())
}

/// `path` without `.` and `..`, taken away by their text alone, as programs do that read addresses (`file:///a/../b`).
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(cleaned.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => cleaned.push(part),
        }
    }
    cleaned
}

/// Whether a path is or lies in a protected place of the workspace, or has the name of one outside it: `~/.bashrc`.
pub(super) fn check_protected(workspace: &Workspace, path: &Path) -> Result<(), PlanObjection> {
    // What unpacks `x.gz` writes `x`.
    let unpacked = || workspace.protected_place_at(&path.with_extension(""));
    let place = workspace.protected_place_at(path).or_else(unpacked);
    match place.or_else(|| workspace.obeyed_place_below(path)) {
        Some(place) => Err(PlanObjection::new(format!("{place} is protected: changing it always asks"))),
        None => Ok(()),
    }
}

/// Whether `operand` becomes no protected name by an ending that one of `words` may be: what makes copies or parts of a file puts
/// one to its name (`cp -b -S rc x .bash`).
pub(super) fn check_completed_name(
    operand: &Path,
    words: &[PlannedWord],
    lookups: &PlanLookups,
) -> Result<(), PlanObjection> {
    let Some(name) = operand.file_name() else { return Ok(()) };
    for (place, ending) in completions_of(name) {
        lookups.spend(words.len())?;
        let may_be_put = |word: &PlannedWord| {
            let text = word.unquoted();
            // `split` makes up endings by itself.
            text.ends_with(ending) || ["csplit", "split"].contains(&text.as_str())
        };
        if words.iter().any(may_be_put) {
            let why = format!("with an ending it would be {place}, which is protected: changing it always asks");
            return Err(PlanObjection::new(why));
        }
    }
    Ok(())
}

/// Which links a search follows that it comes across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowedLinks {
    None,
    All,
}

/// Whether `directory`, a real path, may be searched, and what is to be left out.
pub(super) fn check_tree(
    directory: &Path,
    links: FollowedLinks,
    lookups: &PlanLookups,
) -> Result<LeftOutNames, PlanObjection> {
    if directory.iter().any(is_repository_directory) || is_kept_by_git(directory) {
        let why = format!("{} is protected: it holds committed files", directory.display());
        return Err(PlanObjection::of_secret(why));
    }
    match links {
        FollowedLinks::None => lookups.check_tree_once(directory, || check_names_below(directory, links, lookups)),
        FollowedLinks::All => check_names_below(directory, links, lookups),
    }
}

/// A search reads every file below `directory`. Returns those among them that are secrets and can be left out.
fn check_names_below(
    directory: &Path,
    links: FollowedLinks,
    lookups: &PlanLookups,
) -> Result<LeftOutNames, PlanObjection> {
    let mut left_out = LeftOutNames::default();
    let mut walk = WalkBuilder::new(directory);
    walk.follow_links(false).standard_filters(false);
    walk.filter_entry(|entry| !is_repository_directory(entry.file_name()) || !is_directory(entry));
    for (looked, entry) in walk.build().enumerate() {
        if looked >= MAX_LOOKS {
            return Err(PlanObjection::new(format!("it searches more than {MAX_LOOKS} files")));
        }
        lookups.spend(1)?;
        let Ok(entry) = entry else { continue };
        // Whatever a repository is called, its content lies there.
        if entry.file_name() == "objects"
            && let Some(repository) = entry.path().parent().filter(|parent| is_git_directory(parent))
        {
            let why = format!("{} is protected: it holds committed files", repository.display());
            return Err(PlanObjection::of_secret(why));
        }
        if is_directory(&entry) {
            continue;
        }
        if let Some(what) = find_secret(entry.path()) {
            left_out.add(directory, entry.path(), what)?;
        } else if links == FollowedLinks::All && entry.path_is_symlink() {
            let why = format!("{} is a link, and what it leads to would be searched, too", entry.path().display());
            return Err(PlanObjection::new(why));
        }
    }
    Ok(left_out)
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

fn is_repository_directory(name: &OsStr) -> bool {
    REPOSITORY_DIRECTORIES.iter().any(|directory| name == *directory)
}
