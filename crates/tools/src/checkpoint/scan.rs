//! The files of a workspace that are saved: all that no ignore rule lists, nested repositories included.

use super::error::CheckpointError;
use crate::workspace::{is_draft, sweep_drafts};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use ignore::{WalkBuilder, WalkState};
use parking_lot::Mutex;
use pollux_files::{IgnoreFiles, IgnoreRules};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{FileType, Metadata};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// The most files that are saved.
const MAX_FILES: usize = 200_000;
/// Files that are larger are left out: saving them takes long, and most can be made again.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// More threads than this are kept waiting by the disk.
const MAX_THREADS: usize = 4;

/// The files of a workspace: paths relative to it, in order.
#[derive(Debug, Default)]
pub(super) struct WorkspaceScan {
    /// The files and links that are saved, with their lengths.
    pub(super) files: BTreeMap<PathBuf, u64>,
    /// The files that are there, and too large or not to be read.
    pub(super) left_out: BTreeSet<PathBuf>,
    /// The permissions of those that are saved, links aside.
    pub(super) modes: BTreeMap<PathBuf, u32>,
}

/// Look at everything that is saved, and at those of `also` that are there, whatever the ignore rules say of them.
pub(super) fn scan(
    workspace: &Path,
    also: &[PathBuf],
    stop: &CancellationToken,
) -> Result<WorkspaceScan, CheckpointError> {
    let found: Mutex<Vec<(PathBuf, Metadata)>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let with_drafts: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
    walker(workspace, with_drafts.clone()).threads(threads).build_parallel().run(|| {
        Box::new(|entry| {
            // What cannot be read, or is gone again, cannot be saved.
            let Ok(entry) = entry else { return WalkState::Continue };
            if !entry.file_type().is_some_and(is_saved) {
                return WalkState::Continue;
            }
            let Ok(relative) = entry.path().strip_prefix(workspace) else { return WalkState::Continue };
            let Ok(about) = entry.metadata() else { return WalkState::Continue };
            let mut found = found.lock();
            found.push((relative.to_owned(), about));
            if found.len() > MAX_FILES || stop.is_cancelled() { WalkState::Quit } else { WalkState::Continue }
        })
    });
    sweep(workspace, &with_drafts.lock());
    let mut found = found.into_inner();
    if found.len() > MAX_FILES {
        return Err(CheckpointError::TooMany(MAX_FILES));
    }
    let also = also.iter().filter(|path| !is_version_controls(path));
    found.extend(also.filter_map(|path| Some((path.clone(), plain(workspace, path)?))));
    let mut scan = WorkspaceScan::default();
    for (path, about) in found {
        if about.is_file() && (about.len() > MAX_BYTES || !is_readable(&workspace.join(&path), &about)) {
            scan.left_out.insert(path);
        } else {
            if about.is_file() {
                scan.modes.insert(path.clone(), about.permissions().mode());
            }
            scan.files.insert(path, about.len());
        }
    }
    Ok(scan)
}

/// The rules for what is not saved.
fn ignore_rules(workspace: &Path) -> IgnoreRules {
    let files = IgnoreFiles { gemini: true, git: true, git_exclude: true, git_global: true, ..IgnoreFiles::default() };
    IgnoreRules::new(workspace, files)
}

/// Those of `paths`, relative to the workspace, that are saved only where they are named.
pub(super) fn ignored_of(workspace: &Path, paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let rules = ignore_rules(workspace);
    let is_ignored = |path: &Path| {
        let above = path.ancestors().skip(1).filter(|directory| !directory.as_os_str().is_empty());
        rules.is_ignored(&workspace.join(path), false)
            || above.into_iter().any(|directory| rules.is_ignored(&workspace.join(directory), true))
    };
    paths.into_iter().filter(|path| is_ignored(path)).collect()
}

/// True if a file belongs to version control: that is its own matter.
pub(super) fn is_version_controls(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

fn walker(workspace: &Path, with_drafts: Arc<Mutex<BTreeSet<PathBuf>>>) -> WalkBuilder {
    let rules = ignore_rules(workspace);
    let mut builder = WalkBuilder::new(workspace);
    builder
        .standard_filters(false)
        // Version control's own files are its own matter, those of nested repositories too; and a draft that another
        // session is just writing is nobody's.
        .filter_entry(move |entry| {
            let name = entry.file_name();
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            if name.to_str().is_some_and(is_draft) {
                let mut with_drafts = with_drafts.lock();
                with_drafts.extend(entry.path().parent().map(Path::to_owned));
                return false;
            }
            name != ".git" && !rules.is_ignored(entry.path(), is_directory)
        });
    builder
}

/// Remove the drafts that killed processes left in `directories` of the workspace.
fn sweep(workspace: &Path, directories: &BTreeSet<PathBuf>) {
    let Ok(root) = Dir::open_ambient_dir(workspace, ambient_authority()) else { return };
    for directory in directories.iter().filter_map(|path| path.strip_prefix(workspace).ok()) {
        let inside = if directory.as_os_str().is_empty() { root.try_clone() } else { root.open_dir(directory) };
        if let Ok(directory) = inside {
            sweep_drafts(&directory, SystemTime::now());
        }
    }
}

fn is_saved(kind: FileType) -> bool {
    kind.is_file() || kind.is_symlink()
}

/// The metadata at a relative path, if it is a file or a link and no link leads there.
fn plain(workspace: &Path, path: &Path) -> Option<Metadata> {
    let mut at = workspace.to_owned();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return None };
        at.push(name);
        let about = at.symlink_metadata().ok()?;
        if parts.peek().is_none() {
            return is_saved(about.file_type()).then_some(about);
        }
        if !about.is_dir() {
            return None;
        }
    }
    None
}

/// True if we may read a file. Nearly all say so in their permissions, and are not asked again.
fn is_readable(path: &Path, about: &Metadata) -> bool {
    about.permissions().mode() & 0o004 != 0 || rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}
