//! Settings of the tools of one toolbox.

use crate::background::BackgroundProcesses;
use crate::built_in::google_web_search::WebSearch;
use crate::built_in::run_shell_command::{ShellLimits, ShellStreams};
use crate::built_in::web_fetch::UrlReader;
use crate::excerpt::USUAL_CHARS;
use crate::output::OutputStore;
use crate::workspace::ObeyedPlaces;
use std::path::PathBuf;
use std::sync::Arc;

/// Settings of the tools of one toolbox.
#[derive(Clone)]
pub struct ToolboxSettings {
    /// Keeps output that is too long for the log.
    pub output_store: Arc<dyn OutputStore>,
    pub shell: ShellLimits,
    pub shell_streams: ShellStreams,
    /// Directories besides the workspace whose files are inside it for every tool: absolute paths.
    pub include_directories: Vec<PathBuf>,
    /// Which files are kept from the model.
    pub filtering: FileFilterSettings,
    /// Which files decide what runs without a question: changing one asks.
    pub obeyed: ObeyedPlaces,
    /// The most characters of a tool's text that enter the context; of what is longer, a fifth is its beginning and the
    /// rest its end.
    pub output_chars: usize,
    /// Environment variables that commands are given besides the harmless ones: the person names them.
    pub environment: Vec<String>,
    /// Commands in the background, those of an earlier toolbox included.
    pub background: BackgroundProcesses,
    /// The person's memory file, an absolute path. Without it `save_memory` is not offered.
    pub memory: Option<PathBuf>,
    /// Searches the web. Without it `google_web_search` is not offered.
    pub search: Option<Arc<dyn WebSearch>>,
    /// Reads pages for `web_fetch` and answers from them. Without it, and where it fails, pages are fetched from here.
    pub url_reader: Option<Arc<dyn UrlReader>>,
    /// Which addresses `web_fetch` may talk to.
    pub fetch: FetchReach,
}

/// Which files are kept from the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFilterSettings {
    /// Searches leave out what `.gitignore` lists, unless a call says otherwise.
    pub respect_git_ignore: bool,
    /// True if files that `.geminiignore` and [`FileFilterSettings::custom_ignore_files`] list are neither found nor
    /// read, unless a call says that they may be found.
    pub respect_gemini_ignore: bool,
    /// More ignore files, relative to each root or absolute. The first that has something to say about a file decides,
    /// before `.geminiignore`.
    pub custom_ignore_files: Vec<PathBuf>,
}

impl Default for FileFilterSettings {
    fn default() -> FileFilterSettings {
        FileFilterSettings { respect_git_ignore: true, respect_gemini_ignore: true, custom_ignore_files: Vec::new() }
    }
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

impl ToolboxSettings {
    /// The defaults: no memory file, no search, nothing extra in the environment.
    pub fn new(output_store: Arc<dyn OutputStore>) -> ToolboxSettings {
        ToolboxSettings {
            output_store,
            shell: ShellLimits::default(),
            shell_streams: ShellStreams::default(),
            include_directories: Vec::new(),
            filtering: FileFilterSettings::default(),
            obeyed: ObeyedPlaces::default(),
            output_chars: USUAL_CHARS,
            environment: Vec::new(),
            background: BackgroundProcesses::default(),
            memory: None,
            search: None,
            url_reader: None,
            fetch: FetchReach::default(),
        }
    }
}
