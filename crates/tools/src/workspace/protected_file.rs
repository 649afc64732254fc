//! Files of a workspace with protected names: as they were asked for, where that leads, and what was really opened.

use super::secret_names::find_secret;
use super::{Workspace, WorkspacePath};
use crate::error::FileOperation;
use std::fmt;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// A file with a protected name. Displayed, it is the sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtectedFile {
    /// The file that is really read.
    name: String,
    /// Its content, in words.
    what: &'static str,
}

impl fmt::Display for ProtectedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` has a protected name ({}): the model sees its content only if you allow it",
            self.name, self.what
        )
    }
}

impl Workspace {
    /// The secret at `place`, which was asked for as `asked`: by both names, and by the one that it is opened by.
    pub(crate) fn secret_at(&self, place: &WorkspacePath, asked: &str) -> Option<ProtectedFile> {
        self.secret_named(place, asked).or_else(|| {
            let (file, _) = self.open_file(place, FileOperation::Read).ok()?;
            self.secret_in(place, &file)
        })
    }

    /// The secret at `place`, which was asked for as `asked`: a link may have a protected name, or lead to one.
    pub(crate) fn secret_named(&self, place: &WorkspacePath, asked: &str) -> Option<ProtectedFile> {
        let what = find_secret(&place.absolute).or_else(|| find_secret(&self.roots[0].path.join(asked)))?;
        Some(ProtectedFile { name: place.name(), what })
    }

    /// The secret that `file` is, which was opened for `place`: a path may lead elsewhere than when it was found.
    pub(crate) fn secret_in(&self, place: &WorkspacePath, file: &File) -> Option<ProtectedFile> {
        let opened = opened_path(file.as_fd());
        let what = find_secret(&place.absolute).or_else(|| find_secret(opened.as_deref()?))?;
        let name = match opened {
            Some(path) if path != place.absolute => path.to_string_lossy().into_owned(),
            _ => place.name(),
        };
        Some(ProtectedFile { name, what })
    }
}

/// The path of an open file, as the kernel has it; `None` where there is no `/proc`.
pub(super) fn opened_path(file: BorrowedFd<'_>) -> Option<PathBuf> {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    let text = path.to_str().and_then(|path| path.strip_suffix(" (deleted)"));
    Some(text.map_or_else(|| path.clone(), |path| Path::new(path).to_owned()))
}
