//! What the kernel lets a confined command read: what was judged, and nothing beside it. So it does not matter whether a script
//! was understood, nor what takes the place of a file after it was judged.

use super::{PlanObjection, PlanResolver, reads};
use crate::process::ReadablePaths;
use pollux_session::ReadKind;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Programs that read more than they are told of: a repository, or the ignore files above what they search.
const READS_AROUND: [&str; 2] = ["git", "rg"];

impl PlanResolver<'_> {
    /// Add what a command looks at in the way that `kind` says. Where a path leads is judged once more: a link may lead elsewhere
    /// by now, and this place is the one that the kernel is told of.
    pub(super) fn add_readable(
        &self,
        readable: &mut ReadablePaths,
        kind: ReadKind,
        paths: &[PathBuf],
    ) -> Result<(), PlanObjection> {
        match kind {
            ReadKind::Repository | ReadKind::RepositoryContent => readable.directories.extend(self.whole_workspace()),
            ReadKind::Entry => readable.listed.extend(self.whole_workspace()),
            ReadKind::File | ReadKind::Tree => {
                for path in paths {
                    let place = reads::find(self.workspace, path)?.absolute;
                    reads::check(self.workspace, &place, kind, &self.lookups)?;
                    let same_kind = match (kind, place.is_dir()) {
                        (_, false) => &mut readable.files,
                        (ReadKind::Tree, true) => &mut readable.directories,
                        // Only to say that it is one.
                        (_, true) => &mut readable.listed,
                    };
                    same_kind.push(place.into_os_string());
                }
            }
        }
        Ok(())
    }

    /// `readable` with what `program` reads besides, and everything in it once.
    pub(super) fn complete_readable(&self, program: &str, mut readable: ReadablePaths) -> ReadablePaths {
        if READS_AROUND.contains(&program) {
            readable.directories.extend(self.whole_workspace());
        }
        for paths in [&mut readable.directories, &mut readable.listed, &mut readable.files] {
            paths.sort();
            paths.dedup();
        }
        readable
    }

    fn whole_workspace(&self) -> impl Iterator<Item = OsString> + '_ {
        self.workspace.root_paths().map(Path::to_owned).map(PathBuf::into_os_string)
    }
}
