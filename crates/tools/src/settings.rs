//! What the tools of one toolbox need.

use crate::google_web_search::WebSearch;
use crate::output::OutputKeeper;
use crate::run_shell_command::ShellLimits;
use std::path::PathBuf;
use std::sync::Arc;

/// What the tools of one toolbox need.
#[derive(Clone)]
pub struct ToolSettings {
    /// Keeps output that is too long for the log.
    pub keeper: Arc<dyn OutputKeeper>,
    /// What a shell command may use up.
    pub shell: ShellLimits,
    /// Environment variables that commands are given besides the harmless ones: the person names them.
    pub environment: Vec<String>,
    /// Where the output of background processes is written; the system's directory for temporary files if not given.
    pub background_logs: Option<PathBuf>,
    /// The person's memory file, an absolute path. Without it `save_memory` is not offered.
    pub memory: Option<PathBuf>,
    /// Searches the web. Without it `google_web_search` is not offered.
    pub search: Option<Arc<dyn WebSearch>>,
    /// Which addresses `web_fetch` may talk to.
    pub fetch: FetchReach,
}

/// Which addresses a fetch may talk to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchReach {
    /// Those of the public internet.
    #[default]
    Public,
    /// This machine's own too. For tests.
    PublicAndLoopback,
}

impl ToolSettings {
    /// The defaults: no memory file, no search, nothing extra in the environment.
    pub fn new(keeper: Arc<dyn OutputKeeper>) -> ToolSettings {
        ToolSettings {
            keeper,
            shell: ShellLimits::default(),
            environment: Vec::new(),
            background_logs: None,
            memory: None,
            search: None,
            fetch: FetchReach::default(),
        }
    }
}
