//! The first thing the program does: keys leave the environment block. `/proc/PID/environ` shows the block that a process
//! was started with, for as long as it runs, to every process of the same user, our own children first. So the program
//! executes itself once more with a block of harmless variables, and gets all of them through a sealed memory file.

mod handover;
mod harmless_variables;
#[cfg(test)]
mod tests;

use handover::EnvironmentHandover;
use harmless_variables::{is_harmless, is_likely_secret};
use pollux_tools::ProcessEnvironment;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};

/// Variables by name, as the person gave them.
type EnvironmentVariables = BTreeMap<OsString, OsString>;

/// Why the program does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CleanStartError {
    #[error(
        "{names} cannot be hidden from other processes: {source}. Put keys into ~/.gemini/.env and unset them, or give this \
         process a /proc file system"
    )]
    Exposed { names: String, source: io::Error },
    #[error("the environment cannot be taken over from the first start: {0}. Start the program again")]
    Handover(io::Error),
    #[error("this process cannot be closed to other processes of the same user: {0}")]
    Dumpable(io::Error),
}

/// The purpose of a start of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartKind {
    /// It holds keys: no other process of the user may look into it.
    HoldsKeys,
    /// It is only a client of another process. The gate over there must see who holds the connection, so this process stays
    /// open to looks, and keys are not even taken over.
    Client,
}

/// Make sure that no other process reads our variables, and return them. Where some must leave the environment block,
/// this executes the program again and does not return. Must run before the first thread starts.
pub(crate) fn hide_environment(kind: StartKind) -> Result<&'static ProcessEnvironment, CleanStartError> {
    // Before anything else, in both starts: until here, whoever watches for us can look.
    if kind == StartKind::HoldsKeys {
        close_to_other_processes()?;
    }
    let variables = match EnvironmentHandover::receive().map_err(CleanStartError::Handover)? {
        Some(received) => received,
        None => {
            // What another process was handed is nobody's any more, and programs that we start must not find it.
            let mut variables: EnvironmentVariables =
                std::env::vars_os().filter(|(name, _)| name != handover::NAME).collect();
            let must_hide = variables.iter().any(|(name, value)| !is_harmless(name, value));
            if kind == StartKind::Client {
                variables.retain(|name, value| is_harmless(name, value) || !is_likely_secret(name, value));
            }
            if must_hide {
                let failure = EnvironmentHandover::start_again(&variables, is_harmless);
                say_not_hidden(&variables, failure)?;
            }
            variables
        }
    };
    Ok(ProcessEnvironment::set_original(variables))
}

/// The program could not be executed again. Where a key is at stake that is an error, else a warning.
fn say_not_hidden(variables: &EnvironmentVariables, failure: io::Error) -> Result<(), CleanStartError> {
    let secrets = variables.iter().filter(|(name, value)| !is_harmless(name, value) && is_likely_secret(name, value));
    let names: Vec<_> = secrets.map(|(name, _)| name.to_string_lossy()).collect();
    if !names.is_empty() {
        return Err(CleanStartError::Exposed { names: names.join(", "), source: failure });
    }
    // Standard error may be closed; there is nowhere else to say it.
    let _ = writeln!(io::stderr(), "pollux: warning: other processes of yours can read its environment: {failure}");
    Ok(())
}

/// Close `/proc/PID/{environ,mem,fd}` and tracing to processes of the same user, and turn core dumps off. Children are
/// not affected: executing a program sets it back.
fn close_to_other_processes() -> Result<(), CleanStartError> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|errno| CleanStartError::Dumpable(errno.into()))
}
