//! A text as the values that a question's JSON schema asks for.

use super::{leading_number, normalized};
use serde_json::{Map, Value};

/// How many things a list may hold.
const MOST_PICKED: usize = 64;

/// The values for the properties of `schema`, in their order; `None` if `text` cannot be read as them. One property takes the
/// whole text, several take a line each.
pub(super) fn read_answers(schema: &Value, text: &str) -> Option<Value> {
    let properties = schema.get("properties")?.as_object()?;
    let texts = if properties.len() == 1 { vec![text.trim()] } else { lines(text, properties.len())? };
    let pairs = properties.iter().zip(texts);
    let values = pairs.map(|((name, property), text)| Some((name.clone(), read_value(property, text)?)));
    values.collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// Whether `property` offers something to choose from.
pub(super) fn offers(property: &Value) -> bool {
    !offered(property.get("items").unwrap_or(property)).is_empty()
}

/// What `property` offers to choose from, in order.
fn offered(property: &Value) -> Vec<&str> {
    let list = |word: &str| property.get(word).and_then(Value::as_array).into_iter().flatten();
    let constants = ["anyOf", "oneOf"].into_iter().flat_map(list).filter_map(|one| one.get("const")?.as_str());
    list("enum").filter_map(Value::as_str).chain(constants).collect()
}

/// `count` lines, in the order of the numbers before them if all have one.
fn lines(text: &str, count: usize) -> Option<Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() != count {
        return None;
    }
    let Some(mut numbered) = lines.iter().map(|line| leading_number(line)).collect::<Option<Vec<_>>>() else {
        return Some(lines);
    };
    numbered.sort_by_key(|(number, _)| *number);
    let complete = numbered.iter().zip(1..).all(|((number, _), expected)| *number == expected);
    complete.then(|| numbered.into_iter().map(|(_, rest)| rest).collect())
}

fn read_value(property: &Value, text: &str) -> Option<Value> {
    let words = normalized(text);
    if words.is_empty() {
        return None;
    }
    match property.get("type").and_then(Value::as_str) {
        Some("boolean") => match words.as_str() {
            "yes" | "true" => Some(Value::Bool(true)),
            "no" | "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Some("integer") => words.parse::<i64>().ok().map(Value::from),
        Some("number") => words.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number),
        Some("array") => {
            let offered = property.get("items").map(offered).unwrap_or_default();
            let several: Vec<&str> = text.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
            let fits = several.len() <= MOST_PICKED;
            fits.then(|| several.into_iter().map(|one| Value::from(picked(&offered, one))).collect())
        }
        Some("object") => None,
        _ => Some(Value::from(picked(&offered(property), text.trim()))),
    }
}

/// The one of `offered` that `text` names or numbers, or else the text itself.
fn picked<'a>(offered: &[&'a str], text: &'a str) -> &'a str {
    let words = normalized(text);
    let numbered = words.parse::<usize>().ok().and_then(|number| offered.get(number.checked_sub(1)?));
    let named = || offered.iter().find(|label| normalized(label) == words);
    numbered.or_else(named).copied().unwrap_or(text)
}
