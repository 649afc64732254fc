//! A machine in a temporary directory, for tests of everything that reads settings.

use super::{Config, EnvironmentLookup, RunOverrides};
use pollux_policy::FolderTrust;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// A machine with a home, a workspace and system files, all in one temporary directory.
pub(crate) struct FakeMachine {
    dir: tempfile::TempDir,
    vars: BTreeMap<String, String>,
}

impl FakeMachine {
    pub(crate) fn new() -> FakeMachine {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path).display().to_string();
        let vars = [
            ("HOME", at("home")),
            ("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", at("etc/defaults.json")),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", at("etc/settings.json")),
        ];
        let vars = vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        FakeMachine { dir, vars }.file("etc/settings.json", "{}")
    }

    pub(crate) fn file(self, path: &str, text: &str) -> FakeMachine {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn var(mut self, name: &str, value: &str) -> FakeMachine {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(crate) fn environment(&self) -> EnvironmentLookup {
        let vars = self.vars.clone();
        Arc::new(move |name| vars.get(name).cloned())
    }

    pub(crate) fn try_load(&self, given: RunOverrides) -> Result<Config, String> {
        let loaded = Config::load(self.environment(), given);
        loaded.map_err(|error| self.strip_directory(&error.to_string()))
    }

    pub(crate) fn load(&self) -> Config {
        self.try_load(RunOverrides::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn in_workspace(&self, trust: FolderTrust) -> Config {
        self.load().for_workspace(&self.path("ws"), trust)
    }

    /// `text` without the temporary directory's name.
    pub(crate) fn strip_directory(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.dir.path().display()), "")
    }

    pub(crate) fn warnings(&self, config: &Config) -> Vec<String> {
        config.warnings.iter().map(|warning| self.strip_directory(&warning.to_string())).collect()
    }

    pub(crate) fn origin(&self, config: &Config, key: &str) -> String {
        self.strip_directory(&config.origin(key).to_string())
    }
}
