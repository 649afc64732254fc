//! A model's arguments, read leniently and described exactly.

use crate::error::ToolError;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Read arguments. Unknown ones are ignored; an error names the one that is wrong.
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
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// A line about those of `args` that a tool with this schema does not take; `None` if there are none.
pub(crate) fn ignored_arguments(tool: &str, schema: &Value, args: &Value) -> Option<String> {
    let takes = schema.get("properties")?.as_object()?;
    let unknown = args.as_object()?.keys().filter(|name| !takes.contains_key(*name)).map(|name| format!("`{name}`"));
    let unknown: Vec<String> = unknown.collect();
    let taken: Vec<&str> = takes.keys().map(String::as_str).collect();
    let taken = if taken.is_empty() { "none".to_owned() } else { taken.join(", ") };
    let arguments = if unknown.len() == 1 { "argument" } else { "arguments" };
    let line = || format!("[Ignored unknown {arguments} {}; the arguments of {tool}: {taken}.]", unknown.join(", "));
    (!unknown.is_empty()).then(line)
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

/// A line number, from 1. Some providers send every number as a float, so `3.0` is 3.
pub(crate) fn line_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = integer(deserializer)? else { return Ok(None) };
    match whole(number) {
        None | Some(0) => Err(D::Error::custom("a line number is a whole number from 1")),
        line => Ok(line),
    }
}

/// A whole number, which some providers send as a float.
pub(crate) fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = integer(deserializer)? else { return Ok(None) };
    whole(number).map(Some).ok_or_else(|| D::Error::custom("it must be a whole number from 0"))
}

fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let Some(given) = Option::<Value>::deserialize(deserializer)? else { return Ok(None) };
    given.as_f64().map(Some).ok_or_else(|| D::Error::custom(format!("{given} is given, and an integer is expected")))
}

fn whole(number: f64) -> Option<usize> {
    let exact = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
    exact.then_some(number as usize)
}
