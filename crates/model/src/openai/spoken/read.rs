//! Recognises calls in text, in the spellings that models have learnt.

use serde_json::{Deserializer, Map, Value};

/// A call as it was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenCall {
    pub(super) name: String,
    pub(super) args: Value,
}

/// The result of reading a text as JSON.
#[derive(Debug, PartialEq)]
pub(super) enum Reading {
    /// It begins with a whole value that ends here.
    Whole { value: Value, length: usize },
    /// It may become one.
    Unfinished,
    /// It never will.
    NotJson,
}

/// The calls that `text` consists of; none if it has anything else in it.
pub(super) fn calls(text: &str, tools: &[String]) -> Option<Vec<WrittenCall>> {
    let text = escaped(text.trim());
    let values = Deserializer::from_str(&text).into_iter::<Value>().collect::<Result<Vec<_>, _>>().ok()?;
    let flat = values.into_iter().flat_map(|value| match value {
        Value::Array(values) => values,
        other => vec![other],
    });
    let calls = flat.map(|value| call(&value, tools)).collect::<Option<Vec<_>>>()?;
    (!calls.is_empty()).then_some(calls)
}

/// The value that `text` begins with.
pub(super) fn begin(text: &str) -> Reading {
    let mended = escaped(text);
    let mut values = Deserializer::from_str(&mended).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            let length = unescaped_length(text, values.byte_offset());
            Reading::Whole { value, length }
        }
        Some(Err(error)) if !error.is_eof() => Reading::NotJson,
        Some(Err(_)) | None => Reading::Unfinished,
    }
}

/// The call that a value is.
pub(super) fn call(value: &Value, tools: &[String]) -> Option<WrittenCall> {
    let fields = value.as_object()?;
    if let Some(inner) = fields.get("function").filter(|inner| inner.is_object()) {
        return call(inner, tools);
    }
    let name = ["name", "tool", "function"].iter().find_map(|key| fields.get(*key)?.as_str())?;
    let args = ["arguments", "args", "parameters", "input"].iter().find_map(|key| fields.get(*key))?;
    let args = match args {
        Value::Object(_) => args.clone(),
        Value::Null => Value::Object(Map::new()),
        Value::String(text) => Value::Object(serde_json::from_str(&escaped(text)).ok()?),
        _ => return None,
    };
    tools.iter().any(|tool| tool == name).then(|| WrittenCall { name: name.to_owned(), args })
}

/// JSON with the line breaks and tabs that small models put into strings as they are, written as escapes.
fn escaped(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    for (c, place) in placed(text) {
        match (c, place) {
            ('\n', QuotePosition::Inside) => mended.push_str("\\n"),
            ('\r', QuotePosition::Inside) => mended.push_str("\\r"),
            ('\t', QuotePosition::Inside) => mended.push_str("\\t"),
            (c, _) => mended.push(c),
        }
    }
    mended
}

/// The length of `text` that became the first `length` bytes of what [`escaped`] made of it.
fn unescaped_length(text: &str, length: usize) -> usize {
    let (mut from, mut to) = (0, 0);
    for (c, place) in placed(text) {
        if to >= length {
            break;
        }
        to += if place == QuotePosition::Inside && matches!(c, '\n' | '\r' | '\t') { 2 } else { c.len_utf8() };
        from += c.len_utf8();
    }
    from
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuotePosition {
    /// Inside a string.
    Inside,
    Outside,
}

/// Each character, and whether it is inside a string.
fn placed(text: &str) -> impl Iterator<Item = (char, QuotePosition)> + '_ {
    let (mut inside, mut escape) = (false, false);
    text.chars().map(move |c| {
        let place = if inside { QuotePosition::Inside } else { QuotePosition::Outside };
        match c {
            _ if escape => escape = false,
            '\\' if inside => escape = true,
            '"' => inside = !inside,
            _ => {}
        }
        (c, place)
    })
}
