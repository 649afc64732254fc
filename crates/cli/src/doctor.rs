//! `pollux doctor`: what works on this machine, what does not, and what to do about it. Nothing is sent beyond this
//! machine and nothing is left behind.

mod machine;
mod model;
mod servers;
mod store;
#[cfg(test)]
mod tests;
mod workspace;

use crate::config::{Config, ConfigError};
use pollux_model::LocalServer;
use pollux_policy::FolderTrust;
use pollux_tools::ProcessEnvironment;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// What is looked at.
pub(crate) struct Examination<'a> {
    pub(crate) config: &'a Config,
    /// The settings files that are left out of it because they are broken.
    pub(crate) broken_files: &'a [ConfigError],
    /// What choosing a model came to, or why none could be chosen.
    pub(crate) model: Result<Answering, String>,
    /// Where interactive sessions are kept.
    pub(crate) data_dir: &'a Path,
    /// Model servers that run on this machine.
    pub(crate) local: Vec<LocalServer>,
    /// Where `pollux serve` keeps its sessions.
    pub(crate) serve_dir: &'a Path,
    /// The port `pollux serve` would listen on, or what is wrong with the one that the environment names.
    pub(crate) port: Result<u16, String>,
    /// The folder the program was started in, and how the person stands to it.
    pub(crate) workspace: &'a Path,
    pub(crate) trust: FolderTrust,
}

/// The model that would answer.
pub(crate) struct Answering {
    pub(crate) label: String,
    /// How to get a real one, when the demo was picked for want of one.
    pub(crate) note: Option<String>,
}

/// What one look has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) finding: Finding,
    /// What was found.
    pub(crate) says: String,
}

/// How it stands with one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Good,
    /// It is so, and neither good nor bad.
    Plain,
    /// Something is missing that only some need.
    Lacking {
        /// What to do.
        remedy: String,
    },
    /// Pollux does not work until it is put right.
    Broken {
        /// What to do.
        remedy: String,
    },
}

/// Look at everything.
pub(crate) fn examine(examination: &Examination<'_>) -> Vec<Check> {
    let config = examination.config;
    let mut checks: Vec<Check> = examination.broken_files.iter().map(broken_file).collect();
    if checks.is_empty() {
        checks.push(settings(config));
    }
    checks.extend(hooks(config));
    let env = |name: &str| ProcessEnvironment::original().get(name);
    checks.extend(model::checks(config, &examination.model));
    checks.push(model::local(&examination.local));
    checks.extend(servers::checks(config, &env));
    checks.push(workspace::trust(examination.workspace, examination.trust));
    checks.extend(store::checks(examination.data_dir, examination.serve_dir));
    checks.extend(machine::checks(&env, &examination.port, examination.serve_dir));
    checks
}

/// Write what was found to `out`. The exit code is 1 when something needed is broken.
pub(crate) fn report(checks: &[Check], out: &mut dyn Write) -> io::Result<ExitCode> {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for Check { name, finding, says } in checks {
        match finding {
            Finding::Good => writeln!(out, "✓ {name:width$}  {says}")?,
            Finding::Plain => writeln!(out, "· {name:width$}  {says}")?,
            Finding::Lacking { remedy } => writeln!(out, "! {name:width$}  {says}: {remedy}")?,
            Finding::Broken { remedy } => writeln!(out, "✗ {name:width$}  {says}: {remedy}")?,
        }
    }
    let broken = checks.iter().filter(|check| matches!(check.finding, Finding::Broken { .. })).count();
    match broken {
        0 if checks.iter().any(|check| matches!(check.finding, Finding::Lacking { .. })) => {
            writeln!(out, "\neverything needed works; lines with ! are worth a look")?;
        }
        0 => writeln!(out, "\neverything needed works")?,
        1 => writeln!(out, "\none thing is broken")?,
        more => writeln!(out, "\n{more} things are broken")?,
    }
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Check {
    fn good(name: &'static str, says: impl Into<String>) -> Check {
        Check { name, finding: Finding::Good, says: says.into() }
    }

    fn plain(name: &'static str, says: impl Into<String>) -> Check {
        Check { name, finding: Finding::Plain, says: says.into() }
    }

    fn lacking(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Check {
        Check { name, finding: Finding::Lacking { remedy: remedy.into() }, says: says.into() }
    }

    fn broken(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Check {
        Check { name, finding: Finding::Broken { remedy: remedy.into() }, says: says.into() }
    }
}

/// Hooks that are to check tool calls; nothing when there are none.
fn hooks(config: &Config) -> Option<Check> {
    let origins: Vec<String> = config.hooks_not_run.iter().map(|hook| hook.origin.to_string()).collect();
    let says = format!("hooks.BeforeTool is not run by this release ({}), so yolo mode is refused", origins.join(", "));
    let remedy = "forbid what they forbid with rules in ~/.gemini/policies, or remove them";
    (!origins.is_empty()).then(|| Check::lacking("hooks", says, remedy))
}

const SETTINGS: &str = "settings";

fn broken_file(error: &ConfigError) -> Check {
    Check::broken(SETTINGS, error.to_string(), "nothing else starts before that; the other checks leave it out")
}

fn settings(config: &Config) -> Check {
    // Hooks have a check of their own.
    let told: Vec<String> = config.warnings_beside_hooks().map(ToString::to_string).collect();
    if told.is_empty() {
        let read = format!("{} of {} files are there and read", config.files_read(), config.files.len());
        return Check::good(SETTINGS, read);
    }
    Check::lacking(SETTINGS, told.join("; "), "`pollux settings show` tells what holds")
}
