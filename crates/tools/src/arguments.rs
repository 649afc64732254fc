//! A model's arguments, read leniently and described exactly.

use crate::error::ToolError;
use rapidfuzz::distance::damerau_levenshtein;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Read arguments. An error names the one that is wrong; names are checked by [`check_names`].
pub(crate) fn parse<T: DeserializeOwned>(args: &Value) -> Result<T, ToolError> {
    let nothing = Value::Object(Map::new());
    let args = if args.is_null() { &nothing } else { args };
    if !args.is_object() {
        return Err(ToolError::BadArguments("the arguments must be a JSON object".into()));
    }
    serde_path_to_error::deserialize(args).map_err(|error| {
        let path = error.path().to_string();
        ToolError::BadArguments(match path.as_str() {
            "." => {
                let given: Vec<String> =
                    args.as_object().into_iter().flatten().map(|(name, _)| format!("`{name}`")).collect();
                let given = if given.is_empty() { String::new() } else { format!("; given: {}", given.join(", ")) };
                format!("{}{given}", error.into_inner().to_string().replace("missing field", "missing argument"))
            }
            argument => format!("argument `{argument}`: {}", error.inner()),
        })
    })
}

/// The part of `value` that `schema` describes. The members of an object that `schema` does not name are left out, and
/// so is an object or a list of which it says nothing.
pub(crate) fn declared_part(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let declared = members.iter().filter_map(|(name, member)| {
                let property = properties?.get(name)?;
                Some((name.clone(), declared_part(property, member)))
            });
            Value::Object(declared.collect())
        }
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.iter().map(|item| declared_part(schema, item)).collect(),
            None => Value::Array(Vec::new()),
        },
        Value::String(text) => read_quoted(schema, text).unwrap_or_else(|| value.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A number, or yes or no, in quotes, as the tool reads it.
fn read_quoted(schema: &Value, text: &str) -> Option<Value> {
    let types = schema.get("type")?;
    let is =
        |wanted: &str| types == wanted || types.as_array().is_some_and(|types| types.iter().any(|one| one == wanted));
    let text = text.trim().to_ascii_lowercase();
    match (is("boolean"), is("integer")) {
        _ if is("string") => None,
        (true, _) => text.parse::<bool>().ok().map(Value::from),
        (_, true) => text.parse::<u32>().ok().map(Value::from),
        (false, false) => None,
    }
}

/// An argument that Gemini models send with any call. Calls of one answer take effect in their order, so it has no meaning here.
const ORDER_REMARK: &str = "wait_for_previous";

/// How alike two names must be to be offered for each other, from 0 to 1.
const LIKENESS: f64 = 0.4;

/// Refuse `args` that a tool with this schema does not take: a filter that nobody applies would look like one that found
/// everything.
pub(crate) fn check_names(tool: &str, schema: &Value, args: &Value) -> Result<(), ToolError> {
    let (Some(takes), Some(args)) = (schema.get("properties").and_then(Value::as_object), args.as_object()) else {
        return Ok(());
    };
    let mut unknown = args.keys().filter(|name| !takes.contains_key(*name) && *name != ORDER_REMARK);
    let Some(name) = unknown.next() else { return Ok(()) };
    let taken: Vec<&str> = takes.keys().map(String::as_str).collect();
    let meant = most_alike(name, &taken).map_or_else(|| ".".into(), |meant| format!("; did you mean `{meant}`?"));
    let taken = if taken.is_empty() { "none".to_owned() } else { taken.join(", ") };
    Err(ToolError::BadArguments(format!("unknown argument `{name}`{meant} The arguments of {tool}: {taken}")))
}

fn most_alike<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    // Comparing is quadratic, and no argument is nearly as long.
    let name: String = name.chars().take(100).collect();
    let likeness = |known: &str| damerau_levenshtein::normalized_similarity(name.chars(), known.chars());
    let scored = known.iter().map(|known| (likeness(known), *known)).filter(|(score, _)| *score >= LIKENESS);
    scored.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

/// The JSON schema of the arguments `T`, in the plain form every model provider takes: no `null` types, no formats.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        // They name the Rust type and its documentation, which the model has no use for.
        schema.retain(|key, _| !matches!(key.as_str(), "$schema" | "title" | "description"));
        simplify_parts(schema);
    }
    schema
}

/// Simplify what a schema says of properties and items.
fn simplify_parts(schema: &mut Map<String, Value>) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        simplify(property);
    }
    if let Some(items) = schema.get_mut("items").and_then(Value::as_object_mut) {
        simplify(items);
    }
}

fn simplify(property: &mut Map<String, Value>) {
    property.retain(|key, value| key != "format" && !(key == "default" && value.is_null()));
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".into(), only);
        }
    }
    simplify_parts(property);
}

/// A line number, from 1. Some providers send every number as a float, so `3.0` is 3; some models put it in quotes.
pub(crate) fn line_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = integer(deserializer)? else { return Ok(None) };
    match whole(number) {
        None | Some(0) => Err(D::Error::custom("a line number is a whole number from 1")),
        line => Ok(line),
    }
}

/// A whole number, which some providers send as a float, and some models in quotes.
pub(crate) fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = integer(deserializer)? else { return Ok(None) };
    whole(number).map(Some).ok_or_else(|| D::Error::custom("it must be a whole number from 0"))
}

/// Yes or no, which some models put in quotes.
pub(crate) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let given = Value::deserialize(deserializer)?;
    let quoted = || given.as_str().and_then(|text| text.trim().to_ascii_lowercase().parse().ok());
    given
        .as_bool()
        .or_else(quoted)
        .ok_or_else(|| D::Error::custom(format!("{given} is given, and true or false is expected")))
}

fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let Some(given) = Option::<Value>::deserialize(deserializer)? else { return Ok(None) };
    let quoted = || given.as_str().and_then(|text| text.trim().parse::<u32>().ok()).map(f64::from);
    given
        .as_f64()
        .or_else(quoted)
        .map(Some)
        .ok_or_else(|| D::Error::custom(format!("{given} is given, and an integer is expected")))
}

fn whole(number: f64) -> Option<usize> {
    let exact = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
    exact.then_some(number as usize)
}
