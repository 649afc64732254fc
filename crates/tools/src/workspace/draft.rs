//! A file's new content, complete on disk beside it, until it takes its place. Nobody ever sees half a file.

use super::{Workspace, WorkspacePath, stale_drafts};
use crate::error::{FileOperation, ToolError};
use cap_std::fs::{Dir, File, OpenOptions, Permissions, PermissionsExt};
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
mod tests;

/// Numbers the drafts of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// New content that has not taken its place yet. Dropped, it disappears.
pub(crate) struct FileDraft<'a> {
    workspace: &'a Workspace,
    place: &'a WorkspacePath,
    parent: Dir,
    /// The directory again, opened so that it can be made durable.
    parent_file: File,
    name: OsString,
    temporary: Option<String>,
}

impl<'a> FileDraft<'a> {
    /// Write new content for `place`, with the permissions the file has now. Missing directories are made.
    pub(crate) fn write(
        workspace: &'a Workspace,
        place: &'a WorkspacePath,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<FileDraft<'a>, ToolError> {
        let (parent, name) = workspace.parent(place)?;
        let refused = |error| workspace.explain_error(place, FileOperation::Write, error);
        let parent_file = parent.open(".").map_err(refused)?;
        stale_drafts::note_start();
        stale_drafts::remove_stale_drafts_sometimes(&parent);
        let (mut file, temporary) = create(&parent).map_err(refused)?;
        let draft = FileDraft { workspace, place, parent, parent_file, name: name.into(), temporary: Some(temporary) };
        draft.copy_permissions(&file).and_then(|()| fill(&mut file)).and_then(|()| file.sync_all()).map_err(refused)?;
        Ok(draft)
    }

    /// Put it in its place, durably.
    pub(crate) fn publish(self) -> Result<(), ToolError> {
        self.rename(|draft, temporary| draft.parent.rename(temporary, &draft.parent, &draft.name))
    }

    /// Put it in its place, durably, unless something is there.
    pub(crate) fn publish_new(self) -> Result<(), ToolError> {
        self.rename(|draft, temporary| {
            let kept = RenameFlags::NOREPLACE;
            match renameat_with(&draft.parent, temporary, &draft.parent, &draft.name, kept) {
                // Not every file system can do it; that nothing is there was looked up just before.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                    draft.parent.rename(temporary, &draft.parent, &draft.name)
                }
                renamed => Ok(renamed?),
            }
        })
    }

    fn rename(mut self, rename: impl FnOnce(&FileDraft<'a>, &str) -> io::Result<()>) -> Result<(), ToolError> {
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        let renamed = rename(&self, &temporary);
        if renamed.is_err() {
            self.temporary = Some(temporary);
        }
        let done = renamed.and_then(|()| self.parent_file.sync_all());
        done.map_err(|error| self.workspace.explain_error(self.place, FileOperation::Write, error))
    }

    /// Give the draft the permission bits and the owner of the file it replaces, if there is one.
    fn copy_permissions(&self, draft: &File) -> io::Result<()> {
        use cap_std::fs::MetadataExt;
        let current = match self.parent.symlink_metadata(&self.name) {
            Ok(current) => current,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let fresh = draft.metadata()?;
        if (fresh.uid(), fresh.gid()) != (current.uid(), current.gid()) {
            let (user, group) = (rustix::fs::Uid::from_raw(current.uid()), rustix::fs::Gid::from_raw(current.gid()));
            // Only root may give files away; for others the file becomes theirs, as with any editor.
            let _ = rustix::fs::fchown(draft, Some(user), Some(group));
        }
        draft.set_permissions(Permissions::from_mode(current.mode() & 0o777))
    }
}

impl Drop for FileDraft<'_> {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nothing refers to it; if it cannot be removed there is nobody to tell.
            let _ = self.parent.remove_file(temporary);
        }
    }
}

/// A new file under a name nobody else uses.
fn create(parent: &Dir) -> io::Result<(File, String)> {
    loop {
        let name = format!(".pollux-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        match parent.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
            Ok(file) => return Ok((file, name)),
            // Left by an earlier process with our number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
