//! Reading the fields of an object by name, each as what it must be.

use super::super::jsonc::{NodeContent, NodeField, SettingsFlaw, SettingsNode};
use super::super::secret::ConfigSecret;
use super::super::setting_kind::SettingKind;
use super::super::value::SettingValue;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest a request may be given: a day.
const LONGEST_MS: u64 = 86_400_000;

/// An object and the name it has in complaints.
pub(super) struct EntryFields<'a> {
    prefix: &'a str,
    fields: &'a [NodeField],
}

impl<'a> EntryFields<'a> {
    pub(super) fn new(prefix: &'a str, node: &'a SettingsNode) -> Result<EntryFields<'a>, SettingsFlaw> {
        match &node.content {
            NodeContent::Object(fields) => Ok(EntryFields { prefix, fields }),
            _ => Err(SettingsFlaw { at: node.at, what: format!("{prefix} must be an object") }),
        }
    }

    pub(super) fn all(&self) -> &'a [NodeField] {
        self.fields
    }

    /// The value of `name`; null is the same as not there.
    pub(super) fn get(&self, name: &str) -> Option<&'a SettingsNode> {
        let value = &self.fields.iter().find(|field| field.name == name)?.value;
        (!matches!(value.content, NodeContent::Null)).then_some(value)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, SettingsFlaw> {
        Ok(match self.read(name, SettingKind::Text)? {
            Some(SettingValue::Text(text)) => Some(text),
            _ => None,
        })
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, SettingsFlaw> {
        Ok(match self.read(name, SettingKind::Flag)? {
            Some(SettingValue::Flag(flag)) => Some(flag),
            _ => None,
        })
    }

    pub(super) fn names(&self, name: &str) -> Result<Option<Vec<String>>, SettingsFlaw> {
        Ok(match self.read(name, SettingKind::Names)? {
            Some(SettingValue::Names(names)) => Some(names),
            _ => None,
        })
    }

    pub(super) fn milliseconds(&self, name: &str) -> Result<Option<Duration>, SettingsFlaw> {
        Ok(match self.read(name, SettingKind::Count { least: 1, most: LONGEST_MS })? {
            Some(SettingValue::Count(count)) => Some(Duration::from_millis(count)),
            _ => None,
        })
    }

    /// One of a few words.
    pub(super) fn choice(&self, name: &str, words: &[&str]) -> Result<Option<String>, SettingsFlaw> {
        let (Some(node), Some(word)) = (self.get(name), self.text(name)?) else { return Ok(None) };
        if words.contains(&word.as_str()) {
            return Ok(Some(word));
        }
        Err(self.flaw(name, node, &format!("one of {}", words.join(", "))))
    }

    /// An http or https address.
    pub(super) fn address(&self, name: &str) -> Result<Option<String>, SettingsFlaw> {
        let (Some(node), Some(url)) = (self.get(name), self.text(name)?) else { return Ok(None) };
        let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let usable = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
            && !url.contains(|c: char| c.is_whitespace() || c.is_control());
        if usable { Ok(Some(url)) } else { Err(self.flaw(name, node, "an http or https address")) }
    }

    /// A list of texts that are handed on as they are, empty ones included.
    pub(super) fn words(&self, name: &str) -> Result<Vec<String>, SettingsFlaw> {
        let Some(node) = self.get(name) else { return Ok(Vec::new()) };
        let NodeContent::List(nodes) = &node.content else { return Err(self.flaw(name, node, "a list of strings")) };
        let word = |node: &SettingsNode| match &node.content {
            NodeContent::Text(text) => Ok(text.clone()),
            _ => Err(self.flaw(name, node, "a list of strings")),
        };
        nodes.iter().map(word).collect()
    }

    /// Names with texts that are not to be shown.
    pub(super) fn secrets(&self, name: &str) -> Result<BTreeMap<String, ConfigSecret>, SettingsFlaw> {
        let Some(node) = self.get(name) else { return Ok(BTreeMap::new()) };
        let NodeContent::Object(fields) = &node.content else {
            return Err(self.flaw(name, node, "an object of strings"));
        };
        let secret = |field: &NodeField| match &field.value.content {
            NodeContent::Text(text) => Ok((field.name.clone(), ConfigSecret::new(text.clone()))),
            _ => Err(self.flaw(name, &field.value, "an object of strings")),
        };
        fields.iter().map(secret).collect()
    }

    fn read(&self, name: &str, kind: SettingKind) -> Result<Option<SettingValue>, SettingsFlaw> {
        match self.get(name) {
            Some(node) => kind.read(&format!("{}.{name}", self.prefix), node),
            None => Ok(None),
        }
    }

    fn flaw(&self, name: &str, node: &SettingsNode, demand: &str) -> SettingsFlaw {
        SettingsFlaw { at: node.at, what: format!("{}.{name} must be {demand}", self.prefix) }
    }
}
