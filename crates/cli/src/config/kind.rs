//! What a setting must be, and the words for one that is not.

use super::jsonc::{Content, Flaw, Node, Position};
use super::value::Value;
use pollux_session::Mode;

#[cfg(test)]
mod tests;

/// The most names a list may have.
const NAMES: usize = 1000;

/// What a setting must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    /// How much is said, by the names of most loggers.
    LogLevel,
}

impl Kind {
    /// What the setting must be, in words.
    pub(crate) fn demand(self) -> String {
        match self {
            Kind::Flag => "true or false".into(),
            Kind::Count { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Limit => "a whole number, or -1 for no limit".into(),
            Kind::Ratio => "a number above 0 and at most 1".into(),
            Kind::Text => "a text that is not empty".into(),
            Kind::Names => "a list of texts that are not empty".into(),
            Kind::NameOrNames => "a text or a list of texts, none of them empty".into(),
            Kind::Mode => "\"default\", \"auto_edit\" or \"plan\" (yolo only by the flag --yolo)".into(),
            Kind::LogLevel => "\"error\", \"warn\", \"info\", \"debug\" or \"trace\"".into(),
        }
    }

    /// Read `node` as the value of `key`; null is the same as not set.
    pub(crate) fn read(self, key: &str, node: &Node) -> Result<Option<Value>, Flaw> {
        let value = match (self, &node.content) {
            (_, Content::Null) => return Ok(None),
            (Kind::Flag, Content::Flag(flag)) => Some(Value::Flag(*flag)),
            (Kind::Count { least, most }, Content::Number(number)) => {
                number.parse().ok().filter(|count| (least..=most).contains(count)).map(Value::Count)
            }
            (Kind::Limit, Content::Number(number)) => limit(number),
            (Kind::Ratio, Content::Number(number)) => {
                number.parse().ok().filter(|ratio| *ratio > 0.0 && *ratio <= 1.0).map(Value::Ratio)
            }
            (Kind::Text, Content::Text(text)) => named(text).map(Value::Text),
            (Kind::NameOrNames, Content::Text(text)) => named(text).map(|name| Value::Names(vec![name])),
            (Kind::Names | Kind::NameOrNames, Content::List(nodes)) => return names(key, nodes).map(Some),
            (Kind::Mode, Content::Text(text)) => mode(text).map(Value::Mode),
            (Kind::LogLevel, Content::Text(text)) => level(text).map(|level| Value::Text(level.into())),
            _ => None,
        };
        value.map(Some).ok_or_else(|| self.flaw(key, node))
    }

    /// Read the text of a variable or a flag, where everything is a text.
    pub(crate) fn read_text(self, text: &str) -> Option<Value> {
        let content = match self {
            Kind::Flag => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Content::Flag(true),
                "false" | "0" => Content::Flag(false),
                _ => return None,
            },
            Kind::Count { .. } | Kind::Limit | Kind::Ratio => Content::Number(text.trim().to_owned()),
            _ => Content::Text(text.to_owned()),
        };
        self.read("", &Node { at: Position { line: 1, column: 1 }, content }).ok().flatten()
    }

    fn flaw(self, key: &str, node: &Node) -> Flaw {
        Flaw { at: node.at, what: format!("{key} must be {}", self.demand()) }
    }
}

fn limit(number: &str) -> Option<Value> {
    match number.parse::<i64>().ok()? {
        -1 | 0 => Some(Value::Limit(None)),
        limit => u64::try_from(limit).ok().map(|limit| Value::Limit(Some(limit))),
    }
}

fn names(key: &str, nodes: &[Node]) -> Result<Value, Flaw> {
    if let Some(over) = nodes.get(NAMES) {
        return Err(Flaw { at: over.at, what: format!("{key} has more than {NAMES} items") });
    }
    let name = |node: &Node| match &node.content {
        Content::Text(text) => named(text).ok_or_else(|| Kind::Names.flaw(key, node)),
        _ => Err(Kind::Names.flaw(key, node)),
    };
    nodes.iter().map(name).collect::<Result<_, _>>().map(Value::Names)
}

fn named(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// `autoEdit` is how some releases of Gemini CLI wrote it.
fn mode(text: &str) -> Option<Mode> {
    match text {
        "default" => Some(Mode::Default),
        "auto_edit" | "autoEdit" => Some(Mode::AutoEdit),
        "plan" => Some(Mode::Plan),
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
