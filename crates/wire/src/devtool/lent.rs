//! Credentials that a client lends with its settings: a key, and tool servers. None of them is ever written, shown, or
//! repeated in an error.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// A word that is read and never written: no `Serialize`, no `Display`, and a `Debug` that hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(String);

impl Hidden {
    /// The word, for whoever passes it on.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

/// A tool server that a client lends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LentServer {
    /// One that is reached over HTTP.
    Http {
        /// Where.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, Hidden>,
    },
    /// A program on the server's machine.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment.
        env: BTreeMap<String, Hidden>,
    },
}

/// Read a key. What does not fit is not repeated.
pub(super) fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Hidden>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(word) if !word.trim().is_empty() => Ok(Some(Hidden(word))),
        _ => Err(D::Error::custom("the key must be text that is not empty")),
    }
}

/// Read servers by their names, in the form of Gemini CLI's `mcpServers`. What does not fit is not repeated.
pub(super) fn servers<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, LentServer>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(BTreeMap::new()),
        Value::Object(servers) => {
            let read = |(name, server): (String, Value)| match server_of(&server) {
                Ok(server) => Ok((name, server)),
                Err(why) => Err(D::Error::custom(format!("the server {name:?} {why}"))),
            };
            servers.into_iter().map(read).collect()
        }
        _ => Err(D::Error::custom("the servers must be an object of servers by their names")),
    }
}

fn server_of(server: &Value) -> Result<LentServer, &'static str> {
    let Value::Object(server) = server else { return Err("must be an object") };
    let url = text(server, &["httpUrl", "http_url", "url"], "has a `url` that is not text")?;
    let command = text(server, &["command"], "has a `command` that is not text")?;
    match (url, command) {
        (Some(_), Some(_)) => Err("has a `url` and a `command`; give one of them"),
        (None, None) => Err("has neither a `url` nor a `command`"),
        (Some(url), None) => {
            let headers = words(server, "headers", "has `headers` that are not text by their names")?;
            Ok(LentServer::Http { url, headers })
        }
        (None, Some(command)) => {
            let args = match server.get("args") {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(args)) => {
                    let args = args.iter().map(|arg| arg.as_str().map(str::to_owned));
                    args.collect::<Option<_>>().ok_or("has `args` that are not all text")?
                }
                Some(_) => return Err("has `args` that are no list"),
            };
            let env = words(server, "env", "has an `env` that is not text by names")?;
            Ok(LentServer::Program { command, args, env })
        }
    }
}

fn text(object: &Map<String, Value>, names: &[&str], wrong: &'static str) -> Result<Option<String>, &'static str> {
    match names.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong),
    }
}

fn words(
    object: &Map<String, Value>,
    name: &str,
    wrong: &'static str,
) -> Result<BTreeMap<String, Hidden>, &'static str> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(words)) => {
            let word = |(name, word): (&String, &Value)| Some((name.clone(), Hidden(word.as_str()?.to_owned())));
            words.iter().map(word).collect::<Option<_>>().ok_or(wrong)
        }
        Some(_) => Err(wrong),
    }
}
