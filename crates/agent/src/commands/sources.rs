//! What commands need from whoever puts the agent together.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

type ShowSettings = dyn Fn(&Path, SettingsSelection) -> Vec<String> + Send + Sync;
type ExtensionLister = dyn Fn(&Path) -> Vec<ExtensionNote> + Send + Sync;

/// Which settings a person wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsSelection {
    /// Those that somebody set.
    Set,
    /// Also those that have their default.
    All,
}

/// Where commands find what is not the agent's own.
#[derive(Clone, Default)]
pub struct CommandSources {
    /// The person's own command files.
    pub own_dir: Option<PathBuf>,
    /// Where `/chat` keeps conversations.
    pub chats_dir: Option<PathBuf>,
    /// The version of the program.
    pub version: String,
    /// When the program started.
    pub started: Option<Instant>,
    /// The settings that hold in a workspace, one line each with who says so.
    pub settings: Option<Arc<ShowSettings>>,
    /// The extensions there are for a workspace.
    pub extensions: Option<Arc<ExtensionLister>>,
}

/// One extension, as a person is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtensionNote {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether it is enabled here.
    pub active: bool,
    /// The directory of its command files, if it has one.
    pub commands: Option<PathBuf>,
}

impl CommandSources {
    pub(crate) fn list_extensions(&self, workspace: &Path) -> Vec<ExtensionNote> {
        self.extensions.as_ref().map(|list| list(workspace)).unwrap_or_default()
    }
}

impl fmt::Debug for CommandSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandSources").field("own_dir", &self.own_dir).finish_non_exhaustive()
    }
}
