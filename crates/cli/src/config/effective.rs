//! The layers put together: every setting with its value and everyone who had a hand in it.

use super::error::ConfigWarning;
use super::keys::{KEYS, LayerMerge, SettingKey, WorkspacePermission};
use super::layer::SettingEntry;
use super::origin::SettingOrigin;
use super::value::SettingValue;
use std::collections::BTreeMap;
use std::path::{Component, Path};

#[cfg(test)]
mod tests;

/// A setting's value and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EffectiveSetting {
    /// `None`: nobody set it and nothing in particular holds.
    pub(crate) value: Option<SettingValue>,
    pub(crate) origins: Vec<SettingOrigin>,
}

/// Every setting, by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EffectiveSettings(BTreeMap<&'static str, EffectiveSetting>);

impl EffectiveSettings {
    /// The settings when nobody has set anything.
    pub(crate) fn defaults() -> EffectiveSettings {
        let settle =
            |key: &SettingKey| EffectiveSetting { value: key.default.value(), origins: vec![SettingOrigin::Default] };
        EffectiveSettings(KEYS.iter().map(|key| (key.name, settle(key))).collect())
    }

    /// The settings in the order of the table.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static SettingKey, &EffectiveSetting)> {
        KEYS.iter().filter_map(|key| Some((key, self.0.get(key.name)?)))
    }

    /// The value of the setting `name`.
    pub(crate) fn value(&self, name: &str) -> Option<&SettingValue> {
        self.0.get(name)?.value.as_ref()
    }

    /// The origin of the value of `name`.
    pub(crate) fn origin(&self, name: &str) -> SettingOrigin {
        self.0.get(name).and_then(|settled| settled.origins.last().cloned()).unwrap_or(SettingOrigin::Default)
    }

    /// A higher layer of the person or the machine sets something.
    pub(crate) fn set(&mut self, entry: SettingEntry) {
        let merged = match (entry.key.merge, self.value(entry.key.name)) {
            (LayerMerge::Adds, Some(SettingValue::Names(before))) => joined(before, &entry.value),
            (LayerMerge::Replaces | LayerMerge::Adds, _) => None,
        };
        match merged {
            Some(value) => self.amend(entry.key, value, entry.origin),
            None => self.replace(entry.key, entry.value, entry.origin),
        }
    }

    /// A trusted workspace sets something: it holds as far as it narrows.
    pub(crate) fn narrow(&mut self, entry: SettingEntry) -> Option<ConfigWarning> {
        let before = self.value(entry.key.name);
        let names = |value: &SettingValue| matches!(value, SettingValue::Names(_));
        let narrowed = match (entry.key.workspace, before, &entry.value) {
            (WorkspacePermission::Adds, Some(SettingValue::Names(before)), value) => joined(before, value),
            (WorkspacePermission::AddsInside, Some(SettingValue::Names(before)), value)
                if all_match(value, is_inside) =>
            {
                joined(before, value)
            }
            (WorkspacePermission::Keeps, None, value) if names(value) => Some(value.clone()),
            (WorkspacePermission::Keeps, Some(SettingValue::Names(before)), SettingValue::Names(kept)) => {
                Some(SettingValue::Names(before.iter().filter(|name| kept.contains(name)).cloned().collect()))
            }
            (WorkspacePermission::Lowers, Some(SettingValue::Count(before)), SettingValue::Count(count))
                if count <= before =>
            {
                Some(SettingValue::Count(*count))
            }
            (WorkspacePermission::Lowers, Some(SettingValue::Limit(before)), SettingValue::Limit(Some(limit)))
                if before.is_none_or(|before| *limit <= before) =>
            {
                Some(SettingValue::Limit(Some(*limit)))
            }
            (WorkspacePermission::TurnsOn, _, SettingValue::Flag(true)) => Some(SettingValue::Flag(true)),
            (WorkspacePermission::NamesMarkdown, _, value) if all_match(value, is_markdown_name) => Some(value.clone()),
            _ => None,
        };
        match narrowed {
            Some(value)
                if before.is_some() && names(&value) && entry.key.workspace != WorkspacePermission::NamesMarkdown =>
            {
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

    fn replace(&mut self, key: &SettingKey, value: SettingValue, origin: SettingOrigin) {
        self.0.insert(key.name, EffectiveSetting { value: Some(value), origins: vec![origin] });
    }

    /// The value now has one more source.
    fn amend(&mut self, key: &SettingKey, value: SettingValue, origin: SettingOrigin) {
        let mut origins = self.0.remove(key.name).map_or_else(Vec::new, |settled| settled.origins);
        origins.retain(|origin| *origin != SettingOrigin::Default);
        origins.push(origin);
        self.0.insert(key.name, EffectiveSetting { value: Some(value), origins });
    }
}

fn joined(before: &[String], more: &SettingValue) -> Option<SettingValue> {
    let SettingValue::Names(more) = more else { return None };
    let mut all = before.to_vec();
    for name in more {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    Some(SettingValue::Names(all))
}

fn all_match(value: &SettingValue, test: fn(&str) -> bool) -> bool {
    matches!(value, SettingValue::Names(names) if names.iter().all(|name| test(name)))
}

/// A workspace names its own files. `.env` or a path could be anyone's, and memory files are shown to a model.
fn is_markdown_name(name: &str) -> bool {
    let plain = Path::new(name).components().eq([Component::Normal(name.as_ref())]);
    plain && !name.starts_with('.') && name.to_ascii_lowercase().ends_with(".md")
}

fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn refused(entry: &SettingEntry) -> ConfigWarning {
    let name = entry.key.name;
    let may = match entry.key.workspace {
        WorkspacePermission::Never => "not set it",
        WorkspacePermission::Adds => "only add to it",
        WorkspacePermission::Keeps => "only keep some of it",
        WorkspacePermission::Lowers => "only lower it",
        WorkspacePermission::TurnsOn => "only turn it on",
        WorkspacePermission::NamesMarkdown => "only name .md files, without a path",
        WorkspacePermission::AddsInside => "only add files inside itself",
    };
    let text = format!(
        "{}: {name} is ignored: a workspace may {may}; set it in your own ~/.gemini/settings.json",
        entry.origin
    );
    ConfigWarning { subject: format!("workspace {name}"), text }
}
