//! The layers put together: every setting with its value and everyone who had a hand in it.

use super::error::Warning;
use super::keys::{FromWorkspace, KEYS, Key, Merge};
use super::layer::Entry;
use super::origin::Origin;
use super::value::Value;
use std::collections::BTreeMap;
use std::path::{Component, Path};

#[cfg(test)]
mod tests;

/// A setting's value and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settled {
    /// `None`: nobody set it and nothing in particular holds.
    pub(crate) value: Option<Value>,
    pub(crate) origins: Vec<Origin>,
}

/// Every setting, by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effective(BTreeMap<&'static str, Settled>);

impl Effective {
    /// What holds when nobody has set anything.
    pub(crate) fn presets() -> Effective {
        let settle = |key: &Key| Settled { value: key.preset.value(), origins: vec![Origin::Default] };
        Effective(KEYS.iter().map(|key| (key.name, settle(key))).collect())
    }

    /// The settings in the order of the table.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static Key, &Settled)> {
        KEYS.iter().filter_map(|key| Some((key, self.0.get(key.name)?)))
    }

    /// The value of the setting `name`.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)?.value.as_ref()
    }

    /// Who set `name` last.
    pub(crate) fn origin(&self, name: &str) -> Origin {
        self.0.get(name).and_then(|settled| settled.origins.last().cloned()).unwrap_or(Origin::Default)
    }

    /// A higher layer of the person or the machine sets something.
    pub(crate) fn set(&mut self, entry: Entry) {
        let merged = match (entry.key.merge, self.value(entry.key.name)) {
            (Merge::Adds, Some(Value::Names(before))) => joined(before, &entry.value),
            (Merge::Replaces | Merge::Adds, _) => None,
        };
        match merged {
            Some(value) => self.amend(entry.key, value, entry.origin),
            None => self.replace(entry.key, entry.value, entry.origin),
        }
    }

    /// A trusted workspace sets something: it holds as far as it narrows.
    pub(crate) fn narrow(&mut self, entry: Entry) -> Option<Warning> {
        let before = self.value(entry.key.name);
        let names = |value: &Value| matches!(value, Value::Names(_));
        let narrowed = match (entry.key.workspace, before, &entry.value) {
            (FromWorkspace::Adds, Some(Value::Names(before)), value) => joined(before, value),
            (FromWorkspace::AddsInside, Some(Value::Names(before)), value) if every(value, is_inside) => {
                joined(before, value)
            }
            (FromWorkspace::Keeps, None, value) if names(value) => Some(value.clone()),
            (FromWorkspace::Keeps, Some(Value::Names(before)), Value::Names(kept)) => {
                Some(Value::Names(before.iter().filter(|name| kept.contains(name)).cloned().collect()))
            }
            (FromWorkspace::Lowers, Some(Value::Count(before)), Value::Count(count)) if count <= before => {
                Some(Value::Count(*count))
            }
            (FromWorkspace::Lowers, Some(Value::Limit(before)), Value::Limit(Some(limit)))
                if before.is_none_or(|before| *limit <= before) =>
            {
                Some(Value::Limit(Some(*limit)))
            }
            (FromWorkspace::TurnsOn, _, Value::Flag(true)) => Some(Value::Flag(true)),
            (FromWorkspace::NamesMarkdown, _, value) if every(value, is_markdown_name) => Some(value.clone()),
            _ => None,
        };
        match narrowed {
            Some(value) if before.is_some() && names(&value) && entry.key.workspace != FromWorkspace::NamesMarkdown => {
                self.amend(entry.key, value, entry.origin);
                None
            }
            Some(value) => {
                self.replace(entry.key, value, entry.origin);
                None
            }
            None => Some(refused(&entry)),
        }
    }

    fn replace(&mut self, key: &Key, value: Value, origin: Origin) {
        self.0.insert(key.name, Settled { value: Some(value), origins: vec![origin] });
    }

    /// The value now has one more source.
    fn amend(&mut self, key: &Key, value: Value, origin: Origin) {
        let mut origins = self.0.remove(key.name).map_or_else(Vec::new, |settled| settled.origins);
        origins.retain(|origin| *origin != Origin::Default);
        origins.push(origin);
        self.0.insert(key.name, Settled { value: Some(value), origins });
    }
}

fn joined(before: &[String], more: &Value) -> Option<Value> {
    let Value::Names(more) = more else { return None };
    let mut all = before.to_vec();
    for name in more {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    Some(Value::Names(all))
}

fn every(value: &Value, test: fn(&str) -> bool) -> bool {
    matches!(value, Value::Names(names) if names.iter().all(|name| test(name)))
}

/// A workspace names its own files. `.env` or a path could be anyone's, and memory files are shown to a model.
fn is_markdown_name(name: &str) -> bool {
    let plain = Path::new(name).components().eq([Component::Normal(name.as_ref())]);
    plain && !name.starts_with('.') && name.to_ascii_lowercase().ends_with(".md")
}

fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn refused(entry: &Entry) -> Warning {
    let name = entry.key.name;
    let may = match entry.key.workspace {
        FromWorkspace::Never => "not set it",
        FromWorkspace::Adds => "only add to it",
        FromWorkspace::Keeps => "only keep some of it",
        FromWorkspace::Lowers => "only lower it",
        FromWorkspace::TurnsOn => "only turn it on",
        FromWorkspace::NamesMarkdown => "only name .md files, without a path",
        FromWorkspace::AddsInside => "only add files inside itself",
    };
    let text = format!(
        "{}: {name} is ignored: a workspace may {may}; set it in your own ~/.gemini/settings.json",
        entry.origin
    );
    Warning { subject: format!("workspace {name}"), text }
}
