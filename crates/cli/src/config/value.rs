//! The value of a setting, once it has been checked.

use pollux_session::ApprovalMode;
use serde::{Serialize, Serializer};
use std::fmt;

/// The checked value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SettingValue {
    Flag(bool),
    Count(u64),
    /// At most so many; `None` is no limit, written -1.
    Limit(Option<u64>),
    Ratio(f64),
    Text(String),
    Names(Vec<String>),
    Mode(ApprovalMode),
}

impl fmt::Display for SettingValue {
    /// Texts are quoted and escaped: a settings file is not let near the terminal's controls.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Flag(flag) => write!(f, "{flag}"),
            SettingValue::Count(count) | SettingValue::Limit(Some(count)) => write!(f, "{count}"),
            SettingValue::Limit(None) => f.write_str("no limit"),
            SettingValue::Ratio(ratio) => write!(f, "{ratio}"),
            SettingValue::Text(text) => write!(f, "{text:?}"),
            SettingValue::Names(names) => write!(f, "{names:?}"),
            SettingValue::Mode(mode) => f.write_str(mode.name()),
        }
    }
}

impl Serialize for SettingValue {
    /// As a settings file would write it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SettingValue::Flag(flag) => serializer.serialize_bool(*flag),
            SettingValue::Count(count) | SettingValue::Limit(Some(count)) => serializer.serialize_u64(*count),
            SettingValue::Limit(None) => serializer.serialize_i64(-1),
            SettingValue::Ratio(ratio) => serializer.serialize_f64(*ratio),
            SettingValue::Text(text) => serializer.serialize_str(text),
            SettingValue::Names(names) => names.serialize(serializer),
            SettingValue::Mode(mode) => serializer.serialize_str(mode.name()),
        }
    }
}
