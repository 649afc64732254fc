//! A tool's schema for its arguments, checked before a model ever sees it.

use crate::mcp::plain_text::{is_plain, to_plain};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// The most bytes of one schema.
const MAX_BYTES: usize = 64 * 1024;
/// The deepest that one may go.
const MAX_DEPTH: usize = 32;
/// The most characters of one description in it.
const MAX_TEXT: usize = 4_000;

/// The schema, fit to be declared, or what is wrong with it.
pub(in crate::mcp) fn checked(schema: Value) -> Result<Value, String> {
    let Value::Object(mut schema) = schema else { return Err("its schema is not a JSON object".into()) };
    let bytes = serde_json::to_string(&schema).map_or(usize::MAX, |text| text.len());
    if bytes > MAX_BYTES {
        return Err(format!("its schema has {bytes} bytes, more than {MAX_BYTES}"));
    }
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        Some(_) => return Err("its schema is not for a JSON object".into()),
        None => {
            schema.insert("type".into(), "object".into());
        }
    }
    match schema.get("properties") {
        None => {
            schema.insert("properties".into(), Map::new().into());
        }
        Some(Value::Object(properties)) if properties.values().all(|of| of.is_object() || of.is_boolean()) => {}
        Some(_) => return Err("its schema has `properties` that are not schemas".into()),
    }
    match schema.get("required") {
        None => {}
        Some(Value::Array(names)) if names.iter().all(Value::is_string) => {}
        Some(_) => return Err("its schema has a `required` that is not a list of names".into()),
    }
    let mut schema = Value::Object(schema);
    clean(&mut schema, MAX_DEPTH)?;
    Ok(schema)
}

/// Make every text in the schema plain.
fn clean(value: &mut Value, depth: usize) -> Result<(), String> {
    if depth == 0 {
        return Err(format!("its schema is nested more than {MAX_DEPTH} deep"));
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => {
            *text = to_plain(text, MAX_TEXT);
            Ok(())
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| clean(value, depth - 1)),
        Value::Object(entries) => entries.iter_mut().try_for_each(|(name, value)| {
            if is_plain(name) {
                clean(value, depth - 1)
            } else {
                Err("its schema has a name that cannot be seen".into())
            }
        }),
    }
}
