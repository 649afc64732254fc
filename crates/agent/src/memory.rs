//! Memory files: what a person wants the model to know, from their own directory and from the workspace upwards.

mod imports;

use pollux_tools::KeptFiles;
use std::path::{Path, PathBuf};

/// The most bytes of all memory files together.
const TOTAL_BYTES: usize = 128 * 1024;
/// The most bytes of one file, its imports included.
pub(crate) const FILE_BYTES: usize = 48 * 1024;
/// The most directories that are searched upwards when no repository ends the search.
const MAX_LEVELS: usize = 32;

/// Where memory is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySettings {
    /// The names of memory files; in each directory all that exist are read, in this order.
    pub names: Vec<String>,
    /// The person's own directory.
    pub own_dir: Option<PathBuf>,
    /// True if directories that were added to the workspace have a say too.
    pub from_added: bool,
    /// Texts that extensions have for the model.
    pub extensions: Vec<ExtensionMemory>,
}

/// A memory file of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionMemory {
    pub file: PathBuf,
    /// The extension's folder: imports do not leave it.
    pub folder: PathBuf,
}

impl Default for MemorySettings {
    fn default() -> Self {
        MemorySettings {
            names: vec!["GEMINI.md".into(), "AGENTS.md".into()],
            own_dir: None,
            from_added: true,
            extensions: vec![],
        }
    }
}

/// The memory for a workspace and what was `added` to it, without what is `kept` from the model, as text for the system prompt;
/// empty when there is none. It reads files: not for an async thread.
pub(crate) fn load(workspace: &Path, added: &[PathBuf], settings: &MemorySettings, kept: &KeptFiles) -> String {
    let mut text = String::new();
    for (file, boundary) in all_files(workspace, added, settings) {
        let Some(content) = imports::read_with_imports(&file, &boundary, kept) else { continue };
        if content.trim().is_empty() {
            continue;
        }
        let block = format!("--- {} ---\n{}\n", file.display(), content.trim_end());
        if text.len() + block.len() > TOTAL_BYTES {
            text.push_str(&format!(
                "[{} is left out: memory files hold more than {TOTAL_BYTES} bytes.]\n",
                file.display()
            ));
            continue;
        }
        text.push_str(&block);
    }
    text
}

/// The content of one rules file with its imports, none of them outside `boundary` or `kept` from the model; `None` when it
/// cannot be read. It reads files: not for an async thread.
pub(crate) fn read_file(file: &Path, boundary: &Path, kept: &KeptFiles) -> Option<String> {
    imports::read_with_imports(file, boundary, kept)
}

/// The memory files that [`load`] reads, in its order.
pub(crate) fn memory_paths(workspace: &Path, added: &[PathBuf], settings: &MemorySettings) -> Vec<PathBuf> {
    all_files(workspace, added, settings).into_iter().map(|(file, _)| file).collect()
}

/// True if there is any memory to load. It only asks which files exist, which takes no thread of its own.
pub(crate) fn has_memory_files(workspace: &Path, added: &[PathBuf], settings: &MemorySettings) -> bool {
    !all_files(workspace, added, settings).is_empty()
}

/// All memory files there are, each once, with what its imports may reach. Those of added directories come before the
/// workspace's own, which has the last word.
fn all_files(workspace: &Path, added: &[PathBuf], settings: &MemorySettings) -> Vec<(PathBuf, PathBuf)> {
    let added = added.iter().filter(|_| settings.from_added).map(PathBuf::as_path);
    let of_extensions = settings.extensions.iter().filter(|memory| memory.file.is_file());
    let mut all: Vec<_> = of_extensions.map(|memory| (memory.file.clone(), memory.folder.clone())).collect();
    for root in added.chain([workspace]) {
        for file in files(root, settings) {
            let boundary = boundary(root, &file, settings);
            if all.iter().all(|(known, _)| *known != file) {
                all.push((file, boundary));
            }
        }
    }
    all
}

/// The memory files of one root: the person's own first, then from the top of the repository down to the root, so
/// that what is nearest is said last.
fn files(workspace: &Path, settings: &MemorySettings) -> Vec<PathBuf> {
    // Without a repository, what lies above the workspace is none of its business.
    let levels = workspace.ancestors().take(MAX_LEVELS).position(is_repository).map_or(1, |top| top + 1);
    let directories = Vec::from_iter(workspace.ancestors().take(levels));
    let own = settings.own_dir.as_deref().into_iter();
    own.chain(directories.into_iter().rev())
        .flat_map(|directory| settings.names.iter().map(|name| directory.join(name)))
        .filter(|file| file.is_file())
        .collect()
}

/// The directory within which imports of `file` must stay: the person's own directory for their own file, the workspace for a file
/// in it, which the model may have written, and the top of the repository for one above it.
fn boundary(workspace: &Path, file: &Path, settings: &MemorySettings) -> PathBuf {
    if let Some(own) = settings.own_dir.as_deref().filter(|own| file.starts_with(own)) {
        return own.to_owned();
    }
    if file.starts_with(workspace) {
        return workspace.to_owned();
    }
    let top = workspace.ancestors().take(MAX_LEVELS).find(|directory| is_repository(directory));
    top.unwrap_or(workspace).to_owned()
}

fn is_repository(directory: &Path) -> bool {
    directory.join(".git").exists()
}

#[cfg(test)]
mod tests;
