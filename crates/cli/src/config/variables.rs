//! Environment variables, from the process and from `.env` files. They are looked up, never written back: the process's
//! environment, which children and other sessions would see, stays as it is.

use super::env_file::{self, EnvAssignment};
use super::error::ConfigWarning;
use super::origin::SettingOrigin;
use super::secret::ConfigSecret;
use super::text_file;
use reserved::is_reserved;
use std::path::Path;
use std::sync::Arc;

pub(super) mod reserved;
#[cfg(test)]
mod tests;

/// Looks up a variable of the process.
pub(crate) type EnvironmentLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Variables by name. The process comes first, then the person's files, then the workspace's.
#[derive(Clone)]
pub(crate) struct ConfigVariables {
    process: EnvironmentLookup,
    files: Vec<FileVariable>,
}

#[derive(Clone)]
struct FileVariable {
    name: String,
    value: ConfigSecret,
    origin: SettingOrigin,
}

impl ConfigVariables {
    /// The process's own.
    pub(crate) fn from_process(process: EnvironmentLookup) -> ConfigVariables {
        ConfigVariables { process, files: Vec::new() }
    }

    /// None at all.
    pub(crate) fn empty() -> ConfigVariables {
        ConfigVariables::from_process(Arc::new(|_| None))
    }

    /// The value of `name`; one that is set and empty counts as not set.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let process = (self.process)(name).filter(|value| !value.is_empty());
        process.or_else(|| self.in_files(name).map(|found| found.value.reveal().to_owned()))
    }

    /// The origin of `name`.
    pub(crate) fn origin(&self, name: &str) -> Option<SettingOrigin> {
        match (self.process)(name).filter(|value| !value.is_empty()) {
            Some(_) => Some(SettingOrigin::Environment { name: name.to_owned() }),
            None => self.in_files(name).map(|found| found.origin.clone()),
        }
    }

    /// These and, below them, what the person's file `path` sets.
    pub(crate) fn add_own(&mut self, path: &Path) -> Vec<ConfigWarning> {
        let (assignments, warnings) = read(path);
        self.add(path, assignments);
        warnings
    }

    /// The variables of a trusted workspace's files alone, and what is wrong with them. Names that could move an endpoint,
    /// a key, trust or Pollux's own files are left out.
    pub(crate) fn from_workspace_files(paths: &[std::path::PathBuf]) -> (ConfigVariables, Vec<ConfigWarning>) {
        let mut variables = ConfigVariables::empty();
        let mut warnings = Vec::new();
        for path in paths {
            let (assignments, found) = read(path);
            warnings.extend(found);
            let (reserved, rest): (Vec<_>, Vec<_>) =
                assignments.into_iter().partition(|assignment| is_reserved(&assignment.name));
            if !reserved.is_empty() {
                let names: Vec<&str> = reserved.iter().map(|assignment| assignment.name.as_str()).collect();
                let names = names.join(", ");
                let text = format!(
                    "{}: {names} not taken from a workspace; put it in your own ~/.gemini/.env",
                    path.display()
                );
                warnings.push(ConfigWarning { subject: format!("reserved {}", path.display()), text });
            }
            variables.add(path, rest);
        }
        (variables, warnings)
    }

    /// These and, below them, the workspace's.
    pub(crate) fn with_workspace(&self, workspace: &ConfigVariables) -> ConfigVariables {
        let files = self.files.iter().chain(&workspace.files).cloned().collect();
        ConfigVariables { process: self.process.clone(), files }
    }

    fn add(&mut self, path: &Path, assignments: Vec<EnvAssignment>) {
        let path: Arc<Path> = path.into();
        self.files.extend(assignments.into_iter().map(|EnvAssignment { name, value, line }| FileVariable {
            origin: SettingOrigin::EnvFile { name: name.clone(), path: path.clone(), line },
            name,
            value: ConfigSecret::new(value),
        }));
    }

    fn in_files(&self, name: &str) -> Option<&FileVariable> {
        self.files.iter().find(|variable| variable.name == name && !variable.value.reveal().is_empty())
    }
}

fn read(path: &Path) -> (Vec<EnvAssignment>, Vec<ConfigWarning>) {
    let warning = |what: String| ConfigWarning { subject: format!("env {}", path.display()), text: what };
    match text_file::read(path) {
        Ok(None) => (Vec::new(), Vec::new()),
        Err(why) => (Vec::new(), vec![warning(format!("cannot read {}: {why}; it is left out", path.display()))]),
        Ok(Some(text)) => {
            let file = env_file::parse(&text);
            let bad = file.bad_lines.iter().map(|line| {
                let text = format!("{}:{line}: not a NAME=value line; it is left out", path.display());
                ConfigWarning { subject: format!("env {}:{line}", path.display()), text }
            });
            (file.assignments, bad.take(BAD_LINES).collect())
        }
    }
}

/// The most bad lines of one file that are told.
const BAD_LINES: usize = 5;
