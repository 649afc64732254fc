//! The kinds of settings, and the words for a value that does not fit.

use super::jsonc::{NodeContent, SettingsFlaw, SettingsNode, TextPosition};
use super::value::SettingValue;
use pollux_session::ApprovalMode;
use pollux_tui::NotificationMethod;

#[cfg(test)]
mod tests;

/// The most names a list may have.
const NAMES: usize = 1000;

/// The kind of a setting's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingKind {
    Flag,
    /// A whole number in these bounds.
    Count {
        least: u64,
        most: u64,
    },
    /// A whole number; -1 and 0 are no limit.
    Limit,
    /// More than 0 and at most 1.
    Ratio,
    Text,
    /// A list of texts.
    Names,
    /// A text or a list of texts.
    NameOrNames,
    /// An approval mode, `yolo` excepted: that is for a flag of one run, not for a file that stays.
    Mode,
    /// The level of the log, by the names of most loggers.
    LogLevel,
    /// How somebody who looks elsewhere is notified.
    Notification,
}

impl SettingKind {
    /// The values that the setting takes, in words.
    pub(crate) fn describe_expected(self) -> String {
        match self {
            SettingKind::Flag => "true or false".into(),
            SettingKind::Count { least, most } => format!("a whole number from {least} to {most}"),
            SettingKind::Limit => "a whole number, or -1 for no limit".into(),
            SettingKind::Ratio => "a number above 0 and at most 1".into(),
            SettingKind::Text => "a non-empty string".into(),
            SettingKind::Names => "a list of non-empty strings".into(),
            SettingKind::NameOrNames => "a non-empty string or a list of them".into(),
            SettingKind::Mode => "\"default\", \"auto_edit\" or \"plan\" (yolo only by the flag --yolo)".into(),
            SettingKind::LogLevel => "\"error\", \"warn\", \"info\", \"debug\" or \"trace\"".into(),
            SettingKind::Notification => "\"auto\", \"osc9\", \"osc777\" or \"bell\"".into(),
        }
    }

    /// Read `node` as the value of `key`; null is the same as not set.
    pub(crate) fn read(self, key: &str, node: &SettingsNode) -> Result<Option<SettingValue>, SettingsFlaw> {
        let value = match (self, &node.content) {
            (_, NodeContent::Null) => return Ok(None),
            (SettingKind::Flag, NodeContent::Flag(flag)) => Some(SettingValue::Flag(*flag)),
            (SettingKind::Count { least, most }, NodeContent::Number(number)) => {
                number.parse().ok().filter(|count| (least..=most).contains(count)).map(SettingValue::Count)
            }
            (SettingKind::Limit, NodeContent::Number(number)) => limit(number),
            (SettingKind::Ratio, NodeContent::Number(number)) => {
                number.parse().ok().filter(|ratio| *ratio > 0.0 && *ratio <= 1.0).map(SettingValue::Ratio)
            }
            (SettingKind::Text, NodeContent::Text(text)) => named(text).map(SettingValue::Text),
            (SettingKind::NameOrNames, NodeContent::Text(text)) => {
                named(text).map(|name| SettingValue::Names(vec![name]))
            }
            (SettingKind::Names | SettingKind::NameOrNames, NodeContent::List(nodes)) => {
                return names(key, nodes).map(Some);
            }
            (SettingKind::Mode, NodeContent::Text(text)) => mode(text).map(SettingValue::Mode),
            (SettingKind::LogLevel, NodeContent::Text(text)) => {
                level(text).map(|level| SettingValue::Text(level.into()))
            }
            (SettingKind::Notification, NodeContent::Text(text)) => {
                NotificationMethod::from_name(text).map(|method| SettingValue::Text(method.name().into()))
            }
            _ => None,
        };
        value.map(Some).ok_or_else(|| self.flaw(key, node))
    }

    /// Read the text of a variable or a flag, where everything is a text.
    pub(crate) fn read_text(self, text: &str) -> Option<SettingValue> {
        let content = match self {
            SettingKind::Flag => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => NodeContent::Flag(true),
                "false" | "0" => NodeContent::Flag(false),
                _ => return None,
            },
            SettingKind::Count { .. } | SettingKind::Limit | SettingKind::Ratio => {
                NodeContent::Number(text.trim().to_owned())
            }
            _ => NodeContent::Text(text.to_owned()),
        };
        self.read("", &SettingsNode { at: TextPosition { line: 1, column: 1 }, content }).ok().flatten()
    }

    fn flaw(self, key: &str, node: &SettingsNode) -> SettingsFlaw {
        SettingsFlaw { at: node.at, what: format!("{key} must be {}", self.describe_expected()) }
    }
}

fn limit(number: &str) -> Option<SettingValue> {
    match number.parse::<i64>().ok()? {
        -1 | 0 => Some(SettingValue::Limit(None)),
        limit => u64::try_from(limit).ok().map(|limit| SettingValue::Limit(Some(limit))),
    }
}

fn names(key: &str, nodes: &[SettingsNode]) -> Result<SettingValue, SettingsFlaw> {
    if let Some(over) = nodes.get(NAMES) {
        return Err(SettingsFlaw { at: over.at, what: format!("{key} has more than {NAMES} items") });
    }
    let name = |node: &SettingsNode| match &node.content {
        NodeContent::Text(text) => named(text).ok_or_else(|| SettingKind::Names.flaw(key, node)),
        _ => Err(SettingKind::Names.flaw(key, node)),
    };
    nodes.iter().map(name).collect::<Result<_, _>>().map(SettingValue::Names)
}

fn named(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// `autoEdit` is how some releases of Gemini CLI wrote it.
fn mode(text: &str) -> Option<ApprovalMode> {
    match text {
        "default" => Some(ApprovalMode::Default),
        "auto_edit" | "autoEdit" => Some(ApprovalMode::AutoEdit),
        "plan" => Some(ApprovalMode::Plan),
        _ => None,
    }
}

/// The names of most loggers, those of the server that `pollux serve` stands in for among them.
fn level(text: &str) -> Option<&'static str> {
    match text.trim().to_ascii_lowercase().as_str() {
        "error" | "fatal" => Some("error"),
        "warn" | "warning" => Some("warn"),
        "info" | "http" => Some("info"),
        "debug" | "verbose" => Some("debug"),
        "trace" | "silly" => Some("trace"),
        _ => None,
    }
}
