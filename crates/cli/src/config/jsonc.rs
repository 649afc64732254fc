//! JSON as people write it, with comments and trailing commas. Every value knows where it stands, because a complaint
//! about a settings file is only worth reading when it says where.

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

#[cfg(test)]
mod tests;

/// A place in a text, both counted from 1; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextPosition {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Something is wrong at a place in a text. What it says never repeats a value, which may be secret.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SettingsFlaw {
    pub(crate) at: TextPosition,
    pub(crate) what: String,
}

/// A value and its place. Without `Debug`: it may hold a secret.
pub(crate) struct SettingsNode {
    pub(crate) at: TextPosition,
    pub(crate) content: NodeContent,
}

/// The content of a value.
pub(crate) enum NodeContent {
    Null,
    Flag(bool),
    /// As written: whether it is whole, and how large, is for its reader to say.
    Number(String),
    Text(String),
    List(Vec<SettingsNode>),
    Object(Vec<NodeField>),
}

/// A name in an object and its value.
pub(crate) struct NodeField {
    pub(crate) name: String,
    pub(crate) at: TextPosition,
    pub(crate) value: SettingsNode,
}

/// Read `text`, which must hold one object; an empty text is an empty object.
pub(crate) fn parse(text: &str) -> Result<Vec<NodeField>, SettingsFlaw> {
    let lines = LineIndex::new(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options()).map_err(|error| SettingsFlaw {
        at: lines.position(error.range().start),
        what: describe_error(error.kind()),
    })?;
    match parsed.value {
        None => Ok(Vec::new()),
        Some(Value::Object(object)) => fields(object.properties, &lines),
        Some(other) => {
            Err(SettingsFlaw { at: lines.position(start(&other)), what: "expected an object in braces".into() })
        }
    }
}

/// Comments and trailing commas are habits of people; everything else that is not JSON is a mistake.
fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn fields(properties: Vec<ObjectProp<'_>>, lines: &LineIndex<'_>) -> Result<Vec<NodeField>, SettingsFlaw> {
    let mut fields: Vec<NodeField> = Vec::with_capacity(properties.len());
    for property in properties {
        let at = lines.position(property.range.start);
        let name = property.name.into_string();
        // Which of two the writer meant cannot be known, and readers of JSON differ in which they take.
        if let Some(first) = fields.iter().find(|field| field.name == name) {
            let what = format!("{name:?} is set twice in one object, first on line {}", first.at.line);
            return Err(SettingsFlaw { at, what });
        }
        fields.push(NodeField { name, at, value: node(property.value, lines)? });
    }
    Ok(fields)
}

fn node(value: Value<'_>, lines: &LineIndex<'_>) -> Result<SettingsNode, SettingsFlaw> {
    let at = lines.position(start(&value));
    let content = match value {
        Value::NullKeyword(_) => NodeContent::Null,
        Value::BooleanLit(flag) => NodeContent::Flag(flag.value),
        Value::NumberLit(number) => NodeContent::Number(number.value.to_owned()),
        Value::StringLit(text) => NodeContent::Text(text.value.into_owned()),
        Value::Array(list) => {
            NodeContent::List(list.elements.into_iter().map(|value| node(value, lines)).collect::<Result<_, _>>()?)
        }
        Value::Object(object) => NodeContent::Object(fields(object.properties, lines)?),
    };
    Ok(SettingsNode { at, content })
}

fn start(value: &Value<'_>) -> usize {
    match value {
        Value::NullKeyword(found) => found.range.start,
        Value::BooleanLit(found) => found.range.start,
        Value::NumberLit(found) => found.range.start,
        Value::StringLit(found) => found.range.start,
        Value::Array(found) => found.range.start,
        Value::Object(found) => found.range.start,
    }
}

/// Where the lines of a text begin.
struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(index, _)| index + 1);
        LineIndex { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    fn position(&self, offset: usize) -> TextPosition {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let before = self.text.get(self.starts[line - 1]..offset).unwrap_or_default();
        TextPosition { line, column: before.chars().count() + 1 }
    }
}

/// The error in words, for readers who do not know the grammar's.
fn describe_error(kind: &ParseErrorKind) -> String {
    let words = match kind {
        ParseErrorKind::ExpectedStringObjectProperty => "a name in double quotes is expected here, such as \"model\"",
        ParseErrorKind::ExpectedColonAfterObjectKey => "a colon is missing after the name before this",
        ParseErrorKind::ExpectedObjectValue => "a value is missing after the colon",
        ParseErrorKind::ExpectedComma => "a comma is missing after what stands here",
        ParseErrorKind::UnterminatedObject => "a closing brace } is missing for this opening one",
        ParseErrorKind::UnterminatedArray => "a closing bracket ] is missing for this opening one",
        ParseErrorKind::UnexpectedCloseBrace => "a closing brace } stands where a value is expected",
        ParseErrorKind::UnexpectedCloseBracket => "a closing bracket ] stands where a value is expected",
        ParseErrorKind::SingleQuotedStringsNotAllowed => "text stands in double quotes, not in single ones",
        other => return lower_first(&other.to_string()),
    };
    words.to_owned()
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
