//! What a setting can be, once it has been checked.

use pollux_session::Mode;
use serde::{Serialize, Serializer};
use std::fmt;

/// The checked value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Flag(bool),
    Count(u64),
    /// At most so many; `None` is no limit, written -1.
    Limit(Option<u64>),
    Ratio(f64),
    Text(String),
    Names(Vec<String>),
    Mode(Mode),
}

impl fmt::Display for Value {
    /// Texts are quoted and escaped: a settings file is not let near the terminal's controls.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Count(count) | Value::Limit(Some(count)) => write!(f, "{count}"),
            Value::Limit(None) => f.write_str("no limit"),
            Value::Ratio(ratio) => write!(f, "{ratio}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Names(names) => write!(f, "{names:?}"),
            Value::Mode(mode) => f.write_str(mode.name()),
        }
    }
}

impl Serialize for Value {
    /// As a settings file would write it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Flag(flag) => serializer.serialize_bool(*flag),
            Value::Count(count) | Value::Limit(Some(count)) => serializer.serialize_u64(*count),
            Value::Limit(None) => serializer.serialize_i64(-1),
            Value::Ratio(ratio) => serializer.serialize_f64(*ratio),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Names(names) => names.serialize(serializer),
            Value::Mode(mode) => serializer.serialize_str(mode.name()),
        }
    }
}
