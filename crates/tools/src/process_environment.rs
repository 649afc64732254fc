//! The variables that the person started this process with. The process's own environment block has only the harmless
//! ones: every process of the same user can read that block in `/proc`. So nothing asks `std::env` for a variable.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

static ORIGINAL: OnceLock<ProcessEnvironment> = OnceLock::new();

/// Environment variables by name. Keys and tokens are among them, so it has no `Debug`.
pub struct ProcessEnvironment(BTreeMap<OsString, OsString>);

impl ProcessEnvironment {
    /// The variables that the person gave. In a process that has none set aside (a test), those of the process.
    pub fn original() -> &'static ProcessEnvironment {
        ORIGINAL.get_or_init(|| ProcessEnvironment(std::env::vars_os().collect()))
    }

    /// State what [`ProcessEnvironment::original`] is. The first statement holds: the program makes it before anything
    /// else runs.
    pub fn set_original(variables: BTreeMap<OsString, OsString>) -> &'static ProcessEnvironment {
        ORIGINAL.get_or_init(|| ProcessEnvironment(variables))
    }

    /// The value of `name`, if it is set and is text.
    pub fn get(&self, name: &str) -> Option<String> {
        self.get_os(name)?.to_str().map(str::to_owned)
    }

    /// The value of `name`, whatever bytes it has.
    pub fn get_os(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Every variable.
    pub fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        self.0.iter().map(|(name, value)| (name.clone(), value.clone()))
    }
}
