//! The person's own directories: `~/.gemini`, shared with Gemini CLI, for trust, memory and models; our own for policy,
//! because Gemini CLI would read a grant for one workspace as one for everywhere.

use std::path::{Path, PathBuf};

/// Where the person's own files are; nothing when they have no home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserDirectories {
    home: Option<PathBuf>,
    dir: Option<PathBuf>,
    config: Option<PathBuf>,
    trust: Option<PathBuf>,
}

impl UserDirectories {
    /// The directory by the environment: `$GEMINI_CLI_HOME/.gemini`, else `~/.gemini`.
    pub(crate) fn from_environment(env: &dyn Fn(&str) -> Option<String>) -> UserDirectories {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("GEMINI_CLI_HOME").or_else(|| absolute("HOME")).or_else(std::env::home_dir);
        let config = absolute("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        let dir = home.map(|home| home.join(".gemini"));
        let trust = absolute("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
            .or_else(|| dir.as_ref().map(|dir| dir.join("trustedFolders.json")));
        let home = absolute("HOME").or_else(std::env::home_dir);
        UserDirectories { home, dir, config: config.map(|config| config.join("pollux")), trust }
    }

    /// Their home directory.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The directory itself.
    pub(crate) fn gemini_dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The directory of what is Pollux's alone.
    pub(crate) fn config_dir(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Their policy files.
    pub(crate) fn policies(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("policies"))
    }

    /// Their policy files for Gemini CLI, which count here too.
    pub(crate) fn gemini_policies(&self) -> Option<PathBuf> {
        self.file("policies")
    }

    /// Their sign-ins to MCP servers.
    pub(crate) fn mcp_tokens(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("mcp-tokens.json"))
    }

    /// The file of their choices at the screen.
    pub(crate) fn screen(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("screen.json"))
    }

    /// The file of their keys, in Gemini CLI's form.
    pub(crate) fn keys(&self) -> Option<PathBuf> {
        self.file("keybindings.json")
    }

    /// Which folders they trust.
    pub(crate) fn trust(&self) -> Option<PathBuf> {
        self.trust.clone()
    }

    /// The agents they hand work to.
    pub(crate) fn agents(&self) -> Option<PathBuf> {
        self.file("agents")
    }

    /// The file of their memory for every model.
    pub(crate) fn memory(&self) -> Option<PathBuf> {
        self.file("GEMINI.md")
    }

    /// Models they added to the catalogue.
    pub(crate) fn models(&self) -> Option<PathBuf> {
        self.file("models.toml").filter(|file| file.exists())
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        self.dir.as_ref().map(|dir| dir.join(name))
    }
}
