//! Files the person keeps from the model: `.geminiignore`, in a root and in every directory on the way, and the ignore
//! files their settings name. Outside the workspace those of every directory above count.

use super::obeyed_places::follow_links;
use super::{RootKind, Workspace, WorkspacePath, WorkspaceRoot};
use crate::error::ToolError;
use ignore::Match;
use ignore::gitignore::Gitignore;
use pollux_files::{GEMINI_IGNORE, read_private_list};
use std::path::{Path, PathBuf};

impl Workspace {
    /// Refuse a place that an ignore file lists, or a link on the way there, unless the person's settings say that none counts.
    pub(crate) fn check_ignored(&self, place: &WorkspacePath) -> Result<(), ToolError> {
        let is_of_root =
            |link: &&PathBuf| self.is_outside(place) || self.root_paths().any(|root| link.starts_with(root));
        let is_listed = || {
            let mut links = place.links.iter().filter(is_of_root);
            self.is_ignored(&place.absolute, EntryKind::File)
                || links.any(|link| self.is_ignored(link, EntryKind::Directory))
        };
        match self.access.filtering.respect_gemini_ignore && is_listed() {
            true => Err(ToolError::Ignored { path: place.name() }),
            false => Ok(()),
        }
    }

    /// True if an ignore file lists the directory outside the workspace that `place` is in: then nothing in it is for the model.
    pub(crate) fn is_in_ignored_outside(&self, place: &WorkspacePath) -> bool {
        self.is_outside(place) && self.is_ignored(self.root_of(place), EntryKind::Directory)
    }

    /// True if files may be kept from the model by their names.
    pub(crate) fn respects_ignore_files(&self) -> bool {
        self.access.filtering.respect_gemini_ignore
    }

    /// True if an ignore file in `directory` or above it says that some files are not for the model, or one that settings name.
    /// Those below are not looked for.
    pub(crate) fn keeps_files_from_model(&self, directory: &Path) -> bool {
        let has_one = |directory: &Path| directory.join(GEMINI_IGNORE).symlink_metadata().is_ok();
        let is_inside = |path: &&Path| self.root_paths().any(|root| path.starts_with(root));
        let own = || directory.ancestors().take_while(is_inside).any(has_one);
        self.respects_ignore_files() && (!self.access.filtering.custom_ignore_files.is_empty() || own())
    }

    /// True if the file at `path`, an absolute one, says what is not for the model, or leads to one that does: whoever changes it
    /// decides what the model sees.
    pub(super) fn is_ignore_file(&self, path: &Path) -> bool {
        let filtering = &self.access.filtering;
        let is_same = |file: &PathBuf| path.as_os_str().eq_ignore_ascii_case(file.as_os_str());
        let leads_to = |file: PathBuf| {
            let (links, end) = follow_links(&file);
            links.iter().chain([&end, &file]).any(is_same)
        };
        let is_in = |root: &WorkspaceRoot| {
            let named = filtering.custom_ignore_files.iter().map(|file| root.path.join(file));
            named.chain([root.path.join(GEMINI_IGNORE)]).any(leads_to)
        };
        let has_its_name = || path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(GEMINI_IGNORE));
        filtering.respect_gemini_ignore && (has_its_name() || self.roots.iter().any(is_in))
    }

    /// The length of all ignore files that decide about `place`: each is read anew for each place.
    pub(crate) fn ignore_bytes(&self, place: &WorkspacePath) -> u64 {
        let root = self.root_of(place);
        let custom = self.access.filtering.custom_ignore_files.iter().map(|file| root.join(file));
        let directories = place.relative.ancestors().skip(1);
        let files = custom.chain(directories.map(|directory| root.join(directory).join(GEMINI_IGNORE)));
        files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
    }

    /// True if an ignore file lists `path`, a real one. One that settings name decides first, then the one nearest to it.
    fn is_ignored(&self, path: &Path, kind: EntryKind) -> bool {
        let is_directory = kind == EntryKind::Directory;
        let nearest = self.deciding_directories(path);
        let nearest = nearest.filter_map(|directory| read_private_list(directory, &directory.join(GEMINI_IGNORE)));
        let decided = self.custom_rules(path).into_iter().chain(nearest).find_map(|rules| {
            match rules.matched_path_or_any_parents(path, is_directory) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            }
        });
        decided.unwrap_or(false)
    }

    /// The directories whose ignore files decide about `path`, the nearest first: up to the root that it is in, and up to the top for
    /// a path outside the workspace, where nothing says which directory a project begins in.
    fn deciding_directories<'p>(&'p self, path: &'p Path) -> impl Iterator<Item = &'p Path> {
        let top = self.workspace_root_above(path).unwrap_or(Path::new("/"));
        path.ancestors().skip(1).take_while(move |directory| directory.starts_with(top))
    }

    /// The root of the workspace that `path` is in.
    fn workspace_root_above(&self, path: &Path) -> Option<&Path> {
        self.inner_roots().find(|root| path.starts_with(root))
    }

    /// The roots that are not outside the workspace.
    fn inner_roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().filter(|root| !matches!(root.kind, RootKind::Outside { .. })).map(|root| root.path.as_path())
    }

    /// The rules of the ignore files that settings name, for `path`; the file that was named first decides first.
    fn custom_rules(&self, path: &Path) -> Vec<Gitignore> {
        match self.workspace_root_above(path) {
            Some(root) => self.custom_rules_in(root),
            None => self.deciding_directories(path).flat_map(|root| self.custom_rules_in(root)).collect(),
        }
    }

    /// The same for all that a walk through the root of `place` comes by: one that begins outside the workspace may come into it.
    pub(crate) fn custom_rules_below(&self, place: &WorkspacePath) -> Vec<Gitignore> {
        let root = self.root_of(place);
        if !self.is_outside(place) {
            return self.custom_rules_in(root);
        }
        let inside = self.inner_roots().filter(|inner| inner.starts_with(root));
        inside.chain(root.ancestors()).flat_map(|root| self.custom_rules_in(root)).collect()
    }

    /// The rules that the ignore files of `root` have for what is below it.
    fn custom_rules_in(&self, root: &Path) -> Vec<Gitignore> {
        let files = self.access.filtering.custom_ignore_files.iter();
        files.filter_map(|file| read_private_list(root, &root.join(file))).collect()
    }
}

/// What an entry is taken for. A link may lead to a directory, which patterns that end in `/` mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    File,
    Directory,
}
