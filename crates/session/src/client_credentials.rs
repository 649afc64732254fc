//! Credentials that a client lends a session for as long as this process lives. They are in no log, so a restart
//! forgets them.

use std::collections::BTreeMap;
use std::fmt;

/// A word that is shown to nobody: it has no `Display`, no `Serialize`, and a `Debug` that hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// Keep `word` from being shown.
    pub fn new(word: impl Into<String>) -> SecretText {
        SecretText(word.into())
    }

    /// The word, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Credentials that a client lends a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientCredentials {
    /// The key that pays for this session's model calls.
    pub api_key: Option<SecretText>,
    /// Tool servers that only this session has, by their names.
    pub servers: BTreeMap<String, ClientMcpServer>,
}

/// A tool server that a client lends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMcpServer {
    /// One that is reached over HTTP.
    Http {
        /// Where.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, SecretText>,
    },
    /// A program on this machine; only where the operator lets clients name programs.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment.
        env: BTreeMap<String, SecretText>,
    },
}

impl ClientCredentials {
    /// True if nothing is lent.
    pub fn is_empty(&self) -> bool {
        self.api_key.is_none() && self.servers.is_empty()
    }
}
