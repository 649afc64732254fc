//! Reading the fields of an object by name, each as what it must be.

use super::super::jsonc::{Content, Field, Flaw, Node};
use super::super::kind::Kind;
use super::super::secret::Secret;
use super::super::value::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest a request may be given: a day.
const LONGEST_MS: u64 = 86_400_000;

/// An object and the name it has in complaints.
pub(super) struct Fields<'a> {
    prefix: &'a str,
    fields: &'a [Field],
}

impl<'a> Fields<'a> {
    pub(super) fn of(prefix: &'a str, node: &'a Node) -> Result<Fields<'a>, Flaw> {
        match &node.content {
            Content::Object(fields) => Ok(Fields { prefix, fields }),
            _ => Err(Flaw { at: node.at, what: format!("{prefix} must be an object") }),
        }
    }

    pub(super) fn all(&self) -> &'a [Field] {
        self.fields
    }

    /// The value of `name`; null is the same as not there.
    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        let value = &self.fields.iter().find(|field| field.name == name)?.value;
        (!matches!(value.content, Content::Null)).then_some(value)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Flaw> {
        Ok(match self.read(name, Kind::Text)? {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        })
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Flaw> {
        Ok(match self.read(name, Kind::Flag)? {
            Some(Value::Flag(flag)) => Some(flag),
            _ => None,
        })
    }

    pub(super) fn names(&self, name: &str) -> Result<Option<Vec<String>>, Flaw> {
        Ok(match self.read(name, Kind::Names)? {
            Some(Value::Names(names)) => Some(names),
            _ => None,
        })
    }

    pub(super) fn milliseconds(&self, name: &str) -> Result<Option<Duration>, Flaw> {
        Ok(match self.read(name, Kind::Count { least: 1, most: LONGEST_MS })? {
            Some(Value::Count(count)) => Some(Duration::from_millis(count)),
            _ => None,
        })
    }

    /// One of a few words.
    pub(super) fn choice(&self, name: &str, words: &[&str]) -> Result<Option<String>, Flaw> {
        let (Some(node), Some(word)) = (self.get(name), self.text(name)?) else { return Ok(None) };
        if words.contains(&word.as_str()) {
            return Ok(Some(word));
        }
        Err(self.flaw(name, node, &format!("one of {}", words.join(", "))))
    }

    /// An http or https address.
    pub(super) fn address(&self, name: &str) -> Result<Option<String>, Flaw> {
        let (Some(node), Some(url)) = (self.get(name), self.text(name)?) else { return Ok(None) };
        let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let usable = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
            && !url.contains(|c: char| c.is_whitespace() || c.is_control());
        if usable { Ok(Some(url)) } else { Err(self.flaw(name, node, "an http or https address")) }
    }

    /// A list of texts that are handed on as they are, empty ones included.
    pub(super) fn words(&self, name: &str) -> Result<Vec<String>, Flaw> {
        let Some(node) = self.get(name) else { return Ok(Vec::new()) };
        let Content::List(nodes) = &node.content else { return Err(self.flaw(name, node, "a list of texts")) };
        let word = |node: &Node| match &node.content {
            Content::Text(text) => Ok(text.clone()),
            _ => Err(self.flaw(name, node, "a list of texts")),
        };
        nodes.iter().map(word).collect()
    }

    /// Names with texts that are not to be shown.
    pub(super) fn secrets(&self, name: &str) -> Result<BTreeMap<String, Secret>, Flaw> {
        let Some(node) = self.get(name) else { return Ok(BTreeMap::new()) };
        let Content::Object(fields) = &node.content else {
            return Err(self.flaw(name, node, "an object of texts"));
        };
        let secret = |field: &Field| match &field.value.content {
            Content::Text(text) => Ok((field.name.clone(), Secret::new(text.clone()))),
            _ => Err(self.flaw(name, &field.value, "an object of texts")),
        };
        fields.iter().map(secret).collect()
    }

    fn read(&self, name: &str, kind: Kind) -> Result<Option<Value>, Flaw> {
        match self.get(name) {
            Some(node) => kind.read(&format!("{}.{name}", self.prefix), node),
            None => Ok(None),
        }
    }

    fn flaw(&self, name: &str, node: &Node, demand: &str) -> Flaw {
        Flaw { at: node.at, what: format!("{}.{name} must be {demand}", self.prefix) }
    }
}
