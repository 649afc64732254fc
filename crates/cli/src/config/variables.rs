//! Environment variables, from the process and from `.env` files. They are looked up, never written back: the process's
//! environment, which children and other sessions would see, stays as it is.

use super::env_file::{self, Assignment};
use super::error::Warning;
use super::origin::Origin;
use super::secret::Secret;
use super::text_file;
use reserved::is_reserved;
use std::path::Path;
use std::sync::Arc;

pub(super) mod reserved;
#[cfg(test)]
mod tests;

/// Looks up a variable of the process.
pub(crate) type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Variables by name. The process comes first, then the person's files, then the workspace's.
#[derive(Clone)]
pub(crate) struct Variables {
    process: Environment,
    files: Vec<Variable>,
}

#[derive(Clone)]
struct Variable {
    name: String,
    value: Secret,
    origin: Origin,
}

impl Variables {
    /// The process's own.
    pub(crate) fn of_process(process: Environment) -> Variables {
        Variables { process, files: Vec::new() }
    }

    /// None at all.
    pub(crate) fn nobodys() -> Variables {
        Variables::of_process(Arc::new(|_| None))
    }

    /// What `name` is; one that is set and empty counts as not set.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let process = (self.process)(name).filter(|value| !value.is_empty());
        process.or_else(|| self.in_files(name).map(|found| found.value.reveal().to_owned()))
    }

    /// Who set `name`.
    pub(crate) fn origin(&self, name: &str) -> Option<Origin> {
        match (self.process)(name).filter(|value| !value.is_empty()) {
            Some(_) => Some(Origin::Environment { name: name.to_owned() }),
            None => self.in_files(name).map(|found| found.origin.clone()),
        }
    }

    /// These and, below them, what the person's file `path` sets.
    pub(crate) fn add_own(&mut self, path: &Path) -> Vec<Warning> {
        let (assignments, warnings) = read(path);
        self.add(path, assignments);
        warnings
    }

    /// The variables of a trusted workspace's files alone, and what is wrong with them. Names that could move an endpoint,
    /// a key, trust or Pollux's own files are left out.
    pub(crate) fn of_workspace(paths: &[std::path::PathBuf]) -> (Variables, Vec<Warning>) {
        let mut variables = Variables::nobodys();
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
                warnings.push(Warning { subject: format!("reserved {}", path.display()), text });
            }
            variables.add(path, rest);
        }
        (variables, warnings)
    }

    /// These and, below them, the workspace's.
    pub(crate) fn with_workspace(&self, workspace: &Variables) -> Variables {
        let files = self.files.iter().chain(&workspace.files).cloned().collect();
        Variables { process: self.process.clone(), files }
    }

    fn add(&mut self, path: &Path, assignments: Vec<Assignment>) {
        let path: Arc<Path> = path.into();
        self.files.extend(assignments.into_iter().map(|Assignment { name, value, line }| Variable {
            origin: Origin::EnvFile { name: name.clone(), path: path.clone(), line },
            name,
            value: Secret::new(value),
        }));
    }

    fn in_files(&self, name: &str) -> Option<&Variable> {
        self.files.iter().find(|variable| variable.name == name && !variable.value.reveal().is_empty())
    }
}

fn read(path: &Path) -> (Vec<Assignment>, Vec<Warning>) {
    let warning = |what: String| Warning { subject: format!("env {}", path.display()), text: what };
    match text_file::read(path) {
        Ok(None) => (Vec::new(), Vec::new()),
        Err(why) => (Vec::new(), vec![warning(format!("cannot read {}: {why}; it is left out", path.display()))]),
        Ok(Some(text)) => {
            let file = env_file::parse(&text);
            let bad = file.bad_lines.iter().map(|line| {
                let text = format!("{}:{line}: not a NAME=value line; it is left out", path.display());
                Warning { subject: format!("env {}:{line}", path.display()), text }
            });
            (file.assignments, bad.take(BAD_LINES).collect())
        }
    }
}

/// The most bad lines of one file that are told.
const BAD_LINES: usize = 5;
